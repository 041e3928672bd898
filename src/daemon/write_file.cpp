#include "daemon/signals.hpp"
#include "data/atomic_file.hpp"
#include "strads/run.hpp"

namespace strads {

Status write_file(const std::string& path, std::string_view content) {
  const UninterruptedWrite whole;
  return data::write_file_atomically(path, content);
}

}  // namespace strads
