#include "svm/run/cv_models.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "strads/engine/role_limits.hpp"

namespace strads::svm {
namespace {

Status expect_areas(const Dataset& dataset, const lasso::Folds& folds) {
  if (dataset.class_names().size() != 2) {
    return Status::input("--measure auc: there are " + std::to_string(dataset.class_names().size()) +
                         " classes, expected two; use error or balanced_error");
  }
  const auto counts = class_counts(dataset, folds);
  for (std::uint32_t f = 0; f < folds.count; ++f) {
    if (std::ranges::count(counts[f], 0U) == 0) continue;
    return Status::input("--measure auc: fold " + folds.names[f] +
                         " has samples of one class alone; use fewer --folds, or the measure error");
  }
  return {};
}

}  // namespace

CvModels::CvModels(std::shared_ptr<CvSamples> samples, const CvOptions& options)
    : samples_(std::move(samples)),
      options_(options),
      plan_{.costs = options.costs.size(), .folds = samples_->folds().count} {}

SvmOptions CvModels::options_of(std::size_t fit) const {
  SvmOptions own = options_.fit.svm;
  own.cost = options_.costs[plan_.cost_of(fit)];
  own.cost_is_told = fit == plan_.size();
  return own;
}

Result<std::shared_ptr<const LoadedSamples>> CvModels::samples_of(std::size_t fit) const {
  return samples_->part(plan_.fold_of(fit));  // of the one on all samples the part after the last fold
}

Result<CvModel> CvModels::make(std::size_t fit, std::optional<double> chosen) const {
  STRADS_ASSIGN_OR_RETURN(auto loaded, samples_of(fit));
  const SvmData& data = *loaded->data;
  const EngineOptions& engine = options_.fit.engine;
  if (Status roles = check_roles(engine, data.samples() * data.problems()); !roles.ok()) return roles;
  SvmOptions own = options_of(fit);
  own.cost = chosen.value_or(own.cost);
  // With the model go the rows, and not before.
  auto model = make_svm_model(std::shared_ptr<const SvmData>(loaded, &data), own, engine);
  return CvModel{std::move(model), std::move(loaded)};
}

Result<std::shared_ptr<CvModels>> load_cv(const CvOptions& options, KeptData& kept) {
  const InputOptions& input = options.fit.input;
  STRADS_ASSIGN_OR_RETURN(auto dataset, kept.get(input, files_of(input), [&] { return load_dataset(input); }));
  STRADS_ASSIGN_OR_RETURN(auto folds, folds_of_classes(*dataset, options.folds, options.fit.engine.seed));
  if (options.measure == Measure::auc) {
    if (Status areas = expect_areas(*dataset, folds); !areas.ok()) return areas;
  }
  auto samples = std::make_shared<CvSamples>(std::move(dataset), std::move(folds), options.fit.class_weights);
  return std::make_shared<CvModels>(std::move(samples), options);
}

}  // namespace strads::svm
