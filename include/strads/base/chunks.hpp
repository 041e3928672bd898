// How a task uses several threads without the result depending on how many there are. Layer: base. Pure.
#pragma once

#include <cstddef>
#include <functional>

namespace strads {

/// Runs independent pieces of one task. The thread pool implements it in production, a plain loop elsewhere.
///
/// The caller fixes the pieces from the problem alone (never from the number of threads), lets each piece write a slot
/// of its own and adds the slots in order afterwards: then the bits are the same on any machine.
class Chunks {
 public:
  virtual ~Chunks() = default;

  /// Calls piece(0) ... piece(count - 1), each exactly once, in any order and possibly at the same time; returns when
  /// all are done. REQUIRES: the pieces write disjoint memory and do not throw.
  virtual void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) = 0;
};

/// The plain loop: pieces in order, on the caller's thread.
class SerialChunks final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    for (std::size_t i = 0; i < count; ++i) piece(i);
  }
};

}  // namespace strads
