#include "lasso/run/warm_start.hpp"

#include <map>

#include "regression/match_variables.hpp"

namespace strads::lasso {

namespace {

Status not_in_the_data(const FittedModel& earlier, const Matching& matching) {
  std::size_t first = 0;
  while (matching.matches[first].how != Match::How::absent) ++first;
  const std::uint64_t missing = matching.absent + matching.other_alleles;
  return Status::input("warm start: " + std::to_string(missing) + " of the " +
                       std::to_string(earlier.variables.size()) +
                       " variables of the earlier run are not in the data, the first is '" +
                       earlier.variables[first].id + "'" + (matching.absent == 0 ? " (there with other alleles)" : "") +
                       "; expected a run on the same variables: give that one, or leave --warm-start out");
}

}  // namespace

Result<WarmStart> warm_start(const FittedModel& earlier, const Dataset& dataset, const StandardizedColumns& columns,
                             double response_norm) {
  auto matched = match_variables(earlier, dataset);
  if (!matched.ok()) return Status(matched.status().code(), "warm start: " + matched.status().message());
  const Matching& matching = matched.value();
  if (matching.absent + matching.other_alleles > 0) return not_in_the_data(earlier, matching);
  std::map<VarId, double> start;  // names may repeat: two variables of a run can be one column here
  for (std::size_t k = 0; k < earlier.variables.size(); ++k) {
    const Match& match = matching.matches[k];
    // One that cannot be told apart begins at 0.
    if (match.how == Match::How::zero || match.how == Match::How::absent) continue;
    if (columns.state(match.column) != ColumnState::kept) continue;
    const double sign = match.how == Match::How::swapped ? -1.0 : 1.0;
    start[match.column] += sign * earlier.variables[k].coefficient * columns.norm(match.column) / response_norm;
  }
  WarmStart made;
  for (const auto& [j, value] : start) {
    if (value == 0.0) continue;
    made.variables.push_back(j);
    made.standardized.push_back(value);
  }
  return made;
}

WarmStart positive_part(const WarmStart& start) {
  WarmStart positive;
  for (std::size_t k = 0; k < start.variables.size(); ++k) {
    if (start.standardized[k] < 0) continue;
    positive.variables.push_back(start.variables[k]);
    positive.standardized.push_back(start.standardized[k]);
  }
  return positive;
}

}  // namespace strads::lasso
