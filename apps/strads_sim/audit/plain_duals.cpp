#include "strads_sim/audit/plain_duals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace strads::simulator {

double PlainDual::f() const {
  double sum = 0;
  for (const double each : dual) sum -= each;
  return sum;
}

PlainDuals::PlainDuals(std::shared_ptr<const svm::SvmData> data, const AuditedSvm& asked)
    : data_(std::move(data)), asked_(asked), problems_(data_->classes == 2 ? 1 : data_->classes) {
  const svm::Rows& rows = data_->rows;
  for (std::size_t i = 0; i < data_->labels.size(); ++i) {
    auto& row = rows_.emplace_back(width(), 0.0);
    for (std::uint64_t at = rows.begins[i]; at < rows.begins[i + 1]; ++at) row[rows.index[at]] = rows.values[at];
    if (asked_.bias != 0) row.back() = asked_.bias;
  }
}

double PlainDuals::sign(std::size_t j) const {
  const std::uint32_t positive = problems_ == 1 ? 1U : static_cast<std::uint32_t>(problem(j));
  return data_->labels[j % rows_.size()] == positive ? 1 : -1;
}

double PlainDuals::cost(std::size_t j) const {
  const std::size_t i = j % rows_.size();
  double weight = 1;
  if (!data_->sample_weights.empty()) weight *= data_->sample_weights[i];
  if (!data_->class_weights.empty() && (problems_ == 1 || sign(j) > 0)) {
    weight *= data_->class_weights[data_->labels[i]];
  }
  return asked_.cost * weight;  // rounded as the bound is that variables reach to the last bit
}

double PlainDuals::upper(std::size_t j) const {
  return asked_.hinge ? cost(j) : std::numeric_limits<double>::infinity();
}

double PlainDuals::product(std::size_t j, std::size_t k) const {
  if (problem(j) != problem(k)) return 0;
  const auto &left = rows_[j % rows_.size()], &right = rows_[k % rows_.size()];
  double sum = 0;
  for (std::size_t f = 0; f < left.size(); ++f) sum += left[f] * right[f];
  return sign(j) * sign(k) * sum;
}

double PlainDuals::curvature_along(const std::vector<double>& delta) const {
  double sum = 0;
  for (std::size_t p = 0; p < problems_; ++p) {
    std::vector<double> way(width(), 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::size_t j = p * rows_.size() + i;
      if (delta[j] == 0) continue;
      for (std::size_t f = 0; f < way.size(); ++f) way[f] += sign(j) * delta[j] * rows_[i][f];
      sum += diagonal(j) * delta[j] * delta[j];
    }
    for (const double each : way) sum += each * each;
  }
  return sum;
}

PlainDual PlainDuals::at(const std::vector<double>& a) const {
  PlainDual found;
  found.gradients.resize(variables());
  for (std::size_t p = 0; p < problems_; ++p) {
    std::vector<double> w(width(), 0.0);
    double square = 0, linear = 0, loss = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::size_t j = p * rows_.size() + i;
      for (std::size_t f = 0; f < w.size(); ++f) w[f] += sign(j) * a[j] * rows_[i][f];
      square += diagonal(j) * a[j] * a[j];
      linear += a[j];
    }
    double norm = 0;
    for (const double each : w) norm += each * each;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::size_t j = p * rows_.size() + i;
      double margin = 0;
      for (std::size_t f = 0; f < w.size(); ++f) margin += sign(j) * w[f] * rows_[i][f];
      const double lack = std::max(0.0, 1 - margin);
      loss += cost(j) * (asked_.hinge ? lack : lack * lack);
      const double gradient = found.gradients[j] = margin - 1 + diagonal(j) * a[j];
      const bool down = a[j] > 0 && gradient > 0, up = a[j] < upper(j) && gradient < 0;
      if (down || up) found.violation = std::max(found.violation, std::abs(gradient));
      found.support += a[j] > 0 ? 1 : 0;
      found.at_bound += a[j] >= upper(j) ? 1 : 0;
    }
    found.primal.push_back(norm / 2 + loss);
    found.dual.push_back(linear - (norm + square) / 2);
    found.scale += norm + loss + linear + square;
    found.w.push_back(std::move(w));
  }
  return found;
}

}  // namespace strads::simulator
