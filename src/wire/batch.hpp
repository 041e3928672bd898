// Several messages to one process in one frame. Layer: wire. Pure.
//
// The chunks of a message (wire/framing.hpp) have several frames, of which most are small, and a frame costs the same
// whatever is in it: copies, wakeups, a seal where it is encrypted. So they travel packed, with those of other
// messages. A *batch* is one frame: one or more chunks, one after the other. Each is, all numbers little-endian,
//
//   36 bytes            its header, which says how many bulk frames it has
//   4 bytes, 1 + bulk   lengths: u32 of the body, with its trailer, and of each bulk frame
//   the rest            body and bulk frames
//
// There is no table and no padding: after the last chunk the frame ends. All chunks of a batch have the same sender:
// cluster, epoch, rank and incarnation; they may be about different runs. A batch of several chunks has at most
// kBatchChunksMax of them and kBatchBytesMax bytes; a larger chunk travels alone. The checksums of the chunks cover the
// lengths.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "strads/base/status.hpp"
#include "wire/framing.hpp"

namespace strads::wire {

inline constexpr std::size_t kBatchChunksMax = 64;
inline constexpr std::size_t kBatchBytesMax = kFrameBytesMax;

/// How full a batch is.
class BatchSize {
 public:
  /// Adds a chunk. False: it belongs into the next batch, and nothing was added. The first one always fits.
  bool add(const Frames& chunk);
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_; }

 private:
  std::size_t chunks_ = 0;
  std::size_t bytes_ = 0;
};

/// Behind those that are there. REQUIRES: BatchSize::add() has taken them all.
void append_chunk(Frame& batch, const Frames& chunk);

/// The frames of each chunk, not decoded; views into `batch`. Errors: cluster, for what is not whole chunks, for chunks
/// of several senders, and for more than a batch may have.
[[nodiscard]] Result<std::vector<std::vector<FrameView>>> cut_batch(FrameView batch);

}  // namespace strads::wire
