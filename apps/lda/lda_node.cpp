#include "lda/lda_node.hpp"

#include <memory>
#include <string>
#include <utility>

#include "lda/options/fit_options.hpp"
#include "lda/output/output.hpp"
#include "lda/problem/lda.hpp"
#include "lda/run/fit_data.hpp"
#include "lda/run/lda_memory.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_cluster.hpp"
#include "strads/program/summary.hpp"

namespace strads::lda {
namespace {

/// Options and the table that writes to them, with one life.
struct NodeTable {
  FitOptions options;
  OptionTable table;
  NodeTable(std::string command, std::string usage)
      : table(fit_option_table(options, std::move(command), std::move(usage))) {}
};

ResultSummary node_summary(const LdaData& data, const LdaOptions& options, const RunEnd& end) {
  const LdaSolution solution = solution_of(data, options, end);
  return {std::to_string(data.documents->size()) + " documents, " + std::to_string(data.vocabulary()) + " words, " +
              std::to_string(data.tokens()) + " tokens, " + std::to_string(solution.topics) + " topics, " +
              std::to_string(solution.sweeps) + " sweeps",
          model_hash(solution)};
}

Result<LoadedModel> loaded_topics(const FitOptions& options, const std::shared_ptr<Chunks>& threads) {
  STRADS_ASSIGN_OR_RETURN(FitData read, load_fit_data(options, threads, {}));
  const auto make = [data = read.data, lda = options.lda, engine = options.engine] {
    return make_lda_model(data, lda, engine);
  };
  return LoadedModel{make(),
                     options.engine,
                     {},
                     make,
                     [data = read.data, lda = options.lda](const RunEnd& end) { return node_summary(*data, lda, end); },
                     "documents"};
}

Result<LoadedModel> load_node(const std::string& config, const PathRule& path, KeptData& kept) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  Status taken =
      take_options(table, config, paths_of(options), path, [&] { return settle_fit_options(options, table); });
  if (!taken.ok()) return taken;
  if (Status fits = check_node_memory(options); !fits.ok()) return fits;
  static_cast<void>(kept);
  // The driver's --threads is its own; what is read here uses this machine's.
  return loaded_topics(options, make_threads(0));
}

ProgramOptions options_of_node(std::string command, std::string usage) {
  auto fit = std::make_shared<NodeTable>(std::move(command), std::move(usage));
  const FitOptions& options = fit->options;
  return {{fit, &fit->table}, &options.common, &options.machine, &options.cluster, [fit]() -> Status {
            const ExportOptions& exports = fit->options.exports;
            if (exports.state || exports.doc_topics || exports.pyldavis) {
              return Status::usage(
                  "--state, --doc-topics and --pyldavis go with lda fit: a simulated run writes no topics");
            }
            return settle_fit_options(fit->options, fit->table);
          }};
}

}  // namespace

DaemonModel lda_node() {
  return {"lda fit", load_node, options_of_node};
}

Result<LoadedModel> lda_on(const std::shared_ptr<const Documents>& documents, const std::string& config) {
  FitOptions options;
  options.in_memory = documents;
  OptionTable table = fit_option_table(options);
  if (Status parsed = table.parse_config_text("options", config); !parsed.ok()) return parsed;
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  return loaded_topics(options, std::make_shared<SerialChunks>());
}

Trace::Columns curve_columns() {
  return trace_columns();
}

std::string quality_text(const Certificate& end) {
  if (end.figures.size() < kFigures) return {};
  return ", log joint per token " + short_text(end.figures[kFigureLogJoint], 8);
}

void add_quality(Summary& summary, const Certificate& end) {
  if (end.figures.size() < kFigures) return;
  summary.add("log_joint_per_token", end.figures[kFigureLogJoint]);
  summary.add("sweeps", static_cast<std::uint64_t>(end.figures[kFigureSweep]));
  summary.add("drift", end.figures[kFigureDrift]);
}

std::optional<double> objective_of(const ProgressEvent& event) {
  const auto& figures = event.certificate.figures;
  if (event.kind != ProgressEvent::Kind::barrier || figures.size() < kFigures) return std::nullopt;
  if (figures[kFigureMeasured] == 0) return std::nullopt;
  return event.certificate.objective;
}

}  // namespace strads::lda
