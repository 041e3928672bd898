#include "strads_sim/models.hpp"

#include <array>

#include "lasso/lasso_node.hpp"
#include "lda/lda_node.hpp"
#include "mf/mf_node.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/program.hpp"
#include "strads/program/summary.hpp"
#include "sumstats/sumstats_node.hpp"
#include "svm/svm_node.hpp"

namespace strads::simulator {
namespace {

SimulatedModel lasso_model() {
  SimulatedModel model = {
      "lasso",
      lasso::lasso_node(),
      {"bfile", "pfile", "bpfile", "x", "lambda", "lambda-ratio", "policy", "out", "config", "help-all"},
      {},
      "beta_hash",
      [](const Certificate& end) { return ", gap / objective " + short_text(end.relative_gap, 3); },
      [](Summary& summary, const Certificate& end) {
        summary.add("duality_gap", end.gap);
        summary.add("relative_gap", end.relative_gap);
        summary.add("nonzeros", end.nonzeros);
      }};
  model.block_solves = lasso::block_solves;
  return model;
}

SimulatedModel factorization() {
  return {"mf",
          mf::mf_node(),
          {"ratings", "test", "rank", "lambda", "solver", "balance", "sweeps", "out", "config", "help-all"},
          mf::curve_columns(),
          "model_hash",
          mf::errors_text,
          mf::add_errors,
          mf::count_again,
          false};
}

/// Of both: commits of these models do not say the objective that people know.
std::optional<double> certified_objective(const ProgressEvent& event) {
  if (event.kind != ProgressEvent::Kind::barrier) return std::nullopt;
  return event.certificate.objective;
}

SimulatedModel support_vectors() {
  return {"svm",
          svm::svm_node(),
          {"x", "y", "bfile", "cost", "loss", "policy", "out", "config", "help-all"},
          svm::curve_columns(),
          "model_hash",
          svm::quality_text,
          svm::add_quality,
          {},
          true,
          certified_objective};
}

SimulatedModel topics() {
  return {"lda",
          lda::lda_node(),
          {"corpus", "vocab", "topics", "sampler", "sweeps", "out", "config", "help-all"},
          lda::curve_columns(),
          "model_hash",
          lda::quality_text,
          lda::add_quality,
          {},
          false,
          lda::objective_of};
}

SimulatedModel summary_statistics() {
  return {"sumstats",
          sumstats::sumstats_node(),
          {"sumstats", "bfile", "ld-blocks", "shrink", "lambdas", "tolerance", "out", "config", "help-all"},
          sumstats::curve_columns(),
          "model_hash",
          sumstats::quality_text,
          sumstats::add_quality,
          {},
          true,
          certified_objective};
}

}  // namespace

std::span<const SimulatedModel> simulated_models() {
  static const std::array kModels = {lasso_model(), factorization(), support_vectors(), topics(), summary_statistics()};
  return kModels;
}

}  // namespace strads::simulator
