// Pieces in another order than SerialChunks takes them.
#pragma once

#include "strads/base/chunks.hpp"

namespace strads::mf::test {

class ReversedChunks final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    for (std::size_t i = count; i-- > 0;) piece(i);
  }
};

}  // namespace strads::mf::test
