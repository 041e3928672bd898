#include "lasso/held_out/split.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "regression/cv_folds.hpp"
#include "strads/base/hash.hpp"

namespace strads::lasso {
namespace {

constexpr double kNormMin = 1e-100, kNormMax = 1e100;  ///< of the response: squared errors are numbers

std::vector<std::uint32_t> rows_of(const Dataset& dataset, SamplePart part) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < dataset.split().size(); ++i) {
    if (dataset.split()[i] == part) rows.push_back(i);
  }
  return rows;
}

std::shared_ptr<const Dataset> without(std::shared_ptr<const Dataset> all, const std::vector<std::uint32_t>& rows,
                                       const char* reason) {
  return rows.empty() ? all : without_rows(std::move(all), rows, reason);
}

Result<std::shared_ptr<LassoData>> prepare_part(std::shared_ptr<const Dataset> dataset, const LassoOptions& options,
                                                const char* name) {
  auto prepared = prepare_lasso(std::move(dataset), options);
  if (prepared.ok()) return prepared;
  return Status(prepared.status().code(), std::string("of --split, ") + name + ": " + prepared.status().message());
}

Status check_measure(const SplitData& data, Measure measure) {
  if (const double norm = data.train->response.norm; !(norm > kNormMin && norm < kNormMax)) {
    return Status::input("response '" + std::string(data.dataset->response_name()) +
                         "' is too large or too small for squared errors; multiply it by a constant");
  }
  if (measure != Measure::auc) return {};
  const auto response = data.dataset->response();
  const auto cases =
      std::count_if(data.validate.begin(), data.validate.end(), [&](std::uint32_t row) { return response[row] != 0; });
  if (cases > 0 && static_cast<std::size_t>(cases) < data.validate.size()) return {};
  return Status::usage("--measure auc: all " + std::to_string(data.validate.size()) +
                       " val samples are of one class; take another split, or --measure deviance");
}

}  // namespace

Result<SplitData> prepare_split(std::shared_ptr<const Dataset> dataset, const LassoOptions& options, Measure measure,
                                bool refit) {
  SplitData data;
  data.family = options.family;
  data.validate = rows_of(*dataset, SamplePart::validate);
  data.test = rows_of(*dataset, SamplePart::test);
  const auto both = without(dataset, data.test, "held out to test");
  auto train = prepare_part(without(both, data.validate, "held out to validate"), options, "train");
  if (!train.ok()) return train.status();
  data.train = std::move(train).value();
  if (refit) {
    auto second = prepare_part(both, options, "train and val");
    if (!second.ok()) return second.status();
    data.refit = std::move(second).value();
  }
  data.dataset = std::move(dataset);
  if (Status measured = check_measure(data, measure); !measured.ok()) return measured;
  return data;
}

std::uint64_t split_fingerprint(const SplitData& data) {
  Hash64 hash;
  // Of a part it says who was left out, and so who validates.
  for (const LassoData* part : {data.train.get(), data.refit.get()}) {
    if (part != nullptr) hash.update_u64(part->dataset->fingerprint());
  }
  hash.update_u64(data.dataset->fingerprint());
  return hash.digest();
}

Watchers those_who_validate(const SplitData& data, Measure measure, const StopRule& rule) {
  return {data.dataset, {{data.validate, data.train}}, measure, data.family, rule};
}

SplitRuns make_split_runs(const SplitData& data, const LassoOptions& options, const EngineOptions& engine,
                          Watchers& validating, const SplitRecorded& recorded) {
  SplitRuns runs;
  runs.train = std::make_shared<PathLead>();
  LassoOptions first = options;
  first.path.lead = runs.train;
  first.path.enough = [&validating](const Solution& point) {
    validating.take(0, point);
    return validating.is_enough(point.index + 1);
  };
  RunRequest& path = runs.requests.emplace_back();
  path.engine = engine;
  path.make_model = [data = data.train, first, recorded] {
    return Result<std::shared_ptr<Model>>(
        make_lasso_model(data, first, [recorded](const Solution& point) { recorded(0, point); }));
  };
  const auto leads = std::make_shared<PathLead>();
  const auto ended = std::make_shared<bool>(false);
  runs.choose = [leads, ended, train = runs.train](std::optional<std::size_t> chosen) {
    *ended = true;
    if (!chosen) return;
    leads->count = 1;
    leads->lambdas = {train->lambdas[*chosen]};
  };
  if (data.refit == nullptr) return runs;
  LassoOptions second = options;
  second.path.lead = leads;
  second.path.follows = true;
  RunRequest& refit = runs.requests.emplace_back();
  refit.engine = engine;
  refit.may_begin = [ended] { return *ended; };
  // It never has to wait, and yet says that it rests on the first: where that was cut off, both go on when resumed.
  refit.may_judge = [] { return true; };
  refit.make_model = [data = data.refit, second, recorded]() -> Result<std::shared_ptr<Model>> {
    if (second.path.lead->lambdas.empty()) {
      return Status(StatusCode::stopped, "the path on train ended without a solution: there is no lambda to choose");
    }
    return make_lasso_model(data, second, [recorded](const Solution& point) { recorded(1, point); });
  };
  return runs;
}

std::shared_ptr<Model> make_split_part(const SplitData& data, std::size_t run, const LassoOptions& options) {
  return make_lasso_model(run == 0 ? data.train : data.refit, options);
}

}  // namespace strads::lasso
