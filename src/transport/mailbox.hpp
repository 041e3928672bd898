// The queue in front of a node's loop: many threads push, one thread takes everything. Layer: transport.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "transport/spin.hpp"

namespace strads::transport {

/// Multi-producer, single-consumer queue. Items of one producer come out in the order in which it pushed them. It is
/// unbounded: what can be in flight is bounded by the protocol (P blocks a round, D rounds, one task a role).
template <class T>
class Mailbox {
 public:
  /// Thread-safe. After close() the item is dropped.
  void push(T item) {
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return;
      items_.push_back(std::move(item));
      filled_.store(true, std::memory_order_release);
      wake = sleeping_;
    }
    if (wake) arrived_.notify_one();
  }

  /// All items, in order of arrival. With none there it waits until one comes, the mailbox is closed or `wait` has
  /// passed (then: empty); a wait of 0 only looks. REQUIRES: one thread at a time.
  [[nodiscard]] std::vector<T> pop_all(std::chrono::nanoseconds wait) {
    spin_until(std::min<std::chrono::nanoseconds>(wait, kSpin),
               [this] { return filled_.load(std::memory_order_acquire); });
    std::unique_lock lock(mutex_);
    if (items_.empty() && !closed_ && wait.count() > 0) {
      sleeping_ = true;
      arrived_.wait_for(lock, wait, [this] { return !items_.empty() || closed_; });
      sleeping_ = false;
    }
    return release_items();
  }

  /// As above without a limit: empty only after close().
  [[nodiscard]] std::vector<T> pop_all() {
    spin_until(kSpin, [this] { return filled_.load(std::memory_order_acquire); });
    std::unique_lock lock(mutex_);
    sleeping_ = true;
    arrived_.wait(lock, [this] { return !items_.empty() || closed_; });
    sleeping_ = false;
    return release_items();
  }

  /// Wakes the consumer. What is in the mailbox can still be taken; nothing new gets in.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      filled_.store(true, std::memory_order_release);
    }
    arrived_.notify_one();
  }

  [[nodiscard]] bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  std::vector<T> release_items() {
    filled_.store(closed_, std::memory_order_relaxed);
    return std::exchange(items_, {});
  }

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::atomic<bool> filled_ = false;  // items_ or closed_, to be looked at without the mutex
  std::vector<T> items_;
  bool closed_ = false;
  bool sleeping_ = false;
};

}  // namespace strads::transport
