// Bugs that only the comparison of whole runs can see: each must be called by its name. Those of single rules are in
// planted_bugs.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mf/problem/mf.hpp"
#include "sim/wrapped_model.hpp"
#include "strads/base/payload_fields.hpp"
#include "strads/sim/simulate.hpp"
#include "strads_sim/swarm/swarm_problem.hpp"
#include "sumstats/problem/block_record.hpp"
#include "sumstats/problem/packed_doubles.hpp"
#include "wire/messages.hpp"

namespace strads::sim {

struct SwarmBug {
  std::string name;
  std::string called;  ///< what its violation says
  std::function<SwarmOutcome(std::uint64_t seed)> run;
};

namespace planted {

/// Goes half as far as it might, and reports honestly what comes of it.
class HalfSteps final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas,
                          const Direction* direction) const override {
    Pull pull = WrappedModel::pull(now, deltas, direction);
    if (pull.step == 0) return pull;
    pull.changes.ids.resize(pull.changes.values.size());  // no variable becomes exactly 0
    pull.step *= 0.5;
    const auto next = now.clone();
    SerialChunks chunks;
    Cost cost;
    apply(*next, pull.changes, pull.step, direction, chunks, cost);
    pull.realised = objective(now) - objective(*next);
    pull.objective = objective(*next);
    return pull;
  }
};

/// All processes of the cluster agree on it, the auditor as well; the run that it is compared with knows nothing of it.
inline SwarmOutcome with_half_steps(std::uint64_t seed) {
  const SwarmModels models = [](std::uint64_t of_seed, const EngineOptions& engine) -> SwarmSubject {
    const std::size_t in_cluster = draw_small_cluster(of_seed).nodes.size() + 2;
    return {[make = simulator::swarm_models(of_seed, engine).make_model, calls = std::make_shared<std::size_t>(0),
             in_cluster]() -> std::shared_ptr<Model> {
      if ((*calls)++ >= in_cluster) return make();
      return std::make_shared<HalfSteps>(make());
    }};
  };
  return run_swarm_seed(seed, models);
}

/// Says that the training error of a factorization is a thousandth less than it is.
class FlatteringJudge final : public Judge {
 public:
  explicit FlatteringJudge(std::unique_ptr<Judge> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override { return inner_->start(summaries); }
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override {
    Judgement judgement = inner_->judge(barrier, statuses);
    auto& figures = judgement.certificate.figures;
    if (figures.size() == mf::kFigures) figures[mf::kFigureTrainRmse] *= 0.999;
    return judgement;
  }

 private:
  std::unique_ptr<Judge> inner_;
};

class Flattering final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override {
    return std::make_unique<FlatteringJudge>(WrappedModel::make_judge());
  }
};

inline SwarmOutcome with_flattering_judge(std::uint64_t seed) {
  const SwarmModels models = [](std::uint64_t of_seed, const EngineOptions& engine) {
    SwarmSubject subject = simulator::swarm_models(of_seed, engine);
    subject.make_model = [make = subject.make_model] { return std::make_shared<Flattering>(make()); };
    return subject;
  };
  return run_swarm_seed(seed, models);
}

/// Says something else of the barriers of one kind of problem.
class LyingJudge final : public Judge {
 public:
  LyingJudge(std::unique_ptr<Judge> inner, void (*change)(Certificate&)) : inner_(std::move(inner)), change_(change) {}
  [[nodiscard]] Result<Payload> start(std::span<const Payload> summaries) override { return inner_->start(summaries); }
  [[nodiscard]] Judgement judge(const Barrier& barrier, std::span<const Payload> statuses) override {
    Judgement judgement = inner_->judge(barrier, statuses);
    change_(judgement.certificate);
    return judgement;
  }

 private:
  std::unique_ptr<Judge> inner_;
  void (*change_)(Certificate&);
};

class Lying final : public WrappedModel {
 public:
  Lying(std::shared_ptr<Model> inner, void (*change)(Certificate&)) : WrappedModel(std::move(inner)), change_(change) {}
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override {
    return std::make_unique<LyingJudge>(WrappedModel::make_judge(), change_);
  }

 private:
  void (*change_)(Certificate&);
};

inline SwarmOutcome with_lying_judge(std::uint64_t seed, std::string_view kind, void (*change)(Certificate&)) {
  if (simulator::swarm_kind(seed) != kind) return {};
  const SwarmModels models = [=](std::uint64_t of_seed, const EngineOptions& engine) {
    SwarmSubject subject = simulator::swarm_models(of_seed, engine);
    if (simulator::swarm_kind(of_seed) != kind) return subject;
    subject.make_model = [make = subject.make_model, change] { return std::make_shared<Lying>(make(), change); };
    return subject;
  };
  return run_swarm_seed(seed, models);
}

/// Workers say that a point of a block is better than it is, and are consistent about it.
class FlatteredBlocks final : public WrappedModel {
 public:
  using WrappedModel::WrappedModel;
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override {
    Push push = WrappedModel::push(base, block, chunks);
    Payload changed{push.deltas.ids, {}};
    sumstats::each_record(push.deltas, 0, [&](const sumstats::StoredRecord& record) {
      auto doubles = sumstats::unpacked(record.packed.view(), record.head.length);
      const std::size_t last = objective_of_last(record.head, doubles);
      sumstats::StoredRecord better{record.head, {}};
      better.head.objective -= 1e-3;
      doubles[last] -= 1e-3;
      better.packed = sumstats::packed(doubles);
      push.predicted += 1e-3;
      sumstats::append_record(better, changed);
    });
    push.deltas = changed;
    return push;
  }

 private:
  /// Where the objective of the last point stands.
  static std::size_t objective_of_last(const sumstats::RecordHead& head, const std::vector<double>& doubles) {
    const std::size_t masks = (head.places + sumstats::kPlacesOfMask - 1) / sumstats::kPlacesOfMask;
    std::size_t at = head.places, last = at;
    while (at < doubles.size()) {
      last = at;
      at += kFields<sumstats::PointHead> + masks + static_cast<std::size_t>(doubles[at + 2]);
    }
    return last;
  }
};

inline SwarmOutcome with_flattered_blocks(std::uint64_t seed) {
  if (simulator::swarm_kind(seed) != "sumstats") return {};
  const SwarmModels models = [](std::uint64_t of_seed, const EngineOptions& engine) {
    SwarmSubject subject = simulator::swarm_models(of_seed, engine);
    if (simulator::swarm_kind(of_seed) != "sumstats") return subject;
    subject.make_model = [make = subject.make_model] { return std::make_shared<FlatteredBlocks>(make()); };
    return subject;
  };
  return run_swarm_seed(seed, models);
}

/// No message of type M ever leaves its sender.
template <class M>
SwarmOutcome without_messages(std::uint64_t seed) {
  SimulationHooks hooks;
  hooks.passes = [](std::uint32_t, std::uint32_t, std::uint8_t type) { return type != M::kType; };
  return run_swarm_seed(seed, simulator::swarm_models, hooks);
}

/// Everybody waits for `factor` times the lease that the user was promised.
inline SwarmOutcome with_another_lease(std::uint64_t seed, double factor) {
  const SimulationOptions promised = draw_small_cluster(seed);
  SimulationOptions options = promised;
  options.lease_seconds *= factor;
  const auto make_model = simulator::swarm_models(seed, options.engine).make_model;
  SimulatedRun run = simulate(make_model, options, {});
  return judge_run(std::move(run), promised, run_undisturbed(promised, make_model));
}

/// The run is as it should be, and what it says of itself is changed afterwards.
inline SwarmOutcome with_another_report(std::uint64_t seed, const std::function<void(SimulatedRun&)>& change) {
  const SimulationOptions options = draw_small_cluster(seed);
  const auto make_model = simulator::swarm_models(seed, options.engine).make_model;
  SimulatedRun run = simulate(make_model, options, {});
  change(run);
  return judge_run(std::move(run), options, run_undisturbed(options, make_model));
}

inline SwarmOutcome with_nameless_nodes(std::uint64_t seed) {
  return with_another_report(seed, [](SimulatedRun& run) {
    for (SimulatedUse& process : run.processes) {
      if (process.left != "is killed" && process.left != "ends") process.left = "leaves: bad luck";
    }
  });
}

inline SwarmOutcome with_nameless_driver(std::uint64_t seed) {
  return with_another_report(seed, [](SimulatedRun& run) {
    if (run.end.status.code() == StatusCode::cluster) run.end.status = Status::cluster("bad luck");
  });
}

inline SwarmOutcome with_forgetful_refusal(std::uint64_t seed) {
  return with_another_report(seed, [](SimulatedRun& run) {
    for (SimulatedUse& process : run.returned) process.left = "leaves: bad luck";
  });
}

/// The driver loses a node that nothing has happened to.
inline SwarmOutcome with_rash_driver(std::uint64_t seed) {
  return with_another_report(seed, [](SimulatedRun& run) {
    if (run.lethal_at < 0) run.end.status = Status::cluster("lost rank 0 (host0)");
  });
}

/// All were asked to leave, the nodes went first, and the driver found nobody left.
inline SwarmOutcome with_hasty_nodes(std::uint64_t seed) {
  return with_another_report(seed, [](SimulatedRun& run) {
    if (run.early_end == EarlyEnd::all && run.lethal_at < 0) run.end.status = Status::cluster("no worker is left");
  });
}

/// It stops a round before its time, and nobody has asked for that.
inline SwarmOutcome with_lazy_driver(std::uint64_t seed) {
  return with_another_report(seed, [](SimulatedRun& run) {
    if (run.early_end != EarlyEnd::none || !run.end.status.ok()) return;
    if (run.end.totals.rounds > 0) --run.end.totals.rounds;
  });
}

/// A run that ended early says that it had converged.
inline SwarmOutcome with_early_convergence(std::uint64_t seed) {
  return with_another_report(seed, [](SimulatedRun& run) {
    if (run.early_end == EarlyEnd::all && run.end.stop_reason == kStopLimit) run.end.stop_reason = "converged";
  });
}

/// All were asked to leave, and one of them does not.
inline SwarmOutcome with_a_node_that_stays(std::uint64_t seed) {
  return with_another_report(seed, [](SimulatedRun& run) {
    if (run.early_end == EarlyEnd::all) run.processes.front().gone_seconds += 60;
  });
}

}  // namespace planted

inline std::vector<SwarmBug> swarm_bugs() {
  using namespace planted;
  return {
      {"the cluster takes half steps", "another solution than without faults", with_half_steps},
      {"the training error of a factorization is said to be a thousandth less", "found training RMSE",
       with_flattering_judge},
      {"the dual objective of a support vector machine is said to be larger", "found dual objective",
       [](std::uint64_t seed) {
         return with_lying_judge(seed, "svm", [](Certificate& certificate) { certificate.dual += 1e-6; });
       }},
      {"the log joint of a topic model is said to be a thousandth better", "found minus log joint",
       [](std::uint64_t seed) {
         return with_lying_judge(seed, "lda", [](Certificate& certificate) {
           certificate.objective *= 0.999;
           for (double& figure : certificate.figures) figure *= figure < 0 ? 0.999 : 1;
         });
       }},
      {"the objective of implicit feedback is said to be a thousandth less", "found objective",
       [](std::uint64_t seed) {
         return with_lying_judge(seed, "implicit", [](Certificate& certificate) { certificate.objective *= 0.999; });
       }},
      {"the worst gap of item weights is said to be half of what it is", "found worst gap",
       [](std::uint64_t seed) {
         return with_lying_judge(seed, "slim", [](Certificate& certificate) {
           for (double& figure : certificate.figures) figure *= figure < 1 ? 0.5 : 1;
         });
       }},
      {"the gap of summary statistics is said to be half of what it is", "found gap",
       [](std::uint64_t seed) {
         return with_lying_judge(seed, "sumstats", [](Certificate& certificate) { certificate.gap *= 0.5; });
       }},
      {"workers say objectives of blocks of summary statistics that are lower than they are", "found block",
       with_flattered_blocks},
      {"no verdict leaves the coordinator", "hangs", without_messages<wire::Phase>},
      {"no result leaves a worker", "hangs", without_messages<wire::Deltas>},
      {"everybody waits for four leases", "was gone at",
       [](std::uint64_t seed) { return with_another_lease(seed, 4); }},
      {"nodes end without saying why", "left without the cause", with_nameless_nodes},
      {"the driver ends without saying why", "the driver ended without the cause", with_nameless_driver},
      {"a process that was started again is not told why it is refused", "left without the cause",
       with_forgetful_refusal},
      {"the driver gives up without a reason", "lost although nothing lethal happened", with_rash_driver},
      {"all are asked to leave, and nodes go before the run has ended", "lost although nothing lethal happened",
       with_hasty_nodes},
      {"the driver ends a run a round early, and nobody was to leave", "rounds, without faults", with_lazy_driver},
      {"a run that ended since all were to leave says that it converged", "without the early end",
       with_early_convergence},
      {"one of those that were all asked to leave stays", "after an end at", with_a_node_that_stays},
  };
}

}  // namespace strads::sim
