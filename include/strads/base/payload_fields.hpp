// Structs of numbers as the values of a payload. Layer: base. Pure.
//
// A model writes each payload down once, as a struct with a list of fields; the values lie in the order of the list:
//
//   struct Ready {
//     double steepest = 0;
//     std::uint64_t kept = 0;
//
//     template <class Self, class Visit>
//     static constexpr void fields(Self& ready, Visit&& visit) {
//       visit(ready.steepest);
//       visit(ready.kept);
//     }
//   };
//
// A double travels as it is. A std::uint64_t is a count, a whole number of at most 2^53: a payload that has something
// else in its place is malformed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/status.hpp"

namespace strads {

/// The largest count such that it and all smaller ones are exact in a double.
inline constexpr double kCountMax = 9007199254740992.0;  // 2^53

[[nodiscard]] constexpr bool is_count(double value) {
  return value >= 0 && value <= kCountMax && value == static_cast<double>(static_cast<std::uint64_t>(value));
}

/// How many values a struct takes.
template <class T>
[[nodiscard]] consteval std::size_t field_count() {
  T none{};
  std::size_t count = 0;
  T::fields(none, [&count](const auto&) { ++count; });
  return count;
}
template <class T>
inline constexpr std::size_t kFields = field_count<T>();

/// Writes a struct over the first kFields<T> values. REQUIRES: so many are there.
template <class T>
void write_fields(const T& from, std::span<double> values) {
  STRADS_CHECK(values.size() >= kFields<T>, "there is room for every field");
  std::size_t at = 0;
  T::fields(from, [&](const auto& field) { values[at++] = static_cast<double>(field); });
}

template <class T>
void append_fields(const T& from, std::vector<double>& values) {
  values.resize(values.size() + kFields<T>);
  write_fields(from, std::span(values).last(kFields<T>));
}

/// A payload of nothing else.
template <class T>
[[nodiscard]] Payload payload_of(const T& from) {
  Payload made;
  append_fields(from, made.values);
  return made;
}

/// The struct that the first kFields<T> values are; no value where there are fewer, or where a count is none.
template <class T>
[[nodiscard]] std::optional<T> find_fields(std::span<const double> values) {
  if (values.size() < kFields<T>) return std::nullopt;
  T to{};
  std::size_t at = 0;
  bool right = true;
  T::fields(to, [&]<class Field>(Field& field) {
    static_assert(std::same_as<Field, double> || std::same_as<Field, std::uint64_t>, "a number or a count");
    const double value = values[at++];
    if constexpr (std::same_as<Field, std::uint64_t>) {
      if (!is_count(value)) {
        right = false;
        return;
      }
    }
    field = static_cast<Field>(value);
  });
  if (!right) return std::nullopt;
  return to;
}

/// The same for values that were found well-formed before.
template <class T>
[[nodiscard]] T read_fields(std::span<const double> values) {
  std::optional<T> found = find_fields<T>(values);
  STRADS_CHECK(found.has_value(), "payloads are checked before they are read");
  return *found;
}

}  // namespace strads
