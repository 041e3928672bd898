// How the auditor says what differs. Layer: sim. Pure.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "strads/base/payload.hpp"

namespace strads::sim {

/// As many digits as are needed to read it back.
[[nodiscard]] std::string text_of(double value);
/// 16 hex digits.
[[nodiscard]] std::string hex_of(std::uint64_t value);

/// The first of several fields that is not what was expected, to the last bit.
class Difference {
 public:
  void compare(const char* field, double found, double expected) {
    if (std::bit_cast<std::uint64_t>(found) != std::bit_cast<std::uint64_t>(expected))
      keep(field, text_of(found), text_of(expected));
  }
  void compare(const char* field, std::uint64_t found, std::uint64_t expected) {
    if (found != expected) keep(field, std::to_string(found), std::to_string(expected));
  }
  /// Names the first place that differs.
  void compare(const char* field, const Payload& found, const Payload& expected);
  void compare(const char* field, const SharedFloats& found, const SharedFloats& expected);

  [[nodiscard]] bool any() const noexcept { return !found_.empty(); }
  /// "step = 0.5"
  [[nodiscard]] const std::string& found() const noexcept { return found_; }
  [[nodiscard]] const std::string& expected() const noexcept { return expected_; }

 private:
  void keep(const std::string& field, const std::string& found, const std::string& expected);

  std::string found_;
  std::string expected_;
};

}  // namespace strads::sim
