#include "lda/solvers/half_sweep.hpp"

#include <algorithm>
#include <cstring>

#include "lda/solvers/token_random.hpp"

namespace strads::lda {
namespace {

/// Room for one row, made once a page.
struct RowRoom {
  std::vector<std::uint16_t> before, after, proposed;
  std::vector<std::uint32_t> counts;

  void fit(std::uint64_t length, std::uint32_t proposals) {
    if (before.size() >= length) return;
    before.resize(length);
    after.resize(length);
    proposed.resize(length * proposals);
  }
};

template <std::uint32_t M>
[[gnu::always_inline]] inline std::uint32_t count_of(const HalfSweep& half) {
  return M > 0 ? M : half.proposals;
}

/// From c_k + prior_k of the row, by one number: the topic of one of its tokens, or one from the prior.
[[gnu::always_inline]] inline std::uint16_t proposal_of(const HalfSweep& half, const std::uint16_t* topics,
                                                        std::uint64_t length, std::uint64_t bits) {
  const double tokens = static_cast<double>(static_cast<std::int64_t>(length));
  const double x = unit_of_high(bits) * (tokens + half.draw->mass());
  if (x >= tokens) return static_cast<std::uint16_t>(half.draw->topic(x - tokens));
  return topics[static_cast<std::int64_t>(x)];
}

/// Writes topics with new proposals. M: 0: as many as half.proposals.
template <std::uint32_t M>
void write_row(const HalfSweep& half, std::uint64_t key, std::uint64_t length, const std::uint16_t* topics,
               std::byte* to) {
  const std::uint32_t proposals = count_of<M>(half);
  const std::size_t stride = floats_of_token(proposals) * sizeof(float);
  for (std::uint64_t i = 0; i < length; ++i) {
    std::byte* const token = to + i * stride;
    if constexpr (M == 1) {
      const std::uint32_t both =
          topics[i] | static_cast<std::uint32_t>(proposal_of(half, topics, length, number_of(key, i))) << 16;
      std::memcpy(token, &both, sizeof both);
    } else {
      std::memset(token, 0, stride);
      std::memcpy(token, &topics[i], sizeof(std::uint16_t));
      for (std::uint32_t m = 0; m < proposals; ++m) {
        const std::uint16_t one = proposal_of(half, topics, length, number_of(key, i * proposals + m));
        std::memcpy(token + (m + std::size_t{1}) * sizeof one, &one, sizeof one);
      }
    }
  }
}

/// Each proposal t against the topic s, with the counts of the half-sweep's start: accepted with probability
/// min(1, (c_t + prior_t)(C_s + V beta) / ((c_s + prior_s)(C_t + V beta))). The other factor of the conditional is what
/// t was drawn from. As published, the token itself stays in the counts: leaving it out made two and four proposals
/// worse than one, since tokens that move together then overshoot.
template <std::uint32_t M>
[[gnu::always_inline]] inline void accept_row(const HalfSweep& half, std::uint64_t key, std::uint64_t length,
                                              RowRoom& room) {
  const std::uint32_t proposals = count_of<M>(half);
  const float* const prior = half.prior.data();
  const float* const totals = half.totals.data();
  const std::uint32_t* const counts = room.counts.data();
  for (std::uint64_t i = 0; i < length; ++i) {
    std::uint16_t s = room.before[i];
    for (std::uint32_t m = 0; m < proposals; ++m) {
      const std::uint16_t t = room.proposed[i * proposals + m];
      const float count_s = static_cast<float>(static_cast<std::int32_t>(counts[s])) + prior[s];
      const float count_t = static_cast<float>(static_cast<std::int32_t>(counts[t])) + prior[t];
      const float here = count_s * totals[t], there = count_t * totals[s];
      // The same numbers as for new proposals, of which those take the high bits.
      s = unit_of_low(number_of(key, i * proposals + m)) * here < there ? t : s;
    }
    room.after[i] = s;
  }
}

template <std::uint32_t M, class Places>
void sweep_rows(const HalfSweep& half, const HalfPage& page, const std::vector<Places>& places,
                std::span<const float* const> from, float* to, std::span<double> changes) {
  const std::uint32_t proposals = count_of<M>(half), bits = page.places->bits;
  const std::size_t floats = floats_of_token(proposals);
  const Places mask = (Places{1} << bits) - 1;
  RowRoom room;
  room.counts.assign(half.prior.size(), 0);
  std::vector<std::int64_t> moved(half.prior.size(), 0);
  const Places* place = places.data();
  for (const std::uint32_t row : page.rows) {
    const std::uint64_t length = page.lengths[row];
    room.fit(length, proposals);
    for (std::uint64_t i = 0; i < length; ++i) {
      const float* const token = from[place[i] >> bits] + std::size_t{place[i] & mask} * floats;
      std::uint16_t both[kProposalsMax + 1];
      std::memcpy(both, token, (proposals + std::size_t{1}) * sizeof(std::uint16_t));
      room.before[i] = both[0];
      for (std::uint32_t m = 0; m < proposals; ++m) room.proposed[i * proposals + m] = both[m + 1];
      ++room.counts[both[0]];
    }
    const std::uint64_t key = row_key(half.key, row);
    accept_row<M>(half, key, length, room);
    write_row<M>(half, key, length, room.after.data(), reinterpret_cast<std::byte*>(to));
    for (std::uint64_t i = 0; i < length; ++i) {
      room.counts[room.before[i]] = 0;
      --moved[room.before[i]];
      ++moved[room.after[i]];
    }
    place += length;
    to += length * floats;
  }
  for (std::size_t k = 0; k < moved.size(); ++k) changes[k] += static_cast<double>(moved[k]);
}

template <class Places>
std::vector<std::uint16_t> gathered(const std::vector<Places>& places, std::uint32_t bits,
                                    std::span<const float* const> from, std::uint32_t proposals) {
  const std::size_t floats = floats_of_token(proposals);
  const Places mask = (Places{1} << bits) - 1;
  std::vector<std::uint16_t> topics(places.size());
  for (std::size_t i = 0; i < topics.size(); ++i) {
    const float* const token = from[places[i] >> bits] + std::size_t{places[i] & mask} * floats;
    std::memcpy(&topics[i], token, sizeof topics[i]);
  }
  return topics;
}

}  // namespace

void sweep_page(const HalfSweep& half, const HalfPage& page, std::span<const float* const> from, float* to,
                std::span<double> changes) {
  const auto with = [&](const auto& places) {
    half.proposals == 1 ? sweep_rows<1>(half, page, places, from, to, changes)
                        : sweep_rows<0>(half, page, places, from, to, changes);
  };
  page.places->is_narrow() ? with(page.places->narrow) : with(page.places->wide);
}

void propose_page(const HalfSweep& half, const HalfPage& page, std::span<const std::uint16_t> tokens, float* to) {
  const std::size_t floats = floats_of_token(half.proposals);
  const std::uint16_t* topics = tokens.data();
  for (const std::uint32_t row : page.rows) {
    const std::uint64_t length = page.lengths[row];
    auto* const bytes = reinterpret_cast<std::byte*>(to);
    const std::uint64_t key = row_key(half.key, row);
    half.proposals == 1 ? write_row<1>(half, key, length, topics, bytes)
                        : write_row<0>(half, key, length, topics, bytes);
    topics += length;
    to += length * floats;
  }
}

std::vector<std::uint16_t> topics_of_own(const float* page, std::uint64_t tokens, std::uint32_t proposals) {
  const std::size_t floats = floats_of_token(proposals);
  std::vector<std::uint16_t> topics(tokens);
  for (std::uint64_t i = 0; i < tokens; ++i) std::memcpy(&topics[i], page + i * floats, sizeof topics[i]);
  return topics;
}

std::vector<std::uint16_t> topics_of_other(const OtherPlaces& places, std::span<const float* const> from,
                                           std::uint32_t proposals) {
  return places.is_narrow() ? gathered(places.narrow, places.bits, from, proposals)
                            : gathered(places.wide, places.bits, from, proposals);
}

}  // namespace strads::lda
