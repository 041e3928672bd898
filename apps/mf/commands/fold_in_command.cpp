// `mf fold-in`: factors of new users, with the items' factors as they are, or of new items, with those of the users.
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "mf/commands/commands.hpp"
#include "mf/factors/fold_in.hpp"
#include "mf/factors/grown_model.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/problem/positives.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

Side side_of(const FoldInOptions& options) {
  return options.side == "items" ? Side::items : Side::users;
}

Side fixed_side_of(const FoldInOptions& options) {
  return options.side == "items" ? Side::users : Side::items;
}

/// Every row of the file, in its order.
std::vector<std::uint32_t> all_rows(std::uint32_t count) {
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t k = 0; k < count; ++k) rows[k] = k;
  return rows;
}

const IdTable& ids_of(const Ratings& ratings, Side side) {
  return side == Side::users ? *ratings.users : *ratings.items;
}

/// Root mean squared error on the ratings that were given; none of implicit feedback.
double train_rmse(const FitOptions& fit, const FactorModel& model, Side side, const Ratings& ratings,
                  const RowRatings& given) {
  if (fit.mf.implicit) return std::numeric_limits<double>::quiet_NaN();
  double squared = 0;
  for (std::uint32_t row = 0; row < given.rows(); ++row) {
    const std::uint32_t own = model.ids[mf::index_of(side)]->find(ids_of(ratings, side).name(row));
    for (std::uint64_t r = given.begins[row]; r < given.begins[row + std::size_t{1}]; ++r) {
      const std::uint32_t other = given.columns[r];
      const float said = side == Side::users ? predict(model, own, other) : predict(model, other, own);
      const double error = double{given.values[r]} - double{said};
      squared += error * error;
    }
  }
  return given.values.empty() ? 0 : std::sqrt(squared / static_cast<double>(given.values.size()));
}

Summary summary_of(const FoldInOptions& options, const FitOptions& fit, const FactorModel& model,
                   const Ratings& ratings, const RowRatings& given, std::uint64_t known, double seconds) {
  const Side side = side_of(options);
  Summary summary;
  summary.add("program", "mf fold-in");
  summary.add(kModelFormat, kModelFilesFormat);
  summary.add("model", options.model);
  add_paths(summary, fit.input);
  summary.add("users", model.size(Side::users));
  if (side == Side::users) summary.add("users_known_to_model", known);
  summary.add("items", model.size(Side::items));
  if (side == Side::items) {
    summary.add("items_folded_in", std::uint64_t{given.rows()});
    summary.add("items_known_to_model", known);
  }
  summary.add("ratings", std::uint64_t{given.values.size()});
  summary.add(side == Side::users ? "ratings_of_unknown_items" : "ratings_of_unknown_users", given.unknown);
  summary.add("duplicates", ratings.duplicates);
  summary.add("train_rmse", train_rmse(fit, model, side, ratings, given));
  summary.add("rank", model.rank);
  summary.add(kUnit, model.unit);
  summary.add("seconds", seconds);
  summary.add("peak_rss_bytes", peak_rss_bytes());
  summary.add("version", version());
  summary.add("build", build_id());
  return summary;
}

class FoldIn {
 public:
  explicit FoldIn(FoldInOptions options) : options_(std::move(options)) {}

  Status run() {
    const Stopwatch watch;
    if (Status has_read = read(); !has_read.ok()) return has_read;
    const std::vector<std::string> own = {kFactorsFile[0], kFactorsFile[1], kIdsFile[0],
                                          kIdsFile[1],     kBiasesFile,     kConfigFile};
    STRADS_ASSIGN_OR_RETURN(auto directory, RunDirectory::open(options_.common.out, options_.common.force, own));
    const auto threads = make_threads(options_.threads);
    RatingsInput input;
    input.path = options_.ratings;
    input.columns = options_.columns;
    input.duplicates =
        duplicates_of(fit_.mf.implicit && !options_.duplicates_given ? fit_.duplicates : options_.duplicates);
    input.positives = fit_.input.positives;
    STRADS_ASSIGN_OR_RETURN(const auto loaded, load_ratings(input, *threads));
    const auto ratings = std::const_pointer_cast<Ratings>(loaded);  // nobody else knows these
    if (input.positives.on) {
      if (Status chosen = to_positives(input.positives, input.path, *ratings); !chosen.ok()) return chosen;
    }
    const Side side = side_of(options_);
    const std::uint32_t rows = ids_of(*ratings, side).size();
    const RowRatings given = rows_of(*ratings, side, all_rows(rows), rows, model_);
    const std::uint64_t known = known_rows(*ratings);
    if (Status noted = say(given, known, *ratings); !noted.ok()) return noted;
    FoldedRows folded = folded_rows(fit_.mf, model_, side, given, *threads);
    auto made = side == Side::users
                    ? Result<FactorModel>(with_new_users(std::move(model_), std::move(folded), *ratings, given))
                    : with_new_items(std::move(model_), folded, *ratings, given);
    if (!made.ok()) return made.status();
    const FactorModel& model = made.value();
    if (!gives_numbers(model)) {
      return Status::input(options_.ratings + ": the factors of these " + options_.side +
                           " are too large for single precision, " + "expected ratings like those of " +
                           options_.model);
    }
    if (Status done = write_factor_model(directory, model); !done.ok()) return done;
    // What mf recommend leaves out, and what a further fold-in needs, is said as in the fit's directory. The users of
    // new items are those of the fit.
    if (side == Side::users) {
      fit_.input.path = options_.ratings;
      fit_.input.columns = options_.columns;
      fit_.input.test_path.clear();
    }
    fit_.common.out = options_.common.out;
    if (Status done = directory.write(kConfigFile, table_.config()); !done.ok()) return done;
    const auto summary = summary_of(options_, fit_, model, *ratings, given, known, watch.seconds());
    if (Status done = directory.finish(summary); !done.ok()) return done;
    const double rmse = train_rmse(fit_, model, side, *ratings, given);
    const std::string error = fit_.mf.implicit ? std::string() : ", train RMSE " + short_text(rmse, 5);
    const bool of_users = options_.side == "users";
    const std::string who = with_unit(rows, of_users ? "user" : "item", of_users ? "users" : "items");
    const std::string what = with_unit(given.values.size(), "rating", "ratings");
    std::printf("folded in %s with %s%s: %s\n", who.c_str(), what.c_str(), error.c_str(), options_.common.out.c_str());
    return {};
  }

 private:
  Status read() {
    if (Status options = read_fit_options(options_.model, fit_, table_); !options.ok()) return options;
    STRADS_ASSIGN_OR_RETURN(model_, read_factor_model(options_.model));
    return {};
  }

  [[nodiscard]] std::uint64_t known_rows(const Ratings& ratings) const {
    const Side side = side_of(options_);
    const IdTable& given = ids_of(ratings, side);
    std::uint64_t known = 0;
    for (std::uint32_t k = 0; k < given.size(); ++k) {
      known += model_.ids[mf::index_of(side)]->find(given.name(k)) < model_.size(side) ? 1 : 0;
    }
    return known;
  }

  Status say(const RowRatings& given, std::uint64_t known, const Ratings& ratings) const {
    const std::string others = options_.side == "items" ? "users" : "items";
    if (given.values.empty()) {
      return Status::input(options_.ratings +
                           (side_of(options_) == Side::users ? ": rates none of the model's items"
                                                             : ": none of its users is of the model") +
                           ", expected ids as in " + options_.model + "/" +
                           kIdsFile[mf::index_of(fixed_side_of(options_))]);
    }
    if (options_.common.quiet) return {};
    for (const std::string& note : ratings.notes) print_note("mf", note);
    if (given.unknown > 0) {
      print_note("mf", with_unit(given.unknown, "rating is of ", "ratings are of ") + others +
                           " that the model does not know: left out");
    }
    if (known > 0) {
      print_note("mf", std::to_string(known) + " of " + std::to_string(given.rows()) + " " + options_.side +
                           (known == 1 ? " is in the model already: here it comes from these ratings alone"
                                       : " are in the model already: here they come from these ratings alone"));
    }
    return {};
  }

  FoldInOptions options_;
  FitOptions fit_;
  OptionTable table_ = fit_option_table(fit_);
  FactorModel model_;
};

}  // namespace

Status run_fold_in(std::span<const std::string> arguments) {
  FoldInOptions options;
  OptionTable table = fold_in_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "mf")) return {};
  options.duplicates_given = table.given("duplicates");
  if (Status checked = check_fold_in_options(options); !checked.ok()) return checked;
  return FoldIn(std::move(options)).run();
}

}  // namespace strads::mf
