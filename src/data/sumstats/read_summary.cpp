#include "data/sumstats/read_summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "data/sumstats/matched_rows.hpp"
#include "data/sumstats/summary_blocks.hpp"
#include "data/sumstats/summary_quality.hpp"
#include "data/text/text.hpp"
#include "strads/base/listed.hpp"

namespace strads::data {
namespace {

/// Two of log odds and effective people, seen from another factor than this: n is another one.
constexpr double kLogOddsSd = 2;
constexpr double kLogOddsSdApart = 1.5;
/// Quality control that drops more than this share for their sd or n finds statistics, not variants, that are wrong.
constexpr double kDroppedMost = 0.5;
/// Share of low n that is said, and what to do.
constexpr double kLowNMuch = 0.1;

std::string in_percent(double part, double whole) {
  return short_number(whole > 0 ? std::round(1000 * part / whole) / 10 : 0) + " %";
}

std::string of_count(std::uint64_t count, const char* one, const char* several) {
  return std::to_string(count) + " " + (count == 1 ? one : several);
}

/// What the statistics are called in messages.
std::string names_of(const std::vector<SummaryTable>& tables) {
  return tables.front().path() + (tables.size() == 1 ? "" : " and " + std::to_string(tables.size() - 1) + " more");
}

void drop_duplicates(std::vector<MatchedRow>& rows) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&rows](std::size_t k) { return std::pair(rows[k].statistic.column, k); });
  for (std::size_t k = 1; k < order.size(); ++k) {
    MatchedRow &one = rows[order[k - 1]], &other = rows[order[k]];
    if (one.statistic.column == other.statistic.column) one.dropped = other.dropped = SummaryReason::duplicate;
  }
}

/// What cannot take part whatever the quality.
void drop_unusable(std::vector<MatchedRow>& rows, const SummaryOptions& options, const SummaryPanel& panel) {
  drop_duplicates(rows);
  for (MatchedRow& row : rows) {
    if (row.dropped) continue;
    if (row.ambiguous && options.drop_ambiguous)
      row.dropped = SummaryReason::ambiguous;
    else if (!(panel.sd[row.statistic.column] > 0))
      row.dropped = SummaryReason::constant;
  }
}

void count_matched(const std::vector<MatchedRow>& rows, SummaryCounts& counts) {
  for (const MatchedRow& row : rows) {
    if (row.dropped) continue;
    ++counts.matched;
    ++counts.sources[static_cast<std::size_t>(row.source)];
    if (row.turned) ++counts.turned;
    if (row.other_strand) ++counts.other_strand;
    if (row.ambiguous) ++counts.ambiguous;
    if (row.no_effect) ++counts.no_effect;
    if (row.disagrees) ++counts.disagreements;
  }
}

std::uint64_t dropped_rows_for(const std::vector<MatchedRow>& rows, SummaryReason reason) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(rows, [reason](const MatchedRow& row) { return row.dropped == reason; }));
}

using ReasonCounts = std::vector<std::pair<std::uint64_t, SummaryReason>>;

/// Why rows did not match, the most frequent reason first.
ReasonCounts why_not_matched(const MatchedRows& matched) {
  ReasonCounts reasons;
  for (std::size_t k = 0; k <= static_cast<std::size_t>(SummaryReason::constant); ++k) {
    const auto reason = static_cast<SummaryReason>(k);
    const std::uint64_t count = matched.counts.dropped[k] + dropped_rows_for(matched.rows, reason);
    if (count > 0) reasons.emplace_back(count, reason);
  }
  std::ranges::stable_sort(reasons, [](const auto& a, const auto& b) { return a.first > b.first; });
  return reasons;
}

/// "not in the panel: 1200, no n: 3".
std::string in_words(const ReasonCounts& reasons) {
  std::vector<std::string> words;
  words.reserve(reasons.size());
  for (const auto& reason : reasons)
    words.push_back(std::string(text_of(reason.second)) + ": " + std::to_string(reason.first));
  return listed(words, ", ");
}

/// What to do where most rows do not match for this reason.
const char* advice_for(SummaryReason reason) {
  switch (reason) {
    case SummaryReason::no_result:
    case SummaryReason::no_effect:
    case SummaryReason::no_error:
      return "; a row needs Z, or an effect with its standard error or p; say which columns: --sumstats-columns";
    case SummaryReason::no_n:
      return "; say --n PEOPLE for rows without n";
    case SummaryReason::other_alleles:
      return "; are these the columns of both alleles? --sumstats-columns a1=...,a2=... names them; else take a panel "
             "of "
             "the same genome build";
    case SummaryReason::several_in_panel:
      return "; take a panel in which each variant stands once";
    case SummaryReason::ambiguous:
      return "; leave out --drop-ambiguous";
    case SummaryReason::duplicate:
      return "; leave one row of each variant in the table, or take the tables of one study alone";
    case SummaryReason::constant:
      return "; take a panel whose people differ";
    default:
      return "; take a panel of the same variants and genome build, or say --min-matched";
  }
}

/// Build mismatches show here: few places are the same, and ids are.
Status check_matched(const std::vector<SummaryTable>& tables, const MatchedRows& matched, const SummaryOptions& options,
                     const SummaryPanel& panel) {
  std::uint64_t of_panel = 0;
  for (VarId j = 0; j < panel.variants; ++j) of_panel += panel.excluded.empty() || panel.excluded[j] == 0 ? 1 : 0;
  const std::uint64_t of_study = matched.counts.rows - matched.counts.other_tests;
  const auto whole = static_cast<double>(std::min(of_panel, of_study));
  const auto found = static_cast<double>(matched.counts.matched);
  if (matched.counts.matched > 0 && found >= options.min_matched * whole) return {};
  const char* const how = matched.by_place ? "chromosome and position" : "id";
  std::string text = names_of(tables) + ": " + std::to_string(matched.counts.matched) + " of " +
                     of_count(of_study, "variant", "variants") + " match the " +
                     of_count(of_panel, "variant", "variants") + " of the panel " + panel.name + " by " + how + " (" +
                     in_percent(found, whole) + " of the fewer), expected at least " +
                     short_number(100 * options.min_matched) + " %";
  const ReasonCounts reasons = why_not_matched(matched);
  if (!reasons.empty()) text += " (" + in_words(reasons) + ")";
  const SummaryReason most = reasons.empty() ? SummaryReason::not_in_panel : reasons.front().second;
  // Of rows that are found the other way of looking says nothing.
  const bool is_lost = most == SummaryReason::not_in_panel || most == SummaryReason::other_alleles;
  const auto otherwise = is_lost ? count_found(tables, panel, !matched.by_place) : std::nullopt;
  if (otherwise && *otherwise > matched.counts.matched) {
    text +=
        std::string("; by ") + (matched.by_place ? "id" : "chromosome and position") + " " +
        std::to_string(*otherwise) + " would match (" + in_percent(static_cast<double>(*otherwise), whole) + ")" +
        (matched.by_place ? ": positions are those of another genome build; say --match id" : "; say --match place");
  } else {
    text += advice_for(most);
  }
  return Status::input(text);
}

Status check_frequencies(const std::vector<SummaryTable>& tables, const std::vector<MatchedRow>& rows,
                         double correlation, const SummaryOptions& options, const SummaryPanel& panel) {
  if (frequencies_agree(correlation, rows, options, panel)) return {};
  const bool is_opposite = -correlation >= options.min_frequency_correlation;
  return Status::input(names_of(tables) + ": frequencies of the effect allele correlate " +
                       short_number(std::round(1000 * correlation) / 1000) + " with those in the panel " + panel.name +
                       ", expected at least " + short_number(options.min_frequency_correlation) +
                       (is_opposite ? ": they are those of the other allele, or effects are of it; name columns with "
                                      "--sumstats-columns (freq2=... for the other allele's frequency)"
                                    : ": the panel is of another ancestry, or alleles are mistaken; take a panel of "
                                      "the study's ancestry, or say --min-frequency-correlation"));
}

/// Reasons that tell of statistics which are not what they are taken for, not of single variants, where most have them.
Status check_quality(const std::vector<SummaryTable>& tables, const std::vector<MatchedRow>& rows,
                     const SummaryCounts& counts, const SummaryOptions& options, double trait_sd) {
  const auto is_most = [&](std::uint64_t variants) {
    return static_cast<double>(variants) > kDroppedMost * static_cast<double>(counts.matched);
  };
  const std::string of_matched =
      names_of(tables) + ": of " + of_count(counts.matched, "matched variant", "matched variants") + " ";
  if (const std::uint64_t low = dropped_rows_for(rows, SummaryReason::low_n); is_most(low)) {
    return Status::input(of_matched + std::to_string(low) + " have an n below " + short_number(options.n_share_min) +
                         " of the largest one, expected that at most half do: n is wrong for some, or few variants "
                         "were studied in many more people; look at n, or say --qc-n");
  }
  const std::uint64_t other = dropped_rows_for(rows, SummaryReason::other_sd);
  if (!is_most(other)) return {};
  return Status::input(of_matched + std::to_string(other) +
                       " have a standard error that does not go with n and their sd in "
                       "the panel (for a trait of sd " +
                       short_number(trait_sd) +
                       ", which fits most), expected that at most half do not: n is wrong, or effects are of a trait "
                       "on another scale or of standardized genotypes; look at n and se, or say --qc off");
}

/// What is to be known of n, effects and blocks.
class SummaryNotes {
 public:
  SummaryNotes(const std::vector<SummaryTable>& tables, const SummaryOptions& options, SummaryData& data)
      : tables_(tables), options_(options), data_(data) {}

  void of_people() {
    const SummaryTable& first = tables_.front();
    if (first.n_of_facts) {
      note("n is " + short_number(first.people.n.value_or(0)) + " by " + first.path() + "-meta.yaml" +
           (first.people.has_cases ? ": effective people, by its cases and controls" : ""));
    }
    const bool has_column = first.columns.has(SummaryField::n) || first.columns.has(SummaryField::cases);
    if (has_column && options_.n) note("--n counts for rows without n alone: " + first.path() + " has a column of n");
  }
  void of_effects() {
    const SummaryCounts& counts = data_.counts;
    if (counts.no_effect > 0) {
      note(of_count(counts.no_effect, "matched variant has", "matched variants have") +
           " an effect of exactly 0, as an odds ratio of 1 of few digits is (" + std::to_string(counts.no_effect_rows) +
           " of all rows): r = 0");
    }
    if (counts.disagreements > 0) {
      note(of_count(counts.disagreements, "variant has", "variants have") +
           " a Z, effect / standard error and p that are not the same statistic: Z counts before effect and standard "
           "error, and these before p");
    }
    const bool is_apart =
        data_.trait_sd > kLogOddsSd * kLogOddsSdApart || data_.trait_sd < kLogOddsSd / kLogOddsSdApart;
    if (first_has_cases() && !std::isnan(data_.trait_sd) && is_apart) {
      const double factor = data_.trait_sd * data_.trait_sd / (kLogOddsSd * kLogOddsSd);
      note("standard errors go with a trait of sd " + short_number(data_.trait_sd) +
           ", expected 2 of log odds and effective people: " +
           (factor > 1 ? "n seems " + short_number(factor) + " times too large"
                       : std::string("effects seem to be of a linear regression of 0 and 1, or n too small")));
    }
  }
  void of_quality(const QualityUnknown& unknown) {
    std::vector<std::string> missing;
    if (unknown.sd) missing.emplace_back("standard errors");
    if (unknown.frequency) missing.emplace_back("frequencies");
    if (unknown.info) missing.emplace_back("info");
    if (!missing.empty()) note("quality control without " + listed(missing, " and ") + ": the statistics have none");
  }
  void of_low_n(std::uint64_t low) {
    if (static_cast<double>(low) <= kLowNMuch * static_cast<double>(data_.counts.matched)) return;
    note(of_count(low, "variant has", "variants have") + " an n below " + short_number(options_.n_share_min) +
         " of the largest one (" + in_percent(static_cast<double>(low), static_cast<double>(data_.counts.matched)) +
         "), left out: if people miss calls there, keep them by --qc-n 0.3; n decides the penalty of each");
  }
  void of_blocks(bool has_regions, std::uint64_t outside, std::uint64_t all) {
    if (!has_regions) {
      note("no --ld-blocks: each chromosome is one block, " + of_count(data_.blocks.size(), "block", "blocks"));
    } else if (outside > 0) {
      note(of_count(outside, "variant is", "variants are") + " in no region of " + options_.ld_blocks + " (" +
           in_percent(static_cast<double>(outside), static_cast<double>(all)) +
           "): left out; regions of another genome build show so");
    }
  }

 private:
  void note(std::string text) { data_.notes.push_back(std::move(text)); }
  [[nodiscard]] bool first_has_cases() const {
    return tables_.front().people.has_cases || tables_.front().columns.has(SummaryField::cases);
  }

  const std::vector<SummaryTable>& tables_;
  const SummaryOptions& options_;
  SummaryData& data_;
};

void take_facts(const std::vector<SummaryTable>& tables, SummaryData& out) {
  for (const SummaryTable& table : tables) {
    out.formats.push_back(table.columns.format);
    if (out.build.empty()) out.build = table.facts.build;
    if (out.trait.empty()) out.trait = table.facts.trait;
    out.has_odds = out.has_odds || table.people.has_cases || table.columns.has(SummaryField::cases) ||
                   (table.columns.has(SummaryField::odds) && !table.columns.has(SummaryField::beta));
  }
}

void take_dropped(const std::vector<SummaryTable>& tables, const SummaryPanel& panel, MatchedRows& matched,
                  SummaryData& out) {
  for (const MatchedRow& row : matched.rows) {
    if (!row.dropped) continue;
    ++out.counts.dropped[static_cast<std::size_t>(*row.dropped)];
    list_dropped(matched.dropped, panel.variant(row.statistic.column), tables[row.file].path(), row.line, *row.dropped);
  }
  out.dropped = std::move(matched.dropped);
}

Status check_share(double value, const char* option) {
  if (value >= 0 && value <= 1) return {};
  return Status::usage(std::string(option) + " " + short_number(value) + ", expected a number between 0 and 1");
}

}  // namespace

Status check_summary_options(const SummaryOptions& options) {
  if (options.files.empty()) return Status::usage("no summary statistics, expected --sumstats FILE");
  constexpr std::size_t kFilesMost = 1000;
  if (options.files.size() > kFilesMost) {
    return Status::usage("--sumstats: " + std::to_string(options.files.size()) + " files, expected at most " +
                         std::to_string(kFilesMost));
  }
  if (options.cases.has_value() != options.controls.has_value()) {
    return Status::usage("--cases and --controls go together, expected both or none");
  }
  if (options.n && !(*options.n > 2 && std::isfinite(*options.n))) {
    return Status::usage("--n " + short_number(*options.n) + ", expected more than 2 people");
  }
  if (options.cases && !(*options.cases > 0 && *options.controls > 0 && std::isfinite(*options.cases) &&
                         std::isfinite(*options.controls))) {
    return Status::usage("--cases " + short_number(*options.cases) + " --controls " + short_number(*options.controls) +
                         ", expected numbers of people above 0");
  }
  if (Status share = check_share(options.min_matched, "--min-matched"); !share.ok()) return share;
  if (!(options.min_frequency_correlation >= -1 && options.min_frequency_correlation <= 1)) {
    return Status::usage("--min-frequency-correlation " + short_number(options.min_frequency_correlation) +
                         ", expected a number between -1 and 1");
  }
  return {};
}

Result<SummaryData> summary_of_tables(const std::vector<SummaryTable>& tables, const LdRegions* regions,
                                      const SummaryOptions& options, const SummaryPanel& panel) {
  STRADS_CHECK(panel.sd.size() == panel.variants && panel.frequency.size() == panel.variants,
               "the panel says sd and frequency of each of its variants");
  STRADS_ASSIGN_OR_RETURN(MatchedRows matched, match_summary_rows(tables, options, panel));
  auto& rows = matched.rows;
  drop_unusable(rows, options, panel);
  count_matched(rows, matched.counts);
  if (Status enough = check_matched(tables, matched, options, panel); !enough.ok()) return enough;
  SummaryData out;
  take_facts(tables, out);
  out.counts = matched.counts;
  out.trait_sd = trait_sd_of(rows, options, panel);
  out.frequency_correlation = frequency_correlation_of(rows, panel);
  Status fits = check_frequencies(tables, rows, out.frequency_correlation, options, panel);
  if (!fits.ok()) return fits;
  SummaryNotes notes(tables, options, out);
  notes.of_people();
  notes.of_effects();
  if (options.quality_control) {
    notes.of_quality(drop_by_quality(rows, options, panel, out.trait_sd));
    if (Status good = check_quality(tables, rows, out.counts, options, out.trait_sd); !good.ok()) return good;
    notes.of_low_n(dropped_rows_for(rows, SummaryReason::low_n));
  }
  const auto before = static_cast<std::uint64_t>(std::ranges::count_if(rows, [](const auto& r) { return !r.dropped; }));
  if (regions != nullptr) drop_outside(rows, *regions, panel);
  take_blocks(rows, regions, panel, out);
  out.counts.kept = out.variants.size();
  notes.of_blocks(regions != nullptr, before - out.counts.kept, before);
  if (out.variants.empty()) {
    return Status::input(names_of(tables) + ": none of " +
                         of_count(out.counts.matched, "matched variant", "matched variants") +
                         " is left, expected at least one: " +
                         (before > 0 ? "none is in a region of " + options.ld_blocks +
                                           "; take regions of the panel's genome build and chromosomes"
                                     : std::string("quality control drops all; say --qc off")));
  }
  for (const SummaryStatistic& variant : out.variants) out.n_max = std::max(out.n_max, variant.n);
  take_dropped(tables, panel, matched, out);
  return out;
}

}  // namespace strads::data

namespace strads {

Result<SummaryData> read_summary(const SummaryOptions& options, const SummaryPanel& panel) {
  if (Status checked = data::check_summary_options(options); !checked.ok()) return checked;
  std::vector<data::SummaryTable> tables;
  for (const std::string& path : options.files) {
    STRADS_ASSIGN_OR_RETURN(data::SummaryTable table, data::open_summary_table(path, options));
    tables.push_back(std::move(table));
  }
  std::optional<data::LdRegions> regions;
  if (!options.ld_blocks.empty()) {
    STRADS_ASSIGN_OR_RETURN(const data::InputFile file, data::InputFile::open(options.ld_blocks));
    STRADS_ASSIGN_OR_RETURN(regions, data::LdRegions::parse(file.bytes(), options.ld_blocks));
  }
  return data::summary_of_tables(tables, regions ? &*regions : nullptr, options, panel);
}

}  // namespace strads
