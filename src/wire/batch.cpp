#include "wire/batch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace strads::wire {
namespace {

using Length = std::uint32_t;

std::size_t packed_size(const Frames& chunk) {
  std::size_t bytes = (chunk.size() - 1) * sizeof(Length);
  for (const Frame& frame : chunk) bytes += frame.size();
  return bytes;
}

/// A batch may be about several runs of the cluster.
bool same_sender(const HeaderInfo& a, const HeaderInfo& b) {
  return a.cluster == b.cluster && a.epoch == b.epoch && a.sender == b.sender && a.incarnation == b.incarnation;
}

Status refused(const std::string& what) {
  return Status::cluster("batch: " + what + "; it was damaged, or its sender runs another build");
}

FrameView cut_front(FrameView& rest, std::size_t bytes) {
  const FrameView taken = rest.first(bytes);
  rest = rest.subspan(bytes);
  return taken;
}

/// Takes one chunk off the front.
Result<std::vector<FrameView>> take_chunk(FrameView& rest, const Header& header) {
  std::vector<FrameView> chunk{cut_front(rest, kHeaderBytes)};
  const std::size_t count = std::size_t{1} + header.bulk_frames;
  if (rest.size() < count * sizeof(Length)) return refused("it ends among the lengths of a chunk");
  FrameView lengths = cut_front(rest, count * sizeof(Length));
  for (std::size_t i = 0; i < count; ++i) {
    Length length = 0;
    std::memcpy(&length, cut_front(lengths, sizeof length).data(), sizeof length);
    if (rest.size() < length) {
      return refused(std::to_string(rest.size()) + " bytes are left for a frame of " + std::to_string(length));
    }
    chunk.push_back(cut_front(rest, length));
  }
  return chunk;
}

}  // namespace

bool BatchSize::add(const Frames& chunk) {
  const std::size_t bytes = packed_size(chunk);
  if (chunks_ > 0 && (chunks_ == kBatchChunksMax || bytes_ + bytes > kBatchBytesMax)) return false;
  ++chunks_;
  bytes_ += bytes;
  return true;
}

void append_chunk(Frame& batch, const Frames& chunk) {
  batch.reserve(batch.size() + packed_size(chunk));
  const auto append = [&batch](FrameView bytes) { batch.insert(batch.end(), bytes.begin(), bytes.end()); };
  append(chunk.front());
  for (std::size_t i = 1; i < chunk.size(); ++i) {
    const auto length = static_cast<Length>(chunk[i].size());
    append(std::as_bytes(std::span(&length, 1)));
  }
  for (std::size_t i = 1; i < chunk.size(); ++i) append(chunk[i]);
}

Result<std::vector<std::vector<FrameView>>> cut_batch(FrameView batch) {
  std::vector<std::vector<FrameView>> chunks;
  HeaderInfo sender;
  for (FrameView rest = batch; chunks.empty() || !rest.empty();) {
    const Result<Header> header = read_header(rest.first(std::min(rest.size(), kHeaderBytes)));
    if (!header.ok()) return header.status();
    if (chunks.empty()) sender = header.value().from;
    if (!same_sender(header.value().from, sender)) return refused("chunks of several senders");
    auto chunk = take_chunk(rest, header.value());
    if (!chunk.ok()) return chunk.status();
    chunks.push_back(std::move(chunk).value());
    if (chunks.size() > kBatchChunksMax) {
      return refused("more than " + std::to_string(kBatchChunksMax) + " chunks");
    }
  }
  if (chunks.size() > 1 && batch.size() > kBatchBytesMax) {
    return refused(std::to_string(batch.size()) + " bytes in several chunks, expected at most " +
                   std::to_string(kBatchBytesMax));
  }
  return chunks;
}

}  // namespace strads::wire
