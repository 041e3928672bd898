// What factors make of the training ratings. Private to apps/mf.
#pragma once

#include "mf/factors/model_files.hpp"
#include "mf/model/mf_model.hpp"
#include "mf/problem/mf.hpp"

namespace strads::mf {

/// Of the factors as they are written, in double precision, by loops that no solver shares.
struct Recounted {
  /// Training errors, not clipped; infinite where factors are no numbers. Implicit feedback: the first two sums of F.
  double squared = 0;
  double penalty = 0;  ///< without lambda
  double reach =
      0;  ///< sum over the ratings of (|a - m| + |b_i| + |b_j| + ||w_i|| ||h_j||)^2: what rounding is a share of
  double validation_reach = 0;  ///< over the validation ratings, with |b_i b_j| in the sum
  bool complete = true;         ///< the ratings are those that this process has read, each once

  [[nodiscard]] double objective(double lambda) const { return squared + lambda * penalty; }
};

/// The same bits (but for `reach`) for any number of threads and in whatever order this process holds the ratings.
/// REQUIRES: `model` was made by make_mf_model(), and either all of its workers are here or its data still have the
/// ratings. Cost: a pass over the ratings, 2 rank flops each.
[[nodiscard]] Recounted recounted(const MfModel& model, const FactorModel& factors, Chunks& chunks);

/// For who tells of a run of sgd, which knows the errors that it met, each before the step that it led to: its end gets
/// objective and training error of the factors that are kept. Of the other solvers nothing is done.
void recount(const Model& model, RunEnd& end, Chunks& chunks);

}  // namespace strads::mf
