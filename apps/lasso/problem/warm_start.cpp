#include "lasso/problem/warm_start.hpp"

#include <map>

#include "regression/match_variables.hpp"
#include "regression/people.hpp"
#include "strads/program/program_run.hpp"

namespace strads::lasso {

namespace {

Status none_in_the_data(const FittedModel& earlier, const Matching& matching) {
  return Status::input("warm start: none of the " + std::to_string(earlier.variables.size()) +
                       " variables of the earlier run is in the data, the first is '" + earlier.variables[0].id + "'" +
                       (matching.absent == 0 ? " (there with other alleles)" : "") +
                       "; expected a run on some of the same variables: give that one, or leave --warm-start out");
}

}  // namespace

Result<WarmStart> warm_start(const FittedModel& earlier, const Dataset& dataset, const StandardizedColumns& columns,
                             double response_norm) {
  auto matched = match_variables(earlier, dataset);
  if (!matched.ok()) return Status(matched.status().code(), "warm start: " + matched.status().message());
  const Matching& matching = matched.value();
  WarmStart made;
  made.of = earlier.variables.size();
  made.samples_there = earlier.samples;
  made.samples_common = earlier.people.empty() ? 0 : count_common(people_of(dataset), earlier.people);
  made.found = made.of - matching.absent - matching.other_alleles - matching.ambiguous;
  if (made.of > 0 && made.found + matching.ambiguous == 0) return none_in_the_data(earlier, matching);
  std::map<VarId, double> start;  // names may repeat: two variables of a run can be one column here
  for (std::size_t k = 0; k < earlier.variables.size(); ++k) {
    const Match& match = matching.matches[k];
    // One that cannot be told apart begins at 0.
    if (match.how == Match::How::zero || match.how == Match::How::absent) continue;
    if (columns.state(match.column) != ColumnState::kept) continue;
    ++made.taking_part;
    const double sign = match.how == Match::How::swapped ? -1.0 : 1.0;
    start[match.column] += sign * earlier.variables[k].coefficient * columns.norm(match.column) / response_norm;
  }
  for (const auto& [j, value] : start) {
    if (value == 0.0) continue;
    made.variables.push_back(j);
    made.standardized.push_back(value);
  }
  return made;
}

std::string warm_start_text(const WarmStart& start, std::uint64_t samples) {
  std::string text = "warm start: in the data are " + std::to_string(start.found) + " of the earlier run's " +
                     with_unit(start.of, "variable", "variables");
  if (start.taking_part < start.found) text += ", " + std::to_string(start.taking_part) + " take part";
  if (start.found < start.of) text += ", the others begin at 0";
  text += "; " + with_unit(samples, "sample", "samples") + " now, ";
  if (start.samples_there == 0) return text + "the earlier run does not say how many";
  return text + std::to_string(start.samples_there) + " then" +
         (start.samples_common > 0 ? " (" + std::to_string(start.samples_common) + " are the same, by their ids)" : "");
}

WarmStart positive_part(const WarmStart& start) {
  WarmStart positive = start;
  positive.variables.clear();
  positive.standardized.clear();
  for (std::size_t k = 0; k < start.variables.size(); ++k) {
    if (start.standardized[k] < 0) continue;
    positive.variables.push_back(start.variables[k]);
    positive.standardized.push_back(start.standardized[k]);
  }
  return positive;
}

}  // namespace strads::lasso
