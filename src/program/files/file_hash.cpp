#include "program/files/file_hash.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "strads/base/hash.hpp"

namespace strads {

Result<std::string> hash_of_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return Status::input(path + ": " + std::strerror(errno));
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  std::vector<std::byte> piece(kPiece);
  Hash64 hash;
  std::size_t count = 0;
  while ((count = std::fread(piece.data(), 1, kPiece, file.get())) > 0) hash.update(std::span(piece).first(count));
  // A directory opens, and fails here.
  if (std::ferror(file.get()) != 0) return Status::input(path + ": cannot be read: " + std::strerror(errno));
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.digest()));
  return std::string(text);
}

}  // namespace strads
