// The factorization as a model of the engine. Private to apps/mf.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "mf/model/mf.hpp"
#include "mf/model/mf_state.hpp"
#include "mf/model/partition.hpp"
#include "mf/model/payloads.hpp"
#include "mf/solvers/block_ratings.hpp"
#include "mf/solvers/grid_ratings.hpp"
#include "mf/solvers/residuals.hpp"

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
  [[nodiscard]] std::uint32_t page_of(VarId variable) const;
  /// Rows of a page.
  [[nodiscard]] const std::vector<std::uint32_t>& rows_of(Side side, std::uint32_t page) const {
    return partition_->of(side).pages[page];
  }
  [[nodiscard]] std::uint64_t full_pages(Side side) const { return full_pages_[mf::index_of(side)]; }
  /// Pages of one side: a multiple of this with ccd.
  [[nodiscard]] std::size_t page_count(Side side) const { return partition_->of(side).pages.size(); }
  /// One page as a block of its phase finds it.
  [[nodiscard]] SharedFloats records_of(const MfState& state, Side side, std::uint32_t page) const;
  /// One page as rows of record_stride(rank) floats, whatever the solver keeps.
  [[nodiscard]] SharedFloats row_major(const MfState& state, Side side, std::uint32_t page) const;
  /// What is subtracted from every rating.
  [[nodiscard]] double mean() const { return options_.mean ? data_->mean : 0.0; }
  /// Floats of a record as this solver keeps it.
  [[nodiscard]] std::size_t stride() const;
  /// sgd: the training ratings that are held here; else nullptr, as before place().
  [[nodiscard]] const GridRatings* grid() const {
    return options_.solver == Solver::sgd && here_ != nullptr ? &here_->grid : nullptr;
  }
  /// Training ratings held here, of both sides together / twice the training ratings.
  [[nodiscard]] double share_held() const;

 private:
  /// The ratings of one worker.
  struct WorkerRatings {
    SideRatings train[kSides];
    GridRatings grid;              ///< sgd: the training ratings, then `train` is empty
    SideRatings validation, test;  ///< by user
  };
  void share_ratings(const MfModel& like);
  /// `spent`: the same triplets, if nobody reads them afterwards; else nullptr.
  [[nodiscard]] WorkerRatings take(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks,
                                   Triplets* spent = nullptr) const;
  /// Those of the worker of a block, read again where they are not here. Thread-safe.
  [[nodiscard]] const WorkerRatings& ratings_of(Side side, std::uint32_t page, std::uint32_t part) const;
  [[nodiscard]] RatingRows train_rows(Side side, std::uint32_t page, std::uint32_t part) const;
  [[nodiscard]] Push update(const MfState& base, std::span<const double> plan, std::uint32_t page) const;
  [[nodiscard]] Push feature(const MfState& base, std::span<const double> plan, std::uint32_t page) const;
  [[nodiscard]] SgdProblem sgd_problem(std::uint32_t users_page, std::uint32_t items_page, bool first_sweep) const;
  /// Appends rank + 1 sums, as penalties_of(): of records as sgd keeps them.
  void add_sgd_penalties(Side side, std::uint32_t page, std::span<const float> records,
                         std::vector<double>& values) const;
  [[nodiscard]] bool is_last_visit(std::uint32_t items_page, std::uint32_t stratum) const;
  [[nodiscard]] Push cell(const MfState& base, std::span<const double> plan, std::uint32_t page) const;
  [[nodiscard]] Push normal_part(const MfState& base, std::span<const double> plan, std::uint32_t page) const;
  [[nodiscard]] Push evaluate(const MfState& base, std::span<const double> plan, std::uint32_t page) const;
  /// Adds the errors of the strangers that the block of a page is asked about.
  void add_stranger_errors(std::uint32_t page, const float* users, const FactorPages& items, std::size_t bias,
                           Errors& errors) const;
  void deal_strangers();
  [[nodiscard]] SharedFloats start_page(Side side, std::uint32_t page) const;
  [[nodiscard]] std::vector<double> start_sums(const MfState& state, Side side, std::uint32_t page) const;
  void solve_split(const MfState& now, std::span<const double> plan, std::uint32_t page, std::span<const Payload> parts,
                   Payload& changes) const;
  /// What becomes of a page that a commit replaces.
  enum class Replaced : std::uint8_t { kept, released };
  void fold(MfState& state, const Payload& changes, Replaced replaced) const;
  /// cd, als, ccd: what is wrong with the entry of a page.
  [[nodiscard]] Fault fault_of(const MfState& state, Side side, std::span<const double> entry) const;
  void fold_cell(MfState& state, std::span<const double> entry) const;
  /// sgd: every rating was met.
  void end_sweep(MfState& state) const;
  void keep_best(MfState& replica) const;
  /// What decides which sweep is best; else it is the objective.
  [[nodiscard]] bool decides_by_validation() const { return data_->ratings->validation.size() > 0; }
  /// Whether arrays have the lengths of their pages. REQUIRES: well_formed(), and place() was called.
  [[nodiscard]] bool fits_pages(PayloadKind kind, const Payload& payload) const;
  [[nodiscard]] bool fits_page(std::span<const double> plan, std::size_t page, const SharedFloats& array) const;
  [[nodiscard]] bool of_one_plan(std::span<const Payload> deltas) const;
  void begin_phase(MfState& state, std::span<const double> plan) const;
  /// Whether the pages of sgd are what row_major() makes of them already.
  [[nodiscard]] bool is_plain(const MfState& state) const;
  void fold_penalties(MfState& state, Side side, std::size_t page, std::span<const double> sums) const;
  [[nodiscard]] FeaturePlace feature_of(std::span<const double> plan) const;
  void fold_evaluation(MfState& state, std::span<const double> sums) const;

  std::shared_ptr<MfData> data_;
  MfOptions options_;
  EngineOptions engine_;
  bool keep_ratings_;
  std::shared_ptr<const MfModel> like_;  ///< whose ratings are used; may be nullptr
  std::shared_ptr<Partition> partition_;
  std::shared_ptr<const WorkerRatings> here_;
  std::vector<bool> is_here_;              ///< by worker
  std::uint64_t full_pages_[kSides] = {};  ///< with rows
  /// By page of users, numbers in Ratings::strangers: those of its users; the first page also has those of nobody.
  std::shared_ptr<const std::vector<std::vector<std::uint32_t>>> strangers_;

  struct Rebuilt {
    std::mutex mutex;
    std::map<std::uint32_t, WorkerRatings> workers;  ///< of those that were lost elsewhere
  };
  std::vector<std::vector<float>> multipliers_[kSides];  ///< sgd, plain: 1 / ratings of each row, by page
  std::unique_ptr<Residuals> residuals_;                 ///< ccd
  std::shared_ptr<Rebuilt> rebuilt_ = std::make_shared<Rebuilt>();
};

/// Bytes of the training ratings by user and by item: all that a run holds, and what this node keeps of them.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> bytes_held(const MfModel& model);

}  // namespace strads::mf
