#include "strads/base/hash.hpp"

#include <xxhash.h>

#include <array>
#include <bit>

#include "strads/base/status.hpp"

namespace strads {

// The library allocates its state, so that its size and alignment may differ from version to version.
struct Hash64::State {
  XXH3_state_t* xxh3 = XXH3_createState();

  State() { STRADS_CHECK(xxh3 != nullptr, "600 bytes can be allocated"); }
  ~State() { XXH3_freeState(xxh3); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

std::uint64_t xxh3(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Hash64::Hash64() : state_(std::make_unique<State>()) {
  STRADS_CHECK(XXH3_64bits_reset(state_->xxh3) == XXH_OK, "a reset of an existing state cannot fail");
}

Hash64::~Hash64() = default;
Hash64::Hash64(Hash64&&) noexcept = default;
Hash64& Hash64::operator=(Hash64&&) noexcept = default;

void Hash64::update(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  STRADS_CHECK(XXH3_64bits_update(state_->xxh3, bytes.data(), bytes.size()) == XXH_OK,
               "an update fails only without a state");
}

void Hash64::update_u64(std::uint64_t value) {
  std::array<std::byte, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((value >> (8 * i)) & 0xff);
  update(bytes);
}

void Hash64::update_f64(double value) {
  // value + 0.0 turns -0 into 0 and leaves every other number alone.
  update_u64(std::bit_cast<std::uint64_t>(value + 0.0));
}

std::uint64_t Hash64::digest() const {
  return XXH3_64bits_digest(state_->xxh3);
}

}  // namespace strads
