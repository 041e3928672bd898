// The models of a cross-validation, on a driver and on its nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "strads/base/status.hpp"
#include "strads/engine/model.hpp"
#include "strads/program/kept_data.hpp"
#include "svm/data/cv_samples.hpp"
#include "svm/options/cv_options.hpp"
#include "svm/report/cv_scores.hpp"

namespace strads::svm {

/// A model, and the samples that it learns from.
struct CvModel {
  std::shared_ptr<Model> model;
  std::shared_ptr<const LoadedSamples> samples;
};

/// Makes the model of each fit of the plan; the one after the last of them is that on all samples, whose cost is told.
/// Thread-safe.
class CvModels {
 public:
  CvModels(std::shared_ptr<CvSamples> samples, const CvOptions& options);

  [[nodiscard]] const CvPlan& plan() const { return plan_; }
  [[nodiscard]] CvSamples& samples() const { return *samples_; }
  /// So many there are, with the one on all samples.
  [[nodiscard]] std::size_t size() const { return plan_.size() + (options_.refit == Refit::none ? 0 : 1); }
  /// The options of a fit of the plan.
  [[nodiscard]] SvmOptions options_of(std::size_t fit) const;
  /// The samples that a fit learns from. Errors: as CvSamples::part().
  [[nodiscard]] Result<std::shared_ptr<const LoadedSamples>> samples_of(std::size_t fit) const;
  /// `chosen`: the cost of the fit on all samples; a node does not know it. Errors: as samples_of(); usage: more
  /// schedulers or workers than there are dual variables. REQUIRES: fit < size().
  [[nodiscard]] Result<CvModel> make(std::size_t fit, std::optional<double> chosen = {}) const;

 private:
  std::shared_ptr<CvSamples> samples_;
  CvOptions options_;
  CvPlan plan_;
};

/// Reads the data, or takes those that are kept, and deals the folds. Errors: as load_dataset() and folds_of_classes();
/// input: --measure auc where there are more than two classes, or a fold has one class alone.
[[nodiscard]] Result<std::shared_ptr<CvModels>> load_cv(const CvOptions& options, KeptData& kept);

}  // namespace strads::svm
