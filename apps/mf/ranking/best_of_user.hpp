// The best items of one user, held while others are offered. Private to apps/mf/ranking.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mf/ranking/best_items.hpp"

namespace strads::mf {

/// The finaliser of SplitMix64 [Steele, Lea, Flood 2014].
inline std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Better ones first.
class IsBetter {
 public:
  IsBetter(TieOrder ties, std::uint32_t user) : ties_(ties), user_(std::uint64_t{user} << 32U) {}
  bool operator()(const Candidate& a, const Candidate& b) const {
    if (a.score != b.score) return a.score > b.score;
    if (ties_ == TieOrder::item) return a.item < b.item;
    return mixed(user_ + a.item) < mixed(user_ + b.item);
  }

 private:
  TieOrder ties_;
  std::uint64_t user_;
};

/// The best `top` of what it is shown, in a heap whose front is the worst.
class BestOfUser {
 public:
  BestOfUser(std::size_t top, IsBetter better) : top_(top), better_(better) {}
  void offer(const Candidate& candidate) {
    if (heap_.size() == top_) {
      if (!better_(candidate, heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end(), better_);
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end(), better_);
  }
  [[nodiscard]] bool is_full() const { return top_ > 0 && heap_.size() == top_; }
  /// REQUIRES: there is one.
  [[nodiscard]] const Candidate& worst() const { return heap_.front(); }
  [[nodiscard]] std::vector<Candidate> sorted() {
    std::sort_heap(heap_.begin(), heap_.end(), better_);
    return std::move(heap_);
  }

 private:
  std::size_t top_;
  IsBetter better_;
  std::vector<Candidate> heap_;
};

}  // namespace strads::mf
