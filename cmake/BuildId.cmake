# strads_build_id: a library with build_id(), the hash of what the programs are made from: sources, compiler, flags,
# versions of the libraries whose code ends up in kernels. Neither the path of the source tree nor that of the build
# folder is in it. Two nodes of a run must have the same one, or their bits might differ.
file(GLOB_RECURSE build_id_sources CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/include/*.hpp ${CMAKE_SOURCE_DIR}/src/*.?pp ${CMAKE_SOURCE_DIR}/apps/*.?pp)
list(APPEND build_id_sources ${CMAKE_SOURCE_DIR}/CMakeLists.txt ${CMAKE_SOURCE_DIR}/apps/CMakeLists.txt
  ${CMAKE_SOURCE_DIR}/cmake/Warnings.cmake)

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_id_type)
set(build_id_flags "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_SYSTEM_PROCESSOR} \
${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_id_type}} ${STRADS_SANITIZE} ${STRADS_FUZZ} \
hwy ${HWY_VERSION} xxhash ${XXHASH_VERSION}")
foreach(folder ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
  string(REPLACE "${folder}" "." build_id_flags "${build_id_flags}")
endforeach()

set(build_id_cpp ${CMAKE_BINARY_DIR}/build_id.cpp)
# The list goes by a file: a command line may be too short for it. Both are rewritten only when they change.
string(REPLACE ";" "\n" build_id_list "${build_id_sources}")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/build_id_sources.txt CONTENT "${build_id_list}\n")
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/build_id_flags.txt CONTENT "${build_id_flags}\n")
add_custom_command(
  OUTPUT ${build_id_cpp}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DSOURCES=${CMAKE_BINARY_DIR}/build_id_sources.txt
          -DFLAGS=${CMAKE_BINARY_DIR}/build_id_flags.txt -DOUTPUT=${build_id_cpp}
          -P ${CMAKE_SOURCE_DIR}/cmake/write_build_id.cmake
  DEPENDS ${build_id_sources} ${CMAKE_BINARY_DIR}/build_id_sources.txt ${CMAKE_BINARY_DIR}/build_id_flags.txt
          ${CMAKE_SOURCE_DIR}/cmake/write_build_id.cmake
  COMMENT "Computing the build id" VERBATIM)
add_library(strads_build_id STATIC ${build_id_cpp})
target_link_libraries(strads_build_id PUBLIC strads_build_flags)
