#include "data/samples/covariates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/samples/two_classes.hpp"
#include "data/text/text.hpp"

namespace strads::data {

Result<RowValues> at_rows_of_x(const SampleIds& x, const SampleIds& ids, const std::vector<double>& values) {
  STRADS_ASSIGN_OR_RETURN(const auto match, match_rows(x, ids));
  RowValues out;
  out.values.assign(match.size(), std::numeric_limits<double>::quiet_NaN());
  out.absent.assign(match.size(), 0);
  for (std::uint64_t i = 0; i < out.values.size(); ++i) {
    if (const auto row = match[i]) {
      out.values[i] = values[*row];
    } else {
      out.absent[i] = 1;
    }
  }
  return out;
}

Status no_ids(const Table& table) {
  return Status::input(at(table.path(), 1, 1) + "header starts with " + in_quotes(table.header()[0]) +
                       ", expected a column IID (and FID where there are families): samples match by name; without a "
                       "header lines are FID, IID and numbers");
}

std::string no_header(const Table& table) {
  std::string names;
  for (const std::string& name : table.header()) names += (names.empty() ? "" : ", ") + name;
  return table.path() + ": has no header; its columns are taken for " + names + ", as plink2 does";
}

bool describes_pedigree(const IdColumns& ids, const std::string& name) {
  constexpr std::array<std::string_view, 4> kNames{"SID", "PAT", "MAT", "SEX"};
  return ids.any() && std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

namespace {

constexpr const char* kSex = "SEX";
constexpr std::size_t kGroupsMax = 50;  // more are names or dates, not groups

// A table that covariates are taken from: that of --covar, or the .fam or .psam.
struct CovariateTable {
  InputFile file;  // owns the text
  Table table;
  IdColumns ids;
  SampleIds names;
};

// One covariate to be made: a column of a table, one level of it, or SEX as genotypes have it.
struct Wanted {
  std::string name;
  const CovariateTable* from = nullptr;  // null: SEX
  std::size_t column = 0;
  std::optional<std::string> level{};
};

// True iff the column's first value that is not missing is a number.
Result<bool> is_numeric(const Table& table, std::size_t column) {
  STRADS_ASSIGN_OR_RETURN(const auto texts, table.texts(column));
  double value = 0;
  for (const std::string_view text : texts) {
    const Number kind = parse_number(text, value);
    if (kind != Number::missing) return kind != Number::text;
  }
  return false;
}

// One table often holds traits and covariates: without names every other trait would be a covariate.
Status expect_names_in_table_of_traits(const Source& source, const Response& wanted) {
  const auto is_covar = [&](const std::string& file) {
    std::error_code unknown;
    return !file.empty() && std::filesystem::equivalent(wanted.covar, file, unknown);
  };
  if (!is_covar(wanted.pheno) && !is_covar(wanted.y) && !is_covar(source.x)) return {};
  return Status::usage("--covar " + wanted.covar +
                       " is the table of the trait: every other column, other traits too, would be a covariate; name "
                       "the covariates with --covar-name");
}

// Why a column that nobody named is no covariate; "" where it is one.
Result<std::string> reason_to_skip(const Table& table, const IdColumns& ids, std::size_t column) {
  const std::string& name = table.header()[column];
  if (name != kSex && describes_pedigree(ids, name)) return std::string("an id");
  STRADS_ASSIGN_OR_RETURN(const auto numeric, is_numeric(table, column));
  if (is_name_of_row_numbers(name)) return std::string("row numbers");
  if (numeric && is_name_of_ids(name)) {
    STRADS_ASSIGN_OR_RETURN(const auto held, holds_ids(table, column));
    if (held) return std::string("an id");
  }
  return std::string(numeric ? "" : "text");
}

bool has_column(const Table& table, std::string_view name) {
  return std::find(table.header().begin(), table.header().end(), name) != table.header().end();
}

// "PC1-PC10": its two columns, if there are such. A column of this very name goes first.
std::optional<std::pair<std::string, std::string>> range_in(const Table& table, const std::string& name) {
  for (std::size_t dash = name.find('-'); dash != std::string::npos; dash = name.find('-', dash + 1)) {
    const std::string first = name.substr(0, dash), last = name.substr(dash + 1);
    if (has_column(table, first) && has_column(table, last)) return std::pair(first, last);
  }
  return std::nullopt;
}

// "batch=B" where batch is a column.
std::optional<std::pair<std::string, std::string>> level_in(const Table& table, const std::string& name) {
  for (std::size_t sign = name.find('='); sign != std::string::npos; sign = name.find('=', sign + 1)) {
    if (has_column(table, name.substr(0, sign))) return std::pair(name.substr(0, sign), name.substr(sign + 1));
  }
  return std::nullopt;
}

Result<std::size_t> column_of(const Table& table, const IdColumns& ids, const std::string& name) {
  auto column = table.find(name, "--covar-name");
  if (column.ok() && ids.is_id(column.value())) {
    return Status::usage("--covar-name " + name + " is a column of sample ids");
  }
  return column;
}

// What --covar-name asks for: of --covar, then of the file of the samples. Either may be null, not both.
class NamesMet {
 public:
  NamesMet(const CovariateTable* covar, const CovariateTable* own) : covar_(covar), own_(own) {}

  Status add(const std::string& name) {
    if (covar_ != nullptr && has_column(covar_->table, name)) return add_column(*covar_, name, name, std::nullopt);
    if (name == kSex && own_ != nullptr) return add_once({kSex});
    for (const CovariateTable* const from : {covar_, own_}) {
      if (from == nullptr) continue;
      const Table& table = from->table;
      if (has_column(table, name)) return add_column(*from, name, name, std::nullopt);
      if (const auto range = range_in(table, name)) return add_range(*from, range->first, range->second);
      if (const auto level = level_in(table, name)) return add_column(*from, level->first, name, level->second);
    }
    if (covar_ != nullptr) return covar_->table.find(name, "--covar-name").status();
    return Status::usage("--covar-name " + name + ": no such column in " + own_->table.path() +
                         "; --covar FILE names a table that has it");
  }
  std::vector<Wanted> release() { return std::move(wanted_); }

 private:
  Status add_once(Wanted one) {
    const bool again =
        std::any_of(wanted_.begin(), wanted_.end(), [&](const Wanted& other) { return other.name == one.name; });
    if (!again) wanted_.push_back(std::move(one));
    return {};
  }
  Status add_column(const CovariateTable& from, const std::string& column, const std::string& name,
                    std::optional<std::string> level) {
    const auto found = column_of(from.table, from.ids, column);
    return found.ok() ? add_once({name, &from, found.value(), std::move(level)}) : found.status();
  }
  Status add_range(const CovariateTable& from, const std::string& first, const std::string& last) {
    const Table& table = from.table;
    STRADS_ASSIGN_OR_RETURN(const auto begin, column_of(table, from.ids, first));
    STRADS_ASSIGN_OR_RETURN(const auto end, column_of(table, from.ids, last));
    if (begin > end) {
      return Status::usage("--covar-name " + first + "-" + last + ": " + last + " stands before " + first + " in " +
                           table.path());
    }
    for (std::size_t column = begin; column <= end; ++column) {
      if (Status added = add_once({table.header()[column], &from, column}); !added.ok()) return added;
    }
    return {};
  }

  const CovariateTable* covar_;
  const CovariateTable* own_;
  std::vector<Wanted> wanted_;
};

// Without names all numbers of --covar.
Result<std::vector<Wanted>> wanted_covariates(const Source& source, const Response& wanted, const CovariateTable* covar,
                                              const CovariateTable* own, std::vector<SkippedCovariate>& skipped) {
  NamesMet names(covar, own);
  for (const std::string& name : wanted.covar_names) {
    if (Status added = names.add(name); !added.ok()) return added;
  }
  std::vector<Wanted> out = names.release();
  if (!wanted.covar_names.empty()) return out;
  if (Status named = expect_names_in_table_of_traits(source, wanted); !named.ok()) return named;
  const Table& table = covar->table;
  if (Status unique = table.check_unique_names(); !unique.ok()) return unique;
  for (std::size_t column = 0; column < table.header().size(); ++column) {
    if (covar->ids.is_id(column)) continue;
    STRADS_ASSIGN_OR_RETURN(auto reason, reason_to_skip(table, covar->ids, column));
    if (reason.empty()) {
      out.push_back({table.header()[column], covar, column});
    } else {
      skipped.push_back({table.header()[column], std::move(reason)});
    }
  }
  if (out.empty()) return Status::input(table.path() + ": no column of numbers, expected at least one covariate");
  return out;
}

// Text of a factor, by row of X: its words, which `values` count from 0.
Result<RowValues> read_one(const SampleIds& x, const Wanted& wanted) {
  const Table& table = wanted.from->table;
  STRADS_ASSIGN_OR_RETURN(const auto numeric, is_numeric(table, wanted.column));
  RowValues read;
  if (numeric && !wanted.level) {
    STRADS_ASSIGN_OR_RETURN(read.values, table.numbers(wanted.column, MinusNine::missing));
  } else {
    STRADS_ASSIGN_OR_RETURN(const auto texts, table.texts(wanted.column));
    read = as_words(texts, MinusNine::missing);
  }
  auto aligned = at_rows_of_x(x, wanted.from->names, read.values);
  if (aligned.ok()) aligned.value().words = std::move(read.words);
  return aligned;
}

// The levels of the rows that are left, in the alphabet.
std::vector<std::string> levels_of(const RowValues& rows, std::span<const std::uint8_t> kept) {
  std::vector<std::uint8_t> seen(rows.words.size(), 0);
  for (std::uint64_t i = 0; i < rows.values.size(); ++i) {
    if (kept[i] != 0 && !std::isnan(rows.values[i])) seen[static_cast<std::size_t>(rows.values[i])] = 1;
  }
  std::vector<std::string> levels;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (seen[k] != 0) levels.push_back(rows.words[k]);
  }
  std::sort(levels.begin(), levels.end(), sorts_before);
  return levels;
}

void add_indicator(const std::string& column, const std::string& level, const RowValues& rows, SampleSelection& out) {
  std::vector<double> values(rows.values.size(), 0);
  for (std::uint64_t i = 0; i < values.size(); ++i) {
    if (std::isnan(rows.values[i])) continue;
    values[i] = rows.words[static_cast<std::size_t>(rows.values[i])] == level ? 1 : 0;
  }
  out.covariate_names.push_back(column + '=' + level);
  out.covariates.push_back(std::move(values));
}

Status add_factor(const Table& table, const std::string& column, const RowValues& rows, SampleSelection& out) {
  const std::vector<std::string> levels = levels_of(rows, out.rows.kept());
  if (levels.size() < 2 || levels.size() > kGroupsMax) {
    return Status::input(table.path() + ": column " + in_quotes(column) + " is text with " +
                         std::to_string(levels.size()) + " different values among the samples that are left, " +
                         "expected a number in each row, or 2 to " + std::to_string(kGroupsMax) + " groups");
  }
  for (std::size_t k = 1; k < levels.size(); ++k) add_indicator(column, levels[k], rows, out);
  add_indicator(column, levels[0], rows, out);
  out.warnings.push_back("covariate " + column + ": a factor of " + std::to_string(levels.size()) +
                         " levels, compared with " + in_quotes(levels[0]) + " (the first in the alphabet)");
  return {};
}

// A sample of a group that a model does not know would silently get the reference's prediction.
Status expect_known_levels(const SampleIds& x, const Wanted& one, const RowValues& rows, const std::vector<Wanted>& all,
                           const SampleSelection& out) {
  const Table& table = one.from->table;
  std::string known;
  std::vector<std::uint8_t> is_known(rows.words.size(), 0);
  for (const Wanted& other : all) {
    if (other.from != one.from || other.column != one.column || !other.level) continue;
    known += (known.empty() ? "" : ", ") + *other.level;
    for (std::size_t k = 0; k < rows.words.size(); ++k) {
      if (rows.words[k] == *other.level) is_known[k] = 1;
    }
  }
  for (std::uint64_t i = 0; i < rows.values.size(); ++i) {
    if (out.rows.kept()[i] == 0 || std::isnan(rows.values[i])) continue;
    const auto word = static_cast<std::size_t>(rows.values[i]);
    if (is_known[word] != 0) continue;
    return Status::input(table.path() + ": " + name_or_row(x, i) + " has " + table.header()[one.column] + " " +
                         in_quotes(rows.words[word]) + ", which the model does not know; expected one of " + known);
  }
  return {};
}

void drop_missing(const std::vector<RowValues>& read, SampleSelection& out) {
  for (const RowValues& one : read) {
    if (one.absent.empty()) continue;
    out.rows.drop_where("not in the covariate table", [&](std::uint64_t i) { return one.absent[i] != 0; });
  }
  out.rows.drop_where("missing covariate", [&](std::uint64_t i) {
    return std::any_of(read.begin(), read.end(), [&](const RowValues& one) { return std::isnan(one.values[i]); });
  });
}

RowValues sex_of(const Pedigree& pedigree) {
  RowValues out;
  for (const Sex sex : pedigree.sex) {
    out.values.push_back(sex == Sex::unknown ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(sex));
  }
  return out;
}

Result<std::unique_ptr<const CovariateTable>> covariate_table(InputFile file, const std::string& id_column,
                                                              bool plink) {
  auto table =
      plink ? Table::parse_for_plink(file.bytes(), file.path(), "COVAR") : Table::parse(file.bytes(), file.path());
  if (!table.ok()) return table.status();
  STRADS_ASSIGN_OR_RETURN(const auto ids, find_id_columns(table.value(), id_column, false));
  if (!ids.any()) return no_ids(table.value());
  STRADS_ASSIGN_OR_RETURN(auto names, read_ids(table.value(), ids));
  return std::make_unique<const CovariateTable>(
      CovariateTable{std::move(file), std::move(table).value(), ids, std::move(names)});
}

// The file of the samples as a table with a header, its fields apart by tabs. NONE, plink2's word for a missing
// category, is NA.
InputFile with_header(const InputFile& file, bool psam) {
  std::string text;
  const auto add = [&text](std::string_view line) {
    bool first = true;
    WordReader words(line);
    for (std::string_view word; words.next(word); first = false) {
      text += first ? "" : "\t";
      text += word == "NONE" ? "NA" : word;
    }
    text += "\n";
  };
  LineReader lines = LineReader::of_file(file.bytes());
  std::string_view line;
  bool any = lines.next(line);
  std::string_view header;
  for (; any && psam && line.starts_with('#'); any = lines.next(line)) {
    if (line.starts_with("#FID") || line.starts_with("#IID")) header = line;
  }
  WordReader words(any ? line : std::string_view());
  std::size_t fields = 0;
  for (std::string_view word; words.next(word);) ++fields;
  add(!header.empty() ? header
      : fields < 6    ? "FID IID PAT MAT SEX"
                      : (psam ? "FID IID PAT MAT SEX PHENO1" : "FID IID PAT MAT SEX phenotype"));
  for (; any; any = lines.next(line)) add(line);
  return file.with_text(std::move(text));
}

// Null where nobody can mean it.
Result<std::unique_ptr<const CovariateTable>> table_of_samples(const SampleIds& x, bool psam) {
  if (!x.pedigree.any()) return std::unique_ptr<const CovariateTable>();
  STRADS_ASSIGN_OR_RETURN(const auto file, InputFile::open(x.path));
  return covariate_table(with_header(file, psam), {}, false);
}

}  // namespace

Status apply_covariates(const Source& source, const Response& response, const std::string& id_column,
                        const SampleIds& x, SampleSelection& out) {
  if (response.covar.empty() && response.covar_names.empty()) return {};
  auto covar = Result<std::unique_ptr<const CovariateTable>>(nullptr);
  if (!response.covar.empty()) {
    STRADS_ASSIGN_OR_RETURN(auto file, InputFile::open(response.covar));
    covar = covariate_table(std::move(file), id_column, source.is_plink());
    if (!covar.ok()) return covar.status();
    if (!covar.value()->table.has_header()) out.warnings.push_back(no_header(covar.value()->table));
    out.files.push_back(response.covar);
  }
  auto own = Result<std::unique_ptr<const CovariateTable>>(nullptr);
  if (!response.covar_names.empty()) own = table_of_samples(x, source.has_psam());
  if (!own.ok()) return own.status();
  STRADS_CHECK(covar.value() != nullptr || own.value() != nullptr, "check_input() has seen that a table has the names");
  const auto wanted =
      wanted_covariates(source, response, covar.value().get(), own.value().get(), out.skipped_covariates);
  if (!wanted.ok()) return wanted.status();
  std::vector<RowValues> read;
  for (const Wanted& one : wanted.value()) {
    STRADS_ASSIGN_OR_RETURN(auto rows, one.from != nullptr ? read_one(x, one) : Result<RowValues>(sex_of(x.pedigree)));
    read.push_back(std::move(rows));
  }
  drop_missing(read, out);
  for (std::size_t k = 0; k < read.size(); ++k) {
    const Wanted& one = wanted.value()[k];
    RowValues& rows = read[k];
    Status added;
    if (one.level) {
      added = expect_known_levels(x, one, rows, wanted.value(), out);
      if (added.ok()) add_indicator(one.from->table.header()[one.column], *one.level, rows, out);
    } else if (!rows.words.empty()) {
      added = add_factor(one.from->table, one.name, rows, out);
    } else {
      out.covariate_names.push_back(one.name);
      out.covariates.push_back(std::move(rows.values));
    }
    if (!added.ok()) return added;
  }
  return {};
}

}  // namespace strads::data
