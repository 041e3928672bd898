// Messages that came before their time. Layer: engine. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "wire/size.hpp"

namespace strads::engine {

/// Keeps messages until their time has come, by what says when that is. Bounded: when there are too many, those that
/// are furthest ahead are dropped and counted; whoever lacks them asks for them when they are due (RESEND), or they are
/// repeated (ASSIGN). So whoever sends messages of a far future fills no memory.
template <class When, class Message>
class Early {
 public:
  static constexpr std::size_t kMessagesMax = 65536;
  static constexpr std::size_t kBytesMax = std::size_t{256} << 20;  ///< as they would be on the wire

  explicit Early(std::size_t messages_max = kMessagesMax, std::size_t bytes_max = kBytesMax)
      : messages_max_(messages_max), bytes_max_(bytes_max) {}

  [[nodiscard]] bool contains(const When& when) const { return kept_.contains(when); }
  [[nodiscard]] bool empty() const noexcept { return kept_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return kept_.size(); }
  /// REQUIRES: !empty().
  [[nodiscard]] const When& next() const { return kept_.begin()->first; }
  /// REQUIRES: !empty().
  [[nodiscard]] const When& last() const { return std::prev(kept_.end())->first; }

  /// REQUIRES: !contains(when). The first of all is always kept.
  void keep(const When& when, Message message) {
    bytes_ += wire::encoded_size_of(message);
    kept_.emplace(when, std::move(message));
    while (kept_.size() > 1 && (kept_.size() > messages_max_ || bytes_ > bytes_max_)) {
      (void)release(std::prev(kept_.end()));
      ++dropped_;
    }
  }

  /// REQUIRES: !empty().
  [[nodiscard]] Message take_next() { return release(kept_.begin()); }

  /// Those whose time has come, in order.
  template <class Due>
  [[nodiscard]] std::vector<Message> take_due(const Due& due) {
    std::vector<Message> all;
    for (auto at = kept_.begin(); at != kept_.end();) {
      const auto next = std::next(at);
      if (due(at->second)) all.push_back(release(at));
      at = next;
    }
    return all;
  }

  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  using Kept = std::map<When, Message>;

  Message release(typename Kept::iterator at) {
    Message message = std::move(at->second);
    bytes_ -= wire::encoded_size_of(message);
    kept_.erase(at);
    return message;
  }

  std::size_t messages_max_;
  std::size_t bytes_max_;
  Kept kept_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace strads::engine
