// What solutions come to, with few readings of the columns: one serves the residuals of several of them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "lasso/check/checked_problem.hpp"

namespace strads::lasso {

class ColumnPasses {
 public:
  static constexpr std::size_t kBatch = 8;  ///< residuals that share one reading of the columns

  /// `problem` must outlive this. `release`: give every piece of mapped columns back when it was read, since nobody
  /// else here needs it.
  ColumnPasses(CheckedProblem& problem, Chunks& chunks, bool release)
      : problem_(problem), columns_(problem.columns()), chunks_(chunks), release_(release) {}

  /// Hears now and then, on the caller's thread, how many of how many readings of the columns are done.
  using Progress = std::function<void(double done, double of)>;
  void tell(Progress progress) { progress_ = std::move(progress); }

  /// Cost: one pass over the columns for every 8 claims, with lambda_max for the first 7; of a path on dense columns of
  /// unit norm for every 57 (check_stretch.cpp), where their residuals take little beside the columns. All threads.
  [[nodiscard]] std::vector<FamilyCheck::Figures> figures(std::span<const Solution> claims);
  /// Of the last figures().
  [[nodiscard]] double lambda_max() const { return lambda_max_; }
  /// Whether a column's product with the response is more than rounding makes of 0; after the first pass.
  [[nodiscard]] bool pulls() const { return pulls_.load(std::memory_order_relaxed); }

 private:
  using ByPlace = std::array<double, kBatch>;
  struct Batch;
  struct Between;
  class Steepest;
  [[nodiscard]] static std::size_t references_of(bool with_response) { return kBatch - (with_response ? 1 : 0); }
  [[nodiscard]] FamilyCheck::Figures figures_of(const Batch& batch, std::size_t place, const Solution& claim) const;
  void expect(std::span<const VarId> variables) const;
  // Residuals.
  void load(Batch& batch, std::span<const Solution> claims);
  void subtract_fits(Batch& batch) const;
  void fit(Batch& batch, std::size_t filled) const;
  // A pass.
  void pass(Batch& batch, Between* between);
  ByPlace pass_piece(const Batch& batch, VarId begin, VarId end, Steepest& steepest, Between* between);
  void add_products(const Batch& batch, VarId begin, VarId end, std::span<const double> products, ByPlace& sums);
  void look_for_pull(const Batch& batch, VarId begin, VarId end, std::span<const double> products);
  // A stretch of a path (check_stretch.cpp).
  [[nodiscard]] std::size_t stretch_length(bool with_response) const;
  void check_stretch(Batch& references, std::span<const Solution> claims, std::vector<FamilyCheck::Figures>& figures);
  void place_between(Between& between, const Batch& references) const;
  void look_between(Between& between, VarId begin, VarId end, std::span<const double> products) const;
  void raise(Between& between, std::size_t group, std::span<const VarId> variables);

  CheckedProblem& problem_;
  const PlainColumns& columns_;
  Chunks& chunks_;
  bool release_;
  std::atomic<bool> pulls_ = false;
  double lambda_max_ = 0;
  Progress progress_;
  double passes_done_ = 0, passes_ = 0;  ///< readings of the columns, of figures()
};

/// Residuals of some solutions, side by side as PlainColumns::SideBySide, times sqrt(w). Where lambda_max is asked for
/// as well, that of b = 0 is the last of them.
struct ColumnPasses::Batch {
  std::size_t width = 0;
  std::span<const Solution> claims;
  bool with_response = false;
  std::size_t response = 0;  ///< its place
  std::vector<double> residuals;
  // By place.
  ByPlace totals{};   ///< sum of sqrt(w_i) r_i
  ByPlace squared{};  ///< r'r
  std::array<FamilyCheck::Point, kBatch> points{};
  std::array<PlainPenalty, kBatch> penalties{};
  ByPlace steepest{};  ///< max pull(h_j) / f_j
  ByPlace products{};  ///< of ridge: sum g_j^2 / f_j
};

/// Largest pull(h_j) / f_j by place, of what all threads have looked at so far: so that hardly any column is asked
/// whether covariates leave anything of it. What it is in the end does not depend on the order.
class ColumnPasses::Steepest {
 public:
  explicit Steepest(const ByPlace& begin) {
    for (std::size_t k = 0; k < kBatch; ++k) values_[k].store(begin[k], std::memory_order_relaxed);
  }
  [[nodiscard]] ByPlace values() const {
    ByPlace now;
    for (std::size_t k = 0; k < kBatch; ++k) now[k] = values_[k].load(std::memory_order_relaxed);
    return now;
  }
  void raise_to(const ByPlace& found) {
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
