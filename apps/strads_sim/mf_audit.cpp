#include "strads_sim/mf_audit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "mf/payloads.hpp"
#include "strads/factorization.hpp"

namespace strads::simulator {
namespace {

constexpr double kFloats = 1e-4;  ///< relative: what floats and doubles may differ by

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

/// True of the ends that a fit may come to when nothing fails.
bool names_an_end(const std::string& reason) {
  return reason == "converged" || reason == "early stopping" || reason == "sweeps" || reason == "limit";
}

}  // namespace

void MfAudit::expect(bool right, const std::string& found, const std::string& expected) {
  if (!right) fail({sim::AuditFinding::About::certificate, where_, found, expected});
}

void MfAudit::expect_close(const char* what, double found, double expected) {
  expect(std::abs(found - expected) <= kFloats * std::max(1e-6, std::abs(expected)),
         std::string(what) + " = " + text_of(found), text_of(expected) + ", from the factors in doubles");
}

void MfAudit::begin(const Payload&, const std::vector<std::vector<VarId>>&) {}

/// Both sides; feature by feature; stratum by stratum; and the errors of what was held out.
std::size_t MfAudit::phases_of_a_sweep() const {
  std::size_t phases = 2;
  if (asked_.solver == "ccd") phases = 2 * asked_.rank + (asked_.bias ? 2 : 0);
  if (asked_.solver == "sgd") phases = std::size_t{asked_.engine.schedulers} * asked_.engine.workers;
  return phases + (ratings_->validation.size() + ratings_->test.size() > 0 ? 1 : 0);
}

void MfAudit::judged(const PhasePlan& plan, Version version) {
  where_ = "the barrier at version " + std::to_string(version);
  verified_ = verify_;
  verify_ = plan.verdict == PhasePlan::Verdict::verify;
  // What a limit cuts off ends no sweep.
  ends_sweep_ = !verified_ && !limit_ && phases_ > 0 && phases_ % phases_of_a_sweep() == 0;
  if (plan.verdict == PhasePlan::Verdict::go_on) ++phases_;
}

void MfAudit::certified(const Certificate& certificate) {
  if (ends_sweep_) end_sweep(certificate);
  const auto& figures = certificate.figures;
  if (figures.size() < mf::kFigures) return expect(false, std::to_string(figures.size()) + " figures", "all of them");
  if (!verified_ && !rose_ && !limit_) {
    expect(figures[mf::kFigureSweep] == sweeps_, text_of(figures[mf::kFigureSweep]) + " sweeps",
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

void MfAudit::committed(const sim::AuditedCommit& commit) {
  limit_ = limit_ || commit.last;
}

void MfAudit::ended(const RunEnd& end) {
  where_ = "the end";
  const std::string expected = limit_ ? "limit" : due_;
  const bool says_so = failed_ ? !names_an_end(end.stop_reason) : end.stop_reason == expected;
  expect(limit_ || rose_ || says_so, "\"" + end.stop_reason + "\" after " + std::to_string(sweeps_) + " sweeps",
         failed_ ? "what has failed: nothing says that it is enough" : "\"" + expected + "\"");
  check_factors(end);
}

MfAudit::Factors MfAudit::reported(const RunEnd& end) {
  Factors factors;
  factors.rows.resize(std::size_t{ratings_->users->size()} + ratings_->items->size());
  const std::size_t stride = record_stride(asked_.rank);
  for (const Payload& status : end.statuses) {
    factors.weights.assign(status.values.end() - asked_.rank, status.values.end());
    std::vector<float> records;
    for (const SharedFloats& page : status.bulk) {
      records.insert(records.end(), page.view().begin(), page.view().end());
    }
    for (std::size_t k = 0; k < status.ids.size(); ++k) {
      expect(factors.rows[status.ids[k]].empty(), "factors of variable " + std::to_string(status.ids[k]) + " twice",
             "each once");
      const float* record = records.data() + k * stride;
      factors.rows[status.ids[k]].assign(record, record + asked_.rank + 1);
    }
  }
  for (std::size_t j = 0; j < factors.rows.size(); ++j) {
    expect(!factors.rows[j].empty(), "no factors of variable " + std::to_string(j), "those of all");
    factors.rows[j].resize(asked_.rank + 1, 0.0);
  }
  return factors;
}

double MfAudit::value(const Triplets& ratings, std::size_t t) const {
  return ratings.codes.empty() ? ratings.values[t] : ratings_->levels[ratings.codes[t]];
}

double MfAudit::mean() const {
  double sum = 0;
  for (std::size_t t = 0; t < ratings_->train.size(); ++t) sum += value(ratings_->train, t);
  return asked_.mean ? sum / static_cast<double>(ratings_->train.size()) : 0;
}

double MfAudit::squared_error(const Triplets& ratings, const Factors& factors) const {
  const double middle = mean();
  double sum = 0;
  for (std::size_t t = 0; t < ratings.size(); ++t) {
    const auto& user = factors.rows[ratings.users[t]];
    const auto& item = factors.rows[ratings_->users->size() + ratings.items[t]];
    double error = value(ratings, t) - middle - user[asked_.rank] - item[asked_.rank];
    for (std::size_t k = 0; k < asked_.rank; ++k) error -= user[k] * item[k];
    sum += error * error;
  }
  return sum;
}

double MfAudit::penalty(const Factors& factors) const {
  const std::uint32_t users = ratings_->users->size();
  std::vector<double> ratings(factors.rows.size(), asked_.weighted ? 0.0 : 1.0);
  for (std::size_t t = 0; asked_.weighted && t < ratings_->train.size(); ++t) {
    ratings[ratings_->train.users[t]] += 1;
    ratings[users + ratings_->train.items[t]] += 1;
  }
  double sum = 0;
  for (std::size_t j = 0; j < factors.rows.size(); ++j) {
    const auto& row = factors.rows[j];
    for (std::size_t k = 0; k <= asked_.rank; ++k) {
      const double weight = k == asked_.rank ? 1 : j < users ? factors.weights[k] : 1 / factors.weights[k];
      sum += ratings[j] * weight * row[k] * row[k];
    }
  }
  return sum;
}

void MfAudit::check_factors(const RunEnd& end) {
  const Factors factors = reported(end);
  const double error = squared_error(ratings_->train, factors);
  // sgd says what errors it has met while it learned.
  if (asked_.solver != "sgd") {
    expect_close("objective", end.certificate.objective, error + asked_.lambda * penalty(factors));
    if (!limit_)
      expect_close("training RMSE", end.certificate.figures[mf::kFigureTrainRmse],
                   std::sqrt(error / static_cast<double>(ratings_->train.size())));
  }
}

}  // namespace strads::simulator
