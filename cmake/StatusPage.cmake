# The files of src/program/status/page as arrays, so that a program needs no file beside it to serve them.
set(strads_page ${CMAKE_SOURCE_DIR}/src/program/status/page)
set(arrays "")
set(rows "")
set(number 0)
foreach(name index.html page.js page.css uPlot.iife.min.js uPlot.min.css LICENSE.uPlot)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${strads_page}/${name})
  file(READ ${strads_page}/${name} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", {reinterpret_cast<const char*>(kFile${number}), sizeof kFile${number}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/page_files.cpp CONTENT "// Written by cmake/StatusPage.cmake.
#include \"program/status/page_files.hpp\"

namespace strads {
namespace {

${arrays}
const PageFile kPageFiles[] = {
${rows}};

}  // namespace

std::span<const PageFile> page_files() { return kPageFiles; }

}  // namespace strads
")
target_sources(strads_program PRIVATE ${CMAKE_BINARY_DIR}/page_files.cpp)
set_source_files_properties(${CMAKE_BINARY_DIR}/page_files.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
