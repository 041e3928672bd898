#include "mf/options/implicit_options.hpp"

#include <string>

#include "mf/problem/ranked_by.hpp"
#include "strads/program/option_table.hpp"

namespace strads::mf {
namespace {

constexpr std::uint32_t kImplicitWidth = 32;

/// Hu's objective is that of iALS with these, where all pairs want 1 of those that were chosen.
constexpr double kAlpha0OfHu = 1, kNuOfHu = 0;

bool is_hu(const FitOptions& options) {
  return options.objective == "hu";
}

Status not_with_implicit(const std::string& option, const std::string& instead) {
  return Status::usage("--" + option + " does not go with --feedback implicit, whose objective has " + instead);
}

Status not_without_implicit(const std::string& option) {
  return Status::usage("--" + option + " goes with --feedback implicit; give that, or leave it out");
}

Status off_with_lists(const FitOptions& options) {
  return Status::usage("--early-stopping off with --stop-metric " + options.stop_metric + ": leave one of them out");
}

/// What only ratings have. A value that is the one of implicit feedback is none to speak of: config.ini has all.
Status refuse_of_ratings(const FitOptions& options, const OptionTable& table) {
  const FitOptions usual;
  const auto asked = [&](const char* name, bool differs) { return table.given(name) && differs; };
  if (asked("bias", options.mf.bias)) return not_with_implicit("bias on", "no biases: leave it out");
  if (asked("mean", options.mf.mean)) return not_with_implicit("mean on", "no mean: leave it out");
  if (asked("clip", options.mf.clip)) {
    return not_with_implicit("clip on", "no range of ratings: scores order items; leave it out");
  }
  if (asked("relaxation", options.mf.relaxation != 1)) {
    return Status::usage("--relaxation does not go with --feedback implicit, whose steps are exact: leave it out");
  }
  if (!is_hu(options) && asked("regularization", options.regularization != usual.regularization)) {
    return not_with_implicit("regularization", "penalties that grow with --nu: --nu 0 is plain, --nu 1 weighted");
  }
  if (is_hu(options) && asked("regularization", options.regularization != "plain")) {
    return Status::usage("--regularization " + options.regularization +
                         " does not go with --objective hu, whose penalties are plain: leave it out");
  }
  if (asked("rate", options.mf.rate != usual.mf.rate))
    return not_with_implicit("rate", "no learning rate: leave it out");
  if (options.solver == "sgd" || options.solver == "ccd") {
    return Status::usage("--solver " + options.solver +
                         " is for ratings; --feedback implicit has als, cd and cg: it counts all pairs, which these "
                         "three do by the Gram matrix");
  }
  const bool by_lists = options.stop_metric != usual.stop_metric;
  if (asked("early-stopping", options.early_stopping) && !by_lists) {
    return Status::usage(
        "--early-stopping on looks at errors of ratings, which --feedback implicit has none of: give --stop-metric "
        "ndcg in its place, or leave it out");
  }
  if (asked("early-stopping", !options.early_stopping) && by_lists) return off_with_lists(options);
  return {};
}

/// Early stopping of ratings: by lists of items where a metric is given, else by errors.
Status settle_stop(FitOptions& options, const OptionTable& table) {
  const FitOptions usual;
  const bool by_lists = options.stop_metric != usual.stop_metric;
  if (options.is_slim()) {
    if (!by_lists) return {};
    return Status::usage("--stop-metric " + options.stop_metric +
                         " is for sweeps over factors, which --solver slim has none of: leave it out");
  }
  if (!by_lists && options.stop_at != usual.stop_at) {
    return Status::usage("--stop-at goes with --stop-metric; give that, or leave it out");
  }
  if (!by_lists) return {};
  if (table.given("early-stopping") && !options.early_stopping) return off_with_lists(options);
  options.mf.stop = {ranking_metric(options.stop_metric), options.stop_at};
  return {};
}

Status refuse_of_implicit(const FitOptions& options) {
  const FitOptions usual;
  if (options.objective != usual.objective) return not_without_implicit("objective " + options.objective);
  if (options.mf.alpha0 != usual.mf.alpha0) return not_without_implicit("alpha0");
  if (options.mf.nu != usual.mf.nu) return not_without_implicit("nu");
  if (options.confidence != usual.confidence) return not_without_implicit("confidence");
  if (options.positive_from.has_value() && !options.is_slim()) return not_without_implicit("positive-from");
  if (options.mf.cg_steps != usual.mf.cg_steps) return not_without_implicit("cg-steps");
  if (options.solver == "cg") return not_without_implicit("solver cg");
  return {};
}

}  // namespace

void add_feedback_options(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.common().choice("feedback",
                       "explicit: ratings; implicit: clicks, plays, visits, where each pair is a choice and no pair is "
                       "a weak no",
                       &options.feedback, {"explicit", "implicit"});
  rows.choice("objective",
              "implicit: ials: other pairs weigh --alpha0, penalties grow with --nu; hu: Hu, Koren and Volinsky's: a "
              "chosen pair weighs 1 + --alpha x its --confidence, any other pair 1, and penalties are plain",
              &options.objective, {"ials", "hu"});
  rows.choice("confidence",
              "implicit: what a pair counts: 1, its value, or log2(1 + value). Not given: linear of --objective hu",
              &options.confidence, {"ones", "linear", "log"});
  rows.number("positive-from", "R", "implicit, slim: only pairs with a value of at least R were chosen; without it all",
              &options.positive_from, {.min = -1e300, .max = 1e300});
  std::vector<std::string> stops = ranking_metric_names();
  stops.insert(stops.begin(), "none");
  rows.choice("stop-metric",
              "what lists of items are worth on --validation after each sweep, as in mf evaluate: the best sweep is "
              "kept, and the fit stops after --patience sweeps without a better one; of ratings in place of errors",
              &options.stop_metric, stops);
  rows.count("stop-at", "K", "how many places of a list count for --stop-metric", &options.stop_at,
             {.min = 1, .max = 1e5});
  rows.number("relevant", "R",
              "ratings: lists of items should have those of at least R, as in mf evaluate; without it all",
              &options.relevant, {.min = -1e300, .max = 1e300});
  rows.count("cg-steps", "N", "implicit: conjugate gradient steps of --solver cg for each row", &options.mf.cg_steps,
             {.min = 1, .max = 1000});
}

void add_implicit_weights(OptionTable& table, FitOptions& options) {
  const OptionSection rows = table.section("problem");
  rows.number("alpha0", "A", "implicit: weight of the pairs that were not chosen; a chosen one has its confidence",
              &options.mf.alpha0, {.min = 0, .max = 1e6, .min_open = true});
  rows.number("nu", "V",
              "implicit: penalties are times this power of the row's pairs + alpha0 x all; 0 = the same for all rows",
              &options.mf.nu, {.min = 0, .max = 4});
  rows.number("alpha", "A", "implicit, --objective hu: a chosen pair weighs 1 + A x its --confidence, any other pair 1",
              &options.mf.alpha, {.min = 0, .max = 1e6, .min_open = true});
}

Status check_implicit_weights(const FitOptions& options, const OptionTable& table) {
  if (!is_hu(options)) {
    if (options.mf.alpha == MfOptions{}.alpha) return {};
    return Status::usage(
        "--alpha goes with --feedback implicit --objective hu; without it chosen pairs are weighed by --confidence, "
        "others by --alpha0, and penalties by --lambda and --nu");
  }
  struct OfIals {
    const char* name;
    double value, settled;
  };
  // A config.ini has them as they are settled.
  const OfIals weights[] = {{"alpha0", options.mf.alpha0, kAlpha0OfHu}, {"nu", options.mf.nu, kNuOfHu}};
  for (const OfIals& weight : weights) {
    if (!table.given(weight.name) || weight.value == weight.settled) continue;
    return Status::usage(std::string("--") + weight.name +
                         " does not go with --objective hu, whose other pairs weigh 1 and whose penalties are plain: "
                         "leave it out; --alpha and --lambda are the weights of this objective");
  }
  return {};
}

std::vector<std::string> ranking_metric_names() {
  return {kRankingMetrics.begin(), kRankingMetrics.end()};
}

Status settle_feedback(FitOptions& options, const OptionTable& table) {
  options.mf.implicit = options.feedback == "implicit";
  const bool of_ratings = !options.mf.implicit && !options.is_slim();
  if (options.relevant.has_value() && !of_ratings) {
    return Status::usage(
        "--relevant is for ratings; which pairs were chosen, and lists should have, is --positive-from");
  }
  if (!options.mf.implicit || options.is_slim()) {
    if (Status refused = refuse_of_implicit(options); !refused.ok()) return refused;
    return settle_stop(options, table);
  }
  if (!table.given("solver")) options.solver = "als";
  if (!table.given("duplicates")) options.duplicates = "sum";
  if (!table.given("block-width")) options.mf.width = kImplicitWidth;
  if (Status suits = refuse_of_ratings(options, table); !suits.ok()) return suits;
  options.mf.bias = options.mf.mean = options.mf.clip = false;
  options.mf.hu = is_hu(options);
  if (options.mf.hu) {
    options.mf.alpha0 = kAlpha0OfHu;
    options.mf.nu = kNuOfHu;
    options.regularization = "plain";
    if (!table.given("confidence")) options.confidence = "linear";
  }
  options.early_stopping = options.stop_metric != "none";
  if (options.early_stopping) options.mf.stop = {ranking_metric(options.stop_metric), options.stop_at};
  options.mf.relaxation = 1;
  return {};
}

Positives positives_of(const FitOptions& options) {
  if (options.is_slim()) return {.on = true, .from = options.positive_from};
  if (options.feedback != "implicit") {
    return {.from = options.relevant};  // of lists alone: no rating is left out of a fit
  }
  return {.on = true,
          .confidence = options.confidence == "linear" ? Confidence::linear
                        : options.confidence == "log"  ? Confidence::log
                                                       : Confidence::ones,
          .from = options.positive_from};
}

}  // namespace strads::mf
