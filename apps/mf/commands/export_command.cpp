// `mf export`: a model as arrays that other programs serve from.
#include <cstdio>
#include <optional>

#include "mf/commands/commands.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/factors/serving_files.hpp"
#include "mf/factors/slim_files.hpp"
#include "mf/options/serving_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

/// What stands in summary.json and on the screen of either kind of model.
struct Exported {
  Summary summary;
  std::string said;
};

Exported exported(const ExportOptions& options) {
  Exported out;
  out.summary.add("program", "mf export");
  out.summary.add("model", options.model);
  return out;
}

Result<Exported> export_weights(const ExportOptions& options, RunDirectory& directory) {
  STRADS_ASSIGN_OR_RETURN(const auto model, read_slim_model(options.model));
  if (Status done = write_serving(directory, model); !done.ok()) return done;
  Exported out = exported(options);
  const std::uint64_t weights = model.weights.values.size();
  out.summary.add("items", model.ids.known(Side::items));
  out.summary.add("weights", weights);
  out.said = std::to_string(weights) + " weights between " + std::to_string(model.ids.known(Side::items)) + " items";
  return out;
}

Result<Exported> export_vectors(const ExportOptions& options, RunDirectory& directory) {
  STRADS_ASSIGN_OR_RETURN(const auto model, read_factor_model(options.model));
  if (Status done = write_serving(directory, model); !done.ok()) return done;
  Exported out = exported(options);
  const std::uint32_t size = vector_size(model);
  out.summary.add("users", model.size(Side::users));
  out.summary.add("items", model.size(Side::items));
  out.summary.add("rank", model.rank);
  out.summary.add("columns", size);
  out.said = std::to_string(model.size(Side::users)) + " users and " + std::to_string(model.size(Side::items)) +
             " items as vectors of " + std::to_string(size) + ": " + std::to_string(model.rank) + " factors" +
             (size > model.rank ? " and two columns for the mean and the biases" : "");
  return out;
}

}  // namespace

Status run_export(std::span<const std::string> arguments) {
  ExportOptions options;
  OptionTable table = export_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "mf")) return {};
  if (Status checked = check_export_options(options); !checked.ok()) return checked;
  const std::string own[] = {kVectorsFile[0], kVectorsFile[1], kVectorIdsFile[0], kVectorIdsFile[1], kWeightsFile};
  STRADS_ASSIGN_OR_RETURN(auto directory, RunDirectory::open(options.common.out, options.common.force, own));
  STRADS_ASSIGN_OR_RETURN(
      auto out, is_slim_model(options.model) ? export_weights(options, directory) : export_vectors(options, directory));
  out.summary.add("version", version());
  out.summary.add("build", build_id());
  if (Status done = directory.finish(out.summary); !done.ok()) return done;
  if (!options.common.quiet) std::printf("exported %s\n%s", out.said.c_str(), files_line(directory).c_str());
  return {};
}

}  // namespace strads::mf
