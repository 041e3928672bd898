// Results of an association study, turned into correlations and laid beside a panel's variants. Layer: data.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/base/types.hpp"
#include "strads/data/dataset.hpp"

namespace strads {

/// Forms of a table of summary statistics (docs/FORMATS.md). They are told by their headers.
enum class SummaryFormat : std::uint8_t { gwas_ssf, plink2, regenie, saige, cojo, ldsc, mapped };
[[nodiscard]] const char* name_of(SummaryFormat format);

/// By what a row of the statistics is found among the panel's variants.
enum class SummaryMatch : std::uint8_t {
  automatic,  ///< by place where the file and the panel have places, else by id
  place,      ///< chromosome and position; of several there alleles decide, then ids
  id
};

/// What is read, how it is matched and what is left out.
struct SummaryOptions {
  std::vector<std::string> files;  ///< one table, or several of different variants (one a chromosome)
  std::string columns;             ///< "": by the header; else "chr=Chr,pos=Position,a1=A1,...": summary_fields()
  std::optional<double> n;         ///< people of the study, where the file does not say; > 2
  std::optional<double> cases;     ///< together with `controls`: n is 4 / (1 / cases + 1 / controls); a count of
  std::optional<double> controls;  ///< people in the file is scaled by 4 cases controls / (cases + controls)^2
  std::string ld_blocks;           ///< BED of regions; "": each chromosome is one
  SummaryMatch match = SummaryMatch::automatic;
  bool drop_ambiguous = false;  ///< leave out A/T and C/G, whose letters do not tell the strand
  double min_matched = 0.1;     ///< share of the panel's or of the file's variants, the larger one of the two
  double min_frequency_correlation = 0.85;  ///< of frequencies in study and panel; at least 20 variants have both

  bool quality_control = true;  ///< the bounds below [Prive22]
  double sd_ratio_min = 0.5;    ///< least sd by the statistics, of that in the panel
  double sd_excess_max = 0.1;   ///< largest sd by the statistics above that in the panel
  double sd_min = 0.1;          ///< least sd by the statistics
  double panel_sd_min = 0.05;   ///< least sd in the panel
  double frequency_difference_max = 0.1;
  double info_min = 0.7;
  double n_share_min = 0.7;  ///< least n, of the largest one
};

/// The variants of a reference panel: all that matching asks for. The spans and what `variant` returns outlive the
/// call.
struct SummaryPanel {
  std::string name;  ///< --bfile or --pfile, for messages
  VarId variants = 0;
  std::function<VariableName(VarId)> variant;  ///< of each; Dataset::variable() of one data set
  std::span<const double> sd;                  ///< of copies of the counted allele, missing = mean; 0: constant
  std::span<const double> frequency;           ///< of the counted allele, of calls that are there
  std::span<const std::uint8_t> excluded;      ///< empty, or 1 = takes no part
};

/// What is known of one variant: all is of the allele that the panel counts.
struct SummaryStatistic {
  VarId column = 0;      ///< in the panel
  double r = 0;          ///< correlation with the trait in the study, in [-1, 1]
  double n = 0;          ///< people; effective ones of cases and controls
  double beta = 0;       ///< a copy's effect (log odds of an odds ratio); NaN: unknown
  double se = 0;         ///< its standard error; NaN: unknown
  double frequency = 0;  ///< of the allele in the study; NaN: unknown
};

/// Variants whose correlations count: those of a region, or of a chromosome.
struct SummaryBlock {
  std::uint64_t first = 0, last = 0;  ///< [first, last) of SummaryData::variants; not empty
  std::string chromosome;             ///< as plain_chromosome() has it
  std::uint64_t begin = 0, end = 0;   ///< the BED's region: positions begin < p <= end; both 0: all of the chromosome
};

/// Why a row of the statistics takes no part. The first one that applies counts.
enum class SummaryReason : std::uint8_t {
  no_result,        ///< the program that wrote it reports an error
  no_effect,        ///< neither Z nor an effect (beta or odds ratio)
  no_error,         ///< an effect, and neither Z nor its standard error nor p
  no_n,             ///< no n in the row, and no other
  several_alleles,  ///< plink2: more than one other allele
  not_in_panel,
  other_alleles,     ///< the panel has the place or id with other alleles
  several_in_panel,  ///< several variants of the panel match equally well
  ambiguous,         ///< A/T or C/G, with drop_ambiguous
  duplicate,         ///< several rows are the same variant of the panel: all of them
  constant,          ///< everybody in the panel has the same call
  low_info,
  low_n,
  panel_sd,  ///< sd in the panel below panel_sd_min
  other_sd,  ///< sd by the statistics does not go with the panel's
  other_frequency,
  outside_blocks,
};
inline constexpr std::size_t kSummaryReasons = 17;
/// As it stands in the list of what was left out: "not in the panel".
[[nodiscard]] const char* text_of(SummaryReason reason);

/// How r was computed.
enum class SummarySource : std::uint8_t { z, beta_and_se, p_and_sign };
inline constexpr std::size_t kSummarySources = 3;
[[nodiscard]] const char* text_of(SummarySource source);

/// What happened to the rows.
struct SummaryCounts {
  std::uint64_t rows = 0;                                ///< of the files
  std::uint64_t other_tests = 0;                         ///< of them: TEST is not ADD; listed nowhere
  std::uint64_t matched = 0;                             ///< rows that are one variant of the panel each, before QC
  std::uint64_t turned = 0;                              ///< of the matched: the panel counts the other allele
  std::uint64_t other_strand = 0;                        ///< of the matched: letters of the other strand
  std::uint64_t ambiguous = 0;                           ///< of the matched: A/T or C/G, taken as written
  std::uint64_t no_effect_rows = 0;                      ///< of the rows: odds ratio 1 or beta 0, and no Z
  std::uint64_t no_effect = 0;                           ///< of the matched: the same; r = 0
  std::uint64_t disagreements = 0;                       ///< of the matched: what was not used says otherwise
  std::array<std::uint64_t, kSummarySources> sources{};  ///< of the matched
  std::array<std::uint64_t, kSummaryReasons> dropped{};  ///< by SummaryReason; with the kept they add up to `rows`
  std::uint64_t kept = 0;

  [[nodiscard]] std::uint64_t dropped_for(SummaryReason reason) const {
    return dropped[static_cast<std::size_t>(reason)];
  }
};

/// A study as the Lasso on summary statistics takes it.
struct SummaryData {
  std::vector<SummaryStatistic> variants;  ///< block by block, in a block in the panel's order
  std::vector<SummaryBlock> blocks;        ///< all of `variants`, in order
  std::vector<SummaryFormat> formats;      ///< one a file
  SummaryCounts counts;
  double n_max = 0;       ///< largest n of `variants`
  bool has_odds = false;  ///< effects are log odds
  std::string build;      ///< genome build by -meta.yaml; "": not said
  std::string trait;      ///< by -meta.yaml; ""
  /// sd of the trait in its own units that makes sds by the statistics go with the panel's (2 of log odds and effective
  /// n); NaN: beta and se are unknown.
  double trait_sd = 0;
  double frequency_correlation = 0;  ///< of study and panel; NaN: too few are known
  std::string dropped;               ///< text of a table: file, line, id, chromosome, position, reason a row
  std::vector<std::string> notes;    ///< what a user may not expect, a sentence each
};

/// Names of the fields in SummaryOptions::columns, with what they hold: "chr (chromosome), ...", for messages.
[[nodiscard]] std::string summary_fields();

/// Reads the statistics (gzip and zstd by content), lays them beside the panel's variants and leaves out what does not
/// go with it.
/// r = z / sqrt(n - 2 + z^2), with z by the first of: the file's Z or t; beta / se (log OR / se); the quantile of p / 2
/// of Student's t with n - 2 degrees of freedom and the sign of the effect.
/// Errors: usage: options that do not go together; input: file and line, what was found, what was expected, what to do:
/// no known header, text that is no number, an odds ratio or a standard error <= 0, p = 0 or outside of [0, 1] without
/// beta and se, no n, too few that match (with the share that would match by id), regions that overlap, frequencies
/// that do not go with the panel's.
/// Cost: one pass over the text, about 1 us a row, and sorting of the panel's names; 16 bytes a variant of the panel
/// and 150 a matched row besides the text.
[[nodiscard]] Result<SummaryData> read_summary(const SummaryOptions& options, const SummaryPanel& panel);

}  // namespace strads
