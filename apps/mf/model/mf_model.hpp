// The factorization as a model of the engine. Private to apps/mf.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "mf/problem/mf.hpp"
#include "mf/problem/mf_state.hpp"
#include "mf/problem/partition.hpp"
#include "mf/problem/payloads.hpp"
#include "mf/solvers/mf_solver.hpp"
#include "mf/solvers/worker_ratings.hpp"

namespace strads::mf {

class MfModel final : public Model {
 public:
  MfModel(std::shared_ptr<MfData> data, const MfOptions& options, const EngineOptions& engine, bool keep_ratings);
  /// Shares data and ratings with `like`.
  MfModel(std::shared_ptr<const MfModel> like, const MfOptions& options);

  [[nodiscard]] ModelShape shape() const override;
  [[nodiscard]] std::uint64_t fingerprint() const override;
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override;
  void place(const Placement& placement) override;
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override;
  void begin(const Payload& problem) override;
  [[nodiscard]] std::unique_ptr<State> make_state() const override;
  /// nullptr also for a verified replica: the run that it is of has ended.
  [[nodiscard]] std::unique_ptr<State> restore_state(const Payload& content) const override;

  [[nodiscard]] std::uint64_t push_flops(const Block& block) const override;
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override;
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload> deltas, Chunks& chunks,
                                                         Cost& cost) const override;
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas, const Direction* direction) const override;
  void apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
             Cost& cost) const override;
  void recompute(State& state, Chunks& chunks, Cost& cost) const override;
  [[nodiscard]] double objective(const State& state) const override;

  // For the parts of the model.
  [[nodiscard]] const Partition& partition() const { return *partition_; }
  [[nodiscard]] const MfData& data() const { return *data_; }
  [[nodiscard]] const MfOptions& options() const { return options_; }
  [[nodiscard]] const MfSolver& solver() const { return *solver_; }
  [[nodiscard]] std::uint32_t page_of(VarId variable) const;
  /// Rows of a page.
  [[nodiscard]] const std::vector<std::uint32_t>& rows_of(Side side, std::uint32_t page) const {
    return partition_->of(side).pages[page];
  }
  [[nodiscard]] std::size_t page_count(Side side) const { return partition_->of(side).pages.size(); }
  /// One page as rows of record_stride(rank) floats, whatever the solver keeps.
  [[nodiscard]] SharedFloats row_major(const MfState& state, Side side, std::uint32_t page) const {
    return solver_->row_major(state, side, page);
  }
  /// What is subtracted from every rating.
  [[nodiscard]] double mean() const { return solver_->mean(); }
  /// Those of this process's workers; nullptr before place().
  [[nodiscard]] const WorkerRatings* ratings_here() const { return store_ == nullptr ? nullptr : &store_->here(); }
  /// Training ratings held here, of both sides together / twice the training ratings.
  [[nodiscard]] double share_held() const;

 private:
  void share_ratings(const MfModel& like, std::size_t workers_here);
  /// F in the user's unit.
  [[nodiscard]] double user_objective(const MfState& state) const;
  /// `spent`: the same triplets, if nobody reads them afterwards; else nullptr.
  [[nodiscard]] WorkerRatings sorted_ratings(const Triplets& train, std::span<const std::uint32_t> workers,
                                             Chunks& chunks, Triplets* spent = nullptr) const;
  /// Those of the worker of a block, read again where they are not here; nullptr: they cannot be. Thread-safe.
  [[nodiscard]] const WorkerRatings* ratings_of(Side side, std::uint32_t page, std::uint32_t part) const;
  /// What is answered to a block without ratings.
  [[nodiscard]] Push unread(std::span<const double> plan, std::uint32_t page) const;
  [[nodiscard]] Push evaluate(const MfState& base, std::span<const double> plan, std::uint32_t page,
                              const WorkerRatings& ratings) const;
  /// The same of MfOptions::stop: what the lists of the page's users lack to be perfect in place of squared errors.
  [[nodiscard]] Push evaluate_lists(const MfState& base, std::span<const double> plan, std::uint32_t page,
                                    const WorkerRatings& ratings) const;
  /// Adds the errors of the strangers that the block of a page is asked about.
  void add_stranger_errors(std::uint32_t page, const float* users, const FactorPages& items, Errors& errors) const;
  void deal_strangers();
  void fold(MfState& state, const Payload& changes, Replaced replaced) const;
  void begin_phase(MfState& state, std::span<const double> plan) const;
  void fold_evaluation(MfState& state, std::span<const double> sums) const;
  void keep_best(MfState& replica) const;
  /// Whether arrays have the lengths of their pages. REQUIRES: well_formed(), and place() was called.
  [[nodiscard]] bool fits_pages(PayloadKind kind, const Payload& payload) const;
  [[nodiscard]] bool of_one_plan(std::span<const Payload> deltas) const;

  std::shared_ptr<MfData> data_;
  MfOptions options_;
  EngineOptions engine_;
  bool keep_ratings_;
  std::shared_ptr<const MfModel> like_;  ///< whose ratings are used; may be nullptr
  std::unique_ptr<MfSolver> solver_;
  std::shared_ptr<const Partition> partition_;
  std::shared_ptr<RatingStore> store_;
  /// By page of users, numbers in Ratings::strangers: those of its users; the first page also has those of nobody.
  std::shared_ptr<const std::vector<std::vector<std::uint32_t>>> strangers_;
};

/// Bytes of the training ratings by user and by item: all that a run holds, and what this node keeps of them.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> bytes_held(const MfModel& model);

}  // namespace strads::mf
