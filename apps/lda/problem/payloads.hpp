// Every payload of the model, written down once. Pure.
//
//   phase    Plan, then alpha (K)
//   block    the same with `page`; ids: one variable of the slice, of the page where it has one
//   deltas   the same, then the sums of the block; bulk: the page's new topics (and proposals), if topics were drawn
//   changes  Plan and alpha, then for each block its page and its sums; bulk: the pages in that order
//   status   Head, alpha, totals, the three measures; where the replica is verified ids: documents of the slice,
//            bulk: the topics of their tokens, one document after the other
//
// The sums of a block that draws topics: new minus old counts of each topic (K). Of one that measures: measure_size().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/payload.hpp"
#include "strads/base/payload_fields.hpp"

namespace strads::lda {

/// What a phase does.
enum class Work : std::uint8_t {
  words,              ///< delayed: accepts documents' proposals, makes words' ones
  documents,          ///< delayed: the other way round
  cells,              ///< rotation, stale: draws the topics of the cells of this turn
  measure_documents,  ///< parts of the log joint and of Minka's sums
  measure_words,
  held_out  ///< the log likelihood of held-out documents by completion
};
inline constexpr std::uint64_t kWorks = 6;
[[nodiscard]] constexpr bool draws(Work work) {
  return work == Work::words || work == Work::documents || work == Work::cells;
}

struct Plan {
  std::uint64_t work = 0;
  std::uint64_t phase = 0;  ///< number of the phase's first round, plus one: no two phases have the same
  std::uint64_t sweep = 0;  ///< from 1
  std::uint64_t turn = 0;   ///< cells: worker p has block p + turn
  std::uint64_t page = 0;   ///< of a block
  double beta = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& plan, Visit&& visit) {
    visit(plan.work);
    visit(plan.phase);
    visit(plan.sweep);
    visit(plan.turn);
    visit(plan.page);
    visit(plan.beta);
  }
  [[nodiscard]] Work kind() const { return static_cast<Work>(work); }
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Values of Plan and alpha.
[[nodiscard]] constexpr std::size_t plan_size(std::size_t topics) {
  return kFields<Plan> + topics;
}
[[nodiscard]] inline std::span<const double> alpha_of(std::span<const double> plan, std::size_t topics) {
  return plan.subspan(kFields<Plan>, topics);
}

// Sums of a measure are FixedSum::parts(), two numbers each.
/// Documents: log joint, then what alpha's fixed point divides by, then its K numerators.
inline constexpr std::size_t kMeasureLogJoint = 0, kMeasureDivisor = 2, kMeasureNumerators = 4;
/// Words: log joint, then the numerator of beta's.
inline constexpr std::size_t kMeasureBeta = 2;
/// Held-out documents: their log likelihood alone.
[[nodiscard]] constexpr std::size_t measure_size(Work work, std::size_t topics) {
  if (work == Work::held_out) return 2;
  return work == Work::measure_documents ? kMeasureNumerators + 2 * topics : 4;
}
[[nodiscard]] constexpr std::size_t sums_size(Work work, std::size_t topics) {
  return draws(work) ? topics : measure_size(work, topics);
}

struct Head {
  std::uint64_t sweep = 0;  ///< of the last finished phase
  std::uint64_t phase = 0;  ///< its Plan::phase; 0: the last one was cut off, or there was none
  double beta = 0;
  double drift = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& head, Visit&& visit) {
    visit(head.sweep);
    visit(head.phase);
    visit(head.beta);
    visit(head.drift);
  }
};

/// Parts of a status, which is Head, alpha, totals and the measures.
struct StatusView {
  Head head;
  std::span<const double> alpha, totals, documents, words, held_out;
};
[[nodiscard]] constexpr std::size_t status_size(std::size_t topics) {
  return kFields<Head> + 2 * topics + measure_size(Work::measure_documents, topics) +
         measure_size(Work::measure_words, topics) + measure_size(Work::held_out, topics);
}
/// REQUIRES: status_size(topics) values.
[[nodiscard]] inline StatusView read_status(std::span<const double> values, std::size_t topics) {
  StatusView view{read_fields<Head>(values), {}, {}, {}, {}, {}};
  std::span<const double> rest = values.subspan(kFields<Head>);
  const auto take = [&rest](std::size_t count) {
    const auto part = rest.first(count);
    rest = rest.subspan(count);
    return part;
  };
  view.alpha = take(topics);
  view.totals = take(topics);
  view.documents = take(measure_size(Work::measure_documents, topics));
  view.words = take(measure_size(Work::measure_words, topics));
  view.held_out = take(measure_size(Work::held_out, topics));
  return view;
}

}  // namespace strads::lda
