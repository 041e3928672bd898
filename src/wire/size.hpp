// How many bytes a message takes on the wire, without encoding it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "wire/framing.hpp"
#include "wire/messages.hpp"

namespace strads::wire {

/// Bytes of the frames that encode() gives, as long as the message fits one chunk; each further chunk adds a header
/// and a trailer. `message`: one of those that Message holds. Cost: O(fields).
template <class M>
[[nodiscard]] std::size_t encoded_size_of(const M& message) {
  std::size_t bytes = kHeaderBytes + kTrailerBytes;
  const auto add = [&bytes](const char*, const auto& field, const char*) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, Payload>) {
      bytes += 16 + field.ids.size() * sizeof(VarId) + field.values.size() * sizeof(double);
      if (!field.bulk.empty()) bytes += 8;
      for (const SharedFloats& array : field.bulk) bytes += 8 + array.size() * sizeof(float);
    } else if constexpr (std::is_same_v<Field, std::string>) {
      bytes += 8 + field.size();
    } else if constexpr (requires { field.data(); }) {
      bytes += 8 + field.size() * sizeof *field.data();
    } else {
      static_assert(WireNumber<Field>);
      bytes += sizeof(Field);
    }
  };
  M::fields(message, add);
  return bytes;
}

/// The same of whatever it is.
[[nodiscard]] inline std::size_t encoded_size(const Message& message) {
  return std::visit([](const auto& held) { return encoded_size_of(held); }, message);
}

/// Those of them that are long arrays of floats, which processes share instead of copying.
[[nodiscard]] inline std::size_t bulk_size(const Message& message) {
  std::size_t bytes = 0;
  const auto add = [&bytes](const char*, const auto& field, const char*) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Payload>) {
      for (const SharedFloats& array : field.bulk) bytes += array.size() * sizeof(float);
    }
  };
  std::visit([&add](const auto& held) { std::decay_t<decltype(held)>::fields(held, add); }, message);
  return bytes;
}

}  // namespace strads::wire
