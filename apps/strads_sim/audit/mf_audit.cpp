#include "strads_sim/audit/mf_audit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "mf/problem/payloads.hpp"
#include "strads/engine/progress.hpp"
#include "strads/numerics/factorization.hpp"

namespace strads::simulator {
namespace {

constexpr double kDoubles = 1e-12;  ///< relative: what two ways of adding up doubles may differ by

std::string short_figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string blocks_text(const std::vector<std::vector<VarId>>& blocks) {
  std::string text = "blocks";
  for (const auto& block : blocks) {
    text += " {";
    for (const VarId row : block) text += (text.back() == '{' ? "" : " ") + std::to_string(row);
    text += "}";
  }
  return text;
}

/// True of the ends that a fit may come to when nothing fails.
bool names_an_end(const std::string& reason) {
  return reason == "converged" || reason == "early stopping" || reason == "sweeps" || reason == "limit";
}

/// Of the training ratings.
double deviation_of(const Ratings& ratings) {
  const Triplets& train = ratings.train;
  const auto value = [&](std::size_t t) {
    return double{train.codes.empty() ? train.values[t] : ratings.levels[train.codes[t]]};
  };
  const auto count = static_cast<double>(train.size());
  double mean = 0, squares = 0;
  for (std::size_t t = 0; t < train.size(); ++t) mean += value(t) / count;
  for (std::size_t t = 0; t < train.size(); ++t) squares += std::pow(value(t) - mean, 2) / count;
  return std::sqrt(squares);
}

AuditedMf with_unit(AuditedMf asked, const Ratings& ratings) {
  if (asked.implicit) return asked;
  asked.unit = mf::unit_of_ratings(deviation_of(ratings));
  return asked;
}

}  // namespace

MfAudit::MfAudit(const std::shared_ptr<const Ratings>& ratings, const AuditedMf& asked)
    : asked_(with_unit(asked, *ratings)), plain_(asked.implicit ? chosen_pairs(*ratings, asked) : ratings, asked_) {
  if (asked.implicit) choices_.emplace(Choices{PlainImplicit(chosen_pairs(*ratings, asked), asked)});
}

void MfAudit::expect(bool right, const std::string& found, const std::string& expected) {
  ModelAudit::expect(sim::AuditFinding::About::certificate, right, found, expected);
}

/// That the mean of the squares has this root.
void MfAudit::expect_squares(const char* what, double rmse, std::size_t count, const PlainSquares& expected) {
  const auto n = static_cast<double>(count);
  expect(std::abs(rmse * rmse * n - expected.sum) <= expected.rounding + kDoubles * expected.sum,
         std::string(what) + " = " + short_figure(rmse),
         short_figure(std::sqrt(expected.sum / n)) + ", from the factors in doubles, its square within " +
             short_figure(expected.rounding / n));
}

void MfAudit::begin(const Payload&, const std::vector<std::vector<VarId>>& slices) {
  slices_ = slices;
  if (!choices_.has_value()) return;
  for (const auto& of_slice : PlainPages(plain_, slices_, asked_.engine.workers).of_slice) {
    for (const auto& block : of_slice) choices_->blocks[block.front()] = block;
  }
}

/// Both sides; feature by feature; stratum by stratum; and the errors of what was held out.
std::size_t MfAudit::phases_of_a_sweep() const {
  std::size_t phases = 2;
  if (asked_.solver == "ccd") phases = 2 * asked_.rank + (asked_.bias ? 2 : 0);
  if (asked_.solver == "sgd") phases = std::size_t{asked_.engine.schedulers} * asked_.engine.workers;
  const Ratings& ratings = plain_.ratings();
  return phases + (ratings.validation.size() + ratings.test.size() > 0 ? 1 : 0);
}

void MfAudit::judged(const PhasePlan& plan, Version version) {
  where_ = "the barrier at version " + std::to_string(version);
  verified_ = verify_;
  verify_ = plan.verdict == PhasePlan::Verdict::verify;
  limit_ = limit_ || (verify_ && finishes());
  // What a limit cuts off ends no sweep.
  ends_sweep_ = !verified_ && !limit_ && phases_ > 0 && phases_ % phases_of_a_sweep() == 0;
  if (plan.verdict == PhasePlan::Verdict::go_on) ++phases_;
}

void MfAudit::certified(const Certificate& certificate) {
  if (ends_sweep_) end_sweep(certificate);
  const auto& figures = certificate.figures;
  if (figures.size() < mf::kFigures) return expect(false, std::to_string(figures.size()) + " figures", "all of them");
  if (!verified_ && !rose_ && !limit_) {
    expect(figures[mf::kFigureSweep] == sweeps_, short_figure(figures[mf::kFigureSweep]) + " sweeps",
           std::to_string(sweeps_));
    expect(verify_ || due_.empty(), "another phase", "the end: " + due_);
    failed_ = failed_ || (verify_ && due_.empty());
  }
}

/// What the end of a sweep means, by the numbers that it was said to have come to.
void MfAudit::end_sweep(const Certificate& certificate) {
  ++sweeps_;
  before_ = std::exchange(after_, certificate.objective);
  const double validation = certificate.figures[mf::kFigureValidation];
  if (std::isfinite(validation) && (best_validation_ < 0 || validation < best_validation_)) {
    best_validation_ = validation;
    best_sweep_ = sweeps_;
  }
  due_.clear();
  rose_ = rose_ || (before_ >= 0 && !(after_ <= before_));
  if (best_validation_ >= 0 && sweeps_ >= best_sweep_ + asked_.patience) {
    due_ = "early stopping";
  } else if (before_ >= 0 && before_ - after_ < asked_.tolerance * after_) {
    due_ = "converged";
  } else if (sweeps_ >= asked_.sweeps) {
    due_ = "sweeps";
  }
}

/// sgd: what the cells of a sweep have met.
void MfAudit::committed(const sim::AuditedCommit& commit) {
  limit_ = limit_ || commit.last;
  const std::span<const double> values = commit.changes->values;
  if (choices_.has_value() && !values.empty() && !failed_) {
    where_ = "commit " + std::to_string(commit.version);
    take_rows(commit);
    check_objective(commit);
  }
  if (values.empty() || mf::work_of(values) != mf::Work::cell) return;
  const std::uint64_t sweep = mf::plan_of(values).sweep;
  if (std::exchange(met_first_, sweep) != sweep) met_.emplace_back();
  const std::size_t width = mf::entry_size(mf::Work::cell, asked_.rank);
  for (std::size_t at = mf::plan_size(asked_.rank); at < values.size(); at += width) {
    met_.back().squares += mf::entry_of(values.subspan(at)).after * asked_.unit * asked_.unit;
    ++met_.back().cells;
  }
}

void MfAudit::ended(const RunEnd& end) {
  where_ = "the end";
  const std::string expected = limit_ ? "limit" : due_;
  const bool says_so = failed_ ? !names_an_end(end.stop_reason) : end.stop_reason == expected;
  expect(limit_ || rose_ || says_so, "\"" + end.stop_reason + "\" after " + std::to_string(sweeps_) + " sweeps",
         failed_ ? "what has failed: nothing says that it is enough" : "\"" + expected + "\"");
  check_blocks(end);
  if (!limit_ && !rose_ && !failed_) check_best(end.certificate.figures);
  check_factors(end);
}

/// Implicit feedback: each page of a commit has the rows of its block.
void MfAudit::take_rows(const sim::AuditedCommit& commit) {
  const std::size_t stride = record_stride(asked_.rank);
  for (std::size_t b = 0; b < commit.blocks.size(); ++b) {
    const auto rows = choices_->blocks.find(commit.blocks[b].front());
    const bool fits = rows != choices_->blocks.end() && b < commit.changes->bulk.size() &&
                      commit.changes->bulk[b].size() == rows->second.size() * stride;
    if (!fits)
      return expect(false, "a page that is none of the blocks",
                    "the rows of variable " + std::to_string(commit.blocks[b].front()));
    const auto floats = commit.changes->bulk[b].view();
    for (std::size_t k = 0; k < rows->second.size(); ++k) {
      const auto record = floats.subspan(k * stride, asked_.rank);
      choices_->factors.set(rows->second[k], {record.begin(), record.end()});
    }
  }
}

/// Each row goes to the minimum along it or toward it, so that F never rises; as long as nobody knows how items began,
/// there is nothing to compare.
void MfAudit::check_objective(const sim::AuditedCommit& commit) {
  const PlainObjective now = choices_->factors.objective();
  choices_->rounded += 2 * now.rounding;
  if (!choices_->factors.is_known()) return;
  const auto before = std::exchange(choices_->last, now);
  expect(std::abs(commit.objective - now.value) <= choices_->rounded + kDoubles * now.value,
         "objective = " + short_figure(commit.objective),
         short_figure(now.value) + ", over all pairs in doubles, within " + short_figure(choices_->rounded));
  if (!before.has_value()) return;
  expect(now.value <= before->value + now.rounding + before->rounding,
         "an objective that rises from " + short_figure(before->value) + " to " + short_figure(now.value),
         "none: rows of one side go to their minimum, or toward it");
}

PlainFactors MfAudit::reported(const RunEnd& end) {
  PlainFactors factors;
  factors.rows.resize(plain_.counts().size());
  const std::size_t stride = record_stride(asked_.rank);
  for (const Payload& status : end.statuses) {
    if (status.ids.empty()) continue;
    factors.weights.assign(status.values.end() - asked_.rank, status.values.end());
    std::vector<float> records;
    for (const SharedFloats& page : status.bulk) {
      records.insert(records.end(), page.view().begin(), page.view().end());
    }
    for (std::size_t k = 0; k < status.ids.size(); ++k) {
      expect(factors.rows[status.ids[k]].empty(), "factors of variable " + std::to_string(status.ids[k]) + " twice",
             "each once");
      const float* record = records.data() + k * stride;
      auto& row = factors.rows[status.ids[k]];
      row.assign(record, record + asked_.rank + 1);
      for (std::size_t f = 0; f <= asked_.rank; ++f) row[f] *= f < asked_.rank ? std::sqrt(asked_.unit) : asked_.unit;
    }
  }
  for (std::size_t j = 0; j < factors.rows.size(); ++j) {
    expect(!factors.rows[j].empty(), "no factors of variable " + std::to_string(j), "those of all");
    factors.rows[j].resize(asked_.rank + 1, 0.0);
  }
  return factors;
}

/// A slice reports its factors block by block.
void MfAudit::check_blocks(const RunEnd& end) {
  const PlainPages expected(plain_, slices_, asked_.engine.workers);
  const std::size_t stride = record_stride(asked_.rank);
  for (std::size_t s = 0; s < end.statuses.size(); ++s) {
    const Payload& status = end.statuses[s];
    std::vector<std::vector<VarId>> found;
    auto next = status.ids.begin();
    for (const SharedFloats& page : status.bulk) {
      const auto last = next + static_cast<std::ptrdiff_t>(page.size() / stride);
      found.emplace_back(next, last);
      next = last;
    }
    if (found == expected.of_slice[s]) continue;
    fail({sim::AuditFinding::About::policy, "slice " + std::to_string(s), blocks_text(found),
          blocks_text(expected.of_slice[s]) + ": longest first, each to the worker with the fewest ratings"});
  }
  const double imbalance = end.certificate.figures[mf::kFigureImbalance];
  expect(std::abs(imbalance - expected.imbalance) <= kDoubles * expected.imbalance,
         "imbalance = " + short_figure(imbalance), short_figure(expected.imbalance));
}

/// The factors that are kept are those of the sweep with the least validation error, else those of the last one.
void MfAudit::check_best(std::span<const double> figures) {
  const std::uint32_t best = best_validation_ >= 0 ? best_sweep_ : sweeps_;
  expect(figures[mf::kFigureBest] == best, "the factors of sweep " + short_figure(figures[mf::kFigureBest]),
         "those of sweep " + std::to_string(best));
  expect(best_validation_ < 0 || figures[mf::kFigureValidation] == best_validation_,
         "validation RMSE = " + short_figure(figures[mf::kFigureValidation]),
         short_figure(best_validation_) + ", the least of all sweeps");
}

/// sgd says what errors it met on its way, each before the step that it led to. What each was nobody can tell from the
/// factors, but what they add up to, and that F has the penalties of the factors that are kept.
void MfAudit::check_met(const Certificate& certificate, double penalty) {
  const auto& figures = certificate.figures;
  const double best = figures[mf::kFigureBest];
  const auto whole =
      std::count_if(met_.begin(), met_.end(), [this](const Met& met) { return met.cells == met_[0].cells; });
  if (rose_ || failed_ || !(best >= 1 && best <= static_cast<double>(whole))) return;
  // Where a limit cut off only what a sweep evaluates behind its last rating, the errors are that sweep's.
  const auto after = static_cast<std::size_t>(best);
  const bool met_all = figures[mf::kFigurePartial] != 0 && met_.size() > after && met_[after].cells == met_[0].cells;
  const double met = met_[met_all ? after : after - 1].squares;
  expect_squares("RMSE met on the way", figures[mf::kFigureMetRmse], plain_.ratings().train.size(), {met, 0});
  if (figures[mf::kFigurePartial] != 0) return;
  const double objective = met + asked_.lambda * penalty;
  expect(std::abs(certificate.objective - objective) <= kDoubles * objective,
         "objective = " + short_figure(certificate.objective),
         short_figure(objective) + ", by errors met and the factors kept");
}

void MfAudit::check_held_out(const char* what, const Triplets& part, double rmse, const PlainFactors& factors) {
  const bool may_be_missing = part.size() == 0 || limit_ || rose_ || failed_;
  if (may_be_missing && std::isnan(rmse)) return;
  expect_squares(what, rmse, part.size(), plain_.held_out(part, factors));
}

void MfAudit::check_factors(const RunEnd& end) {
  const PlainFactors factors = reported(end);
  if (finding().has_value()) return;
  const auto& figures = end.certificate.figures;
  const Ratings& ratings = plain_.ratings();
  if (choices_.has_value()) return check_choices(end, factors);
  const double penalty = plain_.penalty(factors);
  check_held_out("validation RMSE", ratings.validation, figures[mf::kFigureValidation], factors);
  check_held_out("test RMSE", ratings.test, figures[mf::kFigureTest], factors);
  if (learns_by_rating()) return check_met(end.certificate, penalty);
  const PlainSquares training = plain_.training(factors, limit_);
  const double objective = training.sum + asked_.lambda * penalty;
  expect(std::abs(end.certificate.objective - objective) <= training.rounding + kDoubles * objective,
         "objective = " + short_figure(end.certificate.objective),
         short_figure(objective) + ", from the factors in doubles, within " + short_figure(training.rounding));
  expect_squares("training RMSE", figures[mf::kFigureTrainRmse], ratings.train.size(), training);
}

/// Implicit feedback: what is reported is what commits have set, and its F is what is said.
void MfAudit::check_choices(const RunEnd& end, const PlainFactors& factors) {
  for (std::size_t j = 0; j < factors.rows.size() && !failed_; ++j) {
    const auto& set = choices_->factors.row(static_cast<VarId>(j));
    expect(set.empty() || std::equal(set.begin(), set.end(), factors.rows[j].begin()),
           "factors of variable " + std::to_string(j) + " that no commit has set", "those of its last commit");
    choices_->factors.set(static_cast<VarId>(j), {factors.rows[j].begin(), factors.rows[j].end() - 1});
  }
  const PlainObjective now = choices_->factors.objective();
  const double found = end.certificate.objective;
  expect(std::abs(found - now.value) <= choices_->rounded + 2 * now.rounding + kDoubles * now.value,
         "objective = " + short_figure(found),
         short_figure(now.value) + ", over all pairs in doubles, within " + short_figure(choices_->rounded));
}

}  // namespace strads::simulator
