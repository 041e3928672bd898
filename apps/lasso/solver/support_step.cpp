#include "lasso/solver/support_step.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "lasso/solver/local_block.hpp"

namespace strads::lasso {

namespace {

constexpr std::uint32_t kProductsMax = 200;
constexpr std::uint32_t kPeriod = 10;  ///< products before signs are looked at; so many more each time
constexpr double kCrossedMax = 0.02;   ///< of the nonzeros, and kFew: more that change their sign are not settled
constexpr double kFew = 16;
constexpr double kNoCurvature = 1e-14;  ///< x ||p||^2: along p the quadratic is a line

/// The quadratic on the support, and the way to its minimum.
class Descent {
 public:
  Descent(const StandardizedColumns& columns, StandardizedColumns::ByRows& by_rows, const Penalty& penalty,
          std::span<const VarId> variables, std::span<const double> gradient, std::span<const double> value,
          Chunks& chunks, Cost& cost)
      : columns_(columns),
        by_rows_(by_rows),
        chunks_(chunks),
        cost_(cost),
        coefficients_(variables.size(), 0.0),
        products_(variables.size()),
        moved_(columns.rows()) {
    for (std::size_t k = 0; k < variables.size(); ++k) {
      if (value[k] == 0.0) continue;
      const VarId j = variables[k];
      const VariablePenalty own = penalty.of(j);
      places_.push_back(k);
      ids_.push_back(j);
      value_.push_back(value[k]);
      sign_.push_back(std::copysign(1.0, value[k]));
      l1_.push_back(own.l1);
      l2_.push_back(own.l2);
      curvature_.push_back(columns.squared_norm(j) + own.l2);
      slope_.push_back(gradient[k] - sign_.back() * own.l1 - own.l2 * value[k]);
      held_.push_back(curvature_.back() > 0 ? 0 : 1);
      pass_flops_ += columns.work(j);
    }
    way_.assign(ids_.size(), 0.0);
    start_slope_ = slope_;
  }

  /// Conjugate gradients. Returns how many products were taken; `settled` as in SupportStep.
  std::uint32_t run(double share, bool& settled) {
    const std::size_t size = ids_.size();
    std::vector<double> direction(size), product(size), better(size);
    double length = 0;
    const auto begin = [&] {
      precondition(direction);
      length = dot(direction, slope_);
    };
    make_preconditioner();
    begin();
    std::uint32_t since = 0, period = kPeriod;
    while (products_taken_ < kProductsMax && length > 0) {
      const bool level = flat(share);
      if (level || since >= period) {
        const bool changed = hold_and_release(share);
        if (!changed && level) break;
        since = 0;
        period += kPeriod;
        if (changed) {
          if (preconditioner_ != nullptr && static_cast<double>(changes_) > kFew) make_preconditioner();
          begin();
          continue;
        }
      }
      multiply(direction, product);
      double curvature = dot(direction, product);
      for (std::size_t i = 0; i < size; ++i) curvature += l2_[i] * direction[i] * direction[i];
      if (!(curvature > kNoCurvature * dot(direction, direction))) break;
      ++since;
      const double step = length / curvature;
      axpy(step, direction, way_);
      for (std::size_t i = 0; i < size; ++i) slope_[i] -= step * (product[i] + l2_[i] * direction[i]);
      precondition(better);
      const double next = dot(better, slope_);
      for (std::size_t i = 0; i < size; ++i) direction[i] = better[i] + next / length * direction[i];
      length = next;
      cost_.local += 12 * size;
      if (static_cast<double>(count_crossed()) > std::max(kFew, kCrossedMax * static_cast<double>(size))) {
        settled = false;
        break;
      }
    }
    return products_taken_;
  }

  /// What has crossed zero is held there, and what is held but would rather come back is let go. True iff anything
  /// changed; the slopes are those of the new place.
  bool hold_and_release(double share) {
    bool changed = false;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (held_[i] != 0) {
        if (!(slope_[i] * sign_[i] > share * l1_[i]) || curvature_[i] == 0.0) continue;
        held_[i] = 0;
      } else {
        if (!crosses(i)) continue;
        way_[i] = -value_[i];
        held_[i] = 1;
      }
      changed = true;
      ++changes_;
    }
    if (!changed) return false;
    multiply(way_, slope_);
    for (std::size_t i = 0; i < ids_.size(); ++i) slope_[i] = start_slope_[i] - slope_[i] - l2_[i] * way_[i];
    return true;
  }

  /// Goes the way found as far as it leads down. Returns the decrease.
  double step(std::span<double> value, std::span<double> residual) {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (crosses(i)) way_[i] = -value_[i];
      coefficients_[places_[i]] = way_[i];
    }
    by_rows_.combine(coefficients_, moved_, chunks_);
    count_pass(cost_, pass_flops_);
    // Nothing changes its sign before the end of the way: all of it lies on one quadratic.
    double slope = 0, curvature = dot(moved_, moved_);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      slope += start_slope_[i] * way_[i];
      curvature += l2_[i] * way_[i] * way_[i];
    }
    if (!(slope > 0)) return 0;
    const double step = curvature > slope ? slope / curvature : 1.0;
    const double decrease = step * (slope - 0.5 * step * curvature);
    if (!(decrease > 0)) return 0;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const double moved = value_[i] + step * way_[i];
      // What stops at zero is exactly there; rounding must not carry anything across.
      value[places_[i]] = moved * sign_[i] > 0 ? moved : 0.0;
    }
    axpy(-step, moved_, residual);
    return decrease;
  }

  [[nodiscard]] bool empty() const { return ids_.empty(); }

 private:
  /// product = X'X direction.
  void multiply(std::span<const double> direction, std::vector<double>& product) {
    for (std::size_t i = 0; i < ids_.size(); ++i) coefficients_[places_[i]] = direction[i];
    by_rows_.multiply(coefficients_, products_, chunks_);
    for (std::size_t i = 0; i < ids_.size(); ++i) product[i] = products_[places_[i]];
    ++products_taken_;
    count_pass(cost_, 2 * pass_flops_);
  }
  /// z = M^-1 slope of what is free; what is held stays.
  void precondition(std::vector<double>& z) {
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = held_[i] == 0 ? slope_[i] / curvature_[i] : 0.0;
    if (preconditioner_ == nullptr) return;
    for (std::size_t k = 0; k < free_.size(); ++k) free_slope_[k] = held_[free_[k]] == 0 ? slope_[free_[k]] : 0.0;
    preconditioner_->apply(free_slope_, free_way_);
    for (std::size_t k = 0; k < free_.size(); ++k) z[free_[k]] = held_[free_[k]] == 0 ? free_way_[k] : 0.0;
    cost_.local += preconditioner_->work();
  }
  /// For what is free now: one for all, with rows and columns of what is held struck out, takes twice the products.
  void make_preconditioner() {
    free_.clear();
    changes_ = 0;
    std::vector<VarId> ids;
    std::vector<double> l2;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (held_[i] != 0) continue;
      free_.push_back(i);
      ids.push_back(ids_[i]);
      l2.push_back(l2_[i]);
    }
    preconditioner_ = std::make_unique<StandardizedColumns::Preconditioner>(columns_, ids, l2);
    cost_.local += preconditioner_->work_made();
    if (preconditioner_->light() == 0) preconditioner_.reset();
    free_slope_.resize(free_.size());
    free_way_.resize(free_.size());
  }
  [[nodiscard]] bool flat(double share) const {
    for (std::size_t i = 0; i < slope_.size(); ++i) {
      if (held_[i] == 0 && std::abs(slope_[i]) > share * l1_[i]) return false;
    }
    return true;
  }
  [[nodiscard]] bool crosses(std::size_t i) const { return (value_[i] + way_[i]) * sign_[i] < 0; }
  [[nodiscard]] std::size_t count_crossed() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < ids_.size(); ++i) count += crosses(i) ? 1 : 0;
    return count;
  }

  const StandardizedColumns& columns_;
  StandardizedColumns::ByRows& by_rows_;
  Chunks& chunks_;
  Cost& cost_;
  std::vector<std::size_t> places_;  ///< in the block
  std::vector<VarId> ids_;
  std::vector<double> value_, sign_, l1_, l2_, curvature_;
  std::vector<char> held_;                                               ///< 1: stopped at zero
  std::unique_ptr<StandardizedColumns::Preconditioner> preconditioner_;  ///< null: the diagonal
  std::size_t changes_ = 0;                                              ///< of what is held, since it was made
  std::vector<std::size_t> free_;                                        ///< places that it was made for
  std::vector<double> free_slope_, free_way_;                            ///< by place in free_
  std::vector<double> slope_, start_slope_;  ///< minus the derivatives, at the end of the way and at its start
  std::vector<double> way_;
  std::vector<double> coefficients_;  ///< by place in the block
  std::vector<double> products_;      ///< the same
  std::vector<double> moved_;         ///< X way
  std::uint64_t pass_flops_ = 0;
  std::uint32_t products_taken_ = 0;
};

}  // namespace

SupportStep step_on_support(const StandardizedColumns& columns, StandardizedColumns::ByRows& by_rows,
                            const Penalty& penalty, std::span<const VarId> variables, std::span<const double> gradient,
                            double share, std::vector<double>& value, std::vector<double>& residual, Chunks& chunks,
                            Cost& cost) {
  SupportStep taken;
  Descent descent(columns, by_rows, penalty, variables, gradient, value, chunks, cost);
  if (descent.empty()) return taken;
  taken.products = descent.run(share, taken.settled);
  taken.decrease = descent.step(value, residual);
  return taken;
}

}  // namespace strads::lasso
