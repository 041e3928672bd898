#include "svm/data/cv_samples.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <system_error>

#include "regression/people.hpp"
#include "regression/texts.hpp"
#include "strads/base/hash.hpp"

namespace strads::svm {

CvSamples::CvSamples(std::shared_ptr<const Dataset> dataset, lasso::Folds folds, std::vector<std::string> class_weights)
    : dataset_(std::move(dataset)), folds_(std::move(folds)), class_weights_(std::move(class_weights)) {}

std::uint64_t CvSamples::fingerprint() const {
  Hash64 hash;
  hash.update_u64(dataset_->fingerprint());
  for (const std::uint32_t fold : folds_.of_row) hash.update_u64(fold);
  for (const std::string& weight : class_weights_) hash.update(std::as_bytes(std::span(weight)));
  return hash.digest();
}

Result<std::shared_ptr<const LoadedSamples>> CvSamples::part(std::uint32_t part) {
  const std::lock_guard lock(mutex_);
  if (auto there = made_[part].lock(); there != nullptr) return there;
  last_ = nullptr;  // not at the same time as the new one, where nobody has it
  auto made = rows_of(part == whole() ? dataset_ : lasso::without_fold(dataset_, folds_, part), class_weights_);
  if (!made.ok()) return made.status();
  last_ = std::make_shared<const LoadedSamples>(std::move(made).value());
  made_[part] = last_;
  return last_;
}

std::vector<std::vector<std::uint64_t>> class_counts(const Dataset& dataset, const lasso::Folds& folds) {
  std::vector<std::vector<std::uint64_t>> counts(folds.count,
                                                 std::vector<std::uint64_t>(dataset.class_names().size(), 0));
  for (const std::uint32_t row : lasso::samples_of(dataset.columns())) {
    ++counts[folds.of_row[row]][static_cast<std::size_t>(dataset.response()[row])];
  }
  return counts;
}

namespace {

Status expect_classes_without(const Dataset& dataset, const lasso::Folds& folds) {
  const auto counts = class_counts(dataset, folds);
  for (std::size_t k = 0; k < dataset.class_names().size(); ++k) {
    std::uint64_t all = 0;
    for (const auto& fold : counts) all += fold[k];
    for (std::uint32_t f = 0; f < folds.count; ++f) {
      if (counts[f][k] < all) continue;
      return Status::input("fold " + folds.names[f] + " has all " + std::to_string(all) + " samples of class '" +
                           lasso::field(dataset.class_names()[k]) +
                           "': without it nothing can be learned of that class; expected each class in two folds or "
                           "more, leave the class out or join it with another");
    }
  }
  return {};
}

}  // namespace

Result<lasso::Folds> folds_of_classes(const Dataset& dataset, const std::string& given, std::uint64_t seed) {
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), count);
  const bool is_count = error == std::errc() && end == given.data() + given.size();
  STRADS_ASSIGN_OR_RETURN(auto folds,
                          is_count ? lasso::draw_folds(dataset, count, seed, true) : lasso::read_folds(dataset, given));
  if (Status whole = expect_classes_without(dataset, folds); !whole.ok()) return whole;
  return folds;
}

}  // namespace strads::svm
