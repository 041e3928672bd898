// The arrays that models put into messages. Layer: base. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "strads/base/types.hpp"

namespace strads {

/// Where long arrays of floats come from: 64-byte aligned memory. Pure code cannot ask the system for large pages;
/// programs may (run.hpp).
struct FloatMemory {
  void* (*allocate)(std::size_t bytes);
  void (*give)(void* memory, std::size_t bytes);
};
/// From now on, for arrays that are made later; each array gives its memory back to where it came from.
/// Call before there are threads.
void use_float_memory(const FloatMemory& memory);

/// A long array of floats that copies share: 64-byte aligned, written once by its maker, never changed after it became
/// part of a payload.
class SharedFloats {
 public:
  SharedFloats() = default;
  /// `size` floats that are not initialised. REQUIRES: they are all written before anybody reads them.
  explicit SharedFloats(std::size_t size);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const float* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::span<const float> view() const noexcept { return {data_.get(), size_}; }
  /// For its maker, before it is shared.
  [[nodiscard]] std::span<float> writable() noexcept { return {data_.get(), size_}; }

  /// Equal contents, bit for bit but for -0 and NaN.
  friend bool operator==(const SharedFloats& a, const SharedFloats& b) {
    return a.size_ == b.size_ && (a.data_ == b.data_ || std::equal(a.data(), a.data() + a.size_, b.data()));
  }

 private:
  std::shared_ptr<float[]> data_;
  std::size_t size_ = 0;
};

/// Model-defined content of a message: two typed arrays that travel as raw little-endian frames, and long arrays of
/// floats. What they hold is written down once, beside the model (the Lasso: apps/lasso/problem/payloads.hpp). The
/// lengths are independent.
struct Payload {
  std::vector<VarId> ids;
  std::vector<double> values;
  std::vector<SharedFloats> bulk{};  ///< arrays that copies of the payload share

  friend bool operator==(const Payload&, const Payload&) = default;
};

/// XXH3-64 over the bits of all arrays and their lengths, so that 0 and -0 differ. Cost: one pass.
[[nodiscard]] std::uint64_t payload_hash(const Payload& payload);

}  // namespace strads
