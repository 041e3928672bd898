#include "program/process/load_failure.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "strads/program/memory_plan.hpp"

namespace strads {
namespace {

constexpr std::size_t kEndingMax = 8;  ///< ".bim", ".bed", ".fam"

/// The name at the beginning of `message`; empty: there is none. A suffix is letters only, so that nothing that was
/// read can pass for one.
std::string file_in(const std::string& message, const std::string& named) {
  if (named.empty() || !message.starts_with(named)) return {};
  const auto end = message.find(':', named.size());
  if (end == std::string::npos || end - named.size() > kEndingMax) return {};
  const std::string suffix = message.substr(named.size(), end - named.size());
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const bool is_suffix =
      suffix.empty() || (suffix[0] == '.' && std::all_of(suffix.begin() + 1, suffix.end(), is_letter));
  return is_suffix ? named + suffix : std::string();
}

/// The system's reason why it cannot be opened; empty: it can.
std::string refusal_of(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::strerror(errno);
  ::close(descriptor);
  return {};
}

}  // namespace

Status for_the_driver(const Status& failure, const std::vector<std::string>& named) {
  if (failure.message().starts_with(kNotEnoughMemory)) return failure;
  std::string file;
  for (const auto& name : named) {
    if (file.empty()) file = file_in(failure.message(), name);
  }
  const std::string reason = file.empty() ? std::string() : refusal_of(file);
  const std::string what = !reason.empty()
                               ? "cannot open: " + reason + "; check the name and the permissions"
                               : "cannot be used; that node itself says what is wrong (its log or terminal)";
  return {failure.code(), (file.empty() ? "the data" : file + ":") + (" " + what)};
}

}  // namespace strads
