// `mf fold-in`: factors of new users, with the items' factors as they are.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "mf/commands/commands.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/problem/positives.hpp"
#include "mf/solvers/implicit_fold_in.hpp"
#include "strads/numerics/factorization.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

/// Users of one piece of work: cut by number, so that threads change nothing.
constexpr std::size_t kFoldedAtOnce = 256;

/// The new users' ratings of known items, user by user.
struct NewRatings {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint32_t> items;
  std::vector<float> values;
  std::uint64_t unknown = 0;  ///< ratings of items that the model does not know

  /// Of some users; `of_items`: values in their place.
  [[nodiscard]] RatingRows rows(std::size_t begin, std::size_t end, std::span<const float> of_items) const {
    RatingRows view;
    view.begins = std::span(begins).subspan(begin, end - begin + 1);
    view.slots = items;
    view.values = of_items;
    return view;
  }
};

NewRatings by_user(const Ratings& ratings, const FactorModel& model) {
  const Triplets& given = ratings.train;
  std::vector<std::uint32_t> items(ratings.items->size());
  for (std::uint32_t k = 0; k < items.size(); ++k) items[k] = model.ids[1]->find(ratings.items->name(k));
  const auto known = [&](std::size_t t) { return items[given.items[t]] < model.size(Side::items); };
  NewRatings out;
  out.begins.assign(std::size_t{ratings.users->size()} + 1, 0);
  for (std::size_t t = 0; t < given.size(); ++t) {
    known(t) ? ++out.begins[given.users[t] + std::size_t{1}] : ++out.unknown;
  }
  for (std::size_t k = 1; k < out.begins.size(); ++k) out.begins[k] += out.begins[k - 1];
  out.items.resize(out.begins.back());
  out.values.resize(out.begins.back());
  auto next = out.begins;
  for (std::size_t t = 0; t < given.size(); ++t) {
    if (!known(t)) continue;
    const std::uint64_t at = next[given.users[t]]++;
    out.items[at] = items[given.items[t]];
    out.values[at] = value_of(given, ratings.levels, t);
  }
  return out;
}

/// The items as the kernels want them: one page of records, in the unit of the fit.
class ItemRecords {
 public:
  explicit ItemRecords(const FactorModel& model) : stride_(record_stride(model.rank)) {
    const std::size_t items = model.size(Side::items);
    records_ = SharedFloats(items * stride_);
    std::fill(records_.writable().begin(), records_.writable().end(), 0.0F);
    for (std::uint32_t j = 0; j < items; ++j) {
      float* record = records_.writable().data() + j * stride_;
      const float* const row = model.row(Side::items, j);
      for (std::uint32_t k = 0; k < model.rank; ++k) record[k] = divided(row[k], std::sqrt(model.unit));
      record[model.rank] = divided(model.biases[1][j], model.unit);
    }
    page_ = records_.data();
  }
  [[nodiscard]] FactorPages pages() const {
    constexpr std::uint32_t kOnePage = 31;  // a slot is the item itself
    return {&page_, kOnePage, stride_};
  }

 private:
  std::size_t stride_;
  SharedFloats records_;
  const float* page_ = nullptr;
};

/// One exact ridge solve for each user. Factors are written so that all penalty weights are 1 (the weights of a fit are
/// in its factors).
void solve(const FitOptions& fit, const NewRatings& ratings, const ItemRecords& items, FactorModel& model,
           Chunks& chunks) {
  const RowProblem problem{.rank = model.rank,
                           .bias = fit.mf.bias,
                           .mean = divided(model.mean, model.unit),
                           .lambda = fit.mf.lambda,
                           .weighted = fit.mf.weighted,
                           .weights = {},
                           .width = model.rank + 1};
  const std::size_t stride = record_stride(model.rank);
  const std::size_t users = model.size(Side::users);
  const double root = std::sqrt(model.unit);
  std::vector<float> values(ratings.values.size());
  std::ranges::transform(ratings.values, values.begin(), [&](float value) { return divided(value, model.unit); });
  chunks.for_each((users + kFoldedAtOnce - 1) / kFoldedAtOnce, [&](std::size_t piece) {
    const std::size_t begin = piece * kFoldedAtOnce, end = std::min(users, begin + kFoldedAtOnce);
    SharedFloats before((end - begin) * stride), after((end - begin) * stride);
    std::fill(before.writable().begin(), before.writable().end(), 0.0F);
    RowSums sums;
    update_rows(ratings.rows(begin, end, values), items.pages(), problem, before.data(), after.writable().data(), sums);
    for (std::size_t user = begin; user < end; ++user) {
      const float* record = after.data() + (user - begin) * stride;
      float* const row = model.factors[0].data() + user * model.rank;
      for (std::uint32_t k = 0; k < model.rank; ++k) row[k] = static_cast<float>(double{record[k]} * root);
      model.biases[0][user] = static_cast<float>(double{record[model.rank]} * model.unit);
    }
  });
}

/// The model of the new users alone.
FactorModel folded_in(FactorModel model, const FitOptions& fit, const Ratings& ratings, const NewRatings& given,
                      Chunks& chunks) {
  const ItemRecords items(model);
  const std::size_t users = ratings.users->size();
  model.ids[0] = ratings.users;
  model.factors[0].assign(users * model.rank, 0.0F);
  model.biases[0].assign(users, 0.0F);
  model.counts[0].resize(users);
  for (std::size_t k = 0; k < users; ++k) {
    model.counts[0][k] = static_cast<std::uint32_t>(given.begins[k + 1] - given.begins[k]);
  }
  if (fit.mf.implicit) {
    fold_in_implicit(fit.mf, given.begins, given.items, given.values, model.factors[1], model.factors[0], chunks);
  } else {
    solve(fit, given, items, model, chunks);
  }
  return model;
}

/// Root mean squared error on the ratings that were given; none of implicit feedback.
double train_rmse(const FitOptions& fit, const FactorModel& model, const NewRatings& given) {
  if (fit.mf.implicit) return std::numeric_limits<double>::quiet_NaN();
  double squared = 0;
  for (std::uint32_t user = 0; user < model.size(Side::users); ++user) {
    for (std::uint64_t r = given.begins[user]; r < given.begins[user + 1]; ++r) {
      const double error = double{given.values[r]} - double{predict(model, user, given.items[r])};
      squared += error * error;
    }
  }
  return given.values.empty() ? 0 : std::sqrt(squared / static_cast<double>(given.values.size()));
}

Summary summary_of(const FoldInOptions& options, const FitOptions& fit, const FactorModel& model,
                   const Ratings& ratings, const NewRatings& given, std::uint64_t known_users, double seconds) {
  Summary summary;
  summary.add("program", "mf fold-in");
  summary.add(kModelFormat, kModelFilesFormat);
  summary.add("model", options.model);
  summary.add("users", model.size(Side::users));
  summary.add("users_known_to_model", known_users);
  summary.add("items", model.size(Side::items));
  summary.add("ratings", std::uint64_t{given.values.size()});
  summary.add("ratings_of_unknown_items", given.unknown);
  summary.add("duplicates", ratings.duplicates);
  summary.add("train_rmse", train_rmse(fit, model, given));
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
    const NewRatings given = by_user(*ratings, model_);
    const std::uint64_t known = known_users(*ratings);
    if (Status noted = say(given, known, *ratings); !noted.ok()) return noted;
    const FactorModel model = folded_in(std::move(model_), fit_, *ratings, given, *threads);
    if (!gives_numbers(model)) {
      return Status::input(options_.ratings + ": the factors of these users are too large for single precision, " +
                           "expected ratings like those of " + options_.model);
    }
    if (Status done = write_factor_model(directory, model); !done.ok()) return done;
    // What mf recommend leaves out, and what a further fold-in needs, is said as in the fit's directory.
    fit_.input.path = options_.ratings;
    fit_.input.columns = options_.columns;
    fit_.input.test_path.clear();
    fit_.common.out = options_.common.out;
    if (Status done = directory.write(kConfigFile, table_.config()); !done.ok()) return done;
    const auto summary = summary_of(options_, fit_, model, *ratings, given, known, watch.seconds());
    if (Status done = directory.finish(summary); !done.ok()) return done;
    const std::string error =
        fit_.mf.implicit ? std::string() : ", train RMSE " + short_text(train_rmse(fit_, model, given), 5);
    std::printf("folded in %u users with %zu ratings%s: %s\n", model.size(Side::users), given.values.size(),
                error.c_str(), options_.common.out.c_str());
    return {};
  }

 private:
  Status read() {
    if (Status options = read_fit_options(options_.model, fit_, table_); !options.ok()) return options;
    STRADS_ASSIGN_OR_RETURN(model_, read_factor_model(options_.model));
    return {};
  }

  [[nodiscard]] std::uint64_t known_users(const Ratings& ratings) const {
    std::uint64_t known = 0;
    for (std::uint32_t k = 0; k < ratings.users->size(); ++k) {
      known += model_.ids[0]->find(ratings.users->name(k)) < model_.size(Side::users) ? 1 : 0;
    }
    return known;
  }

  Status say(const NewRatings& given, std::uint64_t known, const Ratings& ratings) const {
    if (given.values.empty()) {
      return Status::input(options_.ratings + ": rates none of the model's items, expected ids as in " +
                           options_.model + "/" + kIdsFile[1]);
    }
    if (options_.common.quiet) return {};
    for (const std::string& note : ratings.notes) print_note("mf", note);
    if (given.unknown > 0) {
      print_note("mf", std::to_string(given.unknown) + " ratings are of items that the model does not know: left out");
    }
    if (known > 0) {
      print_note("mf", std::to_string(known) + " of " + std::to_string(ratings.users->size()) +
                           " users are in the model already: here they come from these ratings alone");
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
