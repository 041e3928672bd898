#include "mf/commands/refit_weights.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mf/check/check_weights.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/factors/slim_files.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/output/slim_output.hpp"
#include "mf/run/slim_data.hpp"
#include "mf/slim/slim_refit.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/reports.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

/// The old columns by the new numbers of items: of items that are gone nothing is left.
std::vector<ItemWeights> starts_of(const SlimWeights& old, const IdTable& items) {
  std::vector<ItemWeights> starts(items.size());
  const std::uint32_t known = old.ids.known(Side::items);
  std::vector<std::uint32_t> now(known);
  for (std::uint32_t item = 0; item < known; ++item) now[item] = items.find(old.ids.ids[1]->name(item));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;  // new number, old number
  for (std::uint32_t item = 0; item < known; ++item) {
    if (now[item] < items.size()) rows.emplace_back(now[item], item);
  }
  std::sort(rows.begin(), rows.end());
  const SparseRows& matrix = old.weights;
  for (const auto& row : rows) {
    for (std::uint64_t at = matrix.begins[row.second]; at < matrix.begins[row.second + std::size_t{1}]; ++at) {
      const std::uint32_t to = now[matrix.columns[at]];
      if (to >= items.size()) continue;
      starts[to].rows.push_back(row.first);
      starts[to].weights.push_back(matrix.values[at]);
    }
  }
  return starts;
}

Summary refit_summary(const std::string& model, const FitOptions& fit, const SlimResult& result, std::uint32_t changed,
                      std::uint32_t fresh) {
  Summary summary;
  summary.add("program", "mf refit");
  summary.add(kModelFormat, kModelFilesFormat);
  summary.add("model", model);
  add_paths(summary, fit.input);
  summary.add("finished", result.finished);
  summary.add("users", result.data->users());
  summary.add("items", result.data->items());
  summary.add("items_refitted", changed);
  summary.add("items_new", fresh);
  summary.add("ratings", result.ratings->train.size());
  summary.add("positives", result.data->pairs());
  summary.add("objective", result.solution.objective);
  summary.add("worst_gap", result.solution.worst_gap);
  summary.add("certified", result.solution.certified);
  summary.add("nonzeros", result.solution.nonzeros);
  summary.add("model_hash", result.model_hash);
  return summary;
}

}  // namespace

Status refit_weights(const RefitOptions& options) {
  const Stopwatch watch;
  FitOptions fit;
  OptionTable table = fit_option_table(fit);
  if (Status read = read_fit_options(options.model, fit, table); !read.ok()) return read;
  STRADS_ASSIGN_OR_RETURN(const SlimWeights old, read_slim_model(options.model));
  const std::vector<std::string> own = {kWeightsFile, kIdsFile[0], kIdsFile[1], kConfigFile};
  STRADS_ASSIGN_OR_RETURN(auto directory, RunDirectory::open(options.common.out, options.common.force, own));
  const auto threads = make_threads(options.threads);
  fit.input.path = options.ratings;
  if (!options.columns.empty()) fit.input.columns = options.columns;
  STRADS_ASSIGN_OR_RETURN(const SlimPairs read, load_slim(fit, *threads, {}));
  SlimResult result;
  result.ratings = read.ratings;
  result.data = read.data;
  if (!options.common.quiet) {
    for (const std::string& note : result.ratings->notes) print_note("mf", note);
  }
  const std::vector<ItemWeights> starts = starts_of(old, *result.ratings->items);
  result.solution = refitted_weights(*result.data, fit.slim, starts, *threads);
  Status checked = check_weights(*result.data, fit.slim, result.solution, *threads);
  if (!checked.ok()) return {checked.code(), checked.message() + "; nothing was written. " + kReportThis};
  result.model_hash = slim_hash(result.solution);
  result.finished = result.solution.certified == result.data->items();
  std::uint32_t changed = 0, fresh = 0;
  for (std::uint32_t item = 0; item < result.data->items(); ++item) {
    const ItemWeights& column = result.solution.columns[item];
    changed += column.rows != starts[item].rows || column.weights != starts[item].weights ? 1 : 0;
    fresh += old.ids.ids[1]->find(result.ratings->items->name(item)) >= old.ids.known(Side::items) ? 1 : 0;
  }
  const SlimWeights model = written_weights(*result.ratings, *result.data, result.solution);
  if (Status done = write_slim_model(directory, model); !done.ok()) return done;
  if (Status done = directory.write(kConfigFile, table.config()); !done.ok()) return done;
  Summary summary = refit_summary(options.model, fit, result, changed, fresh);
  summary.add("seconds", watch.seconds());
  summary.add("peak_rss_bytes", peak_rss_bytes());
  summary.add("version", version());
  summary.add("build", build_id());
  if (Status done = directory.finish(summary); !done.ok()) return done;
  std::printf("refitted the weights of %u of %u items (%u new), %s: %s\n", changed, result.data->items(), fresh,
              certified_text(result).c_str(), options.common.out.c_str());
  return result.finished ? Status() : Status(StatusCode::stopped, "");
}

}  // namespace strads::mf
