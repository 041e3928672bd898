#include <algorithm>
#include <cmath>
#include <limits>

#include "regression/match_variables.hpp"
#include "regression/people.hpp"
#include "strads/program/program.hpp"
#include "sumstats/choose/choose.hpp"
#include "sumstats/choose/fitted_scores.hpp"

namespace strads::sumstats {

namespace {

constexpr std::uint64_t kReplicates = 1000;
constexpr std::size_t kPeopleMin = 10;
constexpr double kMatchedMin = 0.5;

/// People whose trait is known, by row.
struct KnownPeople {
  std::vector<std::uint64_t> rows;
  std::vector<double> response;
};

Result<KnownPeople> known_people_of(const Dataset& data, const std::string& prefix) {
  KnownPeople known;
  const auto response = data.response();
  const auto& dropped = data.columns().dropped_rows;
  for (std::uint64_t i = 0; i < response.size(); ++i) {
    if (std::isnan(response[i]) || std::ranges::binary_search(dropped, static_cast<std::uint32_t>(i))) continue;
    known.rows.push_back(i);
    known.response.push_back(response[i]);
  }
  if (known.rows.size() < kPeopleMin) {
    return Status::input(prefix + ": " + with_unit(known.rows.size(), "person has", "people have") +
                         " a trait, expected at least " + std::to_string(kPeopleMin) +
                         " who choose s and lambda; look at --pheno and --pheno-name, or leave --validate-bfile out "
                         "for pseudo-validation");
  }
  const auto [least, most] = std::ranges::minmax_element(known.response);
  if (*least == *most) {
    return Status::input(prefix + ": the trait is " + short_text(*least) +
                         " of everybody who has one: it chooses nothing; look at --pheno and --pheno-name");
  }
  return known;
}

/// The solution at one step, and of the matches of all variables those of its own.
lasso::Matching matches_of(const lasso::FittedStep& step, const lasso::Matching& all) {
  lasso::Matching own;
  for (const std::uint64_t place : step.places) own.matches.push_back(all.matches[place]);
  return own;
}

bool has_two_values(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return value == 0 || value == 1; });
}

}  // namespace

Result<std::optional<Choice>> validation(const PathOptions& options, const LoadedSummary& loaded, const Grid& grid,
                                         const SummarySolution& solution, Chunks& threads,
                                         const std::function<void(const std::string&)>& note) {
  const std::string prefix = options.validation.source.prefix();
  InputOptions input = options.validation;
  const bool is_case_control = loaded.study->has_odds || options.summary.cases.has_value();
  input.response.two_classes = is_case_control;
  STRADS_ASSIGN_OR_RETURN(const auto data, load_dataset(input));
  for (const std::string& text : data->warnings()) note(text);
  for (const Dropped& dropped : data->dropped_samples()) {
    if (dropped.count > 0) note(std::to_string(dropped.count) + " people of --validate left out: " + dropped.reason);
  }
  STRADS_ASSIGN_OR_RETURN(const KnownPeople known, known_people_of(*data, prefix));
  const lasso::FittedPath scores = fitted_scores(loaded, grid, solution, 0, grid.size());
  if (scores.shape.variables.empty()) return std::optional<Choice>();
  const auto in_panel = lasso::count_common(lasso::people_of(*data), scores.shape.people);
  if (in_panel > 0) {
    note(std::to_string(in_panel) +
         " of the people of --validate are in the panel, by their ids: what their R2 says is "
         "optimistic; take others, as --validate-keep FILE can");
  }
  const auto found = match_variables(scores.shape, *data, {.by_place = true, .other_strand = true});
  if (!found.ok()) return Status(found.status().code(), prefix + ": " + found.status().message());
  const lasso::Matching& matching = found.value();
  Choice choice;
  choice.by_people = true;
  choice.response = data->response_name();
  choice.people = known.rows.size();
  choice.in_panel = in_panel;
  choice.variants = scores.shape.variables.size();
  choice.matched = static_cast<std::uint64_t>(std::ranges::count_if(
      matching.matches, [](const lasso::Match& match) { return match.how != lasso::Match::How::absent; }));
  if (static_cast<double>(choice.matched) < kMatchedMin * static_cast<double>(choice.variants)) {
    return Status::input(prefix + ": " + std::to_string(choice.matched) + " of the " + std::to_string(choice.variants) +
                         " variants of the solutions match, expected at least half: take files of the same genome "
                         "build, with these variants");
  }
  lasso::ScoredPeople people;
  people.two_classes = is_case_control && has_two_values(known.response);
  people.response = known.response;
  choice.measure = people.two_classes ? "auc" : "r2";
  choice.measured.assign(grid.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> best;
  double best_value = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < grid.size(); ++k) {
    if (scores.steps[k].places.empty()) continue;
    const auto predicted = lasso::predict(scores.at(k), matches_of(scores.steps[k], matching), *data, lasso::OnY::men);
    people.scores.clear();
    for (const std::uint64_t row : known.rows) people.scores.push_back(predicted[row]);
    const auto [low, high] = std::ranges::minmax_element(people.scores);
    if (*low == *high) continue;
    const auto statistics = lasso::score_statistics(people, {.seed = 0, .replicates = 0}, threads);
    choice.measured[k] = statistics.named(choice.measure).estimate;
    // A score that falls where the trait rises explains nothing.
    const bool rises = people.two_classes || statistics.named("correlation").estimate > 0;
    const double value = rises ? choice.measured[k] : -choice.measured[k];
    if (value <= best_value) continue;
    best_value = value;
    choice.point = k;
    best = people.scores;
  }
  if (best.empty()) return std::optional<Choice>();
  people.scores = best;
  choice.statistics =
      lasso::score_statistics(people, {.seed = options.engine.seed, .replicates = kReplicates}, threads);
  return std::optional<Choice>(std::move(choice));
}

}  // namespace strads::sumstats
