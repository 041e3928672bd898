#include "strads/program/run.hpp"

namespace strads {

std::string_view version() {
  return STRADS_VERSION;
}

}  // namespace strads
