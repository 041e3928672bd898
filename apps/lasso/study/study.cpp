#include "lasso/study/study.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "lasso/study/held_out.hpp"
#include "strads/base/hash.hpp"

namespace strads::lasso {

std::vector<std::size_t> PathGroup::watched() const {
  std::vector<std::size_t> places;
  for (std::size_t path = 0; path < paths.size(); ++path) {
    if (!paths[path].watchers.empty()) places.push_back(path);
  }
  return places;
}

bool PathGroup::has(Follows follows) const {
  return std::ranges::any_of(paths, [&](const Path& path) { return path.follows == follows; });
}

std::size_t Study::size() const {
  std::size_t size = 0;
  for (const PathGroup& group : groups) size += group.paths.size();
  return size;
}

namespace {

constexpr double kErrorMin = 1e-100, kErrorMax = 1e100;  ///< of the response: squared errors are numbers

Result<Folds> folds_of(const Dataset& dataset, const StudyDesign& design) {
  if (!design.folds_of_rows.empty()) return folds_of_rows(dataset, design.folds_of_rows);
  const std::string& folds = design.folds;
  std::uint32_t count = 0;
  const auto [stop, error] = std::from_chars(folds.data(), folds.data() + folds.size(), count);
  const bool is_count = error == std::errc() && stop == folds.data() + folds.size();
  return is_count ? draw_folds(dataset, count, design.seed, design.stratify) : read_folds(dataset, folds);
}

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

/// `of`: "of --split, train: ", in front of what is wrong.
Status add_path(PathGroup& group, Path path, std::shared_ptr<const Dataset> dataset, const LassoOptions& options,
                const std::string& of) {
  auto prepared = prepare_lasso(std::move(dataset), options);
  if (!prepared.ok()) return Status(prepared.status().code(), of + prepared.status().message());
  path.data = std::move(prepared).value();
  group.paths.push_back(std::move(path));
  return {};
}

Status check_squares(const PathGroup& group) {
  if (const double norm = group.data()->response.norm; norm > kErrorMin && norm < kErrorMax) return {};
  return Status::input("response '" + std::string(group.dataset->response_name()) +
                       "' is too large or too small for squared errors; multiply it by a constant");
}

/// Whether samples of class 0 and of class 1 are among these.
bool has_both_classes(const Dataset& dataset, const std::vector<std::uint32_t>& rows) {
  const auto cases = std::ranges::count_if(rows, [&](std::uint32_t row) { return dataset.response()[row] != 0; });
  return cases > 0 && static_cast<std::size_t>(cases) < rows.size();
}

Status add_split(PathGroup& group, const LassoOptions& options, const StudyDesign& design) {
  group.test = rows_of(*group.dataset, SamplePart::test);
  const auto validate = rows_of(*group.dataset, SamplePart::validate);
  const auto both = without(group.dataset, group.test, "held out to test");
  const auto train = without(both, validate, "held out to validate");
  Status added = add_path(group, {.name = "train", .watchers = validate}, train, options, "of --split, train: ");
  if (added.ok() && design.refit) {
    added = add_path(group, {.name = "train and val", .follows = Follows::choice}, both, options,
                     "of --split, train and val: ");
  }
  if (added.ok()) added = check_squares(group);
  if (!added.ok() || design.measure != Measure::auc || has_both_classes(*group.dataset, validate)) return added;
  return Status::usage("--measure auc: all " + std::to_string(validate.size()) +
                       " val samples are of one class; take another split, or --measure deviance");
}

Status add_folds(PathGroup& group, const LassoOptions& options, const StudyDesign& design) {
  STRADS_ASSIGN_OR_RETURN(auto found, folds_of(*group.dataset, design));
  const Folds& folds = group.folds = std::move(found);
  if (Status all = add_path(group, {"all samples"}, group.dataset, options, ""); !all.ok()) return all;
  if (Status squares = check_squares(group); !squares.ok()) return squares;
  for (std::uint32_t f = 0; f < folds.count; ++f) {
    const std::string name = "without fold " + folds.names[f];
    Path path{.name = name, .follows = Follows::lambdas, .watchers = rows_of_fold(folds, f)};
    Status added = add_path(group, std::move(path), without_fold(group.dataset, folds, f), options, name + ": ");
    if (!added.ok()) return added;
  }
  return {};
}

}  // namespace

Result<PathGroup> make_group(std::shared_ptr<const Dataset> dataset, const LassoOptions& options,
                             const StudyDesign& design) {
  PathGroup group{.dataset = std::move(dataset), .family = options.family, .l1_ratio = options.l1_ratio};
  Status made = design.kind == StudyDesign::Kind::cv      ? add_folds(group, options, design)
                : design.kind == StudyDesign::Kind::split ? add_split(group, options, design)
                                                          : add_path(group, {}, group.dataset, options, "");
  return made.ok() ? Result(std::move(group)) : made;
}

Result<Study> make_study(std::span<const std::shared_ptr<const Dataset>> datasets, const LassoOptions& options,
                         const StudyDesign& design) {
  Study study;
  for (const auto& dataset : datasets) {
    for (std::size_t r = 0; r < std::max<std::size_t>(1, design.l1_ratios.size()); ++r) {
      LassoOptions own = options;
      if (!design.l1_ratios.empty()) own.l1_ratio = design.l1_ratios[r];
      auto group = make_group(dataset, own, design);
      if (!group.ok() && datasets.size() == 1) return group.status();
      if (!group.ok()) {
        return Status(group.status().code(),
                      "trait '" + std::string(dataset->response_name()) + "': " + group.status().message());
      }
      study.groups.push_back(std::move(group).value());
    }
  }
  return study;
}

std::uint64_t study_fingerprint(std::span<const PathGroup> groups) {
  Hash64 hash;
  for (const PathGroup& group : groups) {
    // Of a path it says who was left out, and so who watches.
    for (const Path& path : group.paths) hash.update_u64(path.data->dataset->fingerprint());
    if (group.folds.count == 0) hash.update_u64(group.dataset->fingerprint());
  }
  return hash.digest();
}

Result<Measure> measure_of(const PathGroup& group, Measure wanted) {
  if (group.folds.count == 0) return wanted;
  const Measure measure = measure_for(wanted, group.dataset->columns().samples(), group.folds.count);
  if (measure != Measure::auc) return measure;
  const bool any = std::ranges::any_of(
      group.paths, [&](const Path& path) { return has_both_classes(*group.dataset, path.watchers); });
  if (any) return measure;
  return Status::usage("--measure auc: no fold has samples of both classes; take other folds, or --measure deviance");
}

std::shared_ptr<Watchers> watchers_of(const PathGroup& group, Measure measure, const StopRule& rule) {
  std::vector<Watchers::Group> groups;
  for (const std::size_t place : group.watched())
    groups.push_back({group.paths[place].watchers, group.paths[place].data});
  return std::make_shared<Watchers>(group.dataset, std::move(groups), measure, group.family, rule);
}

FoldError held_out_error(const PathGroup& group, std::size_t path, const Solution& step, Measure measure) {
  return fold_error(held_out_of(*group.dataset, group.paths[path].watchers, step), measure, group.family);
}

double response_variance(const PathGroup& group) {
  const auto response = group.dataset->response();
  const auto weights = group.dataset->columns().weights;
  const auto total = [&](auto&& of_sample) {
    double sum = 0;
    for (std::size_t i = 0; i < response.size(); ++i) {
      if (group.folds.of_row[i] < group.folds.count) {
        sum += (weights.empty() ? 1.0 : weights[i]) * of_sample(response[i]);
      }
    }
    return sum;
  };
  const double weight = total([](double) { return 1.0; });
  const double mean = total([](double y) { return y; }) / weight;
  return total([mean](double y) { return (y - mean) * (y - mean); }) / weight;
}

}  // namespace strads::lasso
