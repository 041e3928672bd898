#include "program/files/read_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

namespace strads {

Result<std::string> read_whole_file(const std::string& path, std::size_t most) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) return Status::input(path + ": " + std::strerror(errno));
  const auto too_long = [&](const std::string& found) {
    return Status::input(path + ": has " + found + " bytes, expected at most " + std::to_string(most) +
                         "; is it another file than was meant?");
  };
  struct stat facts {};
  if (::fstat(::fileno(file.get()), &facts) == 0 && S_ISREG(facts.st_mode) &&
      static_cast<std::uint64_t>(facts.st_size) > most) {
    return too_long(std::to_string(facts.st_size));
  }
  std::string text;
  char buffer[65536];
  std::size_t count = 0;
  while ((count = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) {  // of a pipe nobody knows the size before
    if (text.size() + count > most) return too_long("more than " + std::to_string(most));
    text.append(buffer, count);
  }
  // A directory opens, and fails here.
  if (std::ferror(file.get()) != 0) return Status::input(path + ": cannot be read: " + std::strerror(errno));
  return text;
}

}  // namespace strads
