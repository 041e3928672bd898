// Ratings on their way from a file to Triplets: in pieces of fixed size, each filled on its own. Layer: data.
#pragma once

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/data/ratings.hpp"

namespace strads::data {

/// Room for up to `capacity` entries that costs memory only where it was written and that goes back to the system at
/// once: thousands of such blocks leave no holes in the heap. Entries are zero at first.
template <class T>
class PageArray {
 public:
  PageArray() = default;
  /// Throws std::bad_alloc.
  explicit PageArray(std::uint64_t capacity) : bytes_((capacity == 0 ? 1 : capacity) * sizeof(T)) {
    void* block = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    block_ = static_cast<T*>(block);
  }
  ~PageArray() {
    if (block_ != nullptr) ::munmap(block_, bytes_);
  }
  PageArray(PageArray&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  [[nodiscard]] bool empty() const noexcept { return block_ == nullptr; }
  [[nodiscard]] T* data() const noexcept { return block_; }
  T& operator[](std::uint64_t i) const noexcept { return block_[i]; }
  void clear() { PageArray().swap(*this); }
  void swap(PageArray& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(bytes_, other.bytes_);
  }

 private:
  T* block_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Up to 256 different values and their codes, in the order in which they came.
class LevelSet {
 public:
  LevelSet() { slots_.fill(kNone); }

  /// The code of a finite value, which is added if it is new; -1 when it would be the 257th. 0 and -0 are the same.
  int code(float value);
  [[nodiscard]] const std::vector<float>& levels() const noexcept { return levels_; }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  std::array<std::uint16_t, 1024> slots_;  // open addressing: codes
  std::vector<float> levels_;
};

/// The values of one piece: codes of one byte as long as there are at most 256 different ones, floats after that.
class PieceValues {
 public:
  PieceValues() = default;
  explicit PieceValues(std::uint64_t capacity) : capacity_(capacity), codes_(capacity) { tenths_.fill(kNoCode); }

  /// Appends. REQUIRES: fewer than `capacity` values so far; finite.
  void add(float value);
  /// Appends tenths / 10, the common case, quickly. REQUIRES: 0 <= tenths < 1000.
  void add_tenths(unsigned tenths) {
    if (tenths_[tenths] >= 0 && !codes_.empty()) {
      codes_[count_++] = static_cast<std::uint8_t>(tenths_[tenths]);
    } else {
      add_new_tenths(tenths);
    }
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// True iff values are codes.
  [[nodiscard]] bool coded() const noexcept { return floats_.empty(); }
  [[nodiscard]] float value(std::uint64_t i) const { return coded() ? levels_.levels()[codes_[i]] : floats_[i]; }
  void set(std::uint64_t i, float value);
  [[nodiscard]] const std::vector<float>& levels() const noexcept { return levels_.levels(); }
  [[nodiscard]] const std::uint8_t* codes() const noexcept { return codes_.data(); }
  void clear() { codes_.clear(), floats_.clear(); }

 private:
  static constexpr std::int16_t kNoCode = -1;

  void add_new_tenths(unsigned tenths);
  void to_floats();

  std::uint64_t capacity_ = 0;
  std::uint64_t count_ = 0;
  PageArray<std::uint8_t> codes_;
  PageArray<float> floats_;
  LevelSet levels_;
  std::array<std::int16_t, 1000> tenths_{};  // tenths -> code
};

/// What becomes of a rating.
enum class Part : std::uint8_t { train, validation, test, dropped };
inline constexpr std::size_t kKeptParts = 3;

/// Consecutive ratings of a file.
struct RatingsPiece {
  std::uint64_t count = 0;
  PageArray<std::uint32_t> users, items;
  PieceValues values;
  PageArray<Part> parts;  ///< empty: all are train

  [[nodiscard]] Part part(std::uint64_t i) const { return parts.empty() ? Part::train : parts[i]; }
  void set_part(std::uint64_t i, Part part) {
    if (parts.empty()) parts = PageArray<Part>(count);
    parts[i] = part;
  }
};

/// A file of ratings as it was read: global ids, values piece by piece, nothing merged yet.
struct RatingsFile {
  std::string path;
  std::vector<RatingsPiece> pieces;
  std::shared_ptr<const IdTable> users, items;
  std::uint64_t bytes = 0;  ///< of the file on the disk
  std::string note;         ///< what a user should know of how it was read; ""
  /// "path:line:1: " of rating `index` of piece `piece`, for messages. Slow.
  std::function<std::string(std::size_t piece, std::uint64_t index)> place;

  [[nodiscard]] std::uint64_t count() const;
};

/// Tells a caller's function how far the work is: from any thread, never from two at a time, never backwards.
class SharedProgress {
 public:
  SharedProgress(const std::function<void(double)>& tell, std::uint64_t total);
  ~SharedProgress();
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;
  void add(std::uint64_t done);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace strads::data
