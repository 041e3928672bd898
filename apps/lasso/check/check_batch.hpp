// Solutions that the check looks at together. Private to apps/lasso/check.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "lasso/check/check_solutions.hpp"

namespace strads::lasso {

inline constexpr std::size_t kBatch = 8;   ///< residuals that share one reading of the columns
inline constexpr double kAllowed = 1e-10;  ///< x F(0): so much may rounding make of a difference
/// The same for each standard deviation that a sparse column's mean is long.
inline constexpr double kRounding = 1e-14;
inline constexpr double kCollinear = 1e-10;  ///< of ||x~_j||^2: less than this is left by the covariates

inline constexpr const char* kWhatToDo =
    "Please report it with the command line; on a cluster, look also at who else can reach the driver's port";

/// As many digits as tell two figures apart.
[[nodiscard]] std::string exact_digits(double value);
/// Messages and data say different things of `what`.
[[nodiscard]] Status refused(const std::string& what, double claimed, double found);

/// What roundings of predictors, and the gradient that is left of what has no penalty, leave of twice a loss that is 0,
/// as that of counts which are all the same: it is flat there. `weight`: of the samples.
[[nodiscard]] double rounding_of_loss(const PredictorCheck::Reach& reach, double weight);

/// Residuals of some solutions, side by side as PlainColumns::SideBySide. Where lambda_max is asked for as well, the
/// response - of losses of the predictor the residual of the null fit - is the last of them.
struct SolutionCheck::Batch {
  std::size_t width = 0;
  std::span<const Solution> claims;
  bool with_response = false;
  std::size_t response = 0;  ///< its place
  std::vector<double> residuals;
  std::array<double, kBatch> totals{};   ///< by place: sum of sqrt(w_i) r_i
  std::array<double, kBatch> squared{};  ///< r'r
  std::array<double, kBatch> with_y{};   ///< r'y~
  std::array<double, kBatch> loss{};     ///< of losses of the predictor, whose r_i is sqrt(w_i) m_i
  std::array<double, kBatch> l2{};       ///< lambda (1 - l1 ratio) by place
  std::array<PredictorCheck::Reach, kBatch> reach{};
  std::array<double, kBatch> steepest{};  ///< max pull(h_j) / f_j by place
  std::array<double, kBatch> products{};  ///< of ridge: sum g_j^2 / f_j by place
};

/// Largest pull(h_j) / f_j by place, of what all threads have looked at so far: so that hardly any column is asked
/// whether covariates leave anything of it. What it is in the end does not depend on the order.
class SolutionCheck::Steepest {
 public:
  using Values = std::array<double, kBatch>;
  explicit Steepest(const Values& begin) {
    for (std::size_t k = 0; k < kBatch; ++k) values_[k].store(begin[k], std::memory_order_relaxed);
  }
  [[nodiscard]] Values values() const {
    Values now;
    for (std::size_t k = 0; k < kBatch; ++k) now[k] = values_[k].load(std::memory_order_relaxed);
    return now;
  }
  void raise_to(const Values& found) {
    for (std::size_t k = 0; k < kBatch; ++k) {
      double now = values_[k].load(std::memory_order_relaxed);
      while (now < found[k] && !values_[k].compare_exchange_weak(now, found[k], std::memory_order_relaxed)) {
      }
    }
  }

 private:
  std::array<std::atomic<double>, kBatch> values_;
};

}  // namespace strads::lasso
