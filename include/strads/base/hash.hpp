// XXH3-64, the one hash of the project: fingerprints, checksums, keys of the random generator. Layer: base. Pure.
// The same bytes give the same number on every machine and in every build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace strads {

/// XXH3-64 (seed 0) of `bytes`. Cost: one pass, several bytes a cycle.
[[nodiscard]] std::uint64_t xxh3(std::span<const std::byte> bytes);

/// XXH3-64 of bytes that come in pieces: equal to xxh3() of their concatenation, however they were cut.
class Hash64 {
 public:
  Hash64();
  ~Hash64();
  Hash64(Hash64&&) noexcept;
  Hash64& operator=(Hash64&&) noexcept;

  void update(std::span<const std::byte> bytes);
  /// Eight bytes, little-endian.
  void update_u64(std::uint64_t value);
  /// The eight bytes of the IEEE double, little-endian; -0 counts as 0, so that equal numbers have equal hashes.
  void update_f64(double value);

  /// The hash of everything so far. More may follow.
  [[nodiscard]] std::uint64_t digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace strads
