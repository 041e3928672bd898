#include "strads/base/status.hpp"

#include <cstdio>
#include <cstdlib>

namespace strads {

void check_failed(const char* file, int line, const char* expression, std::string_view why) {
  std::fprintf(stderr,
               "%s:%d: internal error: expected %s: %.*s\nThis is a bug; please report it with the command line.\n",
               file, line, expression, static_cast<int>(why.size()), why.data());
  std::abort();
}

}  // namespace strads
