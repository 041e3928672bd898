// What the fits of a cross-validation learn from: the samples without each fold, and all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "regression/cv_folds.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"
#include "svm/data/loaded_samples.hpp"

namespace strads::svm {

/// Samples in folds. Part f is the samples without fold f, as if they alone had been read (weights, means of missing
/// values, balanced classes); the part after the last fold is all of them. Thread-safe.
class CvSamples {
 public:
  CvSamples(std::shared_ptr<const Dataset> dataset, lasso::Folds folds, std::vector<std::string> class_weights);

  [[nodiscard]] const Dataset& dataset() const { return *dataset_; }
  [[nodiscard]] const lasso::Folds& folds() const { return folds_; }
  /// The part of all samples.
  [[nodiscard]] std::uint32_t whole() const { return folds_.count; }
  /// Of data, folds and class weights.
  [[nodiscard]] std::uint64_t fingerprint() const;
  /// The rows of a part: those that somebody has, or that were asked for last; else they are made. Errors: as
  /// rows_of(). REQUIRES: part <= whole(). Cost: as rows_of().
  [[nodiscard]] Result<std::shared_ptr<const LoadedSamples>> part(std::uint32_t part);

 private:
  std::shared_ptr<const Dataset> dataset_;
  lasso::Folds folds_;
  std::vector<std::string> class_weights_;
  std::mutex mutex_;
  std::map<std::uint32_t, std::weak_ptr<const LoadedSamples>> made_;
  std::shared_ptr<const LoadedSamples> last_;
};

/// Folds of samples with classes. `given`: how many are drawn, by a hash of (seed, sample), each with the same share of
/// every class up to one sample; or a file of folds. Errors: usage, input: as draw_folds() and read_folds(); input: a
/// fold that has all samples of a class, so that nothing could be learned of it without the fold.
[[nodiscard]] Result<lasso::Folds> folds_of_classes(const Dataset& dataset, const std::string& given,
                                                    std::uint64_t seed);

/// By fold, how many samples of each class it has.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> class_counts(const Dataset& dataset, const lasso::Folds& folds);

}  // namespace strads::svm
