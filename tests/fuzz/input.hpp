// The bytes of a fuzzer as numbers, and as the fields of messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "strads/base/payload.hpp"

namespace strads::fuzz {

/// Hands out the input, then zeros.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class T>
  T next() {
    T value{};
    const std::size_t size = std::min(sizeof value, bytes_.size());
    if (size > 0) std::memcpy(&value, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return value;
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  std::span<const std::uint8_t> bytes_;
};

template <class T>
void fill(T& field, Input& input) {
  field = input.next<T>();
}

/// Length: up to 255, or with a first byte of 255 up to 512 Ki, so that some messages need several chunks.
inline std::size_t take_length(Input& input) {
  const auto length = input.next<std::uint8_t>();
  return length < 255 ? length : std::size_t{8} * input.next<std::uint16_t>();
}

/// Of a string or a list in the control body, which must fit one frame.
inline std::size_t take_control_length(Input& input) {
  return take_length(input) % 4096;
}

inline void fill(std::string& text, Input& input) {
  text.resize(take_control_length(input));
  for (char& c : text) c = static_cast<char>(input.next<std::uint8_t>());
}

template <class T>
void fill(std::vector<T>& numbers, Input& input) {
  numbers.resize(take_control_length(input));
  for (T& number : numbers) number = input.next<T>();
}

inline void fill(Payload& payload, Input& input) {
  payload.ids.resize(take_length(input));
  payload.values.resize(take_length(input));
  for (std::size_t i = 0; i < std::min<std::size_t>(payload.ids.size(), 64); ++i) payload.ids[i] = input.next<VarId>();
  for (std::size_t i = 0; i < std::min<std::size_t>(payload.values.size(), 64); ++i)
    payload.values[i] = input.next<double>();
  payload.bulk.resize(input.next<std::uint8_t>() % 8);
  for (SharedFloats& array : payload.bulk) {
    array = SharedFloats(take_length(input));
    std::ranges::fill(array.writable(), 0.0F);
    for (float& value : array.writable().first(std::min<std::size_t>(array.size(), 64))) value = input.next<float>();
  }
}

}  // namespace strads::fuzz
