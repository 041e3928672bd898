// A loss of the linear predictor and what is fitted beside X beta without a penalty. Layer: apps/lasso. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lasso/family/family.hpp"
#include "lasso/problem/lasso_state.hpp"
#include "lasso/problem/unpenalised_space.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/numerics/losses.hpp"

namespace strads::lasso {

/// sum_i w_i l(y_i, eta_i), eta = offset + Q a + X beta, where Q spans the intercept, the covariates and the variables
/// without a penalty. F(beta) is that at the best a, plus the penalty: at every replica a is fitted, so that the
/// residual is orthogonal to Q and the certificate's dual point only has to be made shorter.
struct PredictorData {
  Family family = Family::binomial;
  std::vector<double> response;     ///< y_i as the loss has it, 0 at dropped rows
  std::vector<double> present;      ///< 1, 0 at dropped rows
  std::span<const double> weights;  ///< of the samples, or `present`
  std::vector<double> offset;       ///< 0 at dropped rows; empty: none
  bool intercept = true;            ///< the first of the vectors of `space` is 1
  UnpenalisedSpace space;           ///< of the intercept, the covariates, the unpenalised variables, in this order
  LassoState::Linear null;          ///< at beta = 0
  double null_loss = 0;             ///< F(0)

  [[nodiscard]] LossSamples samples() const { return {response, weights, *family->loss}; }
};

/// Slope and curvature at the predictor; returns the loss.
double refresh(const PredictorData& data, LassoState::Linear& linear, Chunks& chunks);

/// The way `v` of the predictor, with the way of what has no penalty that the quadratic at `linear` answers with: v <-
/// v + Q c. Returns c.
std::vector<double> respond(const PredictorData& data, const LassoState::Linear& linear, std::span<double> v);

/// `unpenalised`: covariates, then unpenalised variables; `names`: of these; `name_of`: of rows, for messages.
/// Errors: input: as FamilyFacts::usable(); what has no penalty alone brings the loss down for ever.
[[nodiscard]] Result<std::shared_ptr<const PredictorData>> prepare_predictor(
    Family family, std::span<const double> response, std::span<const double> weights,
    std::span<const std::uint32_t> dropped_rows, std::span<const double> offset, bool intercept,
    const std::vector<std::vector<double>>& unpenalised, const std::vector<std::string>& names,
    std::function<std::string(std::size_t)> name_of = {});

}  // namespace strads::lasso
