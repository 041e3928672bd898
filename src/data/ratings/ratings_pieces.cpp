#include "data/ratings/ratings_pieces.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

namespace strads::data {

int LevelSet::code(float value) {
  if (value == 0) value = 0;  // -0
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  for (std::size_t slot = (bits * 0x9e3779b1U) >> 22;; slot = (slot + 1) % slots_.size()) {
    if (slots_[slot] == kNone) {
      if (levels_.size() == 256) return -1;
      slots_[slot] = static_cast<std::uint16_t>(levels_.size());
      levels_.push_back(value);
      return slots_[slot];
    }
    if (levels_[slots_[slot]] == value) return slots_[slot];
  }
}

void PieceValues::add(float value) {
  if (floats_.empty()) {
    const int code = levels_.code(value);
    if (code >= 0) {
      codes_[count_++] = static_cast<std::uint8_t>(code);
      return;
    }
    to_floats();
  }
  floats_[count_++] = value == 0 ? 0 : value;
}

void PieceValues::add_new_tenths(unsigned tenths) {
  // The same number as from_chars gives for the text: the quotient of two whole numbers, rounded once.
  add(static_cast<float>(static_cast<double>(tenths) / 10.0));
  if (coded()) tenths_[tenths] = codes_[count_ - 1];
}

void PieceValues::set(std::uint64_t i, float value) {
  if (coded()) {
    const int code = levels_.code(value);
    if (code >= 0) {
      codes_[i] = static_cast<std::uint8_t>(code);
      return;
    }
    to_floats();
  }
  floats_[i] = value == 0 ? 0 : value;
}

void PieceValues::to_floats() {
  PageArray<float> floats(capacity_);
  for (std::uint64_t i = 0; i < count_; ++i) floats[i] = levels_.levels()[codes_[i]];
  floats_ = std::move(floats);
  codes_.clear();
}

std::uint64_t RatingsFile::count() const {
  std::uint64_t sum = 0;
  for (const RatingsPiece& piece : pieces) sum += piece.count;
  return sum;
}

struct SharedProgress::State {
  std::mutex one_at_a_time;
  const std::function<void(double)>& tell;
  std::uint64_t total;
  std::uint64_t done = 0;
};

SharedProgress::SharedProgress(const std::function<void(double)>& tell, std::uint64_t total)
    : state_(new State{.one_at_a_time = {}, .tell = tell, .total = std::max<std::uint64_t>(total, 1)}) {}
SharedProgress::~SharedProgress() = default;

void SharedProgress::add(std::uint64_t done) {
  const std::lock_guard lock(state_->one_at_a_time);
  state_->done += done;
  const double share = static_cast<double>(state_->done) / static_cast<double>(state_->total);
  if (state_->tell) state_->tell(std::min(1.0, share));
}

}  // namespace strads::data
