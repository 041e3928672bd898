// Bugs that the auditor must catch, each with the rule that it must break first. Wrappers of a model and changed
// messages; production code stays as it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/audited_cluster.hpp"
#include "sim/wrapped_model.hpp"

namespace strads::sim {

/// Which of the models that a run makes have the bug.
enum class Planted : std::uint8_t {
  first_node,  ///< rank 0, which holds scheduler 0
  all_nodes,   ///< and the driver, not the auditor
  everywhere   ///< the auditor's as well: the model itself is wrong, and all agree
};

struct PlantedBug {
  std::string name;
  Rule rule = Rule::replica;
  Planted where = Planted::first_node;
  std::function<std::shared_ptr<Model>(std::shared_ptr<Model>)> wrap;  ///< empty: the bug is in messages
  MessageFilter as_sent;
  MessageFilter on_the_way;
};

/// The models of a run with the bug. The first call is the auditor's, then come the nodes by rank and the driver.
inline std::function<std::shared_ptr<Model>()> plant(const PlantedBug& bug,
                                                     std::function<std::shared_ptr<Model>()> make_model) {
  return [bug, make = std::move(make_model), calls = std::make_shared<int>(0)]() -> std::shared_ptr<Model> {
    const int call = (*calls)++;
    const bool planted = bug.where == Planted::everywhere || (bug.where == Planted::all_nodes && call > 0) ||
                         (bug.where == Planted::first_node && call == 1);
    return planted && bug.wrap ? bug.wrap(make()) : make();
  };
}

namespace planted {

/// The last value that is no whole number: changed, it is still one of its kind. A count that is none would be refused
/// before anybody reads it. nullptr: there is none.
inline double* last_fraction(std::vector<double>& values) {
  const auto at = std::find_if(values.rbegin(), values.rend(), [](double value) { return value != std::floor(value); });
  return at == values.rend() ? nullptr : &*at;
}

// --- slices ---

/// Says to its planner, and to nobody else, that nothing is coupled.
class BlindPlanner final : public WrappedSlice {
 public:
  using WrappedSlice::WrappedSlice;
  void prepare_round(Chunks& chunks) override {
    planning_ = true;
    WrappedSlice::prepare_round(chunks);
  }
  [[nodiscard]] Cost take_planning_cost() override {
    planning_ = false;
    return WrappedSlice::take_planning_cost();
  }
  [[nodiscard]] double define_dependency(VarId j, VarId k) const override {
    return planning_ ? 0.0 : WrappedSlice::define_dependency(j, k);
  }

 private:
  bool planning_ = false;
};

/// Puts a variable of one block into the next as well.
class GreedyBlocks final : public WrappedSlice {
 public:
  using WrappedSlice::WrappedSlice;
  void prepare_round(Chunks& chunks) override {
    before_.reset();
    WrappedSlice::prepare_round(chunks);
  }
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override {
    const auto before = std::exchange(before_, variables.front());
    if (before.has_value()) variables.push_back(*before);
    return WrappedSlice::make_block(std::move(variables));
  }

 private:
  mutable std::optional<VarId> before_;
};

/// The sixth block holds a variable of another slice.
class Poacher final : public WrappedSlice {
 public:
  using WrappedSlice::WrappedSlice;
  [[nodiscard]] Block make_block(std::vector<VarId> variables) const override {
    Block block = WrappedSlice::make_block(std::move(variables));
    if (++blocks_ != 6) return block;
    VarId foreign = 0;
    while (std::ranges::binary_search(WrappedSlice::variables(), foreign)) ++foreign;
    block.content.ids.front() = foreign;
    std::ranges::sort(block.content.ids);
    return block;
  }

 private:
  mutable int blocks_ = 0;
};

/// Never draws the first variable that could be drawn.
class Starving final : public WrappedSlice {
 public:
  using WrappedSlice::WrappedSlice;
  [[nodiscard]] double define_sampling(VarId j) const override {
    const double p = WrappedSlice::define_sampling(j);
    if (p > 0 && !victim_.has_value()) victim_ = j;
    return j == victim_ ? 0.0 : p;
  }

 private:
  mutable std::optional<VarId> victim_;
};

/// Draws one variable.
class StingySlice final : public WrappedSlice {
 public:
  using WrappedSlice::WrappedSlice;
  [[nodiscard]] ScheduleRules rules() const override {
    ScheduleRules rules = WrappedSlice::rules();
    rules.draws = 1;
    return rules;
  }
};

template <class BadSlice>
class WithSlices final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override {
    return std::make_unique<BadSlice>(WrappedModel::make_slice(variables), variables);
  }
};

/// When variables are dealt it does not know of the last one: the others are dealt as nobody else deals them.
class OverlappingSlices final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] ModelShape shape() const override {
    ModelShape shape = WrappedModel::shape();
    if (!std::exchange(dealt_, true)) --shape.variables;
    return shape;
  }

 private:
  mutable bool dealt_ = false;
};

// --- models ---

/// The tenth push with a result is off by one unit in the last place.
class SloppyPush final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override {
    Push push = WrappedModel::push(base, block, chunks);
    if (!push.deltas.values.empty() && ++pushes_ == 10) {
      double& delta = push.deltas.values.back();
      delta = std::nextafter(delta, 2 * delta);
    }
    return push;
  }

 private:
  mutable int pushes_ = 0;
};

/// Counts a flop less for a block of variables that it has met before: what a node remembers must not show.
class RememberingPush final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override {
    Push push = WrappedModel::push(base, block, chunks);
    if (!met_.insert(block.content.ids).second) --push.cost.flops;
    return push;
  }

 private:
  mutable std::set<std::vector<VarId>> met_;
};

/// The third step that is taken is half as long as it should be.
class TimidPull final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas,
                          const Direction* direction) const override {
    Pull pull = WrappedModel::pull(now, deltas, direction);
    if (pull.step != 0 && ++pulls_ == 3) pull.step *= 0.5;
    return pull;
  }

 private:
  mutable int pulls_ = 0;
};

/// Forgets the last of several blocks.
class ForgetfulCombine final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload> deltas, Chunks& chunks,
                                                         Cost& cost) const override {
    return WrappedModel::combine(deltas.size() > 1 ? deltas.first(deltas.size() - 1) : deltas, chunks, cost);
  }
};

/// Steps two and a half times as far as the model says, and reports honestly what comes of it.
class Overshooting final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas,
                          const Direction* direction) const override {
    Pull pull = WrappedModel::pull(now, deltas, direction);
    if (pull.step == 0) return pull;
    pull.changes.ids.resize(pull.changes.values.size());  // no variable becomes exactly 0
    pull.step *= 2.5;
    const auto next = now.clone();
    SerialChunks chunks;
    Cost cost;
    apply(*next, pull.changes, pull.step, direction, chunks, cost);
    pull.realised = objective(now) - objective(*next);
    pull.objective = objective(*next);
    return pull;
  }
};

/// Adds the deltas of the seventh commit twice.
class DoubleApply final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  void apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
             Cost& cost) const override {
    WrappedModel::apply(state, changes, step, direction, chunks, cost);
    if (++applied_ == 7) WrappedModel::apply(state, changes, step, direction, chunks, cost);
  }

 private:
  mutable int applied_ = 0;
};

/// Leaves out the third commit.
class SkippingApply final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  void apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
             Cost& cost) const override {
    if (++applied_ != 3) WrappedModel::apply(state, changes, step, direction, chunks, cost);
  }

 private:
  mutable int applied_ = 0;
};

/// Folds another direction into the residual than the deltas into the coefficients.
class DriftingResidual final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  void apply(State& state, const Payload& changes, double step, const Direction*, Chunks& chunks,
             Cost& cost) const override {
    Payload other = changes;
    other.ids.resize(other.values.size());
    for (double& delta : other.values) delta *= 1 + 1e-6;
    const auto direction = WrappedModel::combine(std::span(&other, 1), chunks, cost);
    WrappedModel::apply(state, changes, step, direction.get(), chunks, cost);
  }
};

/// Takes the recomputation for done, but for the last bits.
class LazyRecompute final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  void recompute(State&, Chunks&, Cost&) const override {}
};

/// Says that the gap is half of what it is.
class HopefulJudge final : public Judge {
 public:
  explicit HopefulJudge(std::unique_ptr<Judge> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override { return inner_->start(summaries); }
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override {
    Judgement judgement = inner_->judge(barrier, statuses);
    judgement.certificate.gap *= 0.5;
    return judgement;
  }

 private:
  std::unique_ptr<Judge> inner_;
};

class HalfGap final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override {
    return std::make_unique<HopefulJudge>(WrappedModel::make_judge());
  }
};

template <class BadModel>
std::shared_ptr<Model> wrap(std::shared_ptr<Model> model) {
  return std::make_shared<BadModel>(std::move(model));
}

/// Calls change(message) for messages of type M that go to node `to`; no number: to anybody.
template <class M>
MessageFilter changing(std::function<void(M&)> change, std::optional<std::uint32_t> only_to = std::nullopt) {
  return [change = std::move(change), only_to](std::uint32_t, std::uint32_t to, wire::Message& message) {
    if (auto* m = std::get_if<M>(&message); m != nullptr && (!only_to.has_value() || only_to == to)) change(*m);
  };
}

}  // namespace planted

/// All of them. Those without filters need a model factory only. The others want three nodes and two schedulers: rank 1
/// holds one, rank 2 none.
inline std::vector<PlantedBug> planted_bugs() {
  using namespace planted;
  constexpr auto kVerify = static_cast<std::uint8_t>(PhasePlan::Verdict::verify);
  constexpr auto kStop = static_cast<std::uint8_t>(PhasePlan::Verdict::stop);
  const auto push_away = [](double& value) { value = std::nextafter(value, std::numeric_limits<double>::infinity()); };
  return {
      {"the planner sees no coupling",
       Rule::exclusive_blocks,
       Planted::all_nodes,
       wrap<WithSlices<BlindPlanner>>,
       {},
       {}},
      {"a variable is in two blocks",
       Rule::exclusive_blocks,
       Planted::all_nodes,
       wrap<WithSlices<GreedyBlocks>>,
       {},
       {}},
      {"a block holds another slice's variable",
       Rule::ownership,
       Planted::all_nodes,
       wrap<WithSlices<Poacher>>,
       {},
       {}},
      {"slices overlap on one node", Rule::ownership, Planted::first_node, wrap<OverlappingSlices>, {}, {}},
      {"push is off in the last place on one node", Rule::pure_push, Planted::first_node, wrap<SloppyPush>, {}, {}},
      {"push depends on what it computed before", Rule::pure_push, Planted::first_node, wrap<RememberingPush>, {}, {}},
      {"answers go out under each other's names",
       Rule::pure_push,
       Planted::first_node,
       {},
       changing<wire::Deltas>([](wire::Deltas& deltas) { deltas.index ^= 1; }),
       {}},
      {"a worker counts a step of its solver too many",
       Rule::pure_push,
       Planted::first_node,
       {},
       changing<wire::Deltas>([](wire::Deltas& deltas) { deltas.tally.push_back(1); }),
       {}},
      {"pull takes half a step on one node", Rule::commit, Planted::first_node, wrap<TimidPull>, {}, {}},
      {"combine forgets a block on one node", Rule::commit, Planted::first_node, wrap<ForgetfulCombine>, {}, {}},
      {"copies of a commit differ",
       Rule::commit,
       Planted::first_node,
       {},
       changing<wire::Commit>([push_away](wire::Commit& commit) { push_away(commit.step); }, 1),
       {}},
      {"deltas change on the way",
       Rule::commit,
       Planted::first_node,
       {},
       {},
       changing<wire::Deltas>([push_away](wire::Deltas& deltas) {
         if (double* const value = last_fraction(deltas.deltas.values)) push_away(*value);
       })},
      {"apply adds the seventh commit twice on one node",
       Rule::replica,
       Planted::first_node,
       wrap<DoubleApply>,
       {},
       {}},
      {"apply leaves out the third commit on one node",
       Rule::replica,
       Planted::first_node,
       wrap<SkippingApply>,
       {},
       {}},
      {"a commit changes on the way to one node",
       Rule::replica,
       Planted::first_node,
       {},
       {},
       changing<wire::Commit>(
           [](wire::Commit& commit) {
             if (double* const value = last_fraction(commit.changes.values)) *value += 1e-9;
           },
           1)},
      {"a node says another hash of its replica than it has",
       Rule::replica,
       Planted::first_node,
       {},
       changing<wire::Kept>([](wire::Kept& kept) { kept.hash ^= 1; }),
       {}},
      {"the replica of a checkpoint is off in the last place",
       Rule::replica,
       Planted::first_node,
       {},
       changing<wire::Kept>([push_away](wire::Kept& kept) {
         if (double* const value = last_fraction(kept.replica.values)) push_away(*value);
       }),
       {}},
      {"one node does not recompute", Rule::replica, Planted::first_node, wrap<LazyRecompute>, {}, {}},
      {"the residual takes another direction", Rule::residual, Planted::everywhere, wrap<DriftingResidual>, {}, {}},
      {"pull overshoots", Rule::objective, Planted::everywhere, wrap<Overshooting>, {}, {}},
      {"a variable is never drawn", Rule::fairness, Planted::first_node, wrap<WithSlices<Starving>>, {}, {}},
      {"a turn is left out",
       Rule::fairness,
       Planted::first_node,
       {},
       changing<wire::Commit>([](wire::Commit& commit) { commit.version += commit.version == 5 ? 1 : 0; }),
       {}},
      {"one node hears another verdict",
       Rule::verdict,
       Planted::first_node,
       {},
       changing<wire::Phase>([](wire::Phase& phase) { ++phase.blocks_max; }, 1),
       {}},
      {"a commit ends the run too early",
       Rule::phase,
       Planted::first_node,
       {},
       changing<wire::Commit>([](wire::Commit& commit) { commit.last |= commit.version == 5 ? 1 : 0; }),
       {}},
      {"half of the gap is reported", Rule::certificate, Planted::all_nodes, wrap<HalfGap>, {}, {}},
      {"a slice draws one variable only", Rule::policy, Planted::all_nodes, wrap<WithSlices<StingySlice>>, {}, {}},
      {"one node hears the end too early",
       Rule::end,
       Planted::first_node,
       {},
       {},
       changing<wire::Phase>(
           [](wire::Phase& phase) {
             if (phase.verdict == kVerify) phase.verdict = kStop;
           },
           2)},
  };
}

}  // namespace strads::sim
