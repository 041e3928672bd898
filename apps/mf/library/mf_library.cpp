#include "mf/library/mf_library.hpp"

#include <limits>
#include <utility>

#include "mf/commands/fit_command.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/output/output.hpp"

namespace strads::mf {
namespace {

double rmse_of(const Quality& quality) {
  return quality.ratings > 0 ? quality.rmse : std::numeric_limits<double>::quiet_NaN();
}

FactorSide side_of(FactorModel& model, Side side) {
  const std::size_t k = mf::index_of(side);
  FactorSide out;
  for (std::uint32_t i = 0; i < model.ids[k]->size(); ++i) out.ids.emplace_back(model.ids[k]->name(i));
  out.factors = std::move(model.factors[k]);
  out.biases = std::move(model.biases[k]);
  out.counts = std::move(model.counts[k]);
  return out;
}

}  // namespace

Result<FactorResult> call_fit(const FactorCall& call) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (!call.cluster.empty() && call.ratings != nullptr) {
    return Status::usage("the nodes of a cluster do not see what lies in this process's memory; write it into a file");
  }
  if (Status taken = take_values(table, call.options, call.cluster); !taken.ok()) return taken;
  FactorResult out;
  auto host = std::make_shared<RunHost>(call.host);
  host->note = [&out, note = call.host.note](const std::string& text) {
    out.notes.push_back(text);
    if (note) note(text);
  };
  options.host = std::move(host);
  options.input.in_memory = call.ratings;
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  FitResult result;
  Status ran = fit_in_process(options, table, result);
  const bool was_cut_off = ran.code() == StatusCode::stopped && ran.message().empty();
  if (!ran.ok() && !was_cut_off) return ran;
  out.stop_reason = result.stop_reason;
  out.finished = result.finished;
  out.sweeps = result.solution.sweeps;
  out.rounds = result.run.end.totals.rounds;
  out.seconds_load = result.seconds_load;
  out.seconds_solve = result.seconds_solve;
  out.seconds_check = result.seconds_check;
  out.rank = result.model.rank;
  out.mean = result.model.mean;
  out.lowest = result.model.lowest;
  out.highest = result.model.highest;
  out.users = side_of(result.model, Side::users);
  out.items = side_of(result.model, Side::items);
  out.objective = result.solution.objective;
  out.rmse_train = rmse_of(result.solution.train);
  out.rmse_validation = rmse_of(result.solution.validation);
  out.rmse_test = rmse_of(result.test);
  out.model_hash = result.model_hash;
  out.config = table.config(kExecutionSections);
  return out;
}

std::vector<OptionFacts> options_of_fit() {
  FitOptions options;
  return embeddable_options(fit_option_table(options));
}

}  // namespace strads::mf
