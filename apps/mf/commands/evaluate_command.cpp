// `mf evaluate`: how good the best items of each user are, beside the most popular ones.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "mf/commands/commands.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/ranking/best_items.hpp"
#include "mf/ranking/held_out.hpp"
#include "mf/ranking/judged_lists.hpp"
#include "mf/ranking/ranked_figures.hpp"
#include "mf/ranking/ranking_metrics.hpp"
#include "mf/ranking/rated_items.hpp"
#include "mf/ranking/scorer.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/result_files.hpp"

namespace strads::mf {
namespace {

/// What is judged, and by what.
struct Judging {
  Scorer model;
  RatedItems rated;
  HeldOut held_out;
  std::vector<std::uint32_t> users;
  std::string what;  ///< where the held-out pairs come from
};

constexpr const char* kNothingHeldOut =
    "the fit held nothing out: give --test FILE with pairs that it has not seen, or fit with --holdout SHARE";

/// Ratings of the fit: those it learned from, and those it stopped by, are left out of the lists.
Status take_fit(const EvaluateOptions& options, Chunks& chunks, Judging& all) {
  STRADS_ASSIGN_OR_RETURN(const auto input, input_of_fit(options.model, "--test FILE and --ratings FILE"));
  if (input.holdout == 0 && input.test_path.empty()) return Status::usage(options.model + ": " + kNothingHeldOut);
  auto loaded = load_ratings(input, chunks);
  if (!loaded.ok()) {
    return Status::input(loaded.status().message() + "; the model was fitted to this file, give --test FILE and " +
                         "--ratings FILE where it is elsewhere now");
  }
  const Ratings& ratings = *loaded.value();
  const Triplets* const parts[] = {&ratings.train, &ratings.validation};
  all.model.take_users(ratings, parts);
  all.rated = rated_by_user(ratings, parts, all.model.ids);
  const std::uint64_t pairs = ratings.train.size() + ratings.validation.size();
  Status said = say_rated("", options.model, ratings, pairs, all.rated, options.common.quiet);
  if (!said.ok()) return said;
  all.held_out = held_out_of_fit(ratings, options.relevant, all.model.ids, all.rated);
  all.what = input.test_path.empty() ? "what its fit held out" : input.test_path;
  return {};
}

Status take_files(const EvaluateOptions& options, Chunks& chunks, Judging& all) {
  STRADS_ASSIGN_OR_RETURN(const auto ratings, rated_pairs(options.ratings, options.columns, options.model, chunks));
  const Triplets* const parts[] = {&ratings->train};
  all.model.take_users(*ratings, parts);
  all.rated = rated_by_user(*ratings, parts, all.model.ids);
  Status said =
      say_rated(options.ratings, options.model, *ratings, ratings->train.size(), all.rated, options.common.quiet);
  if (!said.ok()) return said;
  STRADS_ASSIGN_OR_RETURN(all.held_out, held_out_of_file({options.test, options.columns, options.relevant},
                                                         all.model.ids, all.rated, chunks));
  all.what = options.test;
  return {};
}

/// What became of the pairs; errors: none is left.
Status say_held_out(const EvaluateOptions& options, const Judging& all) {
  const HeldOut& held = all.held_out;
  std::string rest;
  const auto say = [&rest](std::uint64_t count, const std::string& what) {
    if (count > 0) rest += (rest.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  std::uint64_t missed = 0;
  for (const std::uint32_t count : held.missed) missed += count;
  say(held.irrelevant, "have a rating below --relevant and do not count");
  say(held.of_strangers, "are of users whom the model does not know and do not count");
  say(held.rated, "are among the rated pairs and do not count");
  say(held.repeated, "come again and do not count");
  say(missed, "have an item that the model does not know and count as not found");
  if (all.users.empty()) {
    return Status::input(all.what + ": of " + std::to_string(held.pairs) + " pairs none is left to be found" +
                         (rest.empty() ? "" : ": " + rest) +
                         "; expected pairs of the model's users and items that are not "
                         "among the rated ones");
  }
  if (!options.common.quiet && !rest.empty()) {
    print_note("mf", "of " + std::to_string(held.pairs) + " pairs " + rest);
  }
  return {};
}

/// Errors: stopped by a signal, with how far it came.
Result<RankingSums> judge(const EvaluateOptions& options, const Judging& all, const ItemRanker& ranker,
                          const std::string& what, Chunks& chunks) {
  const Stopwatch watch;
  auto progress = ProgressPrinter::for_stderr(options.common.quiet);
  std::string done;
  const auto sums = judged_lists({all.model.ids, all.rated, all.held_out, all.users}, options.ks, ranker, chunks,
                                 [&](std::size_t users) {
                                   done = std::to_string(users) + " of " + std::to_string(all.users.size()) + " users";
                                   const double seconds = watch.seconds();
                                   const ProgressCount count{"user", users, all.users.size()};
                                   progress.show_line([&] { return count_line(what, count, seconds); }, seconds);
                                   return !finish_requested() || users == all.users.size();
                                 });
  progress.finish();
  if (!sums.has_value()) return Status(StatusCode::stopped, "stopped by a signal after " + done);
  return *sums;
}

std::string table_of(const std::vector<RankedFigure>& figures) {
  constexpr std::size_t kWidth = 6;  // of 0.1234
  const RankedFigure& first = figures.front();
  const auto is_first_row = [&](const RankedFigure& one) {
    return one.k == first.k && one.ranked_by == first.ranked_by;
  };
  std::string text = "   k  ranked by ";
  for (const RankedFigure& one : figures) {
    if (!is_first_row(one)) break;
    text += std::string(1 + kWidth - std::min(kWidth, one.metric.size()), ' ') + std::string(one.metric);
  }
  char cell[32];
  const RankedFigure* before = nullptr;
  for (const RankedFigure& one : figures) {
    if (before == nullptr || before->k != one.k || before->ranked_by != one.ranked_by) {
      std::snprintf(cell, sizeof cell, "\n%4u  %-10s", one.k, std::string(one.ranked_by).c_str());
      text += cell;
    }
    const int width = static_cast<int>(std::max(kWidth, one.metric.size()));
    std::snprintf(cell, sizeof cell, " %*.*f", width, one.mean < 10 ? 4 : 3, one.mean);
    text += cell;
    before = &one;
  }
  return text + "\n";
}

std::string figures_of(const std::vector<RankedFigure>& figures) {
  std::string text = "k\tranked_by\tmetric\tmean\tstandard_error\n";
  for (const RankedFigure& one : figures) {
    text += std::to_string(one.k) + "\t" + std::string(one.ranked_by) + "\t" + std::string(one.metric) + "\t" +
            exact_text(one.mean) + "\t" + (std::isnan(one.standard_error) ? "NA" : exact_text(one.standard_error)) +
            "\n";
  }
  return text;
}

}  // namespace

Status run_evaluate(std::span<const std::string> arguments) {
  EvaluateOptions options;
  OptionTable table = evaluate_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "mf")) return {};
  if (Status checked = check_evaluate_options(options); !checked.ok()) return checked;
  install_signal_handlers();
  Judging all;
  STRADS_ASSIGN_OR_RETURN(all.model, read_scorer(options.model));
  const auto threads = make_threads(options.threads);
  Status taken = options.test.empty() ? take_fit(options, *threads, all) : take_files(options, *threads, all);
  if (!taken.ok()) return taken;
  all.users = all.held_out.users();
  if (Status said = say_held_out(options, all); !said.ok()) return said;
  STRADS_ASSIGN_OR_RETURN(const auto by_model,
                          judge(options, all, *all.model.ranker(), "ranked by the model", *threads));
  const std::uint32_t items = all.model.ids.known(Side::items);
  STRADS_ASSIGN_OR_RETURN(const auto by_popularity,
                          judge(options, all, *rank_by_scores(scores_of_popularity(all.rated, items), items),
                                "ranked by popularity", *threads));
  const RankingSums* const sums[] = {&by_model, &by_popularity};
  const auto figures = ranked_figures(options.ks, sums);
  if (!options.common.out.empty()) {
    if (Status written = write_file(options.common.out, figures_of(figures)); !written.ok()) return written;
  }
  if (options.common.quiet) return {};
  std::printf("mf evaluate: %s on %s: %zu of %u users, %zu pairs to be found among %u items\n", options.model.c_str(),
              all.what.c_str(), all.users.size(), all.model.ids.known(Side::users), all.held_out.items.size(),
              all.model.ids.known(Side::items));
  std::fputs(table_of(figures).c_str(), stdout);
  return {};
}

}  // namespace strads::mf
