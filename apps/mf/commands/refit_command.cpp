// `mf refit`: a model of ratings that have grown. Rows whose ratings changed are solved anew, from where they are.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mf/commands/commands.hpp"
#include "mf/commands/refit_weights.hpp"
#include "mf/factors/grown_model.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/factors/slim_files.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/options/serving_options.hpp"
#include "mf/problem/positives.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

constexpr Side kSidesInTurn[] = {Side::users, Side::items};
constexpr const char* kRefitSide[kSides] = {"users", "items"};

/// Root mean squared error on the training ratings; none of implicit feedback.
double refit_rmse(const MfOptions& options, const FactorModel& model, const Ratings& ratings) {
  if (options.implicit) return std::numeric_limits<double>::quiet_NaN();
  const Triplets& train = ratings.train;
  double squared = 0;
  for (std::size_t t = 0; t < train.size(); ++t) {
    const double error =
        double{value_of(train, ratings.levels, t)} - double{predict(model, train.users[t], train.items[t])};
    squared += error * error;
  }
  return std::sqrt(squared / static_cast<double>(train.size()));
}

class Refit {
 public:
  explicit Refit(RefitOptions options) : options_(std::move(options)) {}

  Status run() {
    const Stopwatch watch;
    if (Status options = read_fit_options(options_.model, fit_, table_); !options.ok()) return options;
    STRADS_ASSIGN_OR_RETURN(const auto old, read_factor_model(options_.model));
    const std::vector<std::string> own = {kFactorsFile[0], kFactorsFile[1], kIdsFile[0],
                                          kIdsFile[1],     kBiasesFile,     kConfigFile};
    STRADS_ASSIGN_OR_RETURN(auto directory, RunDirectory::open(options_.common.out, options_.common.force, own));
    const auto threads = make_threads(options_.threads);
    STRADS_ASSIGN_OR_RETURN(const auto ratings, load(*threads));
    FactorModel model = grown_model(old, *ratings);
    ChangedRows changed[kSides];
    for (const Side side : kSidesInTurn) changed[mf::index_of(side)] = changed_rows(old, model, *ratings, side);
    const double before = refit_rmse(fit_.mf, model, *ratings);
    for (std::uint32_t pass = 0; pass < options_.passes; ++pass) {
      for (const Side side : kSidesInTurn) solve_rows(fit_.mf, changed[mf::index_of(side)], side, model, *threads);
    }
    if (!gives_numbers(model)) {
      return Status::input(options_.ratings +
                           ": the factors are too large for single precision, expected ratings like " + "those of " +
                           options_.model);
    }
    if (Status done = write_factor_model(directory, model); !done.ok()) return done;
    if (Status same = check_written(directory, model); !same.ok()) return same;
    if (Status done = directory.write(kConfigFile, table_.config()); !done.ok()) return done;
    const double after = refit_rmse(fit_.mf, model, *ratings);
    Summary summary = summary_of(model, *ratings, changed);
    summary.add("train_rmse_before", before);
    summary.add("train_rmse", after);
    summary.add("seconds", watch.seconds());
    summary.add("peak_rss_bytes", peak_rss_bytes());
    summary.add("version", version());
    summary.add("build", build_id());
    if (Status done = directory.finish(summary); !done.ok()) return done;
    std::string text = "refitted";
    for (const Side side : kSidesInTurn) {
      const ChangedRows& of_side = changed[mf::index_of(side)];
      text.append(side == Side::users ? " " : ", ").append(std::to_string(of_side.rows.size())).append(" of ");
      text.append(std::to_string(model.size(side))).append(" ").append(kRefitSide[mf::index_of(side)]);
      text.append(" (").append(std::to_string(of_side.fresh)).append(" new)");
    }
    if (!fit_.mf.implicit)
      text += ", train RMSE " + short_text(before, 5) + " before, " + short_text(after, 5) + " now";
    std::printf("%s: %s\n", text.c_str(), options_.common.out.c_str());
    return {};
  }

 private:
  /// As the fit would read them.
  Result<std::shared_ptr<const Ratings>> load(Chunks& chunks) {
    fit_.input.path = options_.ratings;
    if (!options_.columns.empty()) fit_.input.columns = options_.columns;
    fit_.common.out = options_.common.out;
    STRADS_ASSIGN_OR_RETURN(const auto loaded, load_ratings(fit_.input, chunks));
    const auto ratings = std::const_pointer_cast<Ratings>(loaded);  // nobody else knows these
    if (!options_.common.quiet) {
      for (const std::string& note : ratings->notes) print_note("mf", note);
    }
    if (fit_.input.positives.on) {
      Status chosen = to_positives(fit_.input.positives, fit_.input.path, *ratings);
      if (!chosen.ok()) return chosen;
    }
    return std::shared_ptr<const Ratings>(ratings);
  }

  [[nodiscard]] Summary summary_of(const FactorModel& model, const Ratings& ratings,
                                   const ChangedRows (&changed)[kSides]) const {
    Summary summary;
    summary.add("program", "mf refit");
    summary.add(kModelFormat, kModelFilesFormat);
    summary.add("model", options_.model);
    add_paths(summary, fit_.input);
    for (const Side side : kSidesInTurn) {
      const std::string name = kRefitSide[mf::index_of(side)];
      const ChangedRows& of_side = changed[mf::index_of(side)];
      summary.add(name, model.size(side));
      summary.add(name + "_refitted", std::uint64_t{of_side.rows.size()});
      summary.add(name + "_new", of_side.fresh);
      summary.add(name + "_gone", of_side.gone);
    }
    summary.add("ratings", ratings.train.size());
    summary.add("passes", options_.passes);
    summary.add("rank", model.rank);
    summary.add(kUnit, model.unit);
    return summary;
  }

  RefitOptions options_;
  FitOptions fit_;
  OptionTable table_ = fit_option_table(fit_);
};

}  // namespace

Status run_refit(std::span<const std::string> arguments) {
  RefitOptions options;
  OptionTable table = refit_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "mf")) return {};
  if (Status checked = check_refit_options(options); !checked.ok()) return checked;
  if (is_slim_model(options.model)) {
    if (!table.given("passes")) return refit_weights(options);
    return Status::usage("--passes is for factors; item weights are solved to their certificate: leave it out");
  }
  return Refit(std::move(options)).run();
}

}  // namespace strads::mf
