#include "regression/match_variables.hpp"

#include <algorithm>
#include <unordered_map>

#include "regression/raw_columns.hpp"

namespace strads::lasso {
namespace {

using Candidates = std::unordered_map<std::string_view, std::vector<VarId>>;  // look-up only, never iterated

/// Columns of `data` under the names that the model uses.
Candidates columns_by_name(const FittedModel& model, const Dataset& data) {
  Candidates candidates;
  candidates.reserve(model.variables.size());
  for (const auto& variable : model.variables) candidates.try_emplace(variable.id);
  for (VarId j = 0; j < data.columns().columns; ++j) {
    const auto found = candidates.find(data.variable(j).id);
    if (found != candidates.end()) found->second.push_back(j);
  }
  return candidates;
}

bool same_place(const FittedVariable& variable, const VariableName& name) {
  return variable.chromosome == name.chromosome && variable.position == name.position;
}

Match::How compare_alleles(const FittedVariable& variable, const VariableName& name) {
  if (variable.counted == name.counted && variable.other == name.other) return Match::How::same;
  if (variable.counted == name.other && variable.other == name.counted) return Match::How::swapped;
  return Match::How::absent;
}

/// An id and a place that any variant may have: plink writes them where it knows neither.
bool is_nameless(const VariableName& name) {
  return name.id == "." && (name.position == "0" || name.position.empty());
}

struct Best {
  Match match;
  bool ambiguous = false;  ///< another column is as good
};

/// Among columns of the same name: the one whose alleles fit, before that the one at the same place in the genome,
/// before that the one at the same place in the file (names may repeat: ".", sites with several alleles).
Best best_match(const FittedVariable& variable, const std::vector<VarId>& columns, const Dataset& data, bool alleles,
                bool same_columns) {
  Best best;
  int best_rank = -1;
  for (const VarId j : columns) {
    const auto name = data.variable(j);
    const auto how = alleles ? compare_alleles(variable, name) : Match::How::same;
    const bool placed = same_place(variable, name);
    const bool same_column = same_columns && j == variable.column;
    if (how == Match::How::absent || (alleles && variable.id == "." && !placed)) continue;
    const int rank = (same_column ? 4 : 0) + (placed ? 2 : 0) + (how == Match::How::same ? 1 : 0);
    if (rank < best_rank) continue;
    const bool says_nothing = alleles && is_nameless(name) && !same_column;
    best = {{how, j}, rank == best_rank || says_nothing};
    best_rank = rank;
  }
  if (best.ambiguous) best.match = {};
  return best;
}

Matching match_by_name(const FittedModel& model, const Dataset& data) {
  Matching matching;
  const bool alleles = model.has_alleles && data.has_alleles();
  const bool same_columns = model.columns == data.columns().columns;
  const auto candidates = columns_by_name(model, data);
  for (const auto& variable : model.variables) {
    const auto& columns = candidates.at(variable.id);
    const Best best = best_match(variable, columns, data, alleles, same_columns);
    if (best.match.how == Match::How::swapped) ++matching.swapped;
    if (best.match.how == Match::How::absent) {
      ++(best.ambiguous ? matching.ambiguous : columns.empty() ? matching.absent : matching.other_alleles);
    }
    matching.matches.push_back(best.match);
  }
  return matching;
}

bool is_sparse(const Dataset& data) {
  return data.columns().storage == Storage::sparse_f32 || data.columns().storage == Storage::sparse_f64;
}

Result<Matching> match_by_position(const FittedModel& model, const Dataset& data) {
  const VarId columns = data.columns().columns;
  // A libsvm file ends with its last feature that is not zero, so its number of columns says little.
  if (columns != model.columns && !is_sparse(data)) {
    return Status::input("the data has " + std::to_string(columns) + " columns, the model was fitted on " +
                         std::to_string(model.columns) +
                         "; columns without names match by number, so expected the same");
  }
  Matching matching;
  matching.by_position = true;
  for (const auto& variable : model.variables) {
    const bool inside = variable.column < columns;
    matching.matches.push_back({inside ? Match::How::same : Match::How::zero, variable.column});
  }
  return matching;
}

}  // namespace

bool has_names(const Dataset& data) {
  for (VarId j = 0; j < data.columns().columns; ++j) {
    const auto id = data.variable(j).id;
    if (!id.empty() && id != std::to_string(std::uint64_t{j} + 1)) return true;
  }
  return false;
}

Result<Matching> match_variables(const FittedModel& model, const Dataset& data) {
  if (!model.has_names || !has_names(data)) return match_by_position(model, data);
  Matching matching = match_by_name(model, data);
  const std::uint64_t found = model.variables.size() - matching.absent - matching.other_alleles - matching.ambiguous;
  if (!model.variables.empty() && found == 0) {
    return Status::input("none of the model's " + std::to_string(model.variables.size()) +
                         " variables is in the data (first: '" + model.variables.front().id + "'" +
                         (matching.ambiguous > 0       ? ", matched by several columns equally"
                          : matching.other_alleles > 0 ? ", there with other alleles"
                                                       : "") +
                         "); is it the right file?");
  }
  return matching;
}

std::vector<double> predict(const FittedModel& model, const Matching& matching, const Dataset& data) {
  std::vector<double> sums(data.columns().rows, 0.0);
  double offset = model.intercept;
  for (std::size_t k = 0; k < model.variables.size(); ++k) {
    const auto& variable = model.variables[k];
    const auto& match = matching.matches[k];
    switch (match.how) {
      case Match::How::same:
        add_raw_column(data.columns(), match.column, variable.coefficient, variable.mean, sums);
        break;
      case Match::How::swapped:
        // x counts the other allele: 2 - x copies of ours.
        offset += 2 * variable.coefficient;
        add_raw_column(data.columns(), match.column, -variable.coefficient, 2 - variable.mean, sums);
        break;
      case Match::How::absent:
        offset += variable.coefficient * variable.mean;
        break;
      case Match::How::zero:
        break;
    }
  }
  for (std::size_t c = 0; c < model.covariates.size(); ++c) {
    const auto& values = data.covariates()[c];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += model.covariates[c] * values[i];
  }
  for (auto& sum : sums) sum += offset;
  return sums;
}

}  // namespace strads::lasso
