// What matrix factorization puts into the engine's payloads: written here and nowhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mf/problem/partition.hpp"
#include "strads/base/payload.hpp"
#include "strads/base/payload_fields.hpp"

namespace strads {
enum class PayloadKind : std::uint8_t;  // strads/engine/model.hpp
}  // namespace strads

namespace strads::mf {

/// What a phase does.
enum class Work : std::uint32_t {
  update = 0,    ///< cd, als: the rows of one side
  evaluate = 1,  ///< errors on validation and test ratings; the factors do not change
  feature = 2,   ///< ccd: one feature of one side
  cell = 3       ///< sgd: one stratum of the grid
};
inline constexpr std::uint32_t kWorks = 4;

/// Why a replica is nothing to go on from.
enum class Fault : std::uint32_t {
  none = 0,
  not_finite = 1,  ///< an update came to numbers that a float does not hold
  rose = 2,        ///< an update or a sweep has raised the objective
  unread = 3       ///< the ratings of a lost worker could not be read again
};
inline constexpr std::uint32_t kFaults = 4;

/// Whether an objective went up by more than rounding: by more than this share of itself and the smallest part of the
/// squared ratings (`squares`: their sum). What is no number has risen.
[[nodiscard]] inline bool has_risen(double before, double after, double share, double squares) {
  constexpr double kNothing = 1e-9;
  return !(after <= before * (1 + share) + kNothing * squares);
}
/// The share for a sweep.
[[nodiscard]] inline double rise_allowed(double tolerance) {
  constexpr double kRounding = 1e-5;
  return tolerance > kRounding ? tolerance : kRounding;
}

/// READY and START carry nothing: every node has counted the same ratings.
///
/// PHASE and, copied from it, each BLOCK. No ids in a phase; the id of a block is its first variable, which names the
/// page (users: 0 ... N - 1, items: N ... N + M - 1).
struct Plan {
  std::uint64_t work = 0;   ///< Work
  std::uint64_t side = 0;   ///< Side of the rows that are updated; evaluate and cell: users
  std::uint64_t first = 0;  ///< number of the first round of the phase
  std::uint64_t sweep = 0;  ///< number of the first round of the sweep
  std::uint64_t index = 0;  ///< feature: its place in the sweep (feature_at); cell: the stratum
  double part = -1;         ///< block: which part of the rows of a split page; else -1
  double relaxation = 1;    ///< RowProblem::relaxation

  template <class Self, class Visit>
  static constexpr void fields(Self& plan, Visit&& visit) {
    visit(plan.work);
    visit(plan.side);
    visit(plan.first);
    visit(plan.sweep);
    visit(plan.index);
    visit(plan.part);
    visit(plan.relaxation);
  }
};
/// REQUIRES of these and the next: values that begin with a plan, well_formed().
[[nodiscard]] inline Plan plan_of(std::span<const double> values) {
  return read_fields<Plan>(values);
}
/// Behind the plan's numbers: `rank` penalty weights of the users' factors; their inverses are the items'.
[[nodiscard]] inline std::span<const double> weights_of(std::span<const double> values, std::size_t rank) {
  return values.subspan(kFields<Plan>, rank);
}

/// DELTAS. No ids. values: the block's plan, then an entry. bulk: the new page; for a part its normal equations, row
/// after row; cell: the users' page and the items' page; evaluate: nothing.
/// The entry of evaluate is an Evaluation; of the others this, and then penalties_of(), rank + 1 sums; of a cell those
/// of the users' page, then of the items' page.
struct PageEntry {
  std::uint64_t page = 0;
  std::uint64_t other = 0;  ///< cell: the items' page; else 0
  double before = 0;        ///< squared training errors of the block before
  double after = 0;         ///< and after; cell: both are those met on the way; or kFailed, or kUnread

  template <class Self, class Visit>
  static constexpr void fields(Self& entry, Visit&& visit) {
    visit(entry.page);
    visit(entry.other);
    visit(entry.before);
    visit(entry.after);
  }
};
[[nodiscard]] inline PageEntry entry_of(std::span<const double> values) {
  return read_fields<PageEntry>(values);
}
[[nodiscard]] inline std::span<const double> sums_of(std::span<const double> entry) {
  return entry.subspan(kFields<PageEntry>);
}

/// In place of squared errors, of an answer whose other numbers are zeros. Errors or pages are not finite: messages
/// carry finite numbers only, one that held others would be dropped, and its round would wait for it for ever.
inline constexpr double kFailed = -1;
/// Likewise: there are no ratings to compute the block from, since its worker was lost and they cannot be read again.
inline constexpr double kUnread = -2;

/// Sums of squared and absolute errors and their number, of validation, then of test ratings; blocks that were looked
/// at.
struct Evaluation {
  double validation_squared = 0, validation_absolute = 0;
  std::uint64_t validation_count = 0;
  double test_squared = 0, test_absolute = 0;
  std::uint64_t test_count = 0;
  std::uint64_t blocks = 0;
  std::uint64_t failed = 0;  ///< of them those whose sums were not finite: they count as zeros
  std::uint64_t unread = 0;  ///< and those whose ratings could not be read again: they count as zeros

  template <class Self, class Visit>
  static constexpr void fields(Self& sums, Visit&& visit) {
    visit(sums.validation_squared);
    visit(sums.validation_absolute);
    visit(sums.validation_count);
    visit(sums.test_squared);
    visit(sums.test_absolute);
    visit(sums.test_count);
    visit(sums.blocks);
    visit(sums.failed);
    visit(sums.unread);
  }
  void add(const Evaluation& more);
};

/// COMMIT. No ids. values: the plan, then the entry of each page that changes; of evaluate one entry, the sum. bulk:
/// the new pages in this order.
///
/// SLICE STATUS: what the replica knows, the same in every slice. On a verified replica also the factors of the slice:
/// ids: the variables of its pages, users then items; bulk: those pages, row-major; the
/// `rank` weights at the end of the values.
struct StatusHead {
  double error = 0;             ///< squared training errors; cell: those met in the last finished sweep
  std::uint64_t fault = 0;      ///< Fault: the run cannot go on from here
  double best_validation = -1;  ///< least squared validation error so far; -1: none
  double users_imbalance = 1, items_imbalance = 1;  ///< SidePartition::imbalance
  std::uint64_t users_split = 0, items_split = 0;   ///< 1: rows are split somewhere

  template <class Self, class Visit>
  static constexpr void fields(Self& head, Visit&& visit) {
    visit(head.error);
    visit(head.fault);
    visit(head.best_validation);
    visit(head.users_imbalance);
    visit(head.items_imbalance);
    visit(head.users_split);
    visit(head.items_split);
  }
};
/// Behind the head. Zeros: none has ended.
[[nodiscard]] inline Evaluation last_evaluation_of(std::span<const double> status) {
  return read_fields<Evaluation>(status.subspan(kFields<StatusHead>));
}
/// Behind the evaluation: penalties without weights, rank + 1 of the users, then of the items.
[[nodiscard]] inline std::span<const double> penalties_of_side(std::span<const double> status, Side side,
                                                               std::size_t rank) {
  return status.subspan(kFields<StatusHead> + kFields<Evaluation> + mf::index_of(side) * (rank + 1), rank + 1);
}

[[nodiscard]] inline std::size_t plan_size(std::uint32_t rank) {
  return kFields<Plan> + rank;
}
[[nodiscard]] inline std::size_t status_size(std::uint32_t rank) {
  return kFields<StatusHead> + kFields<Evaluation> + kSides * (std::size_t{rank} + 1);
}
[[nodiscard]] inline std::size_t entry_size(Work work, std::uint32_t rank) {
  if (work == Work::evaluate) return kFields<Evaluation>;
  const std::size_t sums = std::size_t{rank} + 1;
  return kFields<PageEntry> + (work == Work::cell ? 2 * sums : sums);
}

/// ccd: the features of a sweep in order: with biases first those of the users, then those of the items, which are
/// features of their own with ones on the other side; then 0 ... rank - 1.
struct FeaturePlace {
  std::uint32_t page_row = 0;  ///< which of the rank + 1 features that pages have: rank is the bias
  bool is_bias = false;
  Side bias_of = Side::users;
};
[[nodiscard]] inline FeaturePlace feature_at(std::uint32_t place, std::uint32_t rank, bool bias) {
  if (bias && place < kSides) return {rank, true, place == 0 ? Side::users : Side::items};
  return {place - (bias ? std::uint32_t{kSides} : 0), false, Side::users};
}

[[nodiscard]] inline Work work_of(std::span<const double> plan) {
  return static_cast<Work>(plan_of(plan).work);
}
[[nodiscard]] inline Side side_of(std::span<const double> plan) {
  return plan_of(plan).side == 0 ? Side::users : Side::items;
}
/// -1 or a part.
[[nodiscard]] inline std::int64_t part_of(std::span<const double> plan) {
  return static_cast<std::int64_t>(plan_of(plan).part);
}

/// How the plans and entries of a kind of phase look.
struct WorkForm {
  Work work = Work::update;
  std::uint64_t indices = 1'000'000'000;  ///< Plan::index is below; a stratum is taken modulo their number
  std::size_t entry = 0;                  ///< values of an entry, entry_size()
  std::size_t arrays = 0;                 ///< in `bulk`, for each entry
  bool both_sides = false;                ///< else of users only
  bool parts = false;                     ///< a block may be a part of split rows
};

/// What a payload must look like for the functions of the model. `users`, `items`: sizes of the sides; `pages`: of a
/// side; `form`: of the solver's own phases. Each solver has its own pages: the work of another one would read beyond
/// them.
struct Shape {
  std::uint32_t users = 0, items = 0, rank = 0, pages = 0;
  std::uint32_t workers = 1;
  WorkForm form;
};
/// True iff lengths, works, pages and sides are those written above. What the arrays of one page must hold, only those
/// can tell who know the partition (MfModel::acceptable).
[[nodiscard]] bool well_formed(PayloadKind kind, const Payload& payload, const Shape& shape);

/// Whether a message can carry it.
[[nodiscard]] bool all_finite(const Payload& payload);
/// Turns an answer into one that says `fault`, not_finite or unread: of the same shape, and nobody builds on it.
void mark(Payload& answer, std::uint32_t rank, Fault fault);
/// What mark() has said of an entry that is no evaluation's.
[[nodiscard]] inline Fault marked(std::span<const double> entry) {
  const double after = entry_of(entry).after;
  return after == kFailed ? Fault::not_finite : after == kUnread ? Fault::unread : Fault::none;
}
/// Of two faults the one that a run ends with. Without its ratings a run ends whatever else is wrong; else the later
/// one.
[[nodiscard]] inline Fault graver(Fault earlier, Fault later) {
  return earlier == Fault::unread || later == Fault::none ? earlier : later;
}

}  // namespace strads::mf
