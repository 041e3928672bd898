// A linear support vector machine on the engine: what the program `svm` asks of its model.
// docs/MODELS.md has the mathematics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strads/engine/options.hpp"
#include "strads/policies/options.hpp"

namespace strads {
class Model;    // strads/engine/model.hpp
struct RunEnd;  // strads/engine/progress.hpp
}  // namespace strads

namespace strads::svm {

/// l(m) of a sample with margin m = y_i (w'x_i + bias).
enum class Loss : std::uint8_t {
  hinge,         ///< max(0, 1 - m)
  squared_hinge  ///< max(0, 1 - m)^2 (LIBLINEAR's -s 1 and -s 2)
};

struct SvmOptions {
  Loss loss = Loss::hinge;
  double cost = 1;          ///< C, above 0
  double bias = 1;          ///< B: one more feature of this value at every sample, penalised as all are; 0: none
  double tolerance = 1e-6;  ///< the run ends when the gap of each problem is at most this share of its primal objective
  PolicyOptions policies;   ///< who chooses the samples of a round
  /// The run's coordinator tells the cost: a node need not know it when it makes its model. For one that rests on what
  /// runs before it have found.
  bool cost_is_told = false;
};

/// Samples as sparse rows.
struct Rows {
  std::uint32_t features = 0;         ///< d: indices are below it
  std::vector<std::uint64_t> begins;  ///< n + 1: row i is the entries begins[i] ... begins[i + 1] - 1
  std::vector<std::uint32_t> index;   ///< of each entry, ascending within a row
  std::vector<double> values;         ///< of each entry, finite

  [[nodiscard]] std::size_t size() const { return begins.empty() ? 0 : begins.size() - 1; }
  [[nodiscard]] std::uint64_t entries() const { return index.size(); }
};

/// What one process knows of the data. It never changes while a model is there.
struct SvmData {
  Rows rows;
  /// Of each sample: the number of its class, below `classes`. Every class has a sample.
  std::vector<std::uint32_t> labels;
  /// At least 2. With 2 there is one problem, class 1 (+1) against class 0 (-1); with more there is one for each class
  /// (+1) against the rest (-1), in the order of their numbers.
  std::uint32_t classes = 2;
  std::vector<double> sample_weights;  ///< above 0; empty: all are 1
  /// By class, above 0; empty: all are 1. C_i = C x sample_weights[i] x class_weights[labels[i]]; in a problem of one
  /// class against the rest only that class has its weight, the rest has 1 (as LIBLINEAR and scikit-learn have it).
  std::vector<double> class_weights;
  std::uint64_t fingerprint = 0;  ///< of rows, labels and weights: what nodes compare before a run

  [[nodiscard]] std::size_t samples() const { return rows.size(); }
  [[nodiscard]] std::size_t problems() const { return classes == 2 ? 1 : classes; }
  /// y_i of sample i in a problem: +1 or -1.
  [[nodiscard]] double sign(std::size_t problem, std::size_t i) const {
    return labels[i] == (classes == 2 ? 1 : problem) ? 1.0 : -1.0;
  }
  /// C_i / C.
  [[nodiscard]] double weight(std::size_t problem, std::size_t i) const {
    const double own = sample_weights.empty() ? 1.0 : sample_weights[i];
    if (class_weights.empty() || (classes > 2 && labels[i] != problem)) return own;
    return own * class_weights[labels[i]];
  }
};

/// Variables of the engine: sample i of a problem is variable problem x n + i.
/// True iff their number is one that the engine takes: below 2^32 - 1.
[[nodiscard]] bool fits_engine(const SvmData& data);

/// A model that a run of the engine solves. `data` stays as long as the model does.
[[nodiscard]] std::shared_ptr<Model> make_svm_model(std::shared_ptr<const SvmData> data, const SvmOptions& options,
                                                    const EngineOptions& engine);

/// Certificate::figures of a run. Certificate::objective is the sum over the problems of the primal objective of the
/// best w so far, ::dual of the best lower bounds, ::gap their difference, ::nonzeros the support vectors (alpha > 0).
enum Figure : std::uint8_t {
  kFigureWorstGap,   ///< largest relative gap of a problem: what --tolerance is compared with
  kFigureAtBound,    ///< variables with alpha_i = C_i
  kFigureViolation,  ///< largest projected gradient
  kFigures
};

/// The end of a run. Problem k (SvmData::problems()) is a row.
struct SvmSolution {
  std::size_t features = 0;     ///< d
  std::vector<double> weights;  ///< problems x d, row-major
  std::vector<double> bias;     ///< of each problem, what is added to w'x: B times the weight of the constant feature
  std::vector<double> alpha;    ///< problems x n, row-major: dual variables, 0 <= alpha_i <= C_i
  std::vector<double> primal;   ///< of each problem: objective of these weights
  std::vector<double> dual;     ///< of each problem: lower bound of the minimum from these alpha
};

/// REQUIRES: end.status.ok(), of a run of such a model.
[[nodiscard]] SvmSolution solution_of(const SvmData& data, const SvmOptions& options, const RunEnd& end);

/// Of weights and bias: 16 hex digits, equal for equal bits.
[[nodiscard]] std::string model_hash(const SvmSolution& solution);

/// Bytes that this process holds for a model of so many samples besides the data: replica, slices, solver. For memory
/// plans.
[[nodiscard]] std::uint64_t memory_of_model(std::uint64_t samples, std::uint64_t features, std::uint64_t problems);

}  // namespace strads::svm
