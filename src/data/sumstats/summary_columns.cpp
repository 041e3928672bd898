#include "data/sumstats/summary_columns.hpp"

#include <algorithm>
#include <span>

#include "data/text/text.hpp"
#include "strads/base/listed.hpp"
#include "strads/base/nearest_name.hpp"

namespace strads::data {
namespace {

using Field = SummaryField;

/// A column of a format. Of several rows of one field the first that is there counts.
struct NamedColumn {
  Field field;
  std::string_view name;
  bool required = false;  ///< its header tells the format; of several rows of one field one is enough
};

constexpr NamedColumn kGwasSsf[] = {
    {Field::chromosome, "chromosome", true},
    {Field::position, "base_pair_location", true},
    {Field::effect, "effect_allele", true},
    {Field::other, "other_allele", true},
    {Field::id, "rsid"},
    {Field::id, "rs_id"},
    {Field::id, "variant_id"},
    {Field::beta, "beta"},
    {Field::odds, "odds_ratio"},
    {Field::odds, "hazard_ratio"},
    {Field::se, "standard_error"},
    {Field::z, "z_score"},
    {Field::p, "p_value"},
    {Field::log_p, "neg_log_10_p_value"},
    {Field::frequency, "effect_allele_frequency"},
    {Field::n, "n"},
    {Field::info, "info"},
};
constexpr NamedColumn kPlink2[] = {
    {Field::id, "ID", true},       {Field::effect, "A1", true},
    {Field::test, "TEST", true},   {Field::n, "OBS_CT", true},
    {Field::chromosome, "#CHROM"}, {Field::chromosome, "CHROM"},
    {Field::position, "POS"},      {Field::other, "OMITTED"},
    {Field::other, "AX"},          {Field::reference, "REF"},
    {Field::alternative, "ALT"},   {Field::beta, "BETA"},
    {Field::odds, "OR"},           {Field::se, "SE"},
    {Field::se, "LOG(OR)_SE"},     {Field::z, "T_STAT"},
    {Field::z, "Z_STAT"},          {Field::z, "T_OR_F_STAT"},
    {Field::z, "Z_OR_F_STAT"},     {Field::p, "P"},
    {Field::log_p, "LOG10_P"},     {Field::log_p, "NEG_LOG10_P"},
    {Field::frequency, "A1_FREQ"}, {Field::info, "MACH_R2"},
    {Field::error, "ERRCODE"},
};
constexpr NamedColumn kRegenie[] = {
    {Field::chromosome, "CHROM", true},
    {Field::position, "GENPOS", true},
    {Field::id, "ID", true},
    {Field::other, "ALLELE0", true},
    {Field::effect, "ALLELE1", true},
    {Field::beta, "BETA"},
    {Field::se, "SE"},
    {Field::log_p, "LOG10P"},
    {Field::frequency, "A1FREQ"},
    {Field::n, "N"},
    {Field::cases, "N_CASES"},
    {Field::controls, "N_CONTROLS"},
    {Field::info, "INFO"},
    {Field::test, "TEST"},
};
constexpr NamedColumn kSaige[] = {
    {Field::chromosome, "CHR", true},
    {Field::position, "POS", true},
    {Field::other, "Allele1", true},
    {Field::effect, "Allele2", true},
    {Field::id, "MarkerID"},
    {Field::id, "SNPID"},
    {Field::beta, "BETA"},
    {Field::se, "SE"},
    {Field::p, "p.value"},
    {Field::frequency, "AF_Allele2"},
    {Field::n, "N"},
    {Field::cases, "N_case"},
    {Field::cases, "N.Cases"},
    {Field::controls, "N_ctrl"},
    {Field::controls, "N.Controls"},
    {Field::info, "imputationInfo"},
};
constexpr NamedColumn kCojo[] = {
    {Field::id, "SNP", true}, {Field::effect, "A1", true}, {Field::other, "A2", true}, {Field::frequency, "freq", true},
    {Field::beta, "b", true}, {Field::se, "se", true},     {Field::p, "p", true},      {Field::n, "N", true},
};
constexpr NamedColumn kLdsc[] = {
    {Field::id, "SNP", true}, {Field::effect, "A1", true}, {Field::other, "A2", true},
    {Field::n, "N", true},    {Field::z, "Z", true},       {Field::frequency, "FRQ"},
};

struct KnownFormat {
  SummaryFormat format;
  std::span<const NamedColumn> columns;
};
constexpr KnownFormat kFormats[] = {
    {SummaryFormat::gwas_ssf, kGwasSsf}, {SummaryFormat::plink2, kPlink2}, {SummaryFormat::regenie, kRegenie},
    {SummaryFormat::saige, kSaige},      {SummaryFormat::cojo, kCojo},     {SummaryFormat::ldsc, kLdsc},
};

/// A word of the user's map.
struct MapWord {
  std::string_view word;
  Field field;
  const char* holds;
};
constexpr MapWord kMapWords[] = {
    {"chr", Field::chromosome, "chromosome"},
    {"pos", Field::position, "position in base pairs"},
    {"id", Field::id, "the variant's id"},
    {"a1", Field::effect, "effect allele"},
    {"a2", Field::other, "the other allele"},
    {"beta", Field::beta, "effect of a copy of a1, or log odds ratio"},
    {"or", Field::odds, "odds ratio"},
    {"se", Field::se, "standard error of beta, or of the log odds ratio"},
    {"z", Field::z, "Z or t statistic"},
    {"p", Field::p, "p value"},
    {"log10p", Field::log_p, "-log10 of the p value"},
    {"freq", Field::frequency, "frequency of a1"},
    {"freq2", Field::other_frequency, "frequency of a2"},
    {"n", Field::n, "people"},
    {"cases", Field::cases, "cases, with controls"},
    {"controls", Field::controls, "controls, with cases"},
    {"info", Field::info, "quality of imputation"},
    {"test", Field::test, "rows of ADD alone are read"},
};

std::optional<std::size_t> column_called(const std::vector<std::string>& header, std::string_view name) {
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (header[c] == name) return c;
  }
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (same_word(header[c], name)) return c;
  }
  return std::nullopt;
}

/// The columns of a format; nothing: the header is not its.
std::optional<SummaryColumns> columns_in(const KnownFormat& known, const std::vector<std::string>& header) {
  SummaryColumns out;
  out.format = known.format;
  for (const NamedColumn& column : known.columns) {
    auto& place = out.columns[static_cast<std::size_t>(column.field)];
    if (!place) place = column_called(header, column.name);
    if (column.required && !place) return std::nullopt;
  }
  return out;
}

std::string header_in_words(const std::vector<std::string>& header) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t c = 0; c < header.size() && c < kShown; ++c) text += (c == 0 ? "" : ", ") + header[c];
  return text + (header.size() > kShown ? ", ..." : "");
}

Status no_known_format(const Table& table) {
  return Status::input(at(table.path(), 1, 1) + "the header (" + header_in_words(table.header()) +
                       ") is none of GWAS-SSF, plink2 .glm, regenie, SAIGE, COJO .ma and LDSC .sumstats, expected one "
                       "of these; say what is where: --sumstats-columns chr=...,pos=...,a1=...,a2=...,beta=...,se=..."
                       ",n=...");
}

Result<SummaryColumns> columns_of_map(const Table& table, const std::string& map) {
  SummaryColumns out;
  std::string_view rest = map;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view pair = trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || equals + 1 == pair.size()) {
      return Status::usage("--sumstats-columns: " + in_quotes(pair) + ", expected FIELD=COLUMN as in chr=Chr,pos=BP; " +
                           summary_fields());
    }
    const std::string_view word = pair.substr(0, equals);
    const auto* const found = std::ranges::find(kMapWords, word, &MapWord::word);
    if (found == std::ranges::end(kMapWords)) {
      return Status::usage("--sumstats-columns: no field " + in_quotes(word) + "; " + summary_fields());
    }
    auto& place = out.columns[static_cast<std::size_t>(found->field)];
    if (place) return Status::usage("--sumstats-columns: " + in_quotes(word) + " stands there twice, expected once");
    STRADS_ASSIGN_OR_RETURN(place, table.find(pair.substr(equals + 1), "--sumstats-columns"));
  }
  return out;
}

/// Whether matching and a correlation are possible.
Status check_enough(const Table& table, const SummaryColumns& columns) {
  const auto lacks = [&](const std::string& what) {
    return Status::input(at(table.path(), 1, 1) + "no column with " + what + " among " +
                         header_in_words(table.header()) +
                         "; name it with --sumstats-columns, whose fields are: " + summary_fields());
  };
  if (!columns.has_places() && !columns.has(Field::id)) return lacks("an id, or with chromosome and position");
  if (!columns.has(Field::effect)) return lacks("the effect allele");
  if (!columns.has(Field::other) && !(columns.has(Field::reference) && columns.has(Field::alternative))) {
    return lacks("the other allele");
  }
  const bool has_effect = columns.has(Field::beta) || columns.has(Field::odds);
  const bool has_p = columns.has(Field::p) || columns.has(Field::log_p);
  if (!columns.has(Field::z) && !has_effect) return lacks("an effect (Z, beta or odds ratio)");
  if (!columns.has(Field::z) && !columns.has(Field::se) && !has_p) return lacks("a standard error or a p value");
  if (columns.has(Field::cases) != columns.has(Field::controls)) return lacks("cases and one with controls");
  return {};
}

}  // namespace

Result<SummaryColumns> find_summary_columns(const Table& table, const std::string& map) {
  SummaryColumns out;
  if (!map.empty()) {
    STRADS_ASSIGN_OR_RETURN(out, columns_of_map(table, map));
  } else {
    std::optional<SummaryColumns> found;
    for (const KnownFormat& known : kFormats) {
      if (!found) found = columns_in(known, table.header());
    }
    if (!found) return no_known_format(table);
    out = *found;
  }
  // SAIGE of a binary trait has both; a column of one of them alone says nothing.
  if (map.empty() && (!out.has(Field::cases) || !out.has(Field::controls))) {
    out.columns[static_cast<std::size_t>(Field::cases)] = std::nullopt;
    out.columns[static_cast<std::size_t>(Field::controls)] = std::nullopt;
  }
  if (Status enough = check_enough(table, out); !enough.ok()) return enough;
  out.fields.resize(table.header().size());
  for (std::size_t f = 0; f < kSummaryFields; ++f) {
    if (!out.columns[f]) continue;
    auto& field = out.fields[*out.columns[f]];
    if (field) {
      return Status::usage("--sumstats-columns: column " + in_quotes(table.header()[*out.columns[f]]) +
                           " stands there twice, expected once");
    }
    field = static_cast<Field>(f);
  }
  return out;
}

}  // namespace strads::data

namespace strads {

std::string summary_fields() {
  std::string text;
  for (const auto& word : data::kMapWords) {
    text += (text.empty() ? "" : ", ") + std::string(word.word) + " (" + word.holds + ")";
  }
  return text;
}

}  // namespace strads
