#include "data/ratings/pair_draw.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "strads/base/hash.hpp"

namespace strads::data {

PairDraw::PairDraw(std::uint64_t seed, Use use, double share)
    : limit_(static_cast<std::uint64_t>(std::ldexp(share, 64))) {  // share < 1: it fits
  Hash64 key;
  key.update_u64(seed);
  key.update_u64(static_cast<std::uint64_t>(use));
  key_ = key.digest();
}

std::vector<std::uint64_t> id_hashes(const IdTable& ids, Chunks& chunks) {
  constexpr std::uint32_t kPiece = 1 << 16;
  std::vector<std::uint64_t> out(ids.size());
  chunks.for_each(out.size() / kPiece + 1, [&](std::size_t piece) {
    const std::size_t end = std::min(out.size(), (piece + 1) * kPiece);
    for (std::size_t k = piece * kPiece; k < end; ++k) {
      const std::string_view name = ids.name(static_cast<std::uint32_t>(k));
      out[k] = xxh3(std::as_bytes(std::span(name.data(), name.size())));
    }
  });
  return out;
}

}  // namespace strads::data
