// Many short strings in one block of memory. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strads::data {

/// A list of strings that costs their bytes plus eight each. Views stay valid until the next push_back.
class StringList {
 public:
  void push_back(std::string_view text) {
    bytes_.append(text);
    ends_.push_back(bytes_.size());
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }

  /// REQUIRES: i < size().
  [[nodiscard]] std::string_view operator[](std::uint64_t i) const noexcept {
    const std::uint64_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(begin, ends_[i] - begin);
  }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace strads::data
