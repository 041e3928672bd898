# cmake -DROOT=... -DSOURCES=LIST -DFLAGS=FILE -DOUTPUT=FILE -P write_build_id.cmake
# Writes a source file with build_id(): 16 hex digits of the SHA-256 over flags, names and contents of the sources.
file(STRINGS ${SOURCES} sources)
file(READ ${FLAGS} facts)
foreach(source ${sources})
  file(SHA256 ${source} hash)
  file(RELATIVE_PATH name ${ROOT} ${source})
  list(APPEND lines "${name} ${hash}")
endforeach()
list(SORT lines)
string(SHA256 id "${facts}${lines}")
string(SUBSTRING ${id} 0 16 id)
file(WRITE ${OUTPUT} "// Written by cmake/write_build_id.cmake.
#include <string>

namespace strads {

std::string build_id();
std::string build_id() {
  return \"${id}\";
}

}  // namespace strads
")
