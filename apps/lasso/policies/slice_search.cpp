// SliceGradients: which variables matter at a barrier, and how many gradients must be computed to say so.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "lasso/policies/slice_gradients.hpp"

namespace strads::lasso {

namespace {

/// Variables that are looked at to guess where the best candidates begin.
constexpr std::size_t kSample = 16384;
/// With so many of the columns to read, reading all of them in a row costs less.
constexpr double kNearlyAll = 0.6;
/// Of predicted decreases: a coordinate step loses digits where it is short against the coefficient's penalty.
constexpr double kRankSlack = 1e-3;

/// Joins what pieces of a search wrote, each at its beginning.
std::span<const std::uint32_t> closed_up(std::span<std::uint32_t> room, std::span<const std::size_t> sizes,
                                         std::size_t piece_size) {
  std::size_t size = 0;
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    const auto piece = room.subspan(p * piece_size, sizes[p]);
    if (size != p * piece_size) std::copy(piece.begin(), piece.end(), room.subspan(size).begin());
    size += sizes[p];
  }
  return room.first(size);
}

}  // namespace

/// What an update from zero brings; VariablePenalty::step() without its rounding.
double SliceGradients::decrease(std::size_t i, double pull, const VariablePenalty& penalty) const {
  const double more = pull - penalty.l1;
  const double curvature = curvature_ * columns_.squared_norm(variables_[i]) + penalty.l2;
  return more > 0 && curvature > 0 ? 0.5 * more * more / curvature : 0.0;
}

/// Whether most gradients are known too badly to rule their variable out. A guess: some of them are looked at.
bool SliceGradients::mostly_outdated(const Question& question) const {
  const std::size_t stride = std::max<std::size_t>(1, variables_.size() / kSample);
  std::size_t looked_at = 0, outdated = 0;
  for (std::size_t i = 0; i < variables_.size(); i += stride, ++looked_at) {
    if (nearly_new(version_[i])) continue;
    const VariablePenalty penalty = question.penalty.of(variables_[i]);
    const double high = penalty.pull(gradient_[i]) + margin(i);
    if (!(high < (1 - kSlack) * penalty.l1)) ++outdated;
  }
  return looked_at > 0 && static_cast<double>(outdated) >= kNearlyAll * static_cast<double>(looked_at);
}

/// Fills plausible_: what gradients at earlier residuals do not rule out now. Returns how many of them are known too
/// badly to say more.
std::size_t SliceGradients::find_plausible(const Question& question, double steepest, Chunks& chunks) {
  std::array<bool, kVersions + 1> near{};
  for (std::size_t v = 0; v <= kVersions; ++v) near[v] = nearly_new(static_cast<std::uint8_t>(v));
  // The same test for all variables at once, with the least penalty and the longest column.
  const auto& factors = question.penalty.factors;
  const double factor = factors.empty() ? 1.0 : *std::min_element(factors.begin(), factors.end());
  const double needed = (1 - 2 * kSlack) * factor * std::min(question.penalty.l1, steepest);
  std::array<double, kVersions + 1> low_enough{};
  for (std::size_t v = 0; v <= kVersions; ++v) low_enough[v] = needed - seen_[v].reach * bounds_.length_max;
  const std::size_t count = pieces_of(variables_.size(), kPiece);
  std::vector<std::size_t> plausible(count), outdated(count);
  if (plausible_room_ == nullptr) {
    plausible_room_ = std::make_unique_for_overwrite<std::uint32_t[]>(variables_.size());
  }
  chunks.for_each(count, [&](std::size_t p) {
    const std::size_t begin = p * kPiece, end = std::min(variables_.size(), begin + kPiece);
    std::size_t kept = begin, old = 0;
    const auto keep = [&](std::size_t i) {
      plausible_room_[kept++] = static_cast<std::uint32_t>(i);
      if (!near[version_[i]]) ++old;
    };
    for (std::size_t i = begin; i < end; ++i) {
      // |g| is no less than any pull: what this rules out need not be looked at more closely.
      if (std::abs(gradient_[i]) < low_enough[version_[i]]) continue;
      const VariablePenalty penalty = question.penalty.of(variables_[i]);
      const double high = penalty.pull(gradient_[i]) + margin(i);
      if (!(high < (1 - kSlack) * std::min(penalty.l1, steepest * penalty.factor))) keep(i);
    }
    plausible[p] = kept - begin;
    outdated[p] = old;
  });
  plausible_ = closed_up({plausible_room_.get(), variables_.size()}, plausible, kPiece);
  return std::reduce(outdated.begin(), outdated.end());
}

/// After this every plausible gradient belongs to the newest residual, or to one that is as good. REQUIRES: that of the
/// support is exact.
void SliceGradients::bring_up_to_date(const Question& question, double steepest, Chunks& chunks, Cost& cost) {
  const std::size_t outdated = find_plausible(question, steepest, chunks);
  if (static_cast<double>(outdated) < kNearlyAll * static_cast<double>(variables_.size())) {
    return evaluate_outdated(!columns_.can_approximate(), chunks, cost);
  }
  evaluate_all(question, chunks, cost);
}

SliceGradients::Guess SliceGradients::guess(const Question& question, double steepest, std::size_t wanted) const {
  const std::size_t stride = std::max<std::size_t>(1, plausible_.size() / kSample);
  std::vector<double> decreases;
  for (std::size_t k = 0; k < plausible_.size(); k += stride) {
    const std::uint32_t i = plausible_[k];
    if (question.beta[i] != 0.0) continue;
    const VariablePenalty penalty = question.penalty.of(variables_[i]);
    const double low = penalty.pull(gradient_[i]) - margin(i);
    steepest = std::max(steepest, low / penalty.factor);
    if (wanted > 0 && low > penalty.l1) decreases.push_back(decrease(i, low, penalty));
  }
  if (wanted == 0) return {steepest, kFar};
  const std::size_t rank = 2 * wanted / stride + 8;
  if (decreases.size() <= rank) return {steepest, 0.0};
  const auto nth = decreases.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(decreases.begin(), nth, decreases.end(), std::greater<>());
  return {steepest, *nth};
}

/// Zero variables that could be the steepest, or of which it is open whether they are violators, or that could be good
/// candidates; of the others the violators are counted.
void SliceGradients::search(const Question& question, const Guess& from, std::span<const std::uint32_t> positions,
                            Found& found) const {
  double steepest = from.steepest;
  std::array<double, kVersions + 1> reach_of{};
  for (std::size_t v = 0; v <= kVersions; ++v) {
    reach_of[v] = seen_[v].reach * (lengths_.empty() ? bounds_.length_max : 1.0);
  }
  for (const std::uint32_t i : positions) {
    const VariablePenalty penalty = question.penalty.of(variables_[i]);
    const double pull = penalty.pull(gradient_[i]);
    const double reach = lengths_.empty() ? reach_of[version_[i]] : reach_of[version_[i]] * lengths_[i];
    const double high = pull + reach;
    const double low = pull - reach;
    const double needed = (1 - kSlack) * steepest * penalty.factor;
    const double more = high - penalty.l1;
    const double least = from.decrease * (curvature_ * bounds_.squared_norm_min + penalty.l2);
    // Half of all variables may be violators, in no order: numbers instead of branches, and one branch seldom taken.
    const auto is = [](bool condition) { return static_cast<unsigned>(condition); };
    const unsigned zero = is(question.beta[i] == 0.0);
    const unsigned candidate = is(more > 0) & is(0.5 * more * more * (1 + kRankSlack) >= least);
    const unsigned open = is(low <= (1 + kSlack) * penalty.l1) & is(high >= (1 - kSlack) * penalty.l1);
    if ((zero & (is(high >= needed) | open | candidate)) != 0) [[unlikely]] {
      found.positions.push_back(i);
      steepest = std::max(steepest, low / penalty.factor);
    } else {
      found.violators += zero & is(low > penalty.l1);
    }
  }
}

SliceGradients::Found SliceGradients::search_all(const Question& question, const Guess& from, Chunks& chunks) const {
  std::vector<Found> pieces(pieces_of(plausible_.size(), kPiece));
  chunks.for_each(pieces.size(), [&](std::size_t p) {
    const std::size_t begin = p * kPiece;
    search(question, from, plausible_.subspan(begin, std::min(kPiece, plausible_.size() - begin)), pieces[p]);
  });
  Found all;
  for (const Found& piece : pieces) {
    all.positions.insert(all.positions.end(), piece.positions.begin(), piece.positions.end());
    all.violators += piece.violators;
  }
  return all;
}

// --- answers ---

/// Takes exact gradients of zero variables into the answer.
void SliceGradients::judge(const Question& question, std::span<const std::uint32_t> positions, Answer& answer) const {
  for (const std::uint32_t i : positions) {
    if (question.beta[i] != 0.0) continue;
    const VariablePenalty penalty = question.penalty.of(variables_[i]);
    answer.steepest = std::max(answer.steepest, penalty.steepness(gradient_[i]));
    if (penalty.pull(gradient_[i]) > penalty.l1) answer.candidates.push_back(i);
  }
  answer.violators += answer.candidates.size();
}

SliceGradients::Answer SliceGradients::answer(const Question& question, double steepest, Chunks& chunks, Cost& cost) {
  for (std::size_t wanted = question.best;; wanted *= 8) {
    const Guess from = guess(question, steepest, wanted);
    const Found found = search_all(question, from, chunks);
    std::vector<std::uint32_t> inexact = found.positions;
    if (!columns_.can_approximate()) {
      std::erase_if(inexact, [&](std::uint32_t i) { return version_[i] == now_; });
    }
    evaluate(inexact, true, chunks, cost);
    Answer result{.steepest = steepest, .violators = found.violators, .candidates = {}};
    judge(question, found.positions, result);
    const auto good = static_cast<std::size_t>(
        std::count_if(result.candidates.begin(), result.candidates.end(), [&](std::uint32_t i) {
          const VariablePenalty penalty = question.penalty.of(variables_[i]);
          return decrease(i, penalty.pull(gradient_[i]), penalty) >= (1 + kRankSlack) * from.decrease;
        }));
    if (from.decrease == 0 || good >= question.best) return result;
  }
}

/// Without bounds: every gradient, as it is.
SliceGradients::Answer SliceGradients::answer_plainly(const Question& question, double steepest, Chunks& chunks,
                                                      Cost& cost) {
  evaluate_all(true, chunks, cost);
  set_versions(kNever);
  seen_[now_] = {};
  std::vector<std::uint32_t> all(variables_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i);
  Answer result{.steepest = steepest, .violators = 0, .candidates = {}};
  judge(question, all, result);
  return result;
}

/// Every gradient in double precision: no earlier residual says anything about what follows.
SliceGradients::Answer SliceGradients::answer_all(const Question& question, Chunks& chunks, Cost& cost) {
  now_ = 0;
  seen_[now_].residual.assign(question.residual.begin(), question.residual.end());
  Answer result = answer_plainly(question, 0.0, chunks, cost);
  for (const std::uint32_t i : question.support) {
    const VariablePenalty penalty = question.penalty.of(variables_[i]);
    result.steepest = std::max(result.steepest, penalty.steepness(gradient_[i] - penalty.l2 * question.beta[i]));
  }
  return result;
}

SliceGradients::Answer SliceGradients::refresh(const Question& question, Chunks& chunks, Cost& cost) {
  if (question.all) return answer_all(question, chunks, cost);
  prepare(chunks);
  const bool bounded = show(question.residual);
  // Where all will be evaluated anyway, it is done at once: what is plausible then is known better.
  const bool all = bounded && mostly_outdated(question);
  if (all) {
    evaluate_all(question, chunks, cost);
  } else {
    evaluate(question.support, true, chunks, cost);
  }
  double steepest = 0;
  for (const std::uint32_t i : question.support) {
    const VariablePenalty penalty = question.penalty.of(variables_[i]);
    steepest = std::max(steepest, penalty.steepness(gradient_[i] - penalty.l2 * question.beta[i]));
  }
  if (!bounded) return answer_plainly(question, steepest, chunks, cost);
  bring_up_to_date(question, steepest, chunks, cost);
  return answer(question, steepest, chunks, cost);
}

/// Positions of zero variables whose pull(g_j) / f_j may be `least` or more, ascending. Cost: all variables.
std::vector<std::uint32_t> SliceGradients::reaching(const Question& question, double least, Chunks& chunks) const {
  // The same test for all variables at once, with the least factor and the longest column.
  const auto& factors = question.penalty.factors;
  const double factor = factors.empty() ? 1.0 : *std::min_element(factors.begin(), factors.end());
  std::array<double, kVersions + 1> low_enough{};
  for (std::size_t v = 0; v <= kVersions; ++v) {
    low_enough[v] = (1 - 2 * kSlack) * least * factor - seen_[v].reach * bounds_.length_max;
  }
  std::vector<std::vector<std::uint32_t>> pieces(pieces_of(variables_.size(), kPiece));
  chunks.for_each(pieces.size(), [&](std::size_t p) {
    const std::size_t end = std::min(variables_.size(), (p + 1) * kPiece);
    for (std::size_t i = p * kPiece; i < end; ++i) {
      if (std::abs(gradient_[i]) < low_enough[version_[i]]) continue;
      if (reaches(question, i, least)) pieces[p].push_back(static_cast<std::uint32_t>(i));
    }
  });
  std::vector<std::uint32_t> all;
  for (const auto& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

bool SliceGradients::reaches(const Question& question, std::size_t i, double least) const {
  const VariablePenalty penalty = question.penalty.of(variables_[i]);
  return question.beta[i] == 0.0 && penalty.pull(gradient_[i]) + margin(i) >= (1 - kSlack) * least * penalty.factor;
}

std::vector<std::uint32_t> SliceGradients::steepest_zeros(const Question& question, double least, std::size_t count,
                                                          Chunks& chunks, Cost& cost) {
  if (seen_[now_].residual.empty()) return {};  // numbers that are not finite: nothing is known
  least = std::max(0.0, least);
  const bool exactly = !columns_.can_approximate();
  const auto good = [&](std::size_t i) {
    return version_[i] == now_ || (!exactly && seen_[version_[i]].reach <= 2 * seen_[now_].reach);
  };
  std::vector<std::uint32_t> found = reaching(question, least, chunks);
  std::vector<std::uint32_t> outdated;
  std::copy_if(found.begin(), found.end(), std::back_inserter(outdated), [&](std::uint32_t i) { return !good(i); });
  evaluate(outdated, exactly, chunks, cost);
  std::erase_if(found, [&](std::uint32_t i) { return !reaches(question, i, least); });
  if (found.size() > count) {
    std::vector<double> lows;
    for (const std::uint32_t i : found) {
      const VariablePenalty penalty = question.penalty.of(variables_[i]);
      lows.push_back((penalty.pull(gradient_[i]) - margin(i)) / penalty.factor);
    }
    const auto nth = lows.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(lows.begin(), nth, lows.end(), std::greater<>());
    const double worst = std::max(0.0, *nth);
    std::erase_if(found, [&](std::uint32_t i) { return !reaches(question, i, worst); });
  }
  if (!exactly) evaluate(found, true, chunks, cost);
  return found;
}

}  // namespace strads::lasso
