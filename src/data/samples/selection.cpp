// The response, weights and offsets: the part of samples.hpp that reads tables.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "data/files/mapped_file.hpp"
#include "data/formats/npy.hpp"
#include "data/samples/classes.hpp"
#include "data/samples/covariates.hpp"
#include "data/samples/samples.hpp"
#include "data/samples/two_classes.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

const double kMissing = std::numeric_limits<double>::quiet_NaN();

Result<RowValues> by_position(const std::string& path, std::uint64_t x_rows, std::vector<double> values) {
  if (values.size() != x_rows) {
    return Status::input(path + ": " + std::to_string(values.size()) + " rows, expected " + std::to_string(x_rows) +
                         " as in X (rows pair by position unless both files have sample ids)");
  }
  return RowValues{.name = {}, .values = std::move(values), .absent = {}, .plink = false};
}

// The first of several columns, which nobody named: ids and row numbers are numbers too.
Status expect_no_ids(const Table& table, const IdColumns& ids, std::size_t column, std::size_t next,
                     std::string_view option, bool plink) {
  const std::string& name = table.header()[column];
  bool are_ids = is_name_of_row_numbers(name) || counts_rows(table, column);
  if (!are_ids && is_name_of_ids(name)) {
    STRADS_ASSIGN_OR_RETURN(are_ids, holds_ids(table, column));
  }
  if (!are_ids) return {};
  const bool can_match = !plink && !ids.any();
  return Status::input(at(table.path(), 1, 1) + "the first column that could be meant, " + in_quotes(name) +
                       ", holds ids or row numbers, expected values; name the column with " + std::string(option) +
                       " (for example " + table.header()[next] + ")" +
                       (can_match ? ", and --id-column " + name + " where rows of both files match by it" : ""));
}

Result<std::size_t> find_column(const Table& table, const IdColumns& ids, const std::string& name,
                                std::string_view option, bool plink) {
  if (!name.empty()) {
    auto column = table.find(name, option);
    if (!column.ok() || !ids.is_id(column.value())) return column;
    return Status::usage(std::string(option) + " " + name + " is a column of sample ids in " + table.path());
  }
  std::optional<std::size_t> pedigree, first, second;
  for (std::size_t column = 0; column < table.header().size() && !second; ++column) {
    if (ids.is_id(column)) continue;
    auto& place = describes_pedigree(ids, table.header()[column]) ? pedigree : first ? second : first;
    if (!place) place = column;
  }
  if (first && second) {
    if (Status values = expect_no_ids(table, ids, *first, *second, option, plink); !values.ok()) return values;
  }
  if (!first) first = pedigree;  // the table has nothing else
  if (first) return table.find(table.header()[*first], option);
  return Status::input(at(table.path(), 1, 1) + "no column besides the sample ids, expected one of numbers");
}

// The rows of X, which columns beside it are matched to.
struct RowsOfX {
  std::uint64_t count;
  const SampleIds& ids;
  bool plink;
  const std::string& id_column;
};

// A column of numbers beside X: what option names its file, which column, and what -9 means there.
struct ColumnSource {
  const std::string& path;
  const std::string& column;  // empty: the first after the ids
  std::string_view column_option;
  std::string_view name;  // of a .npy vector
  MinusNine minus_nine = MinusNine::number;
  bool words = false;         // text is a response of two classes
  std::string_view prefix{};  // of the names of columns where there is no header; empty: one is expected
};

Result<RowValues> read_column(const ColumnSource& from, const RowsOfX& x) {
  const bool plink = x.plink;
  const std::string& path = from.path;
  STRADS_ASSIGN_OR_RETURN(const auto file, InputFile::open(path));
  if (!plink && is_npy(file.bytes())) {
    if (!from.column.empty()) {
      return Status::usage(std::string(from.column_option) + " " + from.column + ": " + path +
                           " is a .npy vector, which has no named columns; give a table with a header");
    }
    STRADS_ASSIGN_OR_RETURN(auto vector, read_npy_vector(file.bytes(), path));
    auto out = by_position(path, x.count, std::move(vector));
    if (out.ok()) out.value().name = from.name;
    return out;
  }
  STRADS_ASSIGN_OR_RETURN(const Table table, plink && !from.prefix.empty()
                                                 ? Table::parse_for_plink(file.bytes(), path, from.prefix)
                                                 : Table::parse(file.bytes(), path));
  STRADS_ASSIGN_OR_RETURN(const auto columns, find_id_columns(table, plink ? std::string() : x.id_column, false));
  if (plink && !columns.any()) return no_ids(table);
  STRADS_ASSIGN_OR_RETURN(const auto column, find_column(table, columns, from.column, from.column_option, plink));
  STRADS_ASSIGN_OR_RETURN(auto read, column_values(table, column, from.minus_nine, from.words));
  auto out = Result<RowValues>(RowValues{});
  if (columns.any() && x.ids.any()) {
    STRADS_ASSIGN_OR_RETURN(const auto ids, read_ids(table, columns));
    out = at_rows_of_x(x.ids, ids, read.values);
  } else {
    out = by_position(path, x.count, std::move(read.values));
  }
  if (!out.ok()) return out;
  out.value().name = std::move(read.name);
  out.value().words = std::move(read.words);
  if (!table.has_header()) out.value().note = no_header(table);
  return out;
}

// --pheno and --y: the table (or .npy vector) that holds the response.
Result<RowValues> read_response(const Response& wanted, const RowsOfX& x) {
  const bool words = wanted.has_classes();
  if (!x.plink) return read_column({wanted.y, wanted.y_name, "--y-name", "y", MinusNine::number, words}, x);
  auto read =
      read_column({wanted.pheno, wanted.pheno_name, "--pheno-name", "y", MinusNine::missing, words, "PHENO"}, x);
  if (read.ok()) read.value().plink = true;
  return read;
}

// A response that is required decides who takes part.
void drop_without_response(const RowValues& response, bool plink, SampleSelection& out) {
  if (!response.absent.empty()) {
    out.rows.drop_where(plink ? "not in the phenotype table" : "not in the response table",
                        [&](std::uint64_t i) { return response.absent[i] != 0; });
  }
  out.rows.drop_where(plink ? "no phenotype" : "no response",
                      [&](std::uint64_t i) { return std::isnan(response.values[i]); });
}

// What PLINK codes as missing becomes so. Returns the number of samples whose 0 did.
std::uint64_t understand_plink(RowValues& response, const Response& wanted, SampleSelection& out) {
  if (!response.plink || !response.words.empty() || wanted.only_numbers) return 0;
  const auto missing = [&] {
    return static_cast<std::uint64_t>(
        std::count_if(response.values.begin(), response.values.end(), [](double value) { return std::isnan(value); }));
  };
  const std::uint64_t before = missing();
  const std::string note = understand_case_control(response, wanted.zero_is_control);
  if (!wanted.has_classes()) {
    if (!note.empty() && wanted.required) out.warnings.push_back(note);
    return 0;
  }
  // New samples of a model that knows 1 and 2 need not have a 2.
  const bool knows_codes = wanted.classes == std::array<std::string, 2>{"1", "2"} ||
                           wanted.class_names == std::vector<std::string>{"1", "2"};
  if (knows_codes && !wanted.zero_is_control) {
    std::replace(response.values.begin(), response.values.end(), 0.0, kMissing);
  }
  return missing() - before;
}

std::string path_of_response(const Source& source, const Response& wanted) {
  if (source.has_x_in_memory() && !source.is_plink()) return "y";
  if (const std::string& table = wanted.table(source.is_plink()); !table.empty()) return table;
  return source.is_plink() ? source.prefix() + (source.has_psam() ? ".psam" : ".fam") : source.x;
}

// How a response was coded: one that nobody asked for may be left out.
Status take_classes(const Status& coded, bool can_go, SampleSelection& out) {
  if (coded.ok() || !can_go) return coded;
  out.warnings.push_back(coded.message() + "; this response is left out");
  return {};
}

// The response of the rows that are left: a number, or a class.
Status take_response(RowValues response, std::uint64_t zeros, const Response& wanted, const ResponseOrigin& origin,
                     SampleSelection& out) {
  const bool can_go = response.always_there && !wanted.required;
  if (wanted.two_classes) {
    const auto coded = code_two_classes(wanted, origin, out.rows.kept(), response);
    if (Status taken = take_classes(coded.status(), can_go, out); !taken.ok()) return taken;
    if (!coded.ok()) return {};
    out.classes = coded.value().names;
    if (wanted.required) out.warnings.push_back(modelled_class(response, coded.value(), zeros));
  }
  if (wanted.any_classes) {
    auto coded = code_classes(wanted, origin, out.rows.kept(), response);
    if (Status taken = take_classes(coded.status(), can_go, out); !taken.ok()) return taken;
    if (!coded.ok()) return {};
    if (wanted.required) {
      out.warnings.push_back(classes_text(response, coded.value(), out.rows.kept(), zeros));
    }
    out.class_names = std::move(coded).value();
  }
  out.response_name = std::move(response.name);
  out.response = std::move(response.values);
  return {};
}

/// A column that the caller has in memory.
Result<RowValues> column_in_memory(const std::string& name, std::uint64_t x_rows, std::span<const double> values) {
  const auto infinite = std::find_if(values.begin(), values.end(), [](double value) { return std::isinf(value); });
  if (infinite != values.end()) {
    return Status::input(name + ": entry " + std::to_string(infinite - values.begin() + 1) + " is infinite");
  }
  auto out = by_position(name, x_rows, {values.begin(), values.end()});
  if (out.ok()) out.value().name = name;
  return out;
}

/// The response in memory, of several that of this name; with its words where it has some.
Result<RowValues> response_in_memory(const DataInMemory& data, const std::string& wanted, std::uint64_t x_rows) {
  const auto& more = data.more_responses;
  const auto found =
      std::find_if(more.begin(), more.end(), [&](const ColumnInMemory& one) { return one.name == wanted; });
  const bool is_first = found == more.end() || wanted == data.response->name;
  const ColumnInMemory& response = is_first ? *data.response : *found;
  auto out = column_in_memory(response.name.empty() ? "y" : response.name, x_rows, response.values);
  if (out.ok() && is_first) out.value().words = data.words;
  return out;
}

/// Covariates in memory: samples where one is missing are left out.
Status apply_covariates_in_memory(const DataInMemory& data, std::uint64_t x_rows, SampleSelection& out) {
  for (const ColumnInMemory& covariate : data.covariates) {
    STRADS_ASSIGN_OR_RETURN(auto read, column_in_memory(covariate.name, x_rows, covariate.values));
    out.rows.drop_where("missing covariate " + covariate.name,
                        [&](std::uint64_t i) { return std::isnan(read.values[i]); });
    out.covariate_names.push_back(covariate.name);
    out.covariates.push_back(std::move(read.values));
  }
  return {};
}

// A trait among its own covariates leaves nothing to be explained: plink2 refuses it too.
Status expect_no_response_among(const Response& wanted, const std::string& response, const SampleSelection& selection) {
  const auto& names = selection.covariate_names;
  const bool named = !wanted.covar_names.empty();
  const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return named ? name == response : same_word(name, response);
  });
  if (found == names.end()) return {};
  return Status::usage("covariate " + in_quotes(*found) + (wanted.covar.empty() ? "" : " of " + wanted.covar) +
                       " has the name of the response " + in_quotes(response) +
                       ", which would explain itself; name the covariates with --covar-name, without it");
}

// A column beside X, which is in a file or, where that has no name, in memory.
Result<RowValues> file_or_memory(const ColumnSource& from, std::span<const double> memory, const RowsOfX& x,
                                 SampleSelection& out) {
  if (from.path.empty()) return column_in_memory(std::string(from.name), x.count, memory);
  out.files.push_back(from.path);
  return read_column(from, x);
}

// --weights. A weight of 0 leaves the sample out; what is kept is scaled to a mean of 1 when all rows are chosen.
Status apply_weights(const Response& wanted, std::span<const double> memory, const RowsOfX& x, SampleSelection& out) {
  const std::string name = wanted.weights.empty() ? "weights" : wanted.weights;
  STRADS_ASSIGN_OR_RETURN(
      auto read, file_or_memory({wanted.weights, wanted.weights_name, "--weights-name", "weights"}, memory, x, out));
  const RowValues& weights = read;
  for (std::uint64_t i = 0; i < x.count; ++i) {
    const double weight = weights.values[i];
    // Squares times weights are added up: those outside of this range overflow or vanish.
    if (out.rows.kept()[i] == 0 || std::isnan(weight) || weight == 0 || (weight >= 1e-100 && weight <= 1e100)) continue;
    return Status::input(
        name + ": the weight of " + name_or_row(x.ids, i) + " is " + short_number(weight) +
        ", expected a number of at least 0 (0 leaves the sample out), and from 1e-100 to 1e100 where it "
        "is not 0");
  }
  if (!weights.absent.empty()) {
    out.rows.drop_where("not in the weight table", [&](std::uint64_t i) { return weights.absent[i] != 0; });
  }
  out.rows.drop_where("missing weight", [&](std::uint64_t i) { return std::isnan(weights.values[i]); });
  out.rows.drop_where("weight 0", [&](std::uint64_t i) { return weights.values[i] == 0; });
  out.weights = std::move(read.values);
  return {};
}

// --offset. Any finite number will do: what is not finite the reader has refused.
Status apply_offset(const Response& wanted, std::span<const double> memory, const RowsOfX& x, SampleSelection& out) {
  STRADS_ASSIGN_OR_RETURN(
      auto read, file_or_memory({wanted.offset, wanted.offset_name, "--offset-name", "offset"}, memory, x, out));
  const RowValues& offset = read;
  if (!offset.absent.empty()) {
    out.rows.drop_where("not in the offset table", [&](std::uint64_t i) { return offset.absent[i] != 0; });
  }
  out.rows.drop_where("missing offset", [&](std::uint64_t i) { return std::isnan(offset.values[i]); });
  out.offset = std::move(read.values);
  return {};
}

// Who trains, validates and tests; the others take no part.
Status apply_split(const Samples& samples, std::span<const std::uint8_t> memory, const RowsOfX& x,
                   SampleSelection& out) {
  if (!memory.empty() && !samples.split.empty()) {
    return Status::usage("the split is given twice, in memory and as --split " + samples.split + "; give one of them");
  }
  if (!memory.empty()) return take_split_in_memory(memory, x.count, out);
  const auto read =
      read_column({samples.split, samples.split_name, "--split-name", "split", MinusNine::missing, true}, x);
  if (!read.ok()) return read.status();
  out.files.push_back(samples.split);
  return take_split(samples.split, read.value(), x.ids, out);
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
                                       std::optional<RowValues> own,
                                       const std::function<Status(RowChoice&)>& by_genotypes) {
  const Source& source = options.source;
  const Response& wanted = options.response;
  const Samples& samples = options.samples;
  const DataInMemory none{};
  const DataInMemory& memory = source.in_memory != nullptr ? *source.in_memory : none;
  const bool plink = source.is_plink();
  const std::string& table = wanted.table(plink);
  if (!x.any() && (!samples.keep.empty() || !samples.remove.empty() || !wanted.covar.empty())) {
    return Status::usage("--keep, --remove and --covar match samples by name, and " + source.x +
                         " has none; name a column of X with --id-column");
  }
  if (Status status = check_unique(x); !status.ok()) return status;
  SampleSelection out(x_rows);
  const RowsOfX rows{x_rows, x, plink, samples.id_column};
  if (!table.empty()) {
    STRADS_ASSIGN_OR_RETURN(auto read, read_response(wanted, rows));
    out.files.push_back(table);
    own = std::move(read);
    if (!own->note.empty()) out.warnings.push_back(own->note);
  }
  if (memory.response.has_value()) {
    STRADS_ASSIGN_OR_RETURN(own, response_in_memory(memory, wanted.column(plink), x_rows));
  }
  std::uint64_t zeros = 0;
  if (own) {
    zeros = understand_plink(*own, wanted, out);
    if (wanted.required) drop_without_response(*own, plink, out);
  }
  if (Status listed = apply_sample_lists(samples, x, out); !listed.ok()) return listed;
  if (by_genotypes) {
    if (Status dropped = by_genotypes(out.rows); !dropped.ok()) return dropped;
  }
  if (options.has_split()) {
    if (Status status = apply_split(samples, memory.split, rows, out); !status.ok()) return status;
  }
  if (Status covariates = apply_covariates(source, wanted, samples.id_column, x, out); !covariates.ok()) {
    return covariates;
  }
  if (own && (wanted.required || wanted.covar_names.empty())) {
    if (Status other = expect_no_response_among(wanted, own->name, out); !other.ok()) return other;
  }
  if (Status covariates = apply_covariates_in_memory(memory, x_rows, out); !covariates.ok()) return covariates;
  if (!wanted.weights.empty() || !memory.weights.empty()) {
    if (Status status = apply_weights(wanted, memory.weights, rows, out); !status.ok()) return status;
  }
  if (!wanted.offset.empty() || !memory.offset.empty()) {
    if (Status status = apply_offset(wanted, memory.offset, rows, out); !status.ok()) return status;
  }
  if (out.rows.kept_count() == 0) return none_left(x_rows, out, plink && table.empty());
  if (Status status = expect_split_parts(samples.split.empty() ? "split" : samples.split, out); !status.ok())
    return status;
  if (own) {
    const std::string path = path_of_response(source, wanted);
    if (Status taken = take_response(std::move(*own), zeros, wanted, {path, x}, out); !taken.ok()) return taken;
  }
  clear_dropped_rows(out);
  scale_weights(out.weights);
  return out;
}

}  // namespace strads::data

namespace strads {

void scale_weights(std::vector<double>& weights) {
  double total = 0, first = 0, count = 0;
  bool equal = true;
  for (const double weight : weights) {
    if (weight == 0) continue;
    first = count == 0 ? weight : first;
    equal = equal && weight == first;
    total += weight;
    ++count;
  }
  if (equal) return weights.clear();
  for (double& weight : weights) weight *= count / total;
}

}  // namespace strads
