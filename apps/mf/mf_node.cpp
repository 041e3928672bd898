#include "mf/mf_node.hpp"

#include <cmath>
#include <utility>

#include "mf/check/recount.hpp"
#include "mf/grid/fit_data.hpp"
#include "mf/model/mf_model.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/options/slim_options.hpp"
#include "mf/output/output.hpp"
#include "mf/problem/mf.hpp"
#include "mf/problem/positives.hpp"
#include "mf/ranking/stop_lists.hpp"
#include "mf/run/mf_memory.hpp"
#include "mf/run/slim_data.hpp"
#include "mf/run/slim_memory.hpp"
#include "mf/slim/slim.hpp"
#include "mf/slim/slim_judge.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_cluster.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"

namespace strads::mf {
namespace {

/// Options and the table that writes to them, with one life.
struct FitTable {
  FitOptions options;
  OptionTable table;
  FitTable(std::string command, std::string usage)
      : table(fit_option_table(options, std::move(command), std::move(usage))) {}
};

ResultSummary summary_of(const MfData& data, const FitOptions& options, const RunEnd& end) {
  const MfSolution solution = solution_of(data, options.mf, end);
  return {std::to_string(data.size(Side::users)) + " users x " + std::to_string(data.size(Side::items)) + " items, " +
              std::to_string(data.train_size) + " training ratings, rank " + std::to_string(solution.rank) +
              ", lambda " + short_text(options.mf.lambda) + ", " + options.solver + ", " +
              std::to_string(solution.sweeps) + " sweeps",
          model_hash(solution)};
}

LoadedModel loaded(const std::shared_ptr<MfData>& data, const FitOptions& options, bool keep_ratings) {
  auto model = make_mf_model(data, options.mf, options.engine, keep_ratings);
  // Who makes another one while the ratings are there holds several nodes: they stay until the last of them has its
  // part. Else the run goes on with other roles.
  const auto second_model = [data, mf = options.mf, engine = options.engine]() -> std::shared_ptr<Model> {
    const bool are_there = data->has_train();
    if (!data->bring_back().ok()) return nullptr;
    return make_mf_model(data, mf, engine, are_there);
  };
  return LoadedModel{model,
                     options.engine,
                     [model] { return bytes_held(static_cast<const MfModel&>(*model)); },
                     second_model,
                     [data, options](const RunEnd& end) { return summary_of(*data, options, end); },
                     "ratings"};
}

ResultSummary slim_summary_of(const SlimData& data, const FitOptions& options, const RunEnd& end) {
  const SlimSolution solution = slim_solution_of(data, end);
  return {std::to_string(data.users()) + " users x " + std::to_string(data.items()) + " items, " +
              std::to_string(data.pairs()) + " positive pairs, l1 " + short_text(options.slim.l1) + ", l2 " +
              short_text(options.slim.l2) + ", slim, " + std::to_string(solution.solved_count()) + " items solved",
          slim_hash(solution)};
}

LoadedModel loaded_slim(const std::shared_ptr<const SlimData>& data, const FitOptions& options) {
  const auto make = [data, slim = options.slim, engine = options.engine] {
    return make_slim_model(data, slim, engine);
  };
  const auto summarise = [data, options](const RunEnd& end) { return slim_summary_of(*data, options, end); };
  return LoadedModel{make(), options.engine, {}, make, summarise, "pairs"};
}

Result<LoadedModel> load_slim_node(const FitOptions& options, KeptData& kept) {
  if (Status fits = check_slim_node_memory(options); !fits.ok()) return fits;
  const auto key = std::make_pair(options.input, options.lowest_positive());
  auto read = kept.get(key, files_of(options.input), [&] { return load_slim(options, *make_threads(0), {}); });
  if (!read.ok()) return read.status();
  return loaded_slim(read.value().data, options);
}

Result<LoadedModel> load_fit(const std::string& config, const PathRule& path, KeptData& kept) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  Status taken =
      take_options(table, config, paths_of(options), path, [&] { return settle_fit_options(options, table); });
  if (!taken.ok()) return taken;
  if (options.is_slim()) return load_slim_node(options, kept);
  if (Status fits = check_node_memory(options, {}); !fits.ok()) return fits;
  // The driver's --threads is its own; what is read here uses this machine's.
  const bool wanted = options.mf.stop.wanted();
  const auto make_lists = [wanted](const Ratings& ratings, const RatingsInput& input) {
    return stop_lists_of(ratings, input, wanted);
  };
  auto data = kept.get(std::make_pair(options.input, wanted), files_of(options.input),
                       [&] { return load_mf(options.input, make_threads(0), {}, make_lists); });
  if (!data.ok()) return data.status();
  const MfData& read = *data.value();
  if (Status fits = check_blocks(read.size(Side::users), read.size(Side::items), options.engine); !fits.ok())
    return fits;
  return loaded(data.value(), options, kept.keeps());
}

ProgramOptions options_of(std::string command, std::string usage) {
  auto fit = std::make_shared<FitTable>(std::move(command), std::move(usage));
  const FitOptions& options = fit->options;
  return {{fit, &fit->table}, &options.common, &options.machine, &options.cluster, [fit] {
            return settle_fit_options(fit->options, fit->table);
          }};
}

Result<FitOptions> options_from(const std::string& config) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  // The check of the input wants a file; its name is never opened.
  if (Status parsed = table.parse_config_text("options", "[input]\nratings = memory\n" + config); !parsed.ok()) {
    return parsed;
  }
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  return options;
}

}  // namespace

Result<LoadedModel> slim_on(const std::shared_ptr<const Ratings>& ratings, const std::string& config,
                            std::uint64_t block_work) {
  STRADS_ASSIGN_OR_RETURN(FitOptions options, options_from(config));
  if (!options.is_slim()) return Status::usage("found --solver " + options.solver + ", expected slim");
  options.slim.block_work = block_work;
  return loaded_slim(slim_data(*ratings, options.lowest_positive()), options);
}

Result<LoadedModel> mf_on(const std::shared_ptr<const Ratings>& ratings, const std::string& config) {
  STRADS_ASSIGN_OR_RETURN(const FitOptions options, options_from(config));
  if (Status factors = expect_factors(options, "a simulated cluster"); !factors.ok()) return factors;
  if (options.mf.implicit) {
    const auto chosen = std::make_shared<Ratings>(*ratings);
    STRADS_ASSIGN_OR_RETURN(auto lists, stop_lists_of(*chosen, options.input, options.mf.stop.wanted()));
    if (Status suits = to_positives(options.input.positives, "ratings", *chosen); !suits.ok()) return suits;
    STRADS_ASSIGN_OR_RETURN(auto data, prepare_mf(chosen, options.engine.seed, std::make_shared<SerialChunks>(), true));
    data->stop_lists = std::move(lists);
    data->reload = [train = std::make_shared<const Triplets>(
                        *data->train)]() -> Result<std::shared_ptr<const Triplets>> { return train; };
    return loaded(data, options, true);
  }
  STRADS_ASSIGN_OR_RETURN(auto lists, stop_lists_of(*ratings, options.input, options.mf.stop.wanted()));
  STRADS_ASSIGN_OR_RETURN(auto data, prepare_mf(std::make_shared<Ratings>(*ratings), options.engine.seed,
                                                std::make_shared<SerialChunks>()));
  data->stop_lists = std::move(lists);
  data->reload = [ratings, unit = data->unit]() -> Result<std::shared_ptr<const Triplets>> {
    if (unit == 1) return std::shared_ptr<const Triplets>(ratings, &ratings->train);
    auto train = std::make_shared<Triplets>(ratings->train);
    divide_values(*train, unit);
    return std::shared_ptr<const Triplets>(train);
  };
  return loaded(data, options, true);
}

DaemonModel mf_node() {
  return {"mf fit", load_fit, options_of};
}

Trace::Columns curve_columns() {
  Trace::Columns columns = trace_columns();
  // A fit of item weights has no sweeps: its barriers are those of turns, in the columns that both have.
  columns.row = [of_factors = columns.row](const ProgressEvent& event, double seconds) {
    const auto& figures = event.certificate.figures;
    if (event.kind != ProgressEvent::Kind::barrier || figures.size() != kSlimFigures) return of_factors(event, seconds);
    const auto& totals = event.totals;
    return exact_text(seconds) + "," + std::to_string(totals.phases) + "," + exact_text(event.certificate.objective) +
           ",,,,," + std::to_string(totals.rounds) + "," + std::to_string(totals.updates) + "," +
           std::to_string(totals.flops) + "," + std::to_string(totals.flops_path) + ",,";
  };
  return columns;
}

std::string errors_text(const Certificate& end) {
  if (end.figures.size() == kSlimFigures) {
    const auto whole = [&](SlimFigure figure) {
      return std::to_string(static_cast<std::uint64_t>(end.figures[figure]));
    };
    return ", " + whole(kSlimCertified) + " of " + whole(kSlimItems) + " items certified, worst gap / objective " +
           short_text(end.figures[kSlimWorstGap], 3);
  }
  if (end.figures.size() < kFigures) return {};
  std::string text;
  const auto add = [&](Figure figure, const char* name) {
    const double value = end.figures[figure];
    if (std::isfinite(value)) text += (text.empty() ? ", RMSE " : ", ") + short_text(value) + " " + name;
  };
  add(kFigureTrainRmse, "training");
  add(kFigureValidation, "validation");
  add(kFigureTest, "test");
  return text;
}

void add_errors(Summary& summary, const Certificate& end) {
  if (end.figures.size() == kSlimFigures) {
    summary.add("items", end.figures[kSlimItems]);
    summary.add("solved", end.figures[kSlimSolved]);
    summary.add("certified", end.figures[kSlimCertified]);
    summary.add("worst_gap", end.figures[kSlimWorstGap]);
    summary.add("nonzeros", end.nonzeros);
    return;
  }
  if (end.figures.size() < kFigures) return;
  summary.add("train_rmse", end.figures[kFigureTrainRmse]);
  summary.add("validation_rmse", end.figures[kFigureValidation]);
  summary.add("test_rmse", end.figures[kFigureTest]);
  summary.add("sweeps", end.figures[kFigureSweep]);
  summary.add("best_sweep", end.figures[kFigureBest]);
  summary.add("partial_sweep", end.figures[kFigurePartial] != 0);
  summary.add("imbalance", end.figures[kFigureImbalance]);
}

void count_again(const Model& model, RunEnd& end) {
  if (end.certificate.figures.size() == kSlimFigures) return;  // item weights know theirs
  SerialChunks serial;
  recount(model, end, serial);
}

}  // namespace strads::mf
