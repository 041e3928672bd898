// What differs between the solvers of a factorization: one class a solver, made by make_solver() (solvers.hpp). The
// model asks; it knows of no solver by name. Private to apps/mf. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mf/problem/mf.hpp"
#include "mf/problem/mf_state.hpp"
#include "mf/problem/partition.hpp"
#include "mf/problem/payloads.hpp"
#include "mf/solvers/worker_ratings.hpp"

namespace strads::mf {

/// A phase of a sweep.
struct Step {
  Work work = Work::update;
  Side side = Side::users;
  std::uint32_t index = 0;  ///< Plan::index
};

/// What follows from the options alone.
struct SolverFacts {
  WorkForm form;           ///< of all phases but those of evaluation
  std::size_t stride = 0;  ///< floats of a record, as records() gives it
  std::size_t bias = 0;    ///< the place of the bias in it
  /// Heavy rows are shared out to all workers: push() answers parts, which add_parts() puts together.
  bool splits_rows = false;
  /// Penalty weights of features may change from sweep to sweep.
  bool rescales = false;
  /// After each commit F is that of the factors, and a page that would raise it is refused. Else F is what the last
  /// finished sweep met on its way; where a sweep has failed, the one before comes back.
  bool knows_objective = true;
  /// Workers read pages that a later version has replaced: they are not given back.
  bool reads_replaced = false;
};

/// Virtual functions are asked once a page or a block, never for each row. All const functions are thread-safe.
class MfSolver {
 public:
  MfSolver(const MfOptions& options, const SolverFacts& facts) : options_(options), facts_(facts) {}
  MfSolver(const MfSolver&) = delete;
  MfSolver& operator=(const MfSolver&) = delete;
  virtual ~MfSolver() = default;

  [[nodiscard]] const SolverFacts& facts() const { return facts_; }
  /// The phases of a sweep in order, without the evaluation at its end.
  [[nodiscard]] virtual std::vector<Step> steps(std::uint32_t schedulers, std::uint32_t workers) const = 0;

  /// Blocks are cut. Called once, before what follows. `workers_here`: of this process.
  void place(std::shared_ptr<const MfData> data, std::shared_ptr<const Partition> partition, std::size_t workers_here);
  /// What is subtracted from every rating.
  [[nodiscard]] double mean() const { return options_.mean ? data_->mean : 0.0; }

  /// The training ratings of some workers' blocks, into `to`. `spent`: the same triplets, if nobody reads them
  /// afterwards; else nullptr. Cost: as SideRatings::sorted(), GridRatings::sorted().
  virtual void sort_ratings(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks,
                            Triplets* spent, WorkerRatings& to) const = 0;

  // --- replicas ---

  /// Pages and penalties of one side as a run begins. REQUIRES: `state.penalties` has its size.
  virtual void start(MfState& state, Side side, Chunks& chunks) const = 0;
  /// How long a page is that a commit has set. `page`: its place in the replica's table.
  [[nodiscard]] virtual std::size_t page_floats(Side side, std::size_t page) const {
    return rows_of(side, page).size() * stride();
  }
  /// One page as a block of its phase finds it: rows x stride floats. A page that is released was replaced by a commit:
  /// the block was computed elsewhere as well, and nobody waits for what comes of it, but for its length.
  [[nodiscard]] virtual SharedFloats records(const MfState& state, Side side, std::uint32_t page) const;
  /// One page as rows of record_stride(rank) floats, as slices report it; empty without rows.
  [[nodiscard]] virtual SharedFloats row_major(const MfState& state, Side side, std::uint32_t page) const = 0;
  /// The users of a page as an evaluation reads them: rows x stride floats.
  [[nodiscard]] virtual SharedFloats evaluated(const MfState& state, std::uint32_t page) const {
    return row_major(state, Side::users, page);
  }
  /// Calls act(rows, their records) for all rows of evaluated(), some after the other; there all that is neither factor
  /// nor bias is 0.
  using EvaluateRows = std::function<void(const RatingRows& rows, const float* records)>;
  virtual void each_evaluated(const RatingRows& rows, const SharedFloats& records, const EvaluateRows& act) const {
    act(rows, records.data());
  }

  // --- workers ---

  /// Computes a block. `ratings`: of its worker.
  [[nodiscard]] virtual Push push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                                  const WorkerRatings& ratings) const = 0;
  /// Whether an answer can travel. REQUIRES: what it was computed from was finite.
  [[nodiscard]] virtual bool is_finite(const Payload& deltas) const { return all_finite(deltas); }
  /// The items' page that the block of a users' page changes as well; 0: none.
  [[nodiscard]] virtual std::uint32_t items_page(std::span<const double>, std::uint32_t) const { return 0; }
  /// Floats of each array that comes with the entry of a page; `of_items`: PageEntry::other.
  [[nodiscard]] virtual std::vector<std::size_t> arrays(std::span<const double> plan, std::uint32_t page,
                                                        std::uint32_t of_items) const = 0;

  // --- commits ---

  /// Appends to `changes` the entry of a page and its records, from the parts in their order. REQUIRES:
  /// facts().splits_rows.
  virtual void add_parts(const MfState& now, std::span<const double> plan, std::uint32_t page,
                         std::span<const Payload> parts, Payload& changes) const;
  /// A sweep begins with the commit that is folded next.
  virtual void begin_sweep(MfState& state) const { static_cast<void>(state); }
  /// Puts the pages of an entry into a replica, or notes why not: then it stays as it was.
  virtual void fold(MfState& state, std::span<const double> plan, std::span<const double> entry,
                    std::span<const SharedFloats> arrays, Replaced replaced) const = 0;
  /// The run has ended with this replica: it is reported, and nothing is computed with it any more.
  virtual void finish(MfState& replica) const { static_cast<void>(replica); }

 protected:
  [[nodiscard]] const MfOptions& options() const { return options_; }
  [[nodiscard]] const MfData& data() const { return *data_; }
  [[nodiscard]] const Partition& partition() const { return *partition_; }
  /// Who shares what a node computes once for all of its blocks: for the simulator's costs, and for nothing else.
  [[nodiscard]] std::size_t workers_here() const { return workers_here_; }
  [[nodiscard]] std::size_t stride() const { return facts_.stride; }
  [[nodiscard]] const std::vector<std::uint32_t>& rows_of(Side side, std::size_t page) const {
    return partition_->of(side).pages[page];
  }
  [[nodiscard]] std::size_t page_count(Side side) const { return partition_->of(side).pages.size(); }
  /// For what a solver keeps beside replicas.
  virtual void placed() {}

  /// sort_ratings() by user and by item.
  void sort_by_side(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks, Triplets* spent,
                    SideRatings::Form form, WorkerRatings& to) const;
  /// The ratings of a block, as sort_by_side() has sorted them.
  [[nodiscard]] RatingRows train_rows(const WorkerRatings& ratings, Side side, std::uint32_t page,
                                      std::uint32_t part) const;

  /// The rows of a page at random: uniform of width `width` / sqrt(rank), above 0 where nothing else says that ratings
  /// are; all else 0.
  [[nodiscard]] SharedFloats drawn_page(Side side, std::size_t page, double width) const;
  /// As many zeros as the longest page of a side has floats: the first phase computes the users from the items, and
  /// until then all pages of users share these.
  [[nodiscard]] SharedFloats zero_page(Side side) const;
  /// Penalties of a page from its records of record_stride(rank) floats: rank + 1 sums.
  [[nodiscard]] std::vector<double> penalties_of_records(Side side, std::size_t page, const float* records) const;
  /// fold() where facts().knows_objective. `place`: of the page in the replica's table.
  void fold_page(MfState& state, Side side, std::size_t place, std::span<const double> entry,
                 const SharedFloats& floats, Replaced replaced) const;

 private:
  [[nodiscard]] Fault fault_of(const MfState& state, Side side, std::span<const double> entry) const;

  MfOptions options_;
  SolverFacts facts_;
  std::shared_ptr<const MfData> data_;
  std::shared_ptr<const Partition> partition_;
  std::size_t workers_here_ = 1;
};

/// All pages of a side as records(), held here: a commit that nobody foresees may release those of the replica
/// meanwhile.
class SidePages {
 public:
  SidePages(const MfSolver& solver, const Partition& partition, const MfState& state, Side side);
  [[nodiscard]] const FactorPages& view() const { return view_; }

 private:
  std::vector<SharedFloats> held_;
  std::vector<const float*> table_;
  FactorPages view_;
};

/// Plan and entry of a page, up to its penalties.
[[nodiscard]] std::vector<double> values_of_entry(std::span<const double> plan, std::uint32_t page,
                                                  std::uint32_t of_items, const RowSums& sums);

}  // namespace strads::mf
