// The archive pair of the wire: bounded, fixed-width, little-endian. Layer: wire. Pure.
//
// Both satisfy Boost.Serialization's Archive concept as far as plain values go (no pointers, no tracking, no class
// versions), so that `template <class A> void serialize(A& ar, unsigned version) { ar & x; }` works with them and with
// Boost's own; tests/wire/boost_archive_test.cpp runs them through Boost. Boost's binary archive itself is not used on
// the wire: it allocates what a hostile count asks for and decodes half of all flipped bytes silently.
//
// What a value becomes in the control body:
//   integer, double     its bytes, little-endian (u8: 1, u32: 4, i64, u64, f64: 8)
//   string              u64 length, then the bytes
//   vector of numbers   u64 count, then the numbers
//   Payload             u64 count of ids, u64 count of values, whose top bit (kHasArrays) says that the payload has
//                       arrays of floats: then u64 count of them, at least 1, and u64 size of each, 0 allowed. The
//                       arrays themselves are *bulk* and travel beside the body, ids as u32, values as f64, then each
//                       array of floats as f32, each cut into frames of kFrameBytesMax (the last one shorter)
//   struct              its fields, in the order of its serialize()
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/status.hpp"

namespace strads::wire {

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie in memory");

/// Bytes that somebody else owns.
using FrameView = std::span<const std::byte>;

/// No frame is longer: one long message would keep heartbeats waiting behind it. A multiple of 8, so that no number is
/// cut in two.
inline constexpr std::size_t kFrameBytesMax = std::size_t{1} << 20;

/// In a payload's count of values: arrays of floats follow. No count is that large. A payload without such arrays looks
/// as if there were no such thing.
inline constexpr std::uint64_t kHasArrays = std::uint64_t{1} << 63;

/// Numbers with a fixed width on the wire. bool and enums are left out: not every byte is one of their values.
template <class T>
concept WireNumber = (std::integral<T> && !std::same_as<T, bool>) || std::same_as<T, double>;

/// Writes values into a control body and collects the bulk arrays, which it does not copy.
class OutArchive {
 public:
  using is_saving = std::true_type;
  using is_loading = std::false_type;

  template <class T>
  OutArchive& operator&(const T& value) {
    save(value);
    return *this;
  }
  template <class T>
  OutArchive& operator<<(const T& value) {
    return *this & value;
  }
  /// `size` bytes as they are.
  void save_binary(const void* address, std::size_t size);
  template <class T>
  void register_type(const T* = nullptr) {}
  [[nodiscard]] static unsigned int get_library_version() { return 0; }

  [[nodiscard]] const std::vector<std::byte>& body() const { return body_; }
  /// The arrays of the payloads in order (ids, values, arrays of floats; ids ...), each cut into frames; empty ones
  /// give none. Valid as long as the values that were written.
  [[nodiscard]] const std::vector<FrameView>& bulk() const { return bulk_; }

 private:
  template <WireNumber T>
  void save(const T& number) {
    save_binary(&number, sizeof number);
  }
  template <WireNumber T>
  void save(const std::vector<T>& numbers) {
    save(static_cast<std::uint64_t>(numbers.size()));
    save_binary(numbers.data(), numbers.size() * sizeof(T));
  }
  template <class T>
  requires std::is_class_v<T>
  void save(const T& value) {
    // Boost's serialize() takes its object non-const in both directions; a saving archive only reads it.
    if constexpr (requires { const_cast<T&>(value).serialize(*this, 0U); }) {
      const_cast<T&>(value).serialize(*this, 0U);
    } else {
      serialize(*this, value, 0U);
    }
  }
  void save(const std::string& text);
  void save(const Payload& payload);
  void add_bulk(std::span<const std::byte> array);

  std::vector<std::byte> body_;
  std::vector<FrameView> bulk_;
};

/// Reads values from bytes that may be anything. The first error is kept, and everything after it leaves the values
/// alone. Every count is checked against the bytes that are left before anything is allocated, so that a message
/// never takes more memory than it has bytes, but for the handles of arrays of floats: below 200 bytes for each, whose
/// size takes 8 in the body.
class InArchive {
 public:
  using is_saving = std::false_type;
  using is_loading = std::true_type;

  /// `body` and `bulk` as OutArchive gave them; both must outlive the archive.
  InArchive(FrameView body, std::span<const FrameView> bulk);

  template <class T>
  InArchive& operator&(T& value) {
    load(value);
    return *this;
  }
  template <class T>
  InArchive& operator>>(T& value) {
    return *this & value;
  }
  void load_binary(void* address, std::size_t size);
  template <class T>
  void register_type(const T* = nullptr) {}
  [[nodiscard]] static unsigned int get_library_version() { return 0; }
  void reset_object_address(const void*, const void*) {}

  /// Which field comes next, for the error message.
  void at(const char* message, const char* field);
  /// The first error, or that bytes are left over.
  [[nodiscard]] Status finish();

 private:
  template <WireNumber T>
  void load(T& number) {
    load_binary(&number, sizeof number);
  }
  template <WireNumber T>
  void load(std::vector<T>& numbers) {
    const std::size_t count = load_count(sizeof(T), body_.size(), "bytes are left in the body");
    if (!status_.ok()) return;
    numbers.resize(count);
    load_binary(numbers.data(), count * sizeof(T));
  }
  template <class T>
  requires std::is_class_v<T>
  void load(T& value) {
    if constexpr (requires { value.serialize(*this, 0U); }) {
      value.serialize(*this, 0U);
    } else {
      serialize(*this, value, 0U);
    }
  }
  void load(std::string& text);
  void load(Payload& payload);
  // A count of items of `width` bytes; an error and 0 when more than `left` bytes would be needed.
  std::size_t load_count(std::size_t width, std::size_t left, const char* what_is_left);
  std::size_t checked(std::uint64_t count, std::size_t width, std::size_t left, const char* what_is_left);
  // Of arrays of floats that share `left` bytes of bulk frames.
  std::vector<std::size_t> load_sizes(std::size_t left);
  template <class Number>
  void refuse_non_finite(std::span<const Number> numbers, const std::string& name);
  void take_bulk(std::span<std::byte> array);
  void fail(const std::string& what);

  FrameView body_;                   // what is left of it
  std::span<const FrameView> bulk_;  // the frames that are left
  std::size_t bulk_bytes_ = 0;       // in them
  std::string where_ = "message";
  Status status_;
};

}  // namespace strads::wire
