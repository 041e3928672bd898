#include "strads/data/study_in_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/sumstats/ld_regions.hpp"
#include "data/sumstats/matched_rows.hpp"
#include "data/sumstats/summary_blocks.hpp"
#include "data/sumstats/summary_quality.hpp"
#include "data/sumstats/summary_row.hpp"
#include "data/text/text.hpp"

namespace strads {
namespace {

using data::MatchedRow;

/// What the statistics are called in the list of what was left out.
constexpr const char* kArrays = "arrays";

/// One of the arrays, with what its numbers have to be.
struct GivenNumbers {
  const char* name;
  std::span<const double> values;
  const char* expected;
  bool (*is_right)(double value);
};

Status check_numbers(const GivenNumbers& given, std::uint64_t variants) {
  if (given.values.empty()) return {};
  if (given.values.size() != variants) {
    return Status::usage(std::string(given.name) + " has " + std::to_string(given.values.size()) +
                         " numbers, expected " + std::to_string(variants) + ", one for each variant of the panel");
  }
  for (std::size_t j = 0; j < variants; ++j) {
    if (std::isnan(given.values[j]) || given.is_right(given.values[j])) continue;
    return Status::input(std::string(given.name) + " of variant " + std::to_string(j + 1) + " is " +
                         data::short_number(given.values[j]) + ", expected " + given.expected +
                         "; NaN is unknown, such a variant takes no part");
  }
  return {};
}

Status check_arrays(const StudyInMemory& study, std::uint64_t variants) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  const auto is_share = [](double value) { return value >= 0 && value <= 1; };
  const GivenNumbers all[] = {
      {"r", study.r, "a correlation between -1 and 1", [](double r) { return r >= -1 && r <= 1; }},
      {"beta", study.beta, "a finite number", is_finite},
      {"se", study.se, "a standard error above 0", [](double se) { return se > 0 && std::isfinite(se); }},
      {"p", study.p, "a p value between 0 and 1", is_share},
      {"n", study.n, "more than 2 people", [](double n) { return n > 2 && std::isfinite(n); }},
      {"frequency", study.frequency, "a frequency between 0 and 1", is_share}};
  for (const GivenNumbers& given : all) {
    if (Status right = check_numbers(given, variants); !right.ok()) return right;
  }
  if (study.r.empty() && (study.beta.empty() || (study.se.empty() && study.p.empty()))) {
    return Status::usage("no statistics: give r, or beta and se, or beta and p");
  }
  if (!study.blocks.empty() && study.blocks.size() != variants) {
    return Status::usage("blocks has " + std::to_string(study.blocks.size()) + " numbers, expected " +
                         std::to_string(variants) + ", one for each variant of the panel");
  }
  return {};
}

double number_at(std::span<const double> values, std::size_t j) {
  return values.empty() ? std::nan("") : values[j];
}

/// People of a variant, as PeopleOfStudy of a table has them.
double people_at(const StudyInMemory& study, const SummaryOptions& options, std::size_t j) {
  const double own = number_at(study.n, j);
  if (!options.cases) return std::isnan(own) ? options.n.value_or(own) : own;
  const double people = *options.cases + *options.controls;
  const double effective = data::effective_people(*options.cases, *options.controls);
  return std::isnan(own) ? effective : own * (4 * *options.cases * *options.controls / (people * people));
}

class ArrayRows {
 public:
  ArrayRows(const StudyInMemory& study, const SummaryOptions& options, const SummaryPanel& panel)
      : study_(study), options_(options), panel_(panel) {}

  /// Rows of the variants that have a statistic; the others are counted and listed.
  Result<std::vector<MatchedRow>> take(SummaryData& out) {
    std::vector<MatchedRow> rows;
    for (VarId j = 0; j < panel_.variants; ++j) {
      if (!panel_.excluded.empty() && panel_.excluded[j] != 0) continue;
      ++out.counts.rows;
      MatchedRow row;
      row.line = std::uint64_t{j} + 1;
      STRADS_ASSIGN_OR_RETURN(const auto none, take_row(j, row));
      if (none == SummaryReason::no_n) {
        return Status::input("n of variant " + std::to_string(j + 1) +
                             " is unknown, expected the people of the study: give n, or cases and controls");
      }
      if (none) {
        ++out.counts.dropped[static_cast<std::size_t>(*none)];
        data::list_dropped(out.dropped, panel_.variant(j), kArrays, row.line, *none);
        continue;
      }
      if (!(panel_.sd[j] > 0)) row.dropped = SummaryReason::constant;
      rows.push_back(row);
    }
    return rows;
  }

 private:
  Result<std::optional<SummaryReason>> take_row(VarId j, MatchedRow& out) const {
    SummaryStatistic& own = out.statistic;
    own.column = j;
    own.n = people_at(study_, options_, j);
    own.beta = number_at(study_.beta, j);
    own.se = number_at(study_.se, j);
    own.frequency = number_at(study_.frequency, j);
    out.info = std::numeric_limits<float>::quiet_NaN();
    data::SummaryRow row;
    row.beta = own.beta;
    row.se = own.se;
    row.log_p = std::log(number_at(study_.p, j));
    const double r = number_at(study_.r, j);
    const bool has_other = !std::isnan(row.beta) && !(std::isnan(row.se) && std::isnan(row.log_p));
    if (std::isnan(r) && !has_other) return std::optional(data::reason_without_result(row));
    if (std::isnan(own.n)) return std::optional(SummaryReason::no_n);
    if (!std::isnan(r)) {
      own.r = r;
      return std::optional<SummaryReason>();
    }
    STRADS_ASSIGN_OR_RETURN(const auto correlation,
                            data::correlation_of(row, own.n, "variant " + std::to_string(j + 1) + ": "));
    own.r = correlation->r;
    out.source = correlation->source;
    out.no_effect = correlation->no_effect;
    out.disagrees = correlation->disagrees;
    return std::optional<SummaryReason>();
  }

  const StudyInMemory& study_;
  const SummaryOptions& options_;
  const SummaryPanel& panel_;
};

void count_rows(const std::vector<MatchedRow>& rows, SummaryCounts& counts) {
  for (const MatchedRow& row : rows) {
    if (row.dropped) continue;
    ++counts.matched;
    ++counts.sources[static_cast<std::size_t>(row.source)];
    if (row.no_effect) ++counts.no_effect;
    if (row.disagrees) ++counts.disagreements;
  }
}

/// Blocks by their numbers: in the order in which the panel has the first of each, in a block in the panel's order.
void take_numbered_blocks(const std::vector<MatchedRow>& rows, std::span<const std::uint32_t> numbers,
                          SummaryData& out) {
  std::unordered_map<std::uint32_t, std::uint32_t> places;  // looked up only
  std::vector<std::pair<std::uint32_t, std::size_t>> order;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].dropped) continue;
    const auto next = static_cast<std::uint32_t>(places.size());
    order.emplace_back(places.try_emplace(numbers[rows[k].statistic.column], next).first->second, k);
  }
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || order[i].first != order[i - 1].first) out.blocks.push_back({i, i, {}, 0, 0});
    out.variants.push_back(rows[order[i].second].statistic);
    out.blocks.back().last = i + 1;
  }
}

Status take_all_blocks(std::vector<MatchedRow>& rows, const StudyInMemory& study, const SummaryOptions& options,
                       const SummaryPanel& panel, SummaryData& out) {
  if (!study.blocks.empty()) {
    if (!options.ld_blocks.empty()) return Status::usage("blocks and --ld-blocks: give one of the two");
    take_numbered_blocks(rows, study.blocks, out);
    return {};
  }
  std::optional<data::LdRegions> regions;
  if (!options.ld_blocks.empty()) {
    STRADS_ASSIGN_OR_RETURN(const data::InputFile file, data::InputFile::open(options.ld_blocks));
    STRADS_ASSIGN_OR_RETURN(regions, data::LdRegions::parse(file.bytes(), options.ld_blocks));
    data::drop_outside(rows, *regions, panel);
  }
  data::take_blocks(rows, regions ? &*regions : nullptr, panel, out);
  return {};
}

}  // namespace

Result<SummaryData> summary_in_memory(const StudyInMemory& study, const SummaryOptions& options,
                                      const SummaryPanel& panel) {
  if (Status right = check_arrays(study, panel.variants); !right.ok()) return right;
  SummaryData out;
  out.has_odds = options.cases.has_value();
  STRADS_ASSIGN_OR_RETURN(std::vector<MatchedRow> rows, ArrayRows(study, options, panel).take(out));
  count_rows(rows, out.counts);
  out.trait_sd = data::trait_sd_of(rows, options, panel);
  out.frequency_correlation = data::frequency_correlation_of(rows, panel);
  if (!data::frequencies_agree(out.frequency_correlation, rows, options, panel)) {
    return Status::input(
        "frequencies correlate " + data::short_number(out.frequency_correlation) +
        " with those in the panel, expected at least " + data::short_number(options.min_frequency_correlation) +
        ": the panel is of another ancestry, or counts other alleles; say --min-frequency-correlation");
  }
  if (options.quality_control) data::drop_by_quality(rows, options, panel, out.trait_sd);
  if (Status taken = take_all_blocks(rows, study, options, panel, out); !taken.ok()) return taken;
  for (const MatchedRow& row : rows) {
    if (!row.dropped) continue;
    ++out.counts.dropped[static_cast<std::size_t>(*row.dropped)];
    data::list_dropped(out.dropped, panel.variant(row.statistic.column), kArrays, row.line, *row.dropped);
  }
  out.counts.kept = out.variants.size();
  if (out.variants.empty()) {
    return Status::input("none of " + std::to_string(out.counts.rows) +
                         " variants is left, expected at least one that has statistics and varies in the panel" +
                         (options.quality_control ? "; quality control leaves out some, --qc off" : ""));
  }
  for (const SummaryStatistic& variant : out.variants) out.n_max = std::max(out.n_max, variant.n);
  return out;
}

}  // namespace strads
