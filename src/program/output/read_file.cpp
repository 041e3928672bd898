#include "program/output/read_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace strads {

Result<std::string> read_whole_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return Status::input(path + ": " + std::strerror(errno));
  std::string text;
  char buffer[65536];
  std::size_t count = 0;
  while ((count = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) text.append(buffer, count);
  // A directory opens, and fails here.
  if (std::ferror(file.get()) != 0) return Status::input(path + ": cannot be read: " + std::strerror(errno));
  return text;
}

}  // namespace strads
