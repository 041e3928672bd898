// A factorization without the engine: phases, rounds and barriers one after the other, everything on one thread.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "made_up_ratings.hpp"
#include "mf/model/mf_model.hpp"
#include "strads/base/random.hpp"

namespace strads::mf::test {

inline const MfState& state_of(const State& state) {
  return static_cast<const MfState&>(state);
}

/// Slices, workers and who of them is here, as the engine would tell a model.
struct Deal {
  EngineOptions engine{.schedulers = 3, .workers = 4, .depth = 3};
  bool all_here = true;  ///< else no worker is here
};

inline std::vector<std::vector<VarId>> slices_of(VarId variables, std::uint32_t schedulers) {
  std::vector<std::vector<VarId>> slices(schedulers);
  for (VarId j = 0; j < variables; ++j) slices[j % schedulers].push_back(j);
  return slices;
}

inline std::unique_ptr<MfModel> placed_model(const std::shared_ptr<MfData>& data, const MfOptions& options,
                                             const Deal& deal = {}) {
  auto model = std::make_unique<MfModel>(data, options, deal.engine, true);
  std::vector<std::uint32_t> here;
  for (std::uint32_t i = 0; deal.all_here && i < deal.engine.workers; ++i) here.push_back(i);
  const auto slices = slices_of(model->variables(), deal.engine.schedulers);
  model->place({slices, deal.engine.workers, here});
  return model;
}

/// What happened in one round.
struct RoundByHand {
  Version version = 0;
  std::shared_ptr<const State> base, before, after;
  std::vector<Block> blocks;
  std::vector<Push> pushes;
  Pull pull;
};

/// Runs phases as the judge says. The callbacks may be empty.
class ByHand {
 public:
  ByHand(const std::shared_ptr<MfData>& data, const MfOptions& options, const Deal& deal = {})
      : model(placed_model(data, options, deal)), schedulers_(deal.engine.schedulers) {
    for (auto& variables : slices_of(model->variables(), schedulers_)) {
      slices_.push_back(model->make_slice(std::move(variables)));
    }
    judge_ = model->make_judge();
    state = model->make_state();
  }

  /// One barrier and the rounds after it; false: the judge has stopped the run.
  bool phase() {
    statuses.clear();
    for (auto& slice : slices_) statuses.push_back(slice->refresh(*state, serial_, cost_));
    Barrier barrier;
    barrier.version = version;
    barrier.verified = state_of(*state).verified;
    judgement = judge_->judge(barrier, statuses);
    if (on_status) on_status(statuses);
    if (judgement.plan.verdict == PhasePlan::Verdict::stop) return false;
    if (judgement.plan.verdict == PhasePlan::Verdict::verify) {
      auto verified = state->clone();
      model->recompute(*verified, serial_, cost_);
      state = std::move(verified);
      return true;
    }
    const auto base = state;
    for (std::uint64_t k = 0; k < judgement.plan.rounds_max; ++k) round(base);
    return true;
  }
  void run(int phases_max = 1000) {
    for (int k = 0; k < phases_max && phase(); ++k) continue;
  }

  std::unique_ptr<MfModel> model;
  std::shared_ptr<const State> state;
  Version version = -1;
  Judgement judgement;
  std::vector<Payload> statuses;
  std::function<void(const RoundByHand&)> on_pushed;  ///< before the commit
  std::function<void(const RoundByHand&)> on_round;   ///< after it
  std::function<void(const std::vector<Payload>&)> on_status;

 private:
  void round(const std::shared_ptr<const State>& base) {
    RoundByHand round;
    round.version = ++version;
    round.base = base;
    round.before = state;
    CounterRng random(1, Purpose::tests, static_cast<std::uint64_t>(version));
    auto& slice = *slices_[static_cast<std::size_t>(version) % schedulers_];
    auto scheduled = slice.schedule(version, judgement.plan, random);
    for (Block& block : *scheduled) {
      if (!block.content.ids.empty()) round.blocks.push_back(std::move(block));
    }
    std::vector<Payload> deltas;
    for (const Block& block : round.blocks) {
      round.pushes.push_back(model->push(*base, block, serial_));
      deltas.push_back(round.pushes.back().deltas);
    }
    if (on_pushed) on_pushed(round);
    if (!deltas.empty()) {
      round.pull = model->pull(*state, deltas, nullptr);
      auto next = state->clone();
      model->apply(*next, round.pull.changes, 1, nullptr, serial_, cost_);
      state = std::move(next);
    }
    round.after = state;
    if (on_round) on_round(round);
  }

  std::uint32_t schedulers_;
  std::vector<std::unique_ptr<Slice>> slices_;
  std::unique_ptr<Judge> judge_;
  SerialChunks serial_;
  Cost cost_;
};

/// A value of each rating, whichever way it is kept.
inline double value_at(const MfData& data, const Triplets& part, std::size_t t) {
  return static_cast<double>(data.ratings->levels.empty() ? part.values[t] : data.ratings->levels[part.codes[t]]);
}

/// F in double precision from the pages of a replica.
inline double objective_of(const MfModel& model, const MfState& state) {
  const MfData& data = model.data();
  const MfOptions& options = model.options();
  const std::size_t stride = record_stride(options.rank);
  std::vector<SharedFloats> pages[kSides];
  for (const Side side : {Side::users, Side::items}) {
    for (std::uint32_t p = 0; p < model.page_count(side); ++p) {
      pages[index_of(side)].push_back(model.row_major(state, side, p));
    }
  }
  const auto record = [&](Side side, std::uint32_t row) {
    const SidePartition& own = model.partition().of(side);
    const std::uint32_t place = own.slots[row] & ((std::uint32_t{1} << own.shift) - 1);
    return pages[index_of(side)][own.page_of_row(row)].data() + place * stride;
  };
  double sum = 0;
  for (std::size_t t = 0; t < data.train->size(); ++t) {
    const float* user = record(Side::users, data.train->users[t]);
    const float* item = record(Side::items, data.train->items[t]);
    double error = value_at(data, *data.train, t) - model.mean() - static_cast<double>(user[options.rank]) -
                   static_cast<double>(item[options.rank]);
    for (std::uint32_t k = 0; k < options.rank; ++k)
      error -= static_cast<double>(user[k]) * static_cast<double>(item[k]);
    sum += error * error;
  }
  for (const Side side : {Side::users, Side::items}) {
    for (std::uint32_t row = 0; row < data.size(side); ++row) {
      const float* floats = record(side, row);
      double squares = std::pow(static_cast<double>(floats[options.rank]), 2);
      for (std::uint32_t k = 0; k < options.rank; ++k) {
        const double weight = side == Side::users ? state.weights[k] : 1 / state.weights[k];
        squares += weight * std::pow(static_cast<double>(floats[k]), 2);
      }
      sum += options.lambda * (options.weighted ? data.counts[index_of(side)][row] : 1.0) * squares;
    }
  }
  return sum;
}

}  // namespace strads::mf::test
