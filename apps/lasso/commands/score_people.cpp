#include "lasso/commands/score_people.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <system_error>

#include "lasso/report/family_facts.hpp"
#include "lasso/report/run_summary.hpp"
#include "regression/people.hpp"
#include "regression/raw_columns.hpp"
#include "strads/data/alleles.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kGroups = 10;

void say(const ScoreOptions& options, const std::string& text) {
  if (!options.common.quiet) print_note("lasso", text);
}

InputOptions target_of(const ScoreOptions& options, const FittedModel& model) {
  InputOptions input = options.input;
  input.response.required = false;
  input.source.missing_mean = true;
  input.source.missing_stays = true;
  input.response.two_classes = model.has_classes();
  input.response.only_numbers = family_of(model)->has_only_numbers();
  input.response.classes = model.classes;
  return input;
}

/// Leaves out what the letters do not tell, if that is asked for, and counts.
MatchCounts settle_matches(const ScoreOptions& options, const FittedModel& model, Matching& matching) {
  MatchCounts counts;
  counts.variants = model.variables.size();
  counts.absent = matching.absent;
  counts.other_alleles = matching.other_alleles;
  counts.several = matching.ambiguous;
  for (std::size_t k = 0; k < model.variables.size(); ++k) {
    Match& match = matching.matches[k];
    if (match.how == Match::How::absent) continue;
    const bool ambiguous = data::is_strand_ambiguous(model.variables[k].counted, model.variables[k].other);
    if (ambiguous && options.strand_ambiguous == "drop") {
      match.how = Match::How::absent;
      match.dropped = true;
      ++counts.strand_dropped;
      continue;
    }
    ++counts.matched;
    ++(match.by_place ? counts.by_place : counts.by_id);
    if (match.how == Match::How::swapped) ++counts.swapped;
    if (match.other_strand) ++counts.other_strand;
    if (ambiguous) ++counts.strand_ambiguous;
  }
  return counts;
}

Status check_overlap(const ScoreOptions& options, const MatchCounts& counts) {
  if (counts.overlap() >= options.min_overlap) return {};
  return Status::input(
      options.input.source.prefix() + ": " + std::to_string(counts.matched) + " of the model's " +
      with_unit(counts.variants, "variant", "variants") + " match (" + short_text(100 * counts.overlap(), 3) +
      " %), expected at least " + short_text(100 * options.min_overlap, 3) + " %: " + std::to_string(counts.absent) +
      " are absent, " + std::to_string(counts.other_alleles) + " have other alleles, " +
      std::to_string(counts.several) + " match several columns, " + std::to_string(counts.strand_dropped) +
      " were dropped as A/T or C/G; take data with these variants (of the same genome build), or say --min-overlap");
}

/// Of each row how many of the matched columns have no call there.
std::vector<std::uint32_t> missing_calls(const FittedModel& model, const Matching& matching, const Dataset& data) {
  const ColumnsView& view = data.columns();
  std::vector<std::uint32_t> missing(view.rows, 0);
  std::vector<double> column(view.rows);
  for (std::size_t k = 0; k < matching.matches.size(); ++k) {
    const Match& match = matching.matches[k];
    const bool of_men = is_on_y(model.variables[k].chromosome);
    if (match.how != Match::How::same && match.how != Match::How::swapped) continue;
    std::fill(column.begin(), column.end(), 0.0);
    // Nothing but a missing call changes a zero: 0 x value is 0, 0 x NaN is not.
    add_raw_column(view, match.column, 0, std::nan(""), column);
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (std::isnan(column[i]) && (!of_men || is_man(data, i))) ++missing[i];
    }
  }
  return missing;
}

void note_dropped(const ScoreOptions& options, const Dataset& data, const std::string& from) {
  for (const auto& dropped : data.dropped_samples()) {
    if (dropped.count > 0)
      say(options, with_unit(dropped.count, "sample", "samples") + " left out" + from + ": " + dropped.reason);
  }
}

/// Whether the model was made from the statistics of a study: their run, or for a path.bin the folder around it, lists
/// what of them took no part.
bool is_by_statistics(const std::string& model) {
  constexpr const char* kList = "dropped.tsv";
  std::error_code none;
  const std::filesystem::path folder(model);
  return std::filesystem::exists(folder / kList, none) || std::filesystem::exists(folder / ".." / kList, none);
}

/// Who is scored and trained the model, whose figures say how well it fits and not what it is worth.
std::optional<std::uint64_t> note_trained(const ScoreOptions& options, const FittedModel& model, const Dataset& data) {
  if (model.people.empty()) {
    say(options, "the model was written by an earlier release and does not say who trained it");
    return std::nullopt;
  }
  const std::uint64_t trained = count_common(people_of(data), model.people);
  if (trained > 0 && is_by_statistics(options.model)) {
    say(options, std::to_string(trained) + " of the " + with_unit(data.columns().samples(), "sample", "samples") +
                     " scored are in the panel of the model, by their ids: take others to see what it is worth");
  } else if (trained > 0) {
    say(options, std::to_string(trained) + " of the " + with_unit(data.columns().samples(), "sample", "samples") +
                     " scored trained the model, by their ids: what it is worth for them is no test of it");
  }
  return trained;
}

bool has_row(const ColumnsView& view, std::uint64_t row) {
  return !std::binary_search(view.dropped_rows.begin(), view.dropped_rows.end(), static_cast<std::uint32_t>(row));
}

/// People whose response and covariates are known.
ScoredPeople known_people(const PeopleScores& people, const Dataset& known) {
  ScoredPeople out;
  out.two_classes = people.model.has_classes();
  out.counts = people.model.family == kPoisson;
  out.covariates.resize(known.covariates().size());
  const auto response = known.response();
  for (std::uint64_t i = 0; i < response.size(); ++i) {
    if (std::isnan(response[i]) || !has_row(known.columns(), i) || !has_row(people.data->columns(), i)) continue;
    out.response.push_back(response[i]);
    out.scores.push_back(people.scores[i]);
    for (std::size_t c = 0; c < out.covariates.size(); ++c) out.covariates[c].push_back(known.covariates()[c][i]);
  }
  return out;
}

/// Whether the response is one that the model's family has: a deviance has no meaning elsewhere.
Status expect_response(const PeopleScores& people, const Dataset& known) {
  const Family family = family_of(people.model);
  if (!family->has_only_numbers()) return {};  // classes are looked at where they are read
  std::vector<double> response(known.response().begin(), known.response().end()), present(response.size(), 1.0);
  for (std::size_t i = 0; i < response.size(); ++i) {
    if (!std::isnan(response[i]) && has_row(known.columns(), i) && has_row(people.data->columns(), i)) continue;
    response[i] = present[i] = 0;
  }
  return family->usable({response, present, false, [&known](std::size_t row) {
                           return "sample '" + std::string(known.sample(row).individual) + "'";
                         }});
}

/// Why there are no figures; "" where there are.
std::string why_no_statistics(const ScoredPeople& people) {
  const std::size_t n = people.response.size();
  const std::size_t needed = people.covariates.size() + 4;
  if (n < needed) {
    return with_unit(n, "person has", "people have") + " response and covariates, expected at least " +
           std::to_string(needed);
  }
  const auto [least, most] = std::minmax_element(people.response.begin(), people.response.end());
  if (*least == *most) return "the response is " + short_text(*least) + " of everybody who has one";
  const auto [low, high] = std::minmax_element(people.scores.begin(), people.scores.end());
  if (*low == *high) return "everybody has the same score";
  return "";
}

}  // namespace

double MatchCounts::overlap() const {
  return variants == 0 ? 1 : static_cast<double>(matched) / static_cast<double>(variants);
}

Result<PeopleScores> score_people(const ScoreOptions& options, FittedModel model) {
  if (!model.has_alleles) {
    return Status::usage("--model " + options.model +
                         " was fitted to data without alleles, which lasso score cannot match; lasso predict --x FILE "
                         "applies it");
  }
  STRADS_ASSIGN_OR_RETURN(auto data, load_dataset(target_of(options, model)));
  PeopleScores out;
  out.model = std::move(model);
  out.model.intercept = 0;
  out.model.covariates.clear();
  out.model.covariate_names.clear();
  out.data = std::move(data);
  for (const auto& warning : out.data->warnings()) say(options, warning);
  note_dropped(options, *out.data, "");
  out.by_statistics = is_by_statistics(options.model);
  out.trained = note_trained(options, out.model, *out.data);
  STRADS_ASSIGN_OR_RETURN(out.matching,
                          match_variables(out.model, *out.data, {.by_place = true, .other_strand = true}));
  if (out.matching.unseen_alleles > 0) {
    say(options, with_unit(out.matching.unseen_alleles, "variant has", "variants have") +
                     " one allele alone here: " + kUnseenAllele);
  }
  out.counts = settle_matches(options, out.model, out.matching);
  if (Status enough = check_overlap(options, out.counts); !enough.ok()) return enough;
  out.scores = predict(out.model, out.matching, *out.data, OnY::men);
  out.missing = missing_calls(out.model, out.matching, *out.data);
  return out;
}

Result<std::optional<ScoreWorth>> worth_of(const ScoreOptions& options, const PeopleScores& people) {
  std::shared_ptr<const Dataset> known = people.data;
  const bool wanted = !options.input.response.pheno.empty();
  if (known->response().empty() || (!wanted && known->response_name() != people.model.response)) {
    if (options.has_covariates()) {
      return Status::usage(
          "--covar and --covar-name say what the score adds to covariates, which takes a response: give --pheno FILE");
    }
    return std::optional<ScoreWorth>();
  }
  if (options.has_covariates()) {
    InputOptions input = target_of(options, people.model);
    input.response.covar = options.covar;
    input.response.covar_names = options.covar_names;
    STRADS_ASSIGN_OR_RETURN(known, load_dataset(input));
    if (known->columns().samples() != people.data->columns().samples()) {
      note_dropped(options, *known, " of the statistics");
    }
  }
  const ScoredPeople analysed = known_people(people, *known);
  if (const std::string why = why_no_statistics(analysed); !why.empty()) {
    say(options, "no statistics: " + why);
    return std::optional<ScoreWorth>();
  }
  if (Status usable = expect_response(people, *known); !usable.ok()) return usable;
  ScoreWorth worth;
  worth.response = known->response_name();
  worth.people = analysed.response.size();
  const auto threads = make_threads(options.threads);
  worth.statistics = score_statistics(analysed, {options.seed, options.bootstrap}, *threads);
  const auto& dependent = worth.statistics.dependent_covariates;
  for (std::size_t c = 0; c < known->covariate_names().size(); ++c) {
    const std::string name = field(known->covariate_names()[c]);
    if (std::find(dependent.begin(), dependent.end(), c) == dependent.end()) {
      worth.covariates.push_back(name);
    } else {
      say(options, "covariate " + name + " is constant or depends on those before it: left out");
    }
  }
  if (worth.statistics.undrawn > 0) {
    say(options, std::to_string(worth.statistics.undrawn) + " of " + std::to_string(options.bootstrap) +
                     " bootstrap samples have " + (analysed.counts ? "no count above 0" : "one class alone") +
                     ": left out");
  }
  worth.groups = groups_by_score(analysed.scores, analysed.response, kGroups);
  return std::optional<ScoreWorth>(std::move(worth));
}

}  // namespace strads::lasso
