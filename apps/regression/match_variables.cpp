#include "regression/match_variables.hpp"

#include <algorithm>
#include <unordered_map>

#include "regression/raw_columns.hpp"
#include "strads/data/alleles.hpp"
#include "strads/data/chromosomes.hpp"

namespace strads::lasso {
namespace {

using Candidates = std::unordered_map<std::string_view, std::vector<VarId>>;  // look-up only, never iterated

using data::place_of;

/// Left out by plink2, and so by a fit.
bool is_left_out(const VariableName& name) {
  return data::is_left_out(name.position);
}

/// Columns of `data` under the names that the model uses.
Candidates columns_by_name(const FittedModel& model, const Dataset& data) {
  Candidates candidates;
  candidates.reserve(model.variables.size());
  for (const auto& variable : model.variables) candidates.try_emplace(variable.id);
  for (VarId j = 0; j < data.columns().columns; ++j) {
    const auto name = data.variable(j);
    const auto found = candidates.find(name.id);
    if (found != candidates.end() && !is_left_out(name)) found->second.push_back(j);
  }
  return candidates;
}

bool same_place(const FittedVariable& variable, const VariableName& name) {
  if (variable.chromosome == name.chromosome && variable.position == name.position) return true;
  const std::string place = place_of(name.chromosome, name.position);
  return !place.empty() && place == place_of(variable.chromosome, variable.position);
}

/// How the alleles go together; Match::column is the caller's to say.
Match compare_alleles(const FittedVariable& variable, const VariableName& name, MatchRules rules) {
  const data::AlleleMatch alleles =
      data::compare_alleles({variable.counted, variable.other}, {name.counted, name.other}, rules.other_strand);
  Match match;
  match.how = alleles.how == data::AlleleMatch::How::same      ? Match::How::same
              : alleles.how == data::AlleleMatch::How::swapped ? Match::How::swapped
                                                               : Match::How::absent;
  match.other_strand = alleles.other_strand;
  match.unseen_allele = alleles.unseen_allele;
  return match;
}

/// An id and a place that any variant may have: plink writes them where it knows neither.
bool is_nameless(const VariableName& name) {
  return name.id == "." && (name.position == "0" || name.position.empty());
}

/// What the two files have in common beyond names.
struct Likeness {
  bool alleles = false;       ///< both have them
  bool same_columns = false;  ///< equally many columns
  MatchRules rules;
};

/// Among columns of the same name: the one whose alleles fit, before that the one at the same place in the genome,
/// before that the one at the same place in the file (names may repeat: ".", sites with several alleles); letters of
/// the same strand before those of the other.
Match best_match(const FittedVariable& variable, const std::vector<VarId>& columns, const Dataset& data,
                 const Likeness& likeness) {
  Match best;
  int best_rank = -1;
  for (const VarId j : columns) {
    const auto name = data.variable(j);
    Match match;
    match.how = Match::How::same;
    if (likeness.alleles) match = compare_alleles(variable, name, likeness.rules);
    match.column = j;
    const bool placed = same_place(variable, name);
    const bool same_column = likeness.same_columns && j == variable.column;
    if (match.how == Match::How::absent || (likeness.alleles && variable.id == "." && !placed)) continue;
    const int rank = (match.unseen_allele ? 0 : 16) + (same_column ? 8 : 0) + (placed ? 4 : 0) +
                     (match.other_strand ? 0 : 2) + (match.how == Match::How::same ? 1 : 0);
    if (rank < best_rank) continue;
    const bool says_nothing = likeness.alleles && is_nameless(name) && !same_column;
    best = match;
    best.is_several = rank == best_rank || says_nothing;
    best_rank = rank;
  }
  if (!best.is_several) return best;
  Match none;
  none.is_several = true;
  return none;
}

/// Looks at their places for those that are not there by name.
void match_by_place(const FittedModel& model, const Dataset& data, const Likeness& likeness,
                    std::vector<Match>& matches) {
  std::unordered_map<std::string, std::vector<VarId>> columns;  // look-up only, never iterated
  for (std::size_t k = 0; k < matches.size(); ++k) {
    const auto& variable = model.variables[k];
    if (matches[k].how == Match::How::absent && !matches[k].is_several) {
      columns.try_emplace(place_of(variable.chromosome, variable.position));
    }
  }
  columns.erase("");
  for (VarId j = 0; j < data.columns().columns && !columns.empty(); ++j) {
    const auto name = data.variable(j);
    const auto found = columns.find(place_of(name.chromosome, name.position));
    if (found != columns.end() && !is_left_out(name)) found->second.push_back(j);
  }
  for (std::size_t k = 0; k < matches.size(); ++k) {
    if (matches[k].how != Match::How::absent || matches[k].is_several) continue;
    const auto found = columns.find(place_of(model.variables[k].chromosome, model.variables[k].position));
    if (found == columns.end()) continue;
    FittedVariable nameless = model.variables[k];
    nameless.id.clear();  // "." need not have the chromosome in the same letters
    matches[k] = best_match(nameless, found->second, data, likeness);
    matches[k].by_place = matches[k].how != Match::How::absent;
  }
}

Matching match_by_name(const FittedModel& model, const Dataset& data, MatchRules rules) {
  Matching matching;
  const Likeness likeness{model.has_alleles && data.has_alleles(), model.columns == data.columns().columns, rules};
  const auto candidates = columns_by_name(model, data);
  for (const auto& variable : model.variables) {
    matching.matches.push_back(best_match(variable, candidates.at(variable.id), data, likeness));
  }
  if (rules.by_place && likeness.alleles) match_by_place(model, data, likeness, matching.matches);
  for (std::size_t k = 0; k < matching.matches.size(); ++k) {
    const Match& match = matching.matches[k];
    if (match.how == Match::How::swapped) ++matching.swapped;
    if (match.how == Match::How::absent) {
      const bool is_there = !candidates.at(model.variables[k].id).empty();
      ++(match.is_several ? matching.ambiguous : is_there ? matching.other_alleles : matching.absent);
    } else {
      if (match.other_strand) ++matching.other_strand;
      if (match.by_place) ++matching.by_place;
      if (match.unseen_allele) ++matching.unseen_alleles;
    }
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
    Match match;
    match.how = inside ? Match::How::same : Match::How::zero;
    match.column = variable.column;
    matching.matches.push_back(match);
  }
  return matching;
}

/// Sums over variables: what each row adds up to, and what all of them have in common.
struct RowSums {
  explicit RowSums(const Dataset& of) : data(of), sums(of.columns().rows, 0.0) {}

  void add(const FittedVariable& variable, const Match& match) {
    switch (match.how) {
      case Match::How::same:
        add_raw_column(data.columns(), match.column, variable.coefficient, variable.mean, sums);
        break;
      case Match::How::swapped:
        // x counts the other allele: 2 - x copies of ours.
        of_every_row += 2 * variable.coefficient;
        add_raw_column(data.columns(), match.column, -variable.coefficient, 2 - variable.mean, sums);
        break;
      case Match::How::absent:
        of_every_row += variable.coefficient * variable.mean;
        break;
      case Match::How::zero:
        break;
    }
  }

  const Dataset& data;
  std::vector<double> sums;
  double of_every_row = 0;
};

}  // namespace

bool has_names(const Dataset& data) {
  for (VarId j = 0; j < data.columns().columns; ++j) {
    const auto id = data.variable(j).id;
    if (!id.empty() && id != std::to_string(std::uint64_t{j} + 1)) return true;
  }
  return false;
}

double copies_of_a_count(std::string_view chromosome) {
  const data::Ploidy ploidy = data::ploidy_of(chromosome);
  return ploidy == data::Ploidy::y || ploidy == data::Ploidy::haploid ? 0.5 : 1;
}

bool is_on_y(std::string_view chromosome) {
  return data::ploidy_of(chromosome) == data::Ploidy::y;
}

double per_copy(const FittedVariable& variable) {
  return variable.coefficient / copies_of_a_count(variable.chromosome);
}

Result<Matching> match_variables(const FittedModel& model, const Dataset& data, MatchRules rules) {
  const bool named = has_names(data);
  if (!model.has_names || !named) {
    auto matched = match_by_position(model, data);
    if (matched.ok()) matched.value().names_differ = model.has_names != named;
    return matched;
  }
  Matching matching = match_by_name(model, data, rules);
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

std::vector<std::string> matching_notes(const FittedModel& model, const Matching& matching) {
  std::vector<std::string> notes;
  if (matching.names_differ) {
    notes.emplace_back(model.has_names
                           ? "the model's variables have names and the columns here have none: matched by column number"
                           : "columns here have names and the model's variables have none: matched by column number");
  }
  const auto of_all = " of the model's " + std::to_string(model.variables.size()) + " variables ";
  const auto count = [&](std::uint64_t variables, const std::string& what) {
    if (variables > 0) notes.push_back(std::to_string(variables) + of_all + what);
  };
  count(matching.swapped, "have their alleles swapped here: flipped");
  count(matching.unseen_alleles, std::string("have one allele alone here: ") + kUnseenAllele);
  count(matching.absent, "are absent: training mean used");
  count(matching.other_alleles, "have other alleles here: training mean used");
  count(matching.ambiguous, "match several columns equally well: left out, training mean used");
  return notes;
}

std::vector<double> predict(const FittedModel& model, const Matching& matching, const Dataset& data, OnY on_y) {
  RowSums all(data), of_men(data);
  all.of_every_row = model.intercept;
  bool any_of_men = false;
  for (std::size_t k = 0; k < model.variables.size(); ++k) {
    const auto& variable = model.variables[k];
    const bool only_men = on_y == OnY::men && is_on_y(variable.chromosome);
    any_of_men = any_of_men || only_men;
    (only_men ? of_men : all).add(variable, matching.matches[k]);
  }
  std::vector<double>& sums = all.sums;
  for (std::size_t c = 0; c < model.covariates.size(); ++c) {
    const auto& values = data.covariates()[c];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += model.covariates[c] * values[i];
  }
  for (auto& sum : sums) sum += all.of_every_row;
  for (std::size_t i = 0; any_of_men && i < sums.size(); ++i) {
    if (is_man(data, i)) sums[i] += of_men.sums[i] + of_men.of_every_row;
  }
  return std::move(all.sums);
}

bool is_man(const Dataset& data, std::uint64_t row) {
  constexpr std::uint8_t kMan = 1;
  return !data.sexes().empty() && data.sexes()[row] == kMan;
}

}  // namespace strads::lasso
