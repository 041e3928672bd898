// A factorization in plain numbers: errors and penalties of given factors, and how far floats may be off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "strads/data/ratings.hpp"
#include "strads_sim/audit/audited_mf.hpp"

namespace strads::simulator {

/// Factors and biases of all users, then of all items, in doubles.
struct PlainFactors {
  std::vector<std::vector<double>> rows;  ///< rank + 1 each, the bias last; empty: nobody has reported it
  std::vector<double> weights;            ///< of the users' penalties; those of the items are their inverses
};

/// A sum of squared errors.
struct PlainSquares {
  double sum = 0;
  double rounding = 0;  ///< what a sum of floats may differ by
};

class PlainRatings {
 public:
  PlainRatings(std::shared_ptr<const Ratings> ratings, const AuditedMf& asked);

  [[nodiscard]] const Ratings& ratings() const { return *ratings_; }
  /// Training ratings of each user, then of each item.
  [[nodiscard]] const std::vector<std::uint32_t>& counts() const { return counts_; }
  /// More than half of a worker's fair share: several workers have a part of it each (docs/MODELS.md, "On the engine").
  [[nodiscard]] bool is_split(VarId variable) const;
  /// Of the training ratings. `cut`: a limit has ended the run in the middle of a phase.
  [[nodiscard]] PlainSquares training(const PlainFactors& factors, bool cut) const;
  /// Of validation or test ratings: predictions stay in the range of the ratings.
  [[nodiscard]] PlainSquares held_out(const Triplets& part, const PlainFactors& factors) const;
  [[nodiscard]] double penalty(const PlainFactors& factors) const;

 private:
  [[nodiscard]] double of_unit() const { return asked_.unit == 1 ? 0 : 1; }
  struct Prediction {
    double value = 0;
    double size = 0;  ///< sum of the magnitudes of its terms
  };
  [[nodiscard]] double value(const Triplets& part, std::size_t t) const;
  [[nodiscard]] Prediction predict(const Triplets& part, std::size_t t, const PlainFactors& factors) const;

  std::shared_ptr<const Ratings> ratings_;
  AuditedMf asked_;
  std::vector<std::uint32_t> counts_;
  double mean_ = 0;  ///< what is subtracted from every rating
};

}  // namespace strads::simulator
