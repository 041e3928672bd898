// Batches as somebody sends them who has no mesh. For tests.
#pragma once

#include <vector>

#include "wire/batch.hpp"

namespace strads::wire {

/// One batch of these chunks, whatever is wrong with them: what is sent as one message.
inline Frames packed(const std::vector<Frames>& chunks) {
  Frames batch(1);
  for (const Frames& chunk : chunks) append_chunk(batch.front(), chunk);
  return batch;
}

}  // namespace strads::wire
