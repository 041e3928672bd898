#include "lasso/run/cv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "lasso/held_out/held_out.hpp"

namespace strads::lasso {
namespace {

HeldOut held_out_samples(const CvData& data, std::uint32_t fold, const Solution& solution) {
  return held_out_of(*data.dataset, rows_of_fold(data.folds, fold), solution);
}

constexpr double kErrorMin = 1e-100, kErrorMax = 1e100;  ///< of the response: squared errors are numbers

Result<Folds> folds_from(const Dataset& dataset, const std::string& folds, std::uint64_t seed, bool stratify) {
  std::uint32_t count = 0;
  const auto [stop, error] = std::from_chars(folds.data(), folds.data() + folds.size(), count);
  const bool is_count = error == std::errc() && stop == folds.data() + folds.size();
  return is_count ? draw_folds(dataset, count, seed, stratify) : read_folds(dataset, folds);
}

}  // namespace

Result<CvData> prepare_cv(std::shared_ptr<const Dataset> dataset, const LassoOptions& options, const std::string& folds,
                          std::uint64_t seed, bool stratify, std::span<const std::uint32_t> given) {
  CvData data;
  data.family = options.family;
  data.l1_ratio = options.l1_ratio;
  auto found = given.empty() ? folds_from(*dataset, folds, seed, stratify) : folds_of_rows(*dataset, given);
  if (!found.ok()) return found.status();
  data.folds = std::move(found).value();
  auto all = prepare_lasso(dataset, options);
  if (!all.ok()) return all.status();
  data.parts.push_back(std::move(all).value());
  if (const double norm = data.parts[0]->response.norm; !(norm > kErrorMin && norm < kErrorMax)) {
    return Status::input("response '" + std::string(dataset->response_name()) +
                         "' is too large or too small for squared errors; multiply it by a constant");
  }
  for (std::uint32_t f = 0; f < data.folds.count; ++f) {
    auto part = prepare_lasso(without_fold(dataset, data.folds, f), options);
    if (!part.ok()) {
      return Status(part.status().code(), "without fold " + data.folds.names[f] + ": " + part.status().message());
    }
    data.parts.push_back(std::move(part).value());
  }
  data.dataset = std::move(dataset);
  return data;
}

Result<std::vector<CvData>> prepare_traits(std::span<const std::shared_ptr<const Dataset>> datasets,
                                           const LassoOptions& options, const std::string& folds, std::uint64_t seed,
                                           bool stratify, std::span<const double> l1_ratios,
                                           std::span<const std::uint32_t> given) {
  std::vector<CvData> traits;
  for (const auto& dataset : datasets) {
    for (std::size_t r = 0; r < std::max<std::size_t>(1, l1_ratios.size()); ++r) {
      LassoOptions own = options;
      if (!l1_ratios.empty()) own.l1_ratio = l1_ratios[r];
      auto prepared = prepare_cv(dataset, own, folds, seed, stratify, given);
      if (!prepared.ok() && datasets.size() == 1) return prepared.status();
      if (!prepared.ok()) {
        return Status(prepared.status().code(),
                      "trait '" + std::string(dataset->response_name()) + "': " + prepared.status().message());
      }
      traits.push_back(std::move(prepared).value());
    }
  }
  return traits;
}

std::shared_ptr<Watchers> folds_that_watch(const CvData& data, Measure measure, const StopRule& rule) {
  std::vector<Watchers::Group> groups;
  for (std::uint32_t f = 0; f < data.folds.count; ++f)
    groups.push_back({rows_of_fold(data.folds, f), data.parts[f + 1]});
  return std::make_shared<Watchers>(data.dataset, std::move(groups), measure, data.family, rule);
}

namespace {

/// The path on all samples of a trait, for those that follow it.
struct Leader {
  std::shared_ptr<PathLead> says = std::make_shared<PathLead>();
  bool ended = false;  ///< in order or not
};

RunRequest leading(const std::shared_ptr<Leader>& leader, const std::shared_ptr<LassoData>& data, LassoOptions own,
                   const EngineOptions& engine, const PathRecorded& recorded) {
  own.path.lead = leader->says;
  RunRequest request;
  request.engine = engine;
  request.make_model = [data, own, recorded] {
    return Result<std::shared_ptr<Model>>(make_lasso_model(data, own, recorded));
  };
  return request;
}

/// The path without a fold.
RunRequest follower(const std::shared_ptr<Leader>& leader, const std::shared_ptr<LassoData>& data,
                    const LassoOptions& options, const EngineOptions& engine, const PathRecorded& recorded) {
  const auto solved = std::make_shared<std::size_t>(0);
  LassoOptions own = options;
  own.path.lead = leader->says;
  own.path.follows = true;
  RunRequest request;
  request.engine = engine;
  request.make_model = [=]() -> Result<std::shared_ptr<Model>> {
    return make_lasso_model(data, own, [=](const Solution& point) {
      *solved = point.index + 1;
      if (recorded) recorded(point);
    });
  };
  request.may_begin = [leader] { return !leader->says->lambdas.empty(); };
  request.may_judge = [leader, solved] {
    return leader->ended || leader->says->count.has_value() || leader->says->passed > *solved;
  };
  return request;
}

}  // namespace

CvRuns make_cv_runs(std::span<const CvData> traits, const LassoOptions& options, const EngineOptions& engine,
                    const CvRecorded& recorded, std::span<const std::shared_ptr<Watchers>> stops) {
  CvRuns runs;
  std::vector<std::shared_ptr<Leader>> leaders;
  for (std::size_t t = 0; t < traits.size(); ++t) {
    const auto leader = leaders.emplace_back(std::make_shared<Leader>());
    runs.leads.push_back(leader->says);
    for (std::size_t i = 0; i < traits[t].parts.size(); ++i) {
      const CvPart at{t, i};
      const auto& data = traits[t].parts[i];
      PathRecorded tell = [recorded, at](const Solution& point) { recorded(at, point); };
      runs.places.push_back(at);
      LassoOptions own = options;
      own.l1_ratio = traits[t].l1_ratio;
      const auto solved = std::make_shared<std::size_t>(0);
      if (const auto& stop = stops.empty() ? nullptr : stops[t]; stop != nullptr) {
        own.path.enough = [stop](const Solution& point) { return stop->is_enough(point.index); };
        tell = [stop, solved, recorded, at](const Solution& point) {
          *solved = point.index + 1;
          if (at.part > 0) stop->take(at.part - 1, point);
          recorded(at, point);
        };
      }
      RunRequest& request = runs.requests.emplace_back(i > 0 ? follower(leader, data, own, engine, tell)
                                                             : leading(leader, data, own, engine, tell));
      if (own.path.enough) {
        request.may_judge = [stop = stops[t], solved, others = std::move(request.may_judge)] {
          return stop->all_have(*solved) && (!others || others());
        };
      }
    }
  }
  runs.note_end = [leaders, places = runs.places, all = std::vector(stops.begin(), stops.end())](std::size_t run) {
    const CvPart& at = places[run];
    if (at.part == 0) leaders[at.trait]->ended = true;
    if (!all.empty() && at.part > 0) all[at.trait]->note_end(at.part - 1);
  };
  return runs;
}

std::shared_ptr<Model> make_cv_part(std::span<const CvData> traits, std::size_t run, const LassoOptions& options) {
  for (const CvData& trait : traits) {
    if (run < trait.parts.size()) {
      LassoOptions own = options;
      own.l1_ratio = trait.l1_ratio;
      return make_lasso_model(trait.parts[run], own);
    }
    run -= trait.parts.size();
  }
  STRADS_CHECK(false, "a run of the list");
}

namespace {

/// Whether a fold has samples of class 0, and of class 1.
bool has_both_classes(const CvData& data, std::uint32_t fold) {
  bool zeros = false, ones = false;
  for (std::size_t i = 0; i < data.folds.of_row.size(); ++i) {
    if (data.folds.of_row[i] != fold) continue;
    (data.dataset->response()[i] != 0 ? ones : zeros) = true;
  }
  return zeros && ones;
}

}  // namespace

Result<Measure> measure_of(const CvData& data, Measure wanted) {
  const Measure measure = measure_for(wanted, data.dataset->columns().samples(), data.folds.count);
  if (measure != Measure::auc) return measure;
  for (std::uint32_t f = 0; f < data.folds.count; ++f) {
    if (has_both_classes(data, f)) return measure;
  }
  return Status::usage("--measure auc: no fold has samples of both classes; take other folds, or --measure deviance");
}

FoldError held_out_error(const CvData& data, std::uint32_t fold, const Solution& step, Measure measure) {
  return fold_error(held_out_samples(data, fold, step), measure, data.family);
}

double response_variance(const CvData& data) {
  const auto response = data.dataset->response();
  const auto weights = data.dataset->columns().weights;
  const auto total = [&](auto&& of_sample) {
    double sum = 0;
    for (std::size_t i = 0; i < response.size(); ++i) {
      if (data.folds.of_row[i] < data.folds.count) sum += (weights.empty() ? 1.0 : weights[i]) * of_sample(response[i]);
    }
    return sum;
  };
  const double weight = total([](double) { return 1.0; });
  const double mean = total([](double y) { return y; }) / weight;
  return total([mean](double y) { return (y - mean) * (y - mean); }) / weight;
}

}  // namespace strads::lasso
