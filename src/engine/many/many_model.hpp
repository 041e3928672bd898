// Many models in one schedule: the parts of the whole. Private to this layer; programs see
// strads/engine/many_models.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/many/many_payloads.hpp"
#include "engine/planning/sampler.hpp"
#include "engine/rounds/phase_tracker.hpp"
#include "strads/engine/many_models.hpp"

namespace strads::engine {

/// The states of the parts. Versions share those that did not change between them.
class ManyState final : public State {
 public:
  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<ManyState>(*this); }
  [[nodiscard]] Payload content() const override;
  /// Summed in the order of the parts.
  [[nodiscard]] double objective() const;

  std::vector<std::shared_ptr<const State>> parts;  ///< nullptr: released
  std::vector<double> objectives;                   ///< of the parts; those that were released keep theirs
};

/// Those of the parts that a round changes, in their order.
class ManyDirection final : public Direction {
 public:
  [[nodiscard]] const Direction* of(std::size_t part) const;
  std::vector<std::pair<std::size_t, std::shared_ptr<const Direction>>> parts;
};

class ManyModel final : public Model {
 public:
  ManyModel(std::vector<std::shared_ptr<Model>> parts, const EngineOptions& engine, PartEnded ended);

  [[nodiscard]] VarId variables() const override { return firsts_.back(); }
  [[nodiscard]] std::vector<Deal> deals() const override;
  [[nodiscard]] std::uint64_t fingerprint() const override;
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override;
  void place(const Placement& placement) override;
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override;
  void begin(const Payload& problem) override;
  void enter_phase(const PhasePlan& plan) override;
  [[nodiscard]] std::unique_ptr<State> make_state() const override;

  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override;
  [[nodiscard]] std::uint64_t push_flops(const Block& block) const override;
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload> deltas, Chunks& chunks,
                                                         Cost& cost) const override;
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas, const Direction* direction) const override;
  void apply(State& whole, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
             Cost& cost) const override;
  void recompute(State& state, Chunks& chunks, Cost& cost) const override;
  [[nodiscard]] double objective(const State& state) const override;
  [[nodiscard]] Payload without_remarks(const Payload& changes) const override;
  [[nodiscard]] bool is_joint(const PhasePlan& plan, const Payload& block) const override;

  // For slices.
  [[nodiscard]] std::size_t count() const { return parts_.size(); }
  [[nodiscard]] const EngineOptions& engine() const { return engine_; }
  [[nodiscard]] VarId first(std::size_t part) const { return firsts_[part]; }
  [[nodiscard]] std::size_t part_of(VarId variable) const;
  /// Variables of a part, as the part counts them.
  [[nodiscard]] std::vector<VarId> within(std::size_t part, std::span<const VarId> variables) const;
  /// Scheduler that `variables` were dealt to. REQUIRES: place() was called.
  [[nodiscard]] std::uint32_t scheduler_of(const std::vector<VarId>& variables) const;

 private:
  /// A part's own payload and its number; count() for housekeeping, whose payload has the actions.
  struct Tagged {
    std::size_t part = 0;
    Payload own;
  };
  [[nodiscard]] std::optional<Tagged> block_of(const Payload& payload) const;
  [[nodiscard]] std::optional<Tagged> deltas_of(const Payload& payload) const;
  /// Deltas of one round by part, in the order of the parts; nullopt: not those of blocks that one scheduler
  /// dispatched.
  struct PartDeltas {
    std::size_t part = 0;
    std::vector<Payload> own;
  };
  [[nodiscard]] std::optional<std::vector<PartDeltas>> by_part(std::span<const Payload> deltas) const;
  [[nodiscard]] bool accepts(PayloadKind kind, const std::optional<Tagged>& tagged) const;
  [[nodiscard]] bool accepts_all(PayloadKind kind, const Payload& packed) const;
  [[nodiscard]] bool accepts_changes(const Payload& payload) const;
  [[nodiscard]] bool accepts_status(const Payload& payload) const;
  [[nodiscard]] bool accepts_phase(const Payload& payload) const;
  void recompute_part(ManyState& state, std::size_t part, Chunks& chunks, Cost& cost) const;
  void keep_house(ManyState& state, std::span<const double> actions, Chunks& chunks, Cost& cost) const;

  std::vector<std::shared_ptr<Model>> parts_;
  EngineOptions engine_;
  PartEnded ended_;
  std::vector<VarId> firsts_{0};     ///< of each part, and the number of all variables
  std::vector<VarId> slice_firsts_;  ///< by scheduler: its first variable; empty before place()
};

/// A scheduler's views of its slices of all parts, and what the engine would keep of each if it were alone: weights,
/// and where its phase ends.
class ManySlice final : public Slice {
 public:
  ManySlice(const ManyModel& model, std::vector<std::unique_ptr<Slice>> parts, std::vector<VarId> variables,
            std::uint32_t scheduler);

  [[nodiscard]] std::span<const VarId> variables() const override { return variables_; }
  [[nodiscard]] Payload scan(Chunks& chunks, Cost& cost) override;
  void begin(const Payload& problem) override;
  [[nodiscard]] Payload refresh(const State& state, Chunks& chunks, Cost& cost) override;
  [[nodiscard]] std::size_t passes() const override { return reporting_.size(); }
  void scan_pass(std::size_t pass, Chunks& chunks, Cost& cost) override;
  void refresh_pass(std::size_t pass, const State& state, Chunks& chunks, Cost& cost) override;
  void enter_phase(const PhasePlan& plan) override;
  [[nodiscard]] double define_sampling(VarId j) const override;
  [[nodiscard]] double define_dependency(VarId j, VarId k) const override;
  [[nodiscard]] double workload(VarId j) const override;
  [[nodiscard]] ScheduleRules rules() const override;
  [[nodiscard]] bool plans_itself() const override { return true; }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override;
  void prepare_round(Chunks& chunks) override { chunks_ = &chunks; }
  [[nodiscard]] std::optional<std::vector<Block>> schedule(Round round, const PhasePlan& plan,
                                                           CounterRng& random) override;
  [[nodiscard]] Cost take_planning_cost() override;
  void withdraw(Round round, std::vector<Block>& blocks) override;
  void remark(const RoundOutcome& outcome, Payload& changes) override;
  [[nodiscard]] bool hears_all_rounds() const override { return true; }
  void committed(const RoundOutcome& outcome, std::vector<VarId>& touched) override;
  [[nodiscard]] bool ends_phase(const RoundOutcome& outcome) override;

 private:
  struct Part {
    explicit Part(std::uint32_t depth) : tracker(depth) {}
    std::unique_ptr<Slice> slice;
    std::unique_ptr<Sampler> sampler;   ///< nullptr: it plans itself
    std::shared_ptr<const State> base;  ///< that of the last refresh
    std::optional<Payload> found;       ///< by its pass of the scan or the refresh that is made now
    PhaseTracker tracker;
    PartSums sums;
    /// tracker.last_round() when the plan that is made now was begun: commits go on meanwhile.
    Round last_to_plan = -1;
  };
  /// What one part has in the own round that is in flight.
  struct Turn {
    std::size_t part = 0;
    Round round = 0;           ///< the part's number
    std::vector<VarId> drawn;  ///< as the part counts them
    std::uint32_t blocks = 0;
  };
  void weigh_all(Part& part) const;
  void plan_part(const PartRound& at, std::vector<Block>& blocks);
  [[nodiscard]] std::vector<Block> blocks_of(const PartRound& at);
  void look_ahead();
  [[nodiscard]] const Turn* turn_of(std::size_t part) const;
  /// `turn`: of an own round; nullptr: of another scheduler's.
  [[nodiscard]] RoundOutcome part_outcome(const ManyCommit::Remark& remark, const ManyCommit::Change* change,
                                          Round round, const Turn* turn) const;
  void note(const RoundOutcome& outcome, const ManyCommit& commit, const ManyCommit::Remark& remark);

  const ManyModel& model_;
  std::vector<Part> parts_;
  std::vector<VarId> variables_;
  std::uint32_t scheduler_;
  ManyPhase phase_;
  std::vector<std::size_t> reporting_;  ///< parts that a barrier asks about
  std::vector<Turn> turns_;
  std::vector<std::size_t> planned_;         ///< parts that the last plan was made for
  std::vector<ManyCommit::Remark> remarks_;  ///< of the own round whose commit is sent now
  Chunks* chunks_ = nullptr;                 ///< of the plan that is being made
};

class ManyJudge final : public Judge {
 public:
  struct PartJudge {
    std::unique_ptr<Judge> judge;
    bool may_be_silent = false;  ///< an empty status is one of this part
  };
  ManyJudge(std::vector<PartJudge> parts, std::uint32_t schedulers, PartEnded ended);

  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override;
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override;

 private:
  struct Part {
    std::unique_ptr<Judge> judge;
    Version version = -1;
    std::uint32_t barriers = 0;  ///< so far
    RunTotals totals;            ///< so far
    PartSums sums;               ///< of its last phase
    bool ended = false;
    bool may_be_silent = false;
    bool cut = false;  ///< a limit ended the run within its phase
    Certificate certificate;
    Payload problem;
  };
  void judge_part(std::size_t i, const Barrier& barrier, const PartSums& sums, std::vector<Payload> statuses);
  void count(Part& part, const Job& job, const PartSums& sums) const;
  void end_part(std::size_t i, const Judgement& judgement, std::vector<Payload> statuses);
  [[nodiscard]] PhasePlan next_plan(const Barrier& barrier);
  [[nodiscard]] Certificate certificate() const;

  std::vector<Part> parts_;
  std::uint32_t schedulers_;
  PartEnded ended_;
  ManyPhase phase_;  ///< the one that ended at this barrier, then the one that begins
  ManyPhase next_;
  bool limit_ = false;
};

}  // namespace strads::engine
