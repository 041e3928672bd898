// What is solved: samples, box and payloads of every problem. Private to apps/svm.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "strads/base/types.hpp"
#include "svm/problem/payloads.hpp"
#include "svm/problem/svm.hpp"
#include "svm/solver/dual_box.hpp"
#include "svm/solver/samples.hpp"

namespace strads::svm {

/// The same on every node, and never changed once the problem is fixed. Thread-safe from then on.
class SvmProblems {
 public:
  /// Which sample of which problem a variable is.
  struct Place {
    std::size_t problem = 0;
    std::uint32_t sample = 0;
  };

  SvmProblems(std::shared_ptr<const SvmData> data, const SvmOptions& options)
      : data_(std::move(data)),
        options_(options),
        samples_(data_->rows, options.bias),
        shape_{.problems = data_->problems(),
               .samples = data_->samples(),
               .width = samples_.width(),
               .cost_is_told = options.cost_is_told} {
    make_boxes();
  }
  SvmProblems(const SvmProblems&) = delete;
  SvmProblems& operator=(const SvmProblems&) = delete;

  /// What the coordinator has told.
  void set_cost(double cost) {
    options_.cost = cost;
    make_boxes();
  }

  [[nodiscard]] const SvmData& data() const { return *data_; }
  [[nodiscard]] const SvmOptions& options() const { return options_; }
  [[nodiscard]] const PayloadShape& shape() const { return shape_; }
  [[nodiscard]] const Samples& samples() const { return samples_; }
  [[nodiscard]] const DualBox& box(std::size_t problem) const { return boxes_[problem]; }
  [[nodiscard]] Place place_of(VarId j) const {
    const auto count = static_cast<VarId>(shape_.samples);
    return boxes_.size() == 1 ? Place{0, j} : Place{j / count, j % count};
  }
  /// Of f along one variable.
  [[nodiscard]] double curvature(const Place& at) const {
    return samples_.norm(at.sample) + boxes_[at.problem].diagonal(at.sample);
  }

 private:
  void make_boxes() {
    boxes_.clear();
    for (std::size_t problem = 0; problem < shape_.problems; ++problem) boxes_.emplace_back(*data_, options_, problem);
  }

  std::shared_ptr<const SvmData> data_;
  SvmOptions options_;
  Samples samples_;
  PayloadShape shape_;
  std::vector<DualBox> boxes_;
};

}  // namespace strads::svm
