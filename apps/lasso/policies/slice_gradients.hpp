// The gradients of a slice's variables, exact where it matters and bounded where it does not (docs/DESIGN.md,
// "Passes").
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "lasso/problem/penalty.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/types.hpp"
#include "strads/numerics/columns.hpp"

namespace strads::lasso {

/// g_j = x_j'r of every variable of a slice at the newest residual it was shown.
///
/// What refresh() returns are the numbers of a pass over all columns in double precision, bit for bit; but a column is
/// read only where a bound says that it could matter, and read in double precision only where the bound from whole
/// numbers says so. Bounds are carried from residual to residual: |g_j| changes by at most ||x_j|| ||r_now - r_then||.
class SliceGradients {
 public:
  /// `variables` outlives the object. `curvature`: of the loss's quadratic bound, in units of ||x_j||^2.
  SliceGradients(const StandardizedColumns& columns, std::span<const VarId> variables, double curvature = 1);
  SliceGradients(const SliceGradients&) = delete;
  SliceGradients& operator=(const SliceGradients&) = delete;

  /// Statistics of all columns and their products with y, in one pass. Returns max pull(g_j) / f_j, exact.
  /// `zeros`: as many as there are variables.
  [[nodiscard]] double scan(std::span<const double> y, std::span<const double> zeros, const Penalty& penalty,
                            Chunks& chunks, Cost& cost);

  /// What is asked at a barrier.
  struct Question {
    std::span<const double> residual;
    std::span<const double> beta;            ///< by position
    std::span<const std::uint32_t> support;  ///< positions where beta is not 0, no repeats
    const Penalty& penalty;
    std::size_t best = 0;  ///< so many of the best candidates will be asked for
    bool all = false;      ///< every gradient shall be exact: what is bounded is not enough
  };
  struct Answer {
    double steepest = 0;          ///< max pull(h_j) / f_j over all variables, at least 0
    std::uint64_t violators = 0;  ///< zero variables with pull(g_j) > A_j
    /// Positions of violators, ascending: all, or so many that the best Question::best are among them and that all
    /// others are worse than those. Their gradients are exact, as those of the support are.
    std::vector<std::uint32_t> candidates;
  };
  [[nodiscard]] Answer refresh(const Question& question, Chunks& chunks, Cost& cost);

  /// Positions of zero variables with pull(g_j) / f_j >= least, ascending: all, or so many that the `count` steepest
  /// are among them. Their gradients are exact from now on. REQUIRES: `question` is that of the last refresh.
  [[nodiscard]] std::vector<std::uint32_t> steepest_zeros(const Question& question, double least, std::size_t count,
                                                          Chunks& chunks, Cost& cost);

  /// By position: exact for all if Question::all asks for it, else for the support and the candidates of the last
  /// refresh. Of the others none is, by this number or by its exact one, a better candidate than the worst of
  /// Question::best.
  [[nodiscard]] double operator[](std::size_t i) const { return gradient_[i]; }
  /// Flops of a pass over all columns of the slice.
  [[nodiscard]] std::uint64_t work_of_all() const { return work_; }

 private:
  static constexpr std::size_t kVersions = 8;
  static constexpr std::uint8_t kNever = kVersions;
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  /// Variables of a piece of a search.
  static constexpr std::size_t kPiece = 8192;
  /// Bounds are computed in double precision: by far less than this share of them is lost.
  static constexpr double kSlack = 1e-9;
  [[nodiscard]] static std::size_t pieces_of(std::size_t count, std::size_t piece) {
    return (count + piece - 1) / piece;
  }

  /// A residual that some of the gradients belong to.
  struct Seen {
    std::vector<double> residual;  ///< empty: none of them does
    double length = 0;             ///< ||r||
    double error = 0;              ///< |stored - exact x_j'r| <= error x ||x_j||, apart from rounding
    double reach = 0;              ///< |stored - exact x_j'r_now| <= reach x ||x_j||
  };
  /// What is known of the columns of a slice, or of some of them.
  struct Bounds {
    double length_min = kFar, length_max = 0;  ///< of ||x_j||
    double rounding = 0;                       ///< of a product, relative to ||x_j|| ||r||
    double squared_norm_min = kFar;            ///< of L_j
    void add(const Bounds& other);
  };
  /// Where the search begins.
  struct Guess {
    double steepest = 0;  ///< a lower bound of the maximum
    double decrease = 0;  ///< about twice as many candidates as wanted bring at least so much; 0: all of them count
  };
  /// What one piece of a search found.
  struct Found {
    std::vector<std::uint32_t> positions;
    std::uint64_t violators = 0;  ///< others
  };

  [[nodiscard]] Bounds bounds_of(std::span<const VarId> variables) const;
  void keep_bounds(std::span<const Bounds> pieces);
  void prepare(Chunks& chunks);
  [[nodiscard]] bool show(std::span<const double> residual);
  void set_versions(std::size_t place);
  [[nodiscard]] std::size_t free_place();
  [[nodiscard]] double margin(std::size_t i) const {
    return seen_[version_[i]].reach * (lengths_.empty() ? bounds_.length_max : lengths_[i]);
  }
  [[nodiscard]] double decrease(std::size_t i, double pull, const VariablePenalty& penalty) const;
  [[nodiscard]] std::uint64_t work_of(std::span<const VarId> variables) const;
  void evaluate(std::span<const std::uint32_t> positions, bool exactly, Chunks& chunks, Cost& cost);
  [[nodiscard]] Answer answer_all(const Question& question, Chunks& chunks, Cost& cost);
  void evaluate_all(const Question& question, Chunks& chunks, Cost& cost);
  [[nodiscard]] bool mostly_outdated(const Question& question) const;
  void evaluate_all(bool exactly, Chunks& chunks, Cost& cost);
  [[nodiscard]] bool nearly_new(std::uint8_t version) const;
  std::size_t find_plausible(const Question& question, double steepest, Chunks& chunks);
  void evaluate_outdated(bool exactly, Chunks& chunks, Cost& cost);
  void bring_up_to_date(const Question& question, double steepest, Chunks& chunks, Cost& cost);
  [[nodiscard]] std::vector<std::uint32_t> reaching(const Question& question, double least, Chunks& chunks) const;
  [[nodiscard]] bool reaches(const Question& question, std::size_t i, double least) const;
  [[nodiscard]] Guess guess(const Question& question, double steepest, std::size_t wanted) const;
  void search(const Question& question, const Guess& from, std::span<const std::uint32_t> positions,
              Found& found) const;
  [[nodiscard]] Found search_all(const Question& question, const Guess& from, Chunks& chunks) const;
  void judge(const Question& question, std::span<const std::uint32_t> positions, Answer& answer) const;
  [[nodiscard]] Answer answer(const Question& question, double steepest, Chunks& chunks, Cost& cost);
  [[nodiscard]] Answer answer_plainly(const Question& question, double steepest, Chunks& chunks, Cost& cost);

  const StandardizedColumns& columns_;
  std::span<const VarId> variables_;
  double curvature_;
  std::uint64_t work_ = 0;
  std::vector<double> gradient_;       ///< by position
  std::vector<std::uint8_t> version_;  ///< by position: the place in seen_ of the residual that it belongs to
  std::array<Seen, kVersions + 1> seen_;
  std::array<std::size_t, kVersions + 1> users_{};  ///< how many gradients belong to each
  std::size_t now_ = 0;                             ///< place of the newest residual
  QuantisedVector quantised_;                       ///< of the newest residual, where columns can be approximated
  std::span<const std::uint32_t> plausible_;        ///< positions that bounds did not rule out, ascending
  /// Room for these: kept, since new memory costs more; never filled, so that pages that nothing is written to take
  /// none.
  std::unique_ptr<std::uint32_t[]> plausible_room_;
  std::vector<VarId> list_;  ///< what is evaluated, and the products
  std::vector<double> products_;
  bool prepared_ = false;  ///< bounds_ and lengths_ are known
  Bounds bounds_;
  std::vector<double> lengths_;  ///< >= ||x_j|| by position; empty: all are about bounds_.length_max
};

}  // namespace strads::lasso
