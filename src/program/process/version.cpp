#include "strads/program/program.hpp"

namespace strads {

std::string_view version() {
  return STRADS_VERSION;
}

}  // namespace strads
