#include "mf/library/mf_library.hpp"

#include <limits>
#include <utility>

#include "mf/commands/fit_command.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/library/settled_call.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/output/output.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/program/summary.hpp"

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

/// Of `model`, whose arrays move, what a result has of it.
void hand_over(FactorModel& model, FactorResult& result) {
  result.rank = model.rank;
  result.mean = model.mean;
  result.unit = model.unit;
  result.lowest = model.lowest;
  result.highest = model.highest;
  result.users = side_of(model, Side::users);
  result.items = side_of(model, Side::items);
}

/// What a side of a result is in a model; its arrays have to be of one size.
Status take_side(const FactorSide& from, std::uint32_t rank, Side side, FactorModel& model) {
  const std::size_t k = mf::index_of(side), rows = from.ids.size();
  if (from.factors.size() != rows * rank || from.biases.size() != rows || from.counts.size() != rows) {
    return Status::input(std::string(kFactorsFile[k]) + ": " + std::to_string(from.factors.size()) + " numbers, " +
                         std::to_string(from.biases.size()) + " biases and " + std::to_string(from.counts.size()) +
                         " counts, expected those of " + std::to_string(rows) + " ids and " + std::to_string(rank) +
                         " factors each");
  }
  STRADS_ASSIGN_OR_RETURN(model.ids[k], make_ids(kIdsFile[k], from.ids));
  model.factors[k] = from.factors;
  model.biases[k] = from.biases;
  model.counts[k] = from.counts;
  return {};
}

Summary summary_of_saved(const FactorResult& result) {
  Summary summary;
  summary.add("program", "mf fit");
  summary.add(kModelFormat, kModelFilesFormat);
  summary.add("stop_reason", result.stop_reason);
  summary.add("finished", result.finished);
  summary.add("objective", result.objective);
  summary.add("train_rmse", result.rmse_train);
  summary.add("validation_rmse", result.rmse_validation);
  summary.add("test_rmse", result.rmse_test);
  summary.add("sweeps", result.sweeps);
  summary.add("model_hash", result.model_hash);
  summary.add("users", std::uint64_t{result.users.ids.size()});
  summary.add("items", std::uint64_t{result.items.ids.size()});
  summary.add("rank", result.rank);
  summary.add("mean", double{result.mean});
  summary.add(kUnit, result.unit);
  summary.add("version", version());
  summary.add("build", build_id());
  return summary;
}

}  // namespace

Result<FactorModel> factor_model_of(const FactorResult& result) {
  FactorModel model;
  model.rank = result.rank;
  model.mean = result.mean;
  model.lowest = result.lowest;
  model.highest = result.highest;
  if (Status users = take_side(result.users, result.rank, Side::users, model); !users.ok()) return users;
  if (Status items = take_side(result.items, result.rank, Side::items, model); !items.ok()) return items;
  return model;
}

Status save_model(const FactorResult& result, const std::string& directory, bool force) {
  STRADS_ASSIGN_OR_RETURN(const FactorModel model, factor_model_of(result));
  if (!gives_numbers(model)) {
    return Status::input(
        "factors or biases of the model are not finite, or too large for a prediction in single "
        "precision: nothing is written");
  }
  const std::vector<std::string> own = {kFactorsFile[0], kFactorsFile[1], kIdsFile[0],
                                        kIdsFile[1],     kBiasesFile,     kConfigFile};
  STRADS_ASSIGN_OR_RETURN(auto run, RunDirectory::open(directory, force, own));
  if (Status done = write_factor_model(run, model); !done.ok()) return done;
  if (Status done = run.write(kConfigFile, result.config); !done.ok()) return done;
  return run.finish(summary_of_saved(result));
}

Result<SavedModel> load_model(const std::string& directory) {
  SavedModel out;
  FitOptions options;
  OptionTable table = fit_option_table(options);
  STRADS_ASSIGN_OR_RETURN(auto model, read_factor_model(directory));
  if (Status read = read_fit_options(directory, options, table); !read.ok()) return read;
  STRADS_ASSIGN_OR_RETURN(out.summary, read_file(directory + "/" + kSummaryFile));
  hand_over(model, out.result);
  out.result.config = table.config(kExecutionSections);
  return out;
}

Result<FactorResult> call_fit(const FactorCall& call) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  FactorResult out;
  if (Status settled = settle_call(call, options, table, out.notes); !settled.ok()) return settled;
  FitResult result;
  Status ran = fit_in_process(options, table, result);
  if (!has_results(ran)) return ran;
  note_outcome(result, table, out);
  out.finished = result.finished;
  out.sweeps = result.solution.sweeps;
  hand_over(result.model, out);
  out.objective = result.solution.objective;
  out.rmse_train = rmse_of(result.solution.train);
  out.rmse_validation = rmse_of(result.solution.validation);
  out.rmse_test = rmse_of(result.test);
  out.model_hash = result.model_hash;
  return out;
}

Status settle_call(const FactorCall& call, FitOptions& options, OptionTable& table, std::vector<std::string>& notes) {
  if (!call.cluster.empty() && call.ratings != nullptr) {
    return Status::usage("the nodes of a cluster do not see what lies in this process's memory; write it into a file");
  }
  if (Status taken = take_values(table, call.options, call.cluster); !taken.ok()) return taken;
  options.host = host_with_notes(call.host, notes);
  options.input.in_memory = call.ratings;
  return settle_fit_options(options, table);
}

std::vector<OptionFacts> options_of_fit() {
  FitOptions options;
  return embeddable_options(fit_option_table(options));
}

}  // namespace strads::mf
