// The response, --keep and covariates: the part of samples.hpp that reads files.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <system_error>
#include <unordered_set>

#include "data/files/mapped_file.hpp"
#include "data/formats/npy.hpp"
#include "data/formats/text.hpp"
#include "data/samples/binary_trait.hpp"
#include "data/samples/samples.hpp"
#include "data/samples/two_classes.hpp"

namespace strads::data {

namespace {

const double kMissing = std::numeric_limits<double>::quiet_NaN();

// Values of a table's rows, put where the rows of X are; name and words are left to the caller.
Result<RowValues> at_rows_of_x(const SampleIds& x, const SampleIds& ids, const std::vector<double>& values) {
  const auto match = match_rows(x, ids);
  if (!match.ok()) return match.status();
  RowValues out;
  out.values.assign(match.value().size(), kMissing);
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

Result<RowValues> by_position(const std::string& path, std::uint64_t x_rows, std::vector<double> values) {
  if (values.size() != x_rows) {
    return Status::input(path + ": " + std::to_string(values.size()) + " rows, expected " + std::to_string(x_rows) +
                         " as in X (rows pair by position unless both files have sample ids)");
  }
  return RowValues{.name = {}, .values = std::move(values), .absent = {}, .plink = false};
}

Status no_ids(const Table& table) {
  return Status::input(at(table.path(), 1, 1) + "header starts with " + in_quotes(table.header()[0]) +
                       ", expected FID IID, #FID IID or IID: samples match by name");
}

// Columns that PLINK writes between the ids and the phenotypes (.psam, .raw): nobody means them without naming them.
bool describes_pedigree(const IdColumns& ids, const std::string& name) {
  constexpr std::array<std::string_view, 4> kNames{"SID", "PAT", "MAT", "SEX"};
  return ids.any() && std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Result<std::size_t> find_column(const Table& table, const IdColumns& ids, const std::string& name,
                                std::string_view option) {
  if (!name.empty()) return table.find(name, option);
  std::optional<std::size_t> pedigree;
  for (std::size_t column = 0; column < table.header().size(); ++column) {
    if (ids.is_id(column)) continue;
    if (!describes_pedigree(ids, table.header()[column])) return column;
    if (!pedigree) pedigree = column;
  }
  if (pedigree) return *pedigree;  // the table has nothing else
  return Status::input(at(table.path(), 1, 1) + "no column besides the sample ids, expected one of numbers");
}

// A column of numbers beside X: what option names its file, which column, and what -9 means there.
struct ColumnSource {
  const std::string& path;
  const std::string& column;  // empty: the first after the ids
  std::string_view column_option;
  std::string_view name;  // of a .npy vector
  MinusNine minus_nine = MinusNine::number;
  bool words = false;  // text is a response of two classes
};

Result<RowValues> read_column(const InputOptions& options, const ColumnSource& from, std::uint64_t x_rows,
                              const SampleIds& x) {
  const bool plink = !options.bfile.empty();
  const std::string& path = from.path;
  const auto source = Source::open(path);
  if (!source.ok()) return source.status();
  if (!plink && is_npy(source.value().bytes())) {
    if (!from.column.empty()) {
      return Status::usage(std::string(from.column_option) + " " + from.column + ": " + path +
                           " is a .npy vector, which has no named columns; give a table with a header");
    }
    auto vector = read_npy_vector(source.value().bytes(), path);
    if (!vector.ok()) return vector.status();
    auto out = by_position(path, x_rows, std::move(vector).value());
    if (out.ok()) out.value().name = from.name;
    return out;
  }
  const auto parsed = Table::parse(source.value().bytes(), path);
  if (!parsed.ok()) return parsed.status();
  const Table& table = parsed.value();
  const auto columns = find_id_columns(table, plink ? std::string() : options.id_column, false);
  if (!columns.ok()) return columns.status();
  if (plink && !columns.value().any()) return no_ids(table);
  const auto column = find_column(table, columns.value(), from.column, from.column_option);
  if (!column.ok()) return column.status();
  auto read = column_values(table, column.value(), from.minus_nine, from.words);
  if (!read.ok()) return read.status();
  auto out = Result<RowValues>(RowValues{});
  if (columns.value().any() && x.any()) {
    const auto ids = read_ids(table, columns.value());
    if (!ids.ok()) return ids.status();
    out = at_rows_of_x(x, ids.value(), read.value().values);
  } else {
    out = by_position(path, x_rows, std::move(read.value().values));
  }
  if (!out.ok()) return out;
  out.value().name = std::move(read.value().name);
  out.value().words = std::move(read.value().words);
  return out;
}

// --pheno and --y: the table (or .npy vector) that holds the response.
Result<RowValues> read_response(const InputOptions& options, std::uint64_t x_rows, const SampleIds& x) {
  const bool words = options.two_classes;
  if (options.bfile.empty()) {
    return read_column(options, {options.y, options.y_name, "--y-name", "y", MinusNine::number, words}, x_rows, x);
  }
  auto read = read_column(options, {options.pheno, options.pheno_name, "--pheno-name", "y", MinusNine::missing, words},
                          x_rows, x);
  if (read.ok()) read.value().plink = true;
  return read;
}

// A response that is required decides who takes part.
void drop_without_response(const RowValues& response, const InputOptions& options, SampleSelection& out) {
  if (!options.response_required) return;
  const bool plink = !options.bfile.empty();
  if (!response.absent.empty()) {
    out.rows.drop_where(plink ? "not in the phenotype table" : "not in the response table",
                        [&](std::uint64_t i) { return response.absent[i] != 0; });
  }
  out.rows.drop_where(plink ? "no phenotype" : "no response",
                      [&](std::uint64_t i) { return std::isnan(response.values[i]); });
}

// What PLINK codes as missing becomes so. Returns the number of samples whose 0 did.
std::uint64_t understand_plink(RowValues& response, const InputOptions& options, SampleSelection& out) {
  if (!response.plink || !response.words.empty()) return 0;
  const auto missing = [&] {
    return static_cast<std::uint64_t>(
        std::count_if(response.values.begin(), response.values.end(), [](double value) { return std::isnan(value); }));
  };
  const std::uint64_t before = missing();
  const std::string note = understand_case_control(response, options.zero_is_control);
  if (!options.two_classes) {
    if (!note.empty() && options.response_required) out.warnings.push_back(note);
    return 0;
  }
  // New samples of a model that knows 1 and 2 need not have a 2.
  if (options.classes == std::array<std::string, 2>{"1", "2"} && !options.zero_is_control) {
    std::replace(response.values.begin(), response.values.end(), 0.0, kMissing);
  }
  return missing() - before;
}

std::string path_of_response(const InputOptions& options) {
  if (!options.bfile.empty()) return options.pheno.empty() ? options.bfile + ".fam" : options.pheno;
  return options.y.empty() ? options.x : options.y;
}

// The response of the rows that are left: a number, or one of two classes.
Status take_response(RowValues response, std::uint64_t zeros, const InputOptions& options, const SampleIds& x,
                     SampleSelection& out) {
  if (options.two_classes) {
    const std::string path = path_of_response(options);
    const auto coded = code_two_classes(options, {path, x}, out.rows.kept(), response);
    const bool can_go = response.always_there && !options.response_required;
    if (!coded.ok() && !can_go) return coded.status();
    if (!coded.ok()) {
      out.warnings.push_back(coded.status().message() + "; this response is left out");
      return {};
    }
    out.classes = coded.value().names;
    if (options.response_required) out.warnings.push_back(modelled_class(response, coded.value(), zeros));
  }
  out.response_name = std::move(response.name);
  out.response = std::move(response.values);
  return {};
}

// The names in a --keep file: FID IID or one id a line, with or without a header line.
struct KeepList {
  bool pairs = false;
  std::vector<std::pair<std::string_view, std::string_view>> names;  // FID (or empty), IID
};

Result<KeepList> parse_keep(std::string_view text, const std::string& path) {
  KeepList out;
  LineReader lines = LineReader::of_file(text);
  for (std::string_view line; lines.next(line);) {
    WordReader words(line);
    std::string_view first;
    std::string_view second;
    if (!words.next(first)) continue;
    const bool pair = words.next(second);
    const bool header = first == "#FID" || first == "#IID" || (first == "FID" && second == "IID") || first == "IID";
    if (lines.number() == 1 && header) continue;
    if (!out.names.empty() && pair != out.pairs) {
      return Status::input(at(path, lines.number(), 1) + (pair ? "two or more words" : "one word") +
                           ", expected every line like the first (FID IID, or one id)");
    }
    out.pairs = pair;
    out.names.emplace_back(pair ? first : std::string_view{}, pair ? second : first);
  }
  if (out.names.empty()) return Status::input(path + ": lists no samples, expected FID IID or one id per line");
  return out;
}

Status apply_keep(const std::string& path, const SampleIds& x, SampleSelection& out) {
  const auto source = Source::open(path);
  if (!source.ok()) return source.status();
  const auto list = parse_keep(source.value().bytes(), path);
  if (!list.ok()) return list.status();
  const bool with_family = list.value().pairs && !x.family.empty();
  // Look-up only: the order of the set never reaches a result. FID and IID hold no tab.
  std::unordered_set<std::string> wanted;
  const auto key = [&](std::string_view family, std::string_view individual) {
    return (with_family ? std::string(family) : std::string()) + '\t' + std::string(individual);
  };
  for (const auto& [family, individual] : list.value().names) wanted.insert(key(family, individual));
  std::vector<std::uint8_t> keep(x.individual.size(), 0);
  std::unordered_set<std::string> found;
  for (std::uint64_t i = 0; i < keep.size(); ++i) {
    const std::string name = key(with_family ? x.family[i] : std::string_view{}, x.individual[i]);
    if (!wanted.contains(name)) continue;
    keep[i] = 1;
    found.insert(name);
  }
  if (found.empty()) {
    return Status::input(path + ": none of its " + std::to_string(wanted.size()) + " samples is in " + x.path +
                         ": here for example " + in_quotes(list.value().names[0].second) + ", there " +
                         in_quotes(x.individual[0]));
  }
  if (found.size() < wanted.size()) {
    const auto& names = list.value().names;
    const auto unknown = std::find_if(names.begin(), names.end(),
                                      [&](const auto& name) { return !found.contains(key(name.first, name.second)); });
    out.warnings.push_back(path + ": " + std::to_string(wanted.size() - found.size()) + " of " +
                           std::to_string(wanted.size()) + " samples are not in " + x.path + ", the first is " +
                           in_quotes(unknown->second));
  }
  out.rows.drop_where("not in --keep", [&](std::uint64_t i) { return keep[i] == 0; });
  return {};
}

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
  if (name != "SEX" && describes_pedigree(ids, name)) return std::string("an id");
  const auto numeric = is_numeric(table, column);
  if (!numeric.ok()) return numeric.status();
  return std::string(numeric.value() ? "" : "text");
}

Result<std::vector<std::size_t>> covariate_columns(const InputOptions& options, const Table& table,
                                                   const IdColumns& ids, std::vector<SkippedCovariate>& skipped) {
  std::vector<std::size_t> out;
  for (const std::string& name : options.covar_names) {
    const auto column = table.find(name, "--covar-name");
    if (!column.ok()) return column.status();
    if (ids.is_id(column.value())) return Status::usage("--covar-name " + name + " is a column of sample ids");
    if (std::find(out.begin(), out.end(), column.value()) == out.end()) out.push_back(column.value());
  }
  if (!options.covar_names.empty()) return out;
  if (Status named = expect_names_in_table_of_traits(options); !named.ok()) return named;
  for (std::size_t column = 0; column < table.header().size(); ++column) {
    if (ids.is_id(column)) continue;
    auto reason = reason_to_skip(table, ids, column);
    if (!reason.ok()) return reason.status();
    if (reason.value().empty()) {
      out.push_back(column);
    } else {
      skipped.push_back({table.header()[column], std::move(reason).value()});
    }
  }
  if (out.empty()) return Status::input(table.path() + ": no column of numbers, expected at least one covariate");
  return out;
}

Status apply_covariates(const InputOptions& options, const SampleIds& x, SampleSelection& out) {
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
  const auto columns = covariate_columns(options, table, ids.value(), out.skipped_covariates);
  if (!columns.ok()) return columns.status();
  for (const std::size_t column : columns.value()) {
    const auto values = table.numbers(column, MinusNine::missing);
    if (!values.ok()) return values.status();
    auto aligned = at_rows_of_x(x, names.value(), values.value());
    if (!aligned.ok()) return aligned.status();
    const RowValues& rows = aligned.value();
    out.rows.drop_where("not in the covariate table", [&](std::uint64_t i) { return rows.absent[i] != 0; });
    out.covariate_names.push_back(table.header()[column]);
    out.covariates.push_back(std::move(aligned.value().values));
  }
  out.rows.drop_where("missing covariate", [&](std::uint64_t i) {
    return std::any_of(out.covariates.begin(), out.covariates.end(),
                       [&](const auto& values) { return std::isnan(values[i]); });
  });
  return {};
}

// --weights. A weight of 0 leaves the sample out; what is kept is scaled to a mean of 1 when all rows are chosen.
Status apply_weights(const InputOptions& options, const SampleIds& x, SampleSelection& out) {
  const std::uint64_t x_rows = out.rows.kept().size();
  auto read = read_column(options, {options.weights, options.weights_name, "--weights-name", "weights"}, x_rows, x);
  if (!read.ok()) return read.status();
  const RowValues& weights = read.value();
  for (std::uint64_t i = 0; i < x_rows; ++i) {
    const double weight = weights.values[i];
    // Squares times weights are added up: those outside of this range overflow or vanish.
    if (out.rows.kept()[i] == 0 || std::isnan(weight) || weight == 0 || (weight >= 1e-100 && weight <= 1e100)) continue;
    return Status::input(
        options.weights + ": the weight of " + name_or_row(x, i) + " is " + short_number(weight) +
        ", expected a number of at least 0 (0 leaves the sample out), and from 1e-100 to 1e100 where it "
        "is not 0");
  }
  if (!weights.absent.empty()) {
    out.rows.drop_where("not in the weight table", [&](std::uint64_t i) { return weights.absent[i] != 0; });
  }
  out.rows.drop_where("missing weight", [&](std::uint64_t i) { return std::isnan(weights.values[i]); });
  out.rows.drop_where("weight 0", [&](std::uint64_t i) { return weights.values[i] == 0; });
  out.weights = std::move(read.value().values);
  return {};
}

// --offset. Any finite number will do: what is not finite the reader has refused.
Status apply_offset(const InputOptions& options, const SampleIds& x, SampleSelection& out) {
  const std::uint64_t x_rows = out.rows.kept().size();
  auto read = read_column(options, {options.offset, options.offset_name, "--offset-name", "offset"}, x_rows, x);
  if (!read.ok()) return read.status();
  const RowValues& offset = read.value();
  if (!offset.absent.empty()) {
    out.rows.drop_where("not in the offset table", [&](std::uint64_t i) { return offset.absent[i] != 0; });
  }
  out.rows.drop_where("missing offset", [&](std::uint64_t i) { return std::isnan(offset.values[i]); });
  out.offset = std::move(read.value().values);
  return {};
}

// Who trains, validates and tests; the others take no part.
Status apply_split(const InputOptions& options, const SampleIds& x, SampleSelection& out) {
  const std::uint64_t x_rows = out.rows.kept().size();
  const ColumnSource from{options.split, options.split_name, "--split-name", "split", MinusNine::missing, true};
  const auto read = read_column(options, from, x_rows, x);
  if (!read.ok()) return read.status();
  return take_split(options.split, read.value(), x, out);
}

// Weights only matter by their ratios: a sum of N makes equal ones exactly 1, which is no weight at all.
void scale_weights(SampleSelection& out) {
  double total = 0, first = 0;
  bool equal = true;
  for (std::uint64_t i = 0; i < out.weights.size(); ++i) {
    if (out.rows.kept()[i] == 0) continue;
    first = total == 0 ? out.weights[i] : first;
    equal = equal && out.weights[i] == first;
    total += out.weights[i];
  }
  if (equal) return out.weights.clear();
  const double scale = static_cast<double>(out.rows.kept_count()) / total;
  for (double& weight : out.weights) weight *= scale;
}

void clear_dropped_rows(SampleSelection& out) {
  const auto clear = [&](std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (out.rows.kept()[i] == 0) values[i] = 0;
    }
  };
  clear(out.response);
  for (auto& values : out.covariates) clear(values);
  clear(out.weights);
  clear(out.offset);
  for (std::size_t i = 0; i < out.split.size(); ++i) {
    if (out.rows.kept()[i] == 0) out.split[i] = SamplePart::none;
  }
}

Status none_left(std::uint64_t x_rows, const SampleSelection& selection, bool from_fam) {
  std::string reasons;
  for (const Dropped& dropped : selection.rows.reasons()) {
    reasons += (reasons.empty() ? "" : ", ") + std::to_string(dropped.count) + ' ' + dropped.reason;
  }
  return Status::input("no samples left of " + std::to_string(x_rows) + ": " + reasons +
                       (from_fam ? " (column 6 of the .fam; --pheno FILE names another phenotype)" : ""));
}

}  // namespace

Result<SampleSelection> select_samples(const InputOptions& options, std::uint64_t x_rows, const SampleIds& x,
                                       std::optional<RowValues> own) {
  const bool plink = !options.bfile.empty();
  const std::string& table = plink ? options.pheno : options.y;
  if (!x.any() && (!options.keep.empty() || !options.covar.empty())) {
    return Status::usage("--keep and --covar match samples by name, and " + options.x +
                         " has none; name a column of X with --id-column");
  }
  if (Status status = check_unique(x); !status.ok()) return status;
  SampleSelection out(x_rows);
  if (!table.empty()) {
    auto read = read_response(options, x_rows, x);
    if (!read.ok()) return read.status();
    out.files.push_back(table);
    own = std::move(read).value();
  }
  std::uint64_t zeros = 0;
  if (own) {
    zeros = understand_plink(*own, options, out);
    drop_without_response(*own, options, out);
  }
  if (!options.keep.empty()) {
    if (Status status = apply_keep(options.keep, x, out); !status.ok()) return status;
    out.files.push_back(options.keep);
  }
  if (!options.split.empty()) {
    if (Status status = apply_split(options, x, out); !status.ok()) return status;
    out.files.push_back(options.split);
  }
  if (!options.covar.empty()) {
    if (Status status = apply_covariates(options, x, out); !status.ok()) return status;
    out.files.push_back(options.covar);
  }
  if (!options.weights.empty()) {
    if (Status status = apply_weights(options, x, out); !status.ok()) return status;
    out.files.push_back(options.weights);
  }
  if (!options.offset.empty()) {
    if (Status status = apply_offset(options, x, out); !status.ok()) return status;
    out.files.push_back(options.offset);
  }
  if (out.rows.kept_count() == 0) return none_left(x_rows, out, plink && table.empty());
  if (Status status = expect_split_parts(options.split, out); !status.ok()) return status;
  if (own) {
    if (Status taken = take_response(std::move(*own), zeros, options, x, out); !taken.ok()) return taken;
  }
  clear_dropped_rows(out);
  scale_weights(out);
  return out;
}

}  // namespace strads::data
