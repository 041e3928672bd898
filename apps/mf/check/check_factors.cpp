#include "mf/check/check_factors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "mf/check/recount.hpp"
#include "mf/factors/factor_quality.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {
namespace {

/// What the messages of a run say of its factors.
struct Claim {
  double objective = 0, train_rmse = 0;
  Quality validation;
};

/// Each number is rounded once where its feature is rescaled.
constexpr double kPenaltyRounding = 4 * 0x1p-24;

/// Sums over all pairs are those of Gram matrices, whose entries are rounded each for itself.
constexpr double kImplicitRounding = 0x1p-20;

Status refused(const std::string& what) {
  return Status::internal("check of the factors: " + what + ": this is a bug or a forged message");
}

Status differs(const std::string& what, double claimed, double found) {
  return refused("the messages of this run say " + what + " " + short_text(claimed, 12) + ", the ratings " +
                 short_text(found, 12));
}

/// Also true where one of them is no number.
bool is_beyond(double claimed, double found, double allowed) {
  return !(std::abs(claimed - found) <= allowed);
}

/// The figures of cd, ccd and als.
Status compare(const MfData& data, const MfOptions& options, const Claim& claimed, const Recounted& found,
               double mean) {
  const double count = static_cast<double>(data.train_size);
  const double of_errors = options.implicit ? kImplicitRounding * (found.squared + found.reach)
                                            : rounding_of({found.squared, found.reach, mean, data.train_size});
  const double penalty = options.lambda * found.penalty;
  const double objective = found.objective(options.lambda);
  if (is_beyond(claimed.objective, objective, of_errors + kPenaltyRounding * penalty)) {
    return differs("an objective of", claimed.objective, objective);
  }
  if (options.implicit) return {};
  // Errors near 0 that are the difference of large sums may come out below 0: their root is no number.
  const bool is_below = std::isnan(claimed.train_rmse) && found.squared <= of_errors;
  if (!is_below && is_beyond(claimed.train_rmse * claimed.train_rmse * count, found.squared, of_errors)) {
    return differs("a training RMSE of", claimed.train_rmse, std::sqrt(found.squared / count));
  }
  return {};
}

/// Those of the validation ratings, clipped as predictions are. The run says none where no sweep was evaluated.
Status compare_validation(const Quality& claimed, const Quality& found, double reach, double mean) {
  if (claimed.ratings == 0) return {};
  if (claimed.ratings != found.ratings) {
    return differs("a number of validation ratings of", static_cast<double>(claimed.ratings),
                   static_cast<double>(found.ratings));
  }
  const double count = static_cast<double>(found.ratings);
  const double squared = found.rmse * found.rmse * count;
  if (is_beyond(claimed.rmse * claimed.rmse * count, squared, rounding_of({squared, reach, mean, found.ratings}))) {
    return differs("a validation RMSE of", claimed.rmse, found.rmse);
  }
  return {};
}

/// What the validation pairs' lists are worth; the factors that are written are those of the run to the last bit, and
/// their sums differ by the order of the users alone. The run says none where no sweep was evaluated.
Status compare_lists(const MfData& data, const FactorModel& factors, MfSolution& solution, Chunks& chunks) {
  constexpr double kSumRounding = 1e-10;
  const std::vector<std::uint32_t>& all = data.stop_lists->users();
  // Some users at a time, each on a thread of its own; pieces are cut by number.
  constexpr std::size_t kPiece = 1024;
  std::vector<double> worth((all.size() + kPiece - 1) / kPiece);
  chunks.for_each(worth.size(), [&](std::size_t piece) {
    const auto users = std::span(all).subspan(piece * kPiece, std::min(kPiece, all.size() - piece * kPiece));
    ListedFactors rows{factors.rank, factors.mean, {}, factors.factors[1], {}, factors.biases[1]};
    for (const std::uint32_t user : users) {
      const float* const row = factors.row(Side::users, user);
      rows.users.insert(rows.users.end(), row, row + factors.rank);
      rows.user_biases.push_back(factors.biases[0][user]);
    }
    worth[piece] = data.stop_lists->summed(solution.stop, users, std::move(rows));
  });
  const double found = std::accumulate(worth.begin(), worth.end(), 0.0) / static_cast<double>(all.size());
  const double claimed = std::exchange(solution.lists, found);
  const std::uint64_t count = std::exchange(solution.validation.ratings, all.size());
  if (count == 0) return {};
  if (count != all.size()) {
    return differs("a number of users with validation pairs of", static_cast<double>(count),
                   static_cast<double>(all.size()));
  }
  if (is_beyond(claimed, solution.lists, kSumRounding)) {
    return differs("a validation " + name_of(solution.stop) + " of", claimed, solution.lists);
  }
  return {};
}

}  // namespace

double rounding_of(const ErrorSum& errors) {
  constexpr double kOfFew = 64, kProducts = 1.0 / 16;
  constexpr double kLeast = 0x1p-147;  // what squares and products below the range of single precision lose
  const double count = static_cast<double>(errors.ratings);
  const double unit = 0x1p-24 * (1 + kOfFew / std::sqrt(count));  // that of single precision, of few ratings more
  const double sizes = errors.reach + count * errors.mean * errors.mean;
  return unit * (std::sqrt(errors.squared * sizes) + kProducts * errors.reach) + unit * unit * sizes + count * kLeast;
}

Status check_reports(const MfData& data, const RunEnd& end) {
  std::vector<std::uint8_t> times(std::size_t{data.size(Side::users)} + data.size(Side::items));
  for (const Payload& status : end.statuses) {
    for (const VarId id : status.ids) times[id] = static_cast<std::uint8_t>(std::min(times[id] + 1, 2));
  }
  const auto wrong = std::ranges::find_if(times, [](std::uint8_t n) { return n != 1; });
  if (wrong == times.end()) return {};
  const auto id = static_cast<std::size_t>(wrong - times.begin());
  const std::size_t users = data.size(Side::users);
  return refused("the messages of this run bring the factors of " +
                 (id < users
                      ? "user '" + std::string(data.ratings->users->name(static_cast<std::uint32_t>(id)))
                      : "item '" + std::string(data.ratings->items->name(static_cast<std::uint32_t>(id - users)))) +
                 "' " + (*wrong == 0 ? "not at all" : "more than once") + ", expected once");
}

Status check_factors(const Model& model, const FactorModel& factors, MfSolution& solution, Chunks& chunks) {
  const auto& fit = static_cast<const MfModel&>(model);
  const MfData& data = fit.data();
  const Recounted found = recounted(fit, factors, chunks);
  const Claim claimed{solution.objective, solution.train.rmse, solution.validation};
  solution.objective = found.objective(fit.options().lambda);
  solution.train.rmse = std::sqrt(found.squared / static_cast<double>(data.train_size));
  // The errors of pairs that were chosen are no figure by themselves.
  if (fit.options().implicit) solution.train.rmse = std::numeric_limits<double>::quiet_NaN();
  if (!fit.options().stop.wanted()) {
    solution.validation = quality_on(factors, data, {&data.ratings->validation}, chunks);
  }
  if (!found.complete) {
    return Status::internal(
        "check of the factors: the training ratings by block are not those that were read: this "
        "is a bug, or the memory of this machine is faulty");
  }
  if (fit.solver().facts().knows_objective) {
    if (Status alike = compare(data, fit.options(), claimed, found, double{factors.mean}); !alike.ok()) return alike;
  }
  if (fit.options().stop.wanted()) return compare_lists(data, factors, solution, chunks);
  return compare_validation(claimed.validation, solution.validation, found.validation_reach, double{factors.mean});
}

}  // namespace strads::mf
