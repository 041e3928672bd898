#include "strads/base/random.hpp"

#include <array>

#include "strads/base/hash.hpp"
#include "strads/base/status.hpp"

namespace strads {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd: the counter visits every state

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

CounterRng::CounterRng(std::uint64_t seed, Purpose purpose, std::uint64_t slice, std::uint64_t round,
                       std::uint64_t block) {
  std::array<std::byte, 40> name{};
  std::size_t at = 0;
  for (const std::uint64_t word : {seed, static_cast<std::uint64_t>(purpose), slice, round, block}) {
    for (std::size_t i = 0; i < 8; ++i) name[at++] = static_cast<std::byte>((word >> (8 * i)) & 0xff);
  }
  state_ = xxh3(name);  // in one go: streams are opened in inner loops, and Hash64 allocates
}

std::uint64_t CounterRng::next() {
  const std::uint64_t output = mix(state_);
  state_ += kGolden;
  return output;
}

std::uint64_t CounterRng::below(std::uint64_t bound) {
  STRADS_CHECK(bound >= 1, "there is no number below 0");
  __extension__ using Wide = unsigned __int128;
  // 2^64 mod bound of the 2^64 draws are too many: exactly those whose low half is below that are refused.
  const std::uint64_t excess = (0 - bound) % bound;
  while (true) {
    const Wide product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) >= excess) return static_cast<std::uint64_t>(product >> 64);
  }
}

double CounterRng::unit() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

}  // namespace strads
