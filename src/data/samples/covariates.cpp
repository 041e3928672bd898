#include "data/samples/covariates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/formats/text.hpp"
#include "data/samples/two_classes.hpp"

namespace strads::data {

Result<RowValues> at_rows_of_x(const SampleIds& x, const SampleIds& ids, const std::vector<double>& values) {
  const auto match = match_rows(x, ids);
  if (!match.ok()) return match.status();
  RowValues out;
  out.values.assign(match.value().size(), std::numeric_limits<double>::quiet_NaN());
  out.absent.assign(match.value().size(), 0);
  for (std::uint64_t i = 0; i < out.values.size(); ++i) {
    if (const auto row = match.value()[i]) {
      out.values[i] = values[*row];
    } else {
      out.absent[i] = 1;
    }
  }
  return out;
}

Status no_ids(const Table& table) {
  return Status::input(at(table.path(), 1, 1) + "header starts with " + in_quotes(table.header()[0]) +
                       ", expected FID IID, #FID IID or IID: samples match by name");
}

bool describes_pedigree(const IdColumns& ids, const std::string& name) {
  constexpr std::array<std::string_view, 4> kNames{"SID", "PAT", "MAT", "SEX"};
  return ids.any() && std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

namespace {

constexpr const char* kSex = "SEX";
constexpr std::size_t kLevelsMax = 50;  // more are names or dates, not groups

// One covariate to be made: a column of the table, one level of it, or SEX of the .fam.
struct Wanted {
  std::string name;
  std::optional<std::size_t> column;  // none: SEX of the .fam
  std::optional<std::string> level;
};

// A column of the table as the rows of X have it.
struct Read {
  std::size_t column = 0;
  RowValues rows;
};

// True iff the column's first value that is not missing is a number.
Result<bool> is_numeric(const Table& table, std::size_t column) {
  const auto texts = table.texts(column);
  if (!texts.ok()) return texts.status();
  double value = 0;
  for (const std::string_view text : texts.value()) {
    const Number kind = parse_number(text, value);
    if (kind != Number::missing) return kind != Number::text;
  }
  return false;
}

// One table often holds traits and covariates: without names every other trait would be a covariate.
Status expect_names_in_table_of_traits(const InputOptions& options) {
  const auto is_covar = [&](const std::string& file) {
    std::error_code unknown;
    return !file.empty() && std::filesystem::equivalent(options.covar, file, unknown);
  };
  if (!is_covar(options.pheno) && !is_covar(options.y) && !is_covar(options.x)) return {};
  return Status::usage("--covar " + options.covar +
                       " is the table of the trait: every other column, other traits too, would be a covariate; name "
                       "the covariates with --covar-name");
}

// Why a column that nobody named is no covariate; "" where it is one.
Result<std::string> reason_to_skip(const Table& table, const IdColumns& ids, std::size_t column) {
  const std::string& name = table.header()[column];
  if (name != kSex && describes_pedigree(ids, name)) return std::string("an id");
  const auto numeric = is_numeric(table, column);
  if (!numeric.ok()) return numeric.status();
  return std::string(numeric.value() ? "" : "text");
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

// What --covar-name asks for of a table.
class NamesMet {
 public:
  NamesMet(const Table& table, const IdColumns& ids, bool has_sex) : table_(table), ids_(ids), has_sex_(has_sex) {}

  Status add(const std::string& name) {
    if (has_column(table_, name)) return add_column(name, name, std::nullopt);
    if (name == kSex && has_sex_) return put({kSex, std::nullopt, std::nullopt});
    if (const auto range = range_in(table_, name)) return add_range(range->first, range->second);
    if (const auto level = level_in(table_, name)) return add_column(level->first, name, level->second);
    return table_.find(name, "--covar-name").status();
  }
  std::vector<Wanted> take() { return std::move(wanted_); }

 private:
  Status put(Wanted one) {
    const bool again =
        std::any_of(wanted_.begin(), wanted_.end(), [&](const Wanted& other) { return other.name == one.name; });
    if (!again) wanted_.push_back(std::move(one));
    return {};
  }
  Status add_column(const std::string& column, const std::string& name, std::optional<std::string> level) {
    const auto found = column_of(table_, ids_, column);
    return found.ok() ? put({name, found.value(), std::move(level)}) : found.status();
  }
  Status add_range(const std::string& first, const std::string& last) {
    const auto begin = column_of(table_, ids_, first), end = column_of(table_, ids_, last);
    if (!begin.ok()) return begin.status();
    if (!end.ok()) return end.status();
    if (begin.value() > end.value()) {
      return Status::usage("--covar-name " + first + "-" + last + ": " + last + " stands before " + first + " in " +
                           table_.path());
    }
    for (std::size_t column = begin.value(); column <= end.value(); ++column) {
      if (Status put_one = put({table_.header()[column], column, std::nullopt}); !put_one.ok()) return put_one;
    }
    return {};
  }

  const Table& table_;
  const IdColumns& ids_;
  bool has_sex_;
  std::vector<Wanted> wanted_;
};

Result<std::vector<Wanted>> wanted_covariates(const InputOptions& options, const Table& table, const IdColumns& ids,
                                              bool has_sex, std::vector<SkippedCovariate>& skipped) {
  NamesMet names(table, ids, has_sex);
  for (const std::string& name : options.covar_names) {
    if (Status added = names.add(name); !added.ok()) return added;
  }
  std::vector<Wanted> out = names.take();
  if (!options.covar_names.empty()) return out;
  if (Status named = expect_names_in_table_of_traits(options); !named.ok()) return named;
  for (std::size_t column = 0; column < table.header().size(); ++column) {
    if (ids.is_id(column)) continue;
    auto reason = reason_to_skip(table, ids, column);
    if (!reason.ok()) return reason.status();
    if (reason.value().empty()) {
      out.push_back({table.header()[column], column, std::nullopt});
    } else {
      skipped.push_back({table.header()[column], std::move(reason).value()});
    }
  }
  if (out.empty()) return Status::input(table.path() + ": no column of numbers, expected at least one covariate");
  return out;
}

// Text of a factor, by row of X: its words, which `values` count from 0.
Result<RowValues> read_one(const Table& table, const SampleIds& x, const SampleIds& names, const Wanted& wanted) {
  const auto numeric = is_numeric(table, *wanted.column);
  if (!numeric.ok()) return numeric.status();
  RowValues read;
  if (numeric.value() && !wanted.level) {
    auto numbers = table.numbers(*wanted.column, MinusNine::missing);
    if (!numbers.ok()) return numbers.status();
    read.values = std::move(numbers).value();
  } else {
    const auto texts = table.texts(*wanted.column);
    if (!texts.ok()) return texts.status();
    read = as_words(texts.value(), MinusNine::missing);
  }
  auto aligned = at_rows_of_x(x, names, read.values);
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
  if (levels.size() < 2 || levels.size() > kLevelsMax) {
    return Status::input(table.path() + ": column " + in_quotes(column) + " is text with " +
                         std::to_string(levels.size()) + " different values among the samples that are left, " +
                         "expected a number in each row, or 2 to " + std::to_string(kLevelsMax) + " groups");
  }
  for (std::size_t k = 1; k < levels.size(); ++k) add_indicator(column, levels[k], rows, out);
  add_indicator(column, levels[0], rows, out);
  out.warnings.push_back("covariate " + column + ": a factor of " + std::to_string(levels.size()) +
                         " levels, compared with " + in_quotes(levels[0]) + " (the first in the alphabet)");
  return {};
}

// A sample of a group that a model does not know would silently get the reference's prediction.
Status expect_known_levels(const Table& table, const SampleIds& x, const Wanted& one, const RowValues& rows,
                           const std::vector<Wanted>& all, const SampleSelection& out) {
  std::string known;
  std::vector<std::uint8_t> is_known(rows.words.size(), 0);
  for (const Wanted& other : all) {
    if (other.column != one.column || !other.level) continue;
    known += (known.empty() ? "" : ", ") + *other.level;
    for (std::size_t k = 0; k < rows.words.size(); ++k) {
      if (rows.words[k] == *other.level) is_known[k] = 1;
    }
  }
  for (std::uint64_t i = 0; i < rows.values.size(); ++i) {
    if (out.rows.kept()[i] == 0 || std::isnan(rows.values[i])) continue;
    const auto word = static_cast<std::size_t>(rows.values[i]);
    if (is_known[word] != 0) continue;
    return Status::input(table.path() + ": " + name_or_row(x, i) + " has " + table.header()[*one.column] + " " +
                         in_quotes(rows.words[word]) + ", which the model does not know; expected one of " + known);
  }
  return {};
}

void drop_missing(const std::vector<Read>& read, SampleSelection& out) {
  for (const Read& one : read) {
    if (one.rows.absent.empty()) continue;
    out.rows.drop_where("not in the covariate table", [&](std::uint64_t i) { return one.rows.absent[i] != 0; });
  }
  out.rows.drop_where("missing covariate", [&](std::uint64_t i) {
    return std::any_of(read.begin(), read.end(), [&](const Read& one) { return std::isnan(one.rows.values[i]); });
  });
}

RowValues sex_of(const Pedigree& pedigree) {
  RowValues out;
  for (const Sex sex : pedigree.sex) {
    out.values.push_back(sex == Sex::unknown ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(sex));
  }
  return out;
}

Status apply_table(const InputOptions& options, const SampleIds& x, SampleSelection& out) {
  const auto source = Source::open(options.covar);
  if (!source.ok()) return source.status();
  const auto parsed = Table::parse(source.value().bytes(), options.covar);
  if (!parsed.ok()) return parsed.status();
  const Table& table = parsed.value();
  const auto ids = find_id_columns(table, options.id_column, false);
  if (!ids.ok()) return ids.status();
  if (!ids.value().any()) return no_ids(table);
  const auto names = read_ids(table, ids.value());
  if (!names.ok()) return names.status();
  const auto wanted = wanted_covariates(options, table, ids.value(), x.pedigree.any(), out.skipped_covariates);
  if (!wanted.ok()) return wanted.status();
  std::vector<Read> read;
  for (const Wanted& one : wanted.value()) {
    auto rows = one.column ? read_one(table, x, names.value(), one) : Result<RowValues>(sex_of(x.pedigree));
    if (!rows.ok()) return rows.status();
    read.push_back({one.column.value_or(0), std::move(rows).value()});
  }
  drop_missing(read, out);
  for (std::size_t k = 0; k < read.size(); ++k) {
    const Wanted& one = wanted.value()[k];
    RowValues& rows = read[k].rows;
    Status added;
    if (one.level) {
      added = expect_known_levels(table, x, one, rows, wanted.value(), out);
      if (added.ok()) add_indicator(table.header()[*one.column], *one.level, rows, out);
    } else if (!rows.words.empty()) {
      added = add_factor(table, one.name, rows, out);
    } else {
      out.covariate_names.push_back(one.name);
      out.covariates.push_back(std::move(rows.values));
    }
    if (!added.ok()) return added;
  }
  out.files.push_back(options.covar);
  return {};
}

}  // namespace

Status apply_covariates(const InputOptions& options, const SampleIds& x, SampleSelection& out) {
  if (!options.covar.empty()) return apply_table(options, x, out);
  if (options.covar_names.empty()) return {};
  if (options.covar_names != std::vector<std::string>{kSex} || !x.pedigree.any()) {
    return Status::usage("--covar-name needs --covar FILE; only SEX of --bfile needs none");
  }
  std::vector<Read> read{{0, sex_of(x.pedigree)}};
  drop_missing(read, out);
  out.covariate_names.emplace_back(kSex);
  out.covariates.push_back(std::move(read[0].rows.values));
  return {};
}

}  // namespace strads::data
