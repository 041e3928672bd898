// A support vector machine in plain numbers: rows of doubles, every sum one term after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "strads/base/types.hpp"
#include "strads_sim/audit/audited_svm.hpp"
#include "svm/problem/svm.hpp"

namespace strads::simulator {

/// What is true of dual variables a, for each problem.
struct PlainDual {
  std::vector<std::vector<double>> w;  ///< sum of a y x; the constant feature is the last one
  std::vector<double> primal, dual;
  std::vector<double> gradients;  ///< by variable, of f = minus the dual objective
  double scale = 0;               ///< largest sum of absolute values among them: what rounding is compared with
  double violation = 0;           ///< largest projected gradient
  std::size_t support = 0, at_bound = 0;

  [[nodiscard]] double f() const;
};

class PlainDuals {
 public:
  PlainDuals(std::shared_ptr<const svm::SvmData> data, const AuditedSvm& asked);

  [[nodiscard]] const svm::SvmData& data() const { return *data_; }
  [[nodiscard]] std::size_t problems() const { return problems_; }
  [[nodiscard]] std::size_t variables() const { return problems_ * rows_.size(); }
  [[nodiscard]] std::size_t width() const { return data_->rows.features + (asked_.bias != 0 ? 1U : 0U); }
  /// Bounds and curvature of a variable by itself, and the product of two variables of one problem; 0 of two problems.
  [[nodiscard]] double upper(std::size_t j) const;
  [[nodiscard]] double curvature(std::size_t j) const { return product(j, j) + diagonal(j); }
  [[nodiscard]] double product(std::size_t j, std::size_t k) const;
  /// f along `delta` has this second derivative.
  [[nodiscard]] double curvature_along(const std::vector<double>& delta) const;
  [[nodiscard]] PlainDual at(const std::vector<double>& a) const;

 private:
  [[nodiscard]] std::size_t problem(std::size_t j) const { return j / rows_.size(); }
  [[nodiscard]] double sign(std::size_t j) const;
  [[nodiscard]] double cost(std::size_t j) const;
  [[nodiscard]] double diagonal(std::size_t j) const { return asked_.hinge ? 0 : 1 / (2 * cost(j)); }

  std::shared_ptr<const svm::SvmData> data_;
  AuditedSvm asked_;
  std::size_t problems_;
  std::vector<std::vector<double>> rows_;  ///< width() numbers each
};

}  // namespace strads::simulator
