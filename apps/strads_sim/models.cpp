#include "strads_sim/models.hpp"

#include <array>

#include "lasso/lasso_node.hpp"
#include "mf/mf_node.hpp"
#include "strads/program/program.hpp"
#include "strads/program/summary.hpp"

namespace strads::simulator {
namespace {

SimulatedModel lasso_model() {
  return {"lasso",
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
}

SimulatedModel factorization() {
  return {"mf",
          mf::mf_node(),
          {"ratings", "test", "rank", "lambda", "solver", "balance", "sweeps", "out", "config", "help-all"},
          mf::curve_columns(),
          "model_hash",
          mf::errors_text,
          mf::add_errors,
          mf::count_again};
}

}  // namespace

std::span<const SimulatedModel> simulated_models() {
  static const std::array kModels = {lasso_model(), factorization()};
  return kModels;
}

}  // namespace strads::simulator
