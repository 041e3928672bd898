#include "lasso/commands/score_output.hpp"

#include <algorithm>
#include <cmath>

#include "lasso/report/run_summary.hpp"
#include "regression/people.hpp"
#include "regression/picture.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

constexpr double kNormal = 1.959963984540054;

std::string number_field(double value) {
  return std::isfinite(value) ? exact_text(value) : "NA";
}

std::string how_text(const Match& match, bool dropped) {
  if (dropped) return "strand_ambiguous";
  switch (match.how) {
    case Match::How::same:
      return match.other_strand ? "flipped" : "same";
    case Match::How::swapped:
      return match.other_strand ? "flipped_swapped" : "swapped";
    case Match::How::zero:
    case Match::How::absent:
      break;
  }
  return match.is_several ? "several" : "absent";
}

Summary facts_of(const MatchCounts& counts) {
  Summary facts;
  facts.add("variants", counts.variants);
  facts.add("matched", counts.matched);
  facts.add("overlap", counts.overlap());
  facts.add("by_id", counts.by_id);
  facts.add("by_position", counts.by_place);
  facts.add("swapped", counts.swapped);
  facts.add("flipped", counts.other_strand);
  facts.add("strand_ambiguous", counts.strand_ambiguous);
  facts.add("strand_ambiguous_dropped", counts.strand_dropped);
  facts.add("absent", counts.absent);
  facts.add("other_alleles", counts.other_alleles);
  facts.add("several", counts.several);
  return facts;
}

/// "0.29 (0.15 to 0.44)", of the last interval of the name: the bootstrap's where there is one.
std::string interval_text(const ScoreStatistics& statistics, const std::string& name) {
  const Statistic* last = nullptr;
  for (const auto& one : statistics.list) {
    if (one.name == name) last = &one;
  }
  return short_text(last->estimate, 4) + " (" + short_text(last->lower, 4) + " to " + short_text(last->upper, 4) + ")";
}

std::string worth_line(const ScoreOptions& options, const ScoreWorth& worth, const FittedModel& model) {
  const bool two_classes = model.has_classes(), counts = model.family == kPoisson;
  const std::string ratio = counts ? "deviance_ratio" : "r2", ratio_text = counts ? "deviance ratio " : "R2 ";
  const ScoreStatistics& all = worth.statistics;
  std::string text = "worth    " + worth.response + " of " + with_unit(worth.people, "person", "people") + ": ";
  text += two_classes ? "AUC " + interval_text(all, "auc") + ", Nagelkerke's R2 " + interval_text(all, "nagelkerke")
                      : ratio_text + interval_text(all, ratio) + ", correlation " + interval_text(all, "correlation");
  if (all.list.size() > (two_classes ? 3U : 2U) * (options.bootstrap > 0 ? 2U : 1U)) {
    text += std::string(", incremental ") + (two_classes ? "Nagelkerke's R2 " : ratio_text) +
            interval_text(all, two_classes ? "nagelkerke_incremental" : ratio + "_incremental") + " over " +
            with_unit(worth.covariates.size(), "covariate", "covariates");
  }
  return text + "; 95 % intervals, " +
         (options.bootstrap > 0 ? std::to_string(options.bootstrap) + " bootstrap samples" : "analytic") + "\n";
}

}  // namespace

std::string scores_table(const PeopleScores& people) {
  std::string out = id_columns(*people.data) + "\tscore\tmissing\n";
  for (const std::uint32_t i : samples_of(people.data->columns())) {
    out += id_or_row(*people.data, i) + "\t" + exact_text(people.scores[i]) + "\t" + std::to_string(people.missing[i]) +
           "\n";
  }
  return out;
}

std::string matches_table(const PeopleScores& people) {
  std::string out = "id\tchromosome\tposition\tA1\tA2\tcoefficient\tmatch\tby\tcolumn\tid_there\tA1_there\tA2_there\n";
  const auto& model = people.model;
  for (std::size_t k = 0; k < model.variables.size(); ++k) {
    const auto& variable = model.variables[k];
    const Match& match = people.matching.matches[k];
    const bool found = match.how != Match::How::absent;
    const bool dropped = match.dropped;
    out += field(variable.id) + "\t" + field(variable.chromosome) + "\t" + field(variable.position) + "\t" +
           field(variable.counted) + "\t" + field(variable.other) + "\t" + exact_text(per_copy(variable)) + "\t" +
           how_text(match, dropped) + "\t";
    if (found || dropped) {
      const auto name = people.data->variable(match.column);
      out += std::string(match.by_place ? "position" : "id") + "\t" + std::to_string(std::uint64_t{match.column} + 1) +
             "\t" + field(name.id) + "\t" + field(name.counted) + "\t" + field(name.other) + "\n";
    } else {
      out += "\t\t\t\t\n";
    }
  }
  return out;
}

std::string statistics_table(const ScoreWorth& worth) {
  std::string out = "name\testimate\tlower\tupper\tmethod\n";
  for (const auto& one : worth.statistics.list) {
    out += one.name + "\t" + number_field(one.estimate) + "\t" + number_field(one.lower) + "\t" +
           number_field(one.upper) + "\t" + one.method + "\n";
  }
  return out;
}

std::string deciles_table(const ScoreWorth& worth) {
  std::string out = "decile\tpeople\tscore\tresponse\tstandard_error\n";
  for (std::size_t g = 0; g < worth.groups.size(); ++g) {
    const ScoreGroup& group = worth.groups[g];
    out += std::to_string(g + 1) + "\t" + std::to_string(group.people) + "\t" + number_field(group.score) + "\t" +
           number_field(group.response) + "\t" + number_field(group.standard_error) + "\n";
  }
  return out;
}

std::string deciles_picture(const ScoreWorth& worth, bool two_classes) {
  std::vector<double> ends;
  const auto spread_of = [](const ScoreGroup& group) {
    return std::isnan(group.standard_error) ? 0.0 : kNormal * group.standard_error;
  };
  for (const auto& group : worth.groups) {
    ends.push_back(group.response - spread_of(group));
    ends.push_back(group.response + spread_of(group));
  }
  Picture picture(worth.response + " by decile of the score", "decile of the score",
                  two_classes ? "share of cases" : "mean of " + worth.response,
                  {0.5, static_cast<double>(worth.groups.size()) + 0.5}, range_of(ends));
  for (std::size_t g = 0; g < worth.groups.size(); ++g) {
    picture.dot(static_cast<double>(g + 1), worth.groups[g].response, spread_of(worth.groups[g]));
  }
  return picture.svg();
}

Summary summary_of_scores(const ScoreOptions& options, const PeopleScores& people,
                          const std::optional<ScoreWorth>& worth) {
  Summary summary;
  summary.add("program", "lasso score");
  summary.add("version", version());
  summary.add("build", build_id());
  summary.add("model", options.model);
  summary.add("family", people.model.family);
  summary.add("trained_on", people.model.response);
  summary.add("samples", sample_facts(*people.data));
  if (people.trained.has_value()) {
    summary.add(people.by_statistics ? "samples_in_panel" : "samples_that_trained", *people.trained);
  }
  summary.add("variants", facts_of(people.counts));
  std::uint64_t missing = 0;
  for (const std::uint32_t i : samples_of(people.data->columns())) missing += people.missing[i];
  summary.add("missing_imputed", missing);
  if (worth.has_value()) {
    summary.add("response", worth->response);
    summary.add("people", worth->people);
    summary.add("covariates", worth->covariates);
    summary.add("bootstrap", options.bootstrap);
    summary.add("seed", options.seed);
    summary.add("bootstrap_undrawn", worth->statistics.undrawn);
    std::vector<Summary> statistics;
    for (const auto& one : worth->statistics.list) {
      Summary facts;
      facts.add("name", one.name);
      facts.add("estimate", one.estimate);
      facts.add("lower", one.lower);
      facts.add("upper", one.upper);
      facts.add("method", one.method);
      statistics.push_back(facts);
    }
    summary.add("statistics", statistics);
  }
  summary.add("peak_rss_bytes", peak_rss_bytes());
  return summary;
}

std::string closing_lines_of_scores(const ScoreOptions& options, const PeopleScores& people,
                                    const std::optional<ScoreWorth>& worth, const RunDirectory& directory) {
  const MatchCounts& counts = people.counts;
  std::string text = "scored   " + with_unit(people.data->columns().samples(), "sample", "samples") + " of " +
                     base_name(options.input.source.prefix()) + " for " + field(people.model.response) + "\n";
  text += "matched  " + std::to_string(counts.matched) + " of " + with_unit(counts.variants, "variant", "variants") +
          ": " + std::to_string(counts.by_id) + " by id, " + std::to_string(counts.by_place) + " by position; " +
          std::to_string(counts.swapped) + " swapped, " + std::to_string(counts.other_strand) +
          " of the other strand, " + std::to_string(counts.strand_ambiguous) + " A/T or C/G as written";
  if (counts.matched < counts.variants) {
    text += "; not used: " + std::to_string(counts.absent) + " absent, " + std::to_string(counts.other_alleles) +
            " with other alleles, " + std::to_string(counts.several) + " in several columns, " +
            std::to_string(counts.strand_dropped) + " A/T or C/G";
  }
  text += "\n";
  if (worth.has_value()) text += worth_line(options, *worth, people.model);
  return text + files_line(directory);
}

}  // namespace strads::lasso
