// Any bytes as a batch: no crash, no byte outside of it, and whatever is taken is exactly what packing its chunks
// gives. The input is the batch; each header that it should have gets the right magic and version, so that the fuzzer
// need not guess them: the first byte is how many bytes lie between two of them, over 16.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "wire/batch.hpp"

namespace {

using namespace strads;

void require(bool condition) {
  if (!condition) std::abort();
}

wire::Frame with_headers(std::span<const std::uint8_t> bytes) {
  static const wire::Frame right = wire::encode(wire::Finish{}, {}).front().front();
  constexpr std::size_t kMagicAndVersion = 6;
  const std::size_t stride = std::max<std::size_t>(bytes[0] * std::size_t{16}, wire::kHeaderBytes);
  const auto rest = std::as_bytes(bytes.subspan(1));
  wire::Frame batch(rest.begin(), rest.end());
  for (std::size_t at = 0; at + kMagicAndVersion <= batch.size(); at += stride) {
    std::copy_n(right.begin(), kMagicAndVersion, batch.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return batch;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const wire::Frame batch = with_headers({data, size});
  const auto chunks = wire::cut_batch(batch);
  if (!chunks.ok()) return 0;
  wire::Frame again;
  wire::BatchSize filled;
  for (const auto& views : chunks.value()) {
    wire::Frames chunk;
    for (const wire::FrameView view : views) chunk.emplace_back(view.begin(), view.end());
    require(filled.add(chunk));
    wire::append_chunk(again, chunk);
    wire::Decoder decoder(1 << 20);
    (void)decoder.feed(std::span<const wire::FrameView>(views));
  }
  require(again == batch);
  return 0;
}
