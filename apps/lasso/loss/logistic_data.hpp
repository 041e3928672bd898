// A response of two classes and what is fitted beside X beta without a penalty. Layer: apps/lasso. Pure.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lasso/loss/unpenalised_space.hpp"
#include "lasso/model/lasso_state.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/logistic.hpp"

namespace strads::lasso {

/// sum_i w_i log(1 + exp(-y_i eta_i)), eta = offset + Q a + X beta, where Q spans the intercept, the covariates and the
/// variables without a penalty. F(beta) is that at the best a, plus the penalty: at every replica a is fitted, so that
/// the residual is orthogonal to Q and the certificate's dual point only has to be made shorter.
struct LogisticData {
  std::vector<double> classes;      ///< y_i: -1 or 1, 0 at dropped rows
  std::span<const double> weights;  ///< of the samples; empty: all 1
  std::vector<double> offset;       ///< 0 at dropped rows; empty: none
  bool intercept = true;            ///< the first of the vectors of `space` is 1
  UnpenalisedSpace space;           ///< of the intercept, the covariates, the unpenalised variables, in this order
  LassoState::Linear null;          ///< at beta = 0
  double null_loss = 0;             ///< F(0)

  [[nodiscard]] LogisticSamples samples() const { return {classes, weights}; }
};

/// Slope and curvature at the predictor; returns the loss.
double refresh(const LogisticData& data, LassoState::Linear& linear, Chunks& chunks);

/// The way `v` of the predictor, with the way of what has no penalty that the quadratic at `linear` answers with: v <-
/// v + Q c. Returns c.
std::vector<double> respond(const LogisticData& data, const LassoState::Linear& linear, std::span<double> v);

/// Of data sets whose response is 0 or 1. `projected`: covariates, then unpenalised variables; `names`: of these.
/// Errors: input: what has no penalty separates the classes alone.
[[nodiscard]] Result<std::shared_ptr<const LogisticData>> prepare_logistic(
    std::span<const double> response, std::span<const double> weights, std::span<const std::uint32_t> dropped_rows,
    std::span<const double> offset, bool intercept, const std::vector<std::vector<double>>& unpenalised,
    const std::vector<std::string>& names);

}  // namespace strads::lasso
