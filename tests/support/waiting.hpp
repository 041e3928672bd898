// Waiting for sockets without sleeping. For tests of the transport.
#pragma once

#include <chrono>

#include "transport/sockets/sockets.hpp"

namespace strads::support {

/// Waits until `done` holds; a test that waits for longer has failed.
template <class Done>
bool wait_until(transport::Sockets& sockets, Done&& done) {
  transport::Wake wake;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    sockets.wait(wake, std::chrono::milliseconds(5));
  }
  return true;
}

inline wire::Frames text_frames(const std::string& text) {
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {wire::Frame(bytes, bytes + text.size())};
}

}  // namespace strads::support
