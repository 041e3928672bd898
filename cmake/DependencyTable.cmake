# packaging/dependencies.txt with the versions that were found: for the programs (build_facts.cpp in the library
# strads_build_facts), for packages (build_facts.txt; those of one language only there, and Debian packages that are
# needed at run time in strads_python_loads and strads_r_loads). Not part of the build id: two nodes of a run need the same kernels,
# and the versions that matter to those are in it (BuildId.cmake).
set(STRADS_COMMIT "" CACHE STRING "The commit that is packaged, for --version --verbose; set by scripts/package")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/packaging/dependencies.txt)
file(STRINGS ${CPPZMQ_INCLUDE_DIR}/zmq.hpp lines REGEX "^#define CPPZMQ_VERSION_(MAJOR|MINOR|PATCH) [0-9]+")
string(REGEX REPLACE "[^0-9;]" "" lines "${lines}")
list(JOIN lines "." CPPZMQ_VERSION)

file(STRINGS ${CMAKE_SOURCE_DIR}/packaging/dependencies.txt lines REGEX "^[^#]")
set(facts "")
set(rows "")
set(strads_build_packages "")
set(strads_python_loads "")
set(strads_r_loads "")
foreach(line ${lines})
  string(REPLACE " | " ";" cells "${line}")
  list(LENGTH cells length)
  if(length EQUAL 2)
    continue() # of the tarball
  elseif(NOT length EQUAL 6 AND NOT length EQUAL 7)
    message(FATAL_ERROR "packaging/dependencies.txt: found '${line}', expected 6, 7 or 2 columns between \" | \"")
  endif()
  list(GET cells 0 name)
  list(GET cells 1 variable)
  list(GET cells 2 licence)
  list(GET cells 3 how)
  list(GET cells 4 package)
  list(GET cells 5 home)
  if(length EQUAL 7)
    list(GET cells 6 language)
    string(TOUPPER ${language} option)
    if(NOT STRADS_${option})
      continue()
    endif()
    if(how STREQUAL "loaded")
      list(APPEND strads_${language}_loads ${package})
      string(APPEND facts "dependency_of\t${language}\t${name}\t\t${licence}\t${how}\t${home}\n")
      continue()
    endif()
  endif()
  if("${${variable}}" STREQUAL "")
    message(FATAL_ERROR "packaging/dependencies.txt: ${name}: ${variable} is not set, expected its version")
  endif()
  if(length EQUAL 7)
    string(APPEND facts "dependency_of\t${language}\t${name}\t${${variable}}\t${licence}\t${how}\t${home}\n")
    continue()
  endif()
  string(APPEND facts "dependency\t${name}\t${${variable}}\t${licence}\t${how}\t${home}\n")
  string(APPEND rows "    {\"${name}\", \"${${variable}}\", \"${licence}\", \"${how}\"},\n")
  if(NOT package STREQUAL "-")
    list(APPEND strads_build_packages ${package})
  endif()
endforeach()

set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, ${CMAKE_BUILD_TYPE}")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/build_facts.txt
  CONTENT "version\t${PROJECT_VERSION}\ncommit\t${STRADS_COMMIT}\ncompiler\t${compiler}\n${facts}")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/build_facts.cpp CONTENT "// Written by cmake/DependencyTable.cmake.
#include \"strads/program/build_facts.hpp\"

namespace strads {
namespace {

constexpr Dependency kDependencies[] = {
${rows}};

}  // namespace

std::span<const Dependency> dependencies() { return kDependencies; }
std::string_view compiler() { return \"${compiler}\"; }
std::string_view source_commit() { return \"${STRADS_COMMIT}\"; }

}  // namespace strads
")
add_library(strads_build_facts STATIC ${CMAKE_BINARY_DIR}/build_facts.cpp)
target_link_libraries(strads_build_facts PUBLIC strads_build_flags)
target_include_directories(strads_build_facts PRIVATE ${CMAKE_SOURCE_DIR}/include)
