#include "transport/sockets/handshake_limits.hpp"

#include <algorithm>
#include <utility>

namespace strads::transport {

double HandshakeLimits::tokens_max() const {
  return kAtOnce + kComingsOfAMember * static_cast<double>(members_);
}

void HandshakeLimits::expect(std::size_t members) {
  if (members > members_) tokens_ += kComingsOfAMember * static_cast<double>(members - members_);
  members_ = members;
}

bool HandshakeLimits::take_token(Clock::time_point now) {
  const double seconds = std::chrono::duration<double>(now - std::exchange(filled_, now)).count();
  tokens_ = std::min(tokens_max(), tokens_ + kPerSecond * seconds);
  if (tokens_ < 1) return false;
  --tokens_;
  return true;
}

void HandshakeLimits::accepted(int descriptor, Clock::time_point now) {
  settled(descriptor);  // whoever had this number before
  if (!take_token(now)) {
    hurrying_.insert(descriptor);
    return;
  }
  by_age_.push_back({descriptor, next_number_, now});
  unproved_[descriptor] = next_number_++;
}

void HandshakeLimits::settled(int descriptor) {
  unproved_.erase(descriptor);
  hurrying_.erase(descriptor);
}

HandshakeLimits::TooMany HandshakeLimits::too_many(Clock::time_point now, const std::function<bool(int)>& greeted) {
  TooMany shut;
  shut.hurrying.assign(hurrying_.begin(), hurrying_.end());
  hurrying_.clear();
  for (; !by_age_.empty(); by_age_.pop_front()) {
    const Unproved& oldest = by_age_.front();
    const auto at = unproved_.find(oldest.descriptor);
    if (at == unproved_.end() || at->second != oldest.number) continue;
    if (now - oldest.since < kHandshakeMax) {
      if (unproved_.size() <= kUnprovedMax + members_) break;
      if (!greeted(oldest.descriptor)) shut.crowding.push_back(oldest.descriptor);
    }
    unproved_.erase(at);
  }
  return shut;
}

}  // namespace strads::transport
