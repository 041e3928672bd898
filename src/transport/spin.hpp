// How a thread waits for something that is expected within microseconds. Layer: transport.
#pragma once

#include <chrono>
#include <thread>

namespace strads::transport {

/// How long idle threads look before they sleep. Waking a sleeping thread takes 5 to 50 us, as long as a short piece of
/// work; a few such times are worth burning after recent work, more are not.
inline constexpr std::chrono::microseconds kSpin{30};

/// One processor hint that this is a waiting loop.
inline void spin_pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Looks at ready() until it holds or `budget` has passed; lets other threads of the machine run in between, so that
/// more threads than cores do not starve the one that is waited for. Returns the last ready().
template <class Ready>
bool spin_until(std::chrono::nanoseconds budget, Ready&& ready) {
  if (ready()) return true;
  if (budget.count() <= 0) return false;
  const auto deadline = std::chrono::steady_clock::now() + budget;
  do {
    for (int i = 0; i < 16; ++i) {
      if (ready()) return true;
      spin_pause();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < deadline);
  return ready();
}

}  // namespace strads::transport
