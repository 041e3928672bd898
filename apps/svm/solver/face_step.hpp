// A Newton-like step on the face of the free variables. Private to apps/svm.
//
// Coordinate descent finds out soon which variables stay on their bounds; what is left is a quadratic function of the
// free ones, and there it is slow where samples are many and features few. Conjugate gradients minimise it over the
// face, then the exact minimum along the way is searched, which bends where a variable reaches a bound [More, Toraldo
// 1991]. The objective cannot rise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strads/base/chunks.hpp"
#include "svm/solver/samples.hpp"

namespace strads::svm {

/// Of the variables of a face, by their place in it.
struct Face {
  std::vector<std::uint32_t> samples;
  std::vector<double> sign, value, upper, diagonal, gradient;

  [[nodiscard]] std::size_t size() const { return samples.size(); }
  void clear() {
    samples.clear();
    for (auto* numbers : {&sign, &value, &upper, &diagonal, &gradient}) numbers->clear();
  }
};

struct FaceStep {
  double decrease = 0;           ///< of f, as the search along the way has it
  std::uint32_t iterations = 0;  ///< of conjugate gradients
  std::uint32_t hits = 0;        ///< variables that came to a bound
  bool solved = false;           ///< the residual is as small as it was asked to be
  std::uint64_t flops = 0;
};

/// Moves `face.value` and w = sum a_i y_i x_i. `residual`: of conjugate gradients, against where they start.
/// Cost: two products with all samples of the face an iteration.
FaceStep step_on_face(const Samples& samples, Face& face, std::span<double> w, double residual,
                      std::uint32_t iterations_max, Chunks& chunks);

}  // namespace strads::svm
