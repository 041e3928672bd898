#include "data/shape/open_to_look.hpp"

#include <filesystem>
#include <system_error>

#include "data/files/unpack.hpp"

namespace strads::data {

Result<InputFile> open_to_look(const std::string& path, Look look) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found) {
    return Status::input(path +
                         ": is no regular file: how much it holds is known when it was read; write it into a file");
  }
  STRADS_ASSIGN_OR_RETURN(const auto file, MappedFile::open(path));
  if (look == Look::quick && is_gzip(file->bytes())) {
    return Status::input(path + ": how much it holds is known when it was unpacked");
  }
  return InputFile::open(path);
}

}  // namespace strads::data
