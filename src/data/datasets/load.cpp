// load_dataset, load_datasets: finds the format, lets its reader read, selects the samples, puts the pieces together.
#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "data/datasets/load_each.hpp"
#include "data/datasets/take_columns.hpp"
#include "data/files/mapped_file.hpp"
#include "data/files/memory_limit.hpp"
#include "data/formats/dense_columns.hpp"
#include "data/formats/foreign_formats.hpp"
#include "data/formats/libsvm.hpp"
#include "data/formats/matrix_market.hpp"
#include "data/formats/npz.hpp"
#include "data/formats/table.hpp"
#include "data/genotypes/genotype_files.hpp"
#include "data/samples/samples.hpp"
#include "data/samples/two_classes.hpp"
#include "data/text/text.hpp"

namespace strads {
namespace data {
namespace {

enum class Format : std::uint8_t { table, libsvm, matrix_market, npy, npz };

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && same_word(text.substr(text.size() - suffix.size()), suffix);
}

// By content; where that leaves a doubt (libsvm rows without features, a damaged start), by suffix.
Result<Format> find_format(const InputFile& file) {
  const std::string_view bytes = file.bytes();
  std::string_view name = file.path();
  if (bytes.empty()) return Status::input(file.path() + ": is empty, expected data");
  if (is_npy(bytes)) return Format::npy;
  if (Status foreign = refuse_foreign_format(bytes, file.path()); !foreign.ok()) return foreign;
  if (is_zip(bytes)) return Format::npz;
  if (is_matrix_market(bytes)) return Format::matrix_market;
  if (ends_with(name, ".gz")) name.remove_suffix(3);
  if (ends_with(name, ".zst")) name.remove_suffix(4);
  for (const char* suffix : {".npy", ".npz", ".mtx"}) {
    if (ends_with(name, suffix)) {
      return Status::input(file.path() + ": does not start like a " + suffix + " file: cut off or damaged");
    }
  }
  if (looks_like_libsvm(bytes)) return Format::libsvm;
  for (const char* suffix : {".libsvm", ".svm", ".svmlight"}) {
    if (ends_with(name, suffix)) return Format::libsvm;
  }
  return Format::table;
}

// --- formats of --x ---

Status no_response(const std::string& x, bool has_names) {
  return Status::usage(x + " needs a response: --y FILE" + (has_names ? ", or --y-name COLUMN of X" : ""));
}

// The response is not one of X's own columns: it has a file, or the caller has it in memory.
bool has_other_response(const Source& source, const Response& wanted) {
  return !wanted.y.empty() || source.has_response_in_memory();
}

// Formats without column names cannot hold the response under a name, nor sample ids.
Status check_nameless_options(const InputOptions& options, bool has_labels) {
  if (!options.samples.id_column.empty()) {
    return Status::usage("--id-column " + options.samples.id_column + ": " + options.source.x +
                         " has no named columns");
  }
  if (has_other_response(options.source, options.response)) return {};
  if (!options.response.y_name.empty() && options.response.required) {
    return Status::usage("--y-name without --y names a column of X, and " + options.source.x + " has no named columns");
  }
  if (options.response.required && !has_labels) return no_response(options.source.x, false);
  return {};
}

// The columns of X that are responses: one for each name, or none.
Result<std::vector<std::size_t>> response_columns(const Response& wanted, ResponseNames names, const Table& table,
                                                  const IdColumns& ids) {
  std::vector<std::size_t> columns;
  if (wanted.y_name.empty()) {
    if (wanted.required) return no_response(table.path(), true);
    return columns;
  }
  for (const std::string& name : names) {
    const auto column = table.find(name, "--y-name");
    if (!column.ok() && !wanted.required) continue;  // predict: the response may be unknown
    if (!column.ok()) return column.status();
    if (ids.is_id(column.value())) return Status::usage("--y-name " + name + " is the column of sample ids");
    columns.push_back(column.value());
  }
  return columns;
}

// The responses among the columns of X.
Result<std::vector<RowValues>> own_responses(const Response& wanted, const Table& table, bool is_raw,
                                             const std::vector<std::size_t>& columns) {
  std::vector<RowValues> own;
  for (const std::size_t column : columns) {
    const bool plink = is_raw && column == kRawPhenotype;
    auto read = column_values(table, column, plink ? MinusNine::missing : MinusNine::number, wanted.has_classes());
    if (!read.ok() && !wanted.required) return std::vector<RowValues>{};
    if (!read.ok()) return read.status();
    read.value().plink = plink;
    own.push_back(std::move(read).value());
  }
  return own;
}

// Ids and row numbers among the variables would be fitted as numbers; two columns of one name cannot be told apart by a
// model. What PLINK exports has variants alone, whose names may repeat.
Status check_variables(const Table& table, const std::vector<std::size_t>& columns) {
  for (const std::size_t column : columns) {
    const std::string& name = table.header()[column];
    if (!is_name_of_ids(name)) continue;
    if (!is_name_of_row_numbers(name)) {
      STRADS_ASSIGN_OR_RETURN(const auto ids, holds_ids(table, column));
      if (!ids) continue;
    }
    return Status::input(at(table.path(), 1, 1) + "column " + std::to_string(column + 1) + ", " + in_quotes(name) +
                         ", holds ids or row numbers, expected a variable; if these are sample ids: --id-column " +
                         name + ", else leave the column out (R: row.names = FALSE, pandas: index=False)");
  }
  return table.check_unique_names();
}

AllLoaded load_table(const InputOptions& options, ResponseNames names, const InputFile& file) {
  STRADS_ASSIGN_OR_RETURN(const Table table, Table::parse(file.bytes(), file.path()));
  if (Status variants = refuse_table_of_variants(table); !variants.ok()) return variants;
  const bool is_raw = is_raw_export(table);
  if (table.rows() > kRowsMax) return Status::input(file.path() + ": more rows than 32 bits can count");
  STRADS_ASSIGN_OR_RETURN(const auto id_columns, find_id_columns(table, options.samples.id_column, true));
  STRADS_ASSIGN_OR_RETURN(const auto responses, has_other_response(options.source, options.response)
                                                    ? Result<std::vector<std::size_t>>(std::vector<std::size_t>{})
                                                    : response_columns(options.response, names, table, id_columns));
  STRADS_ASSIGN_OR_RETURN(const auto ids, read_ids(table, id_columns));
  STRADS_ASSIGN_OR_RETURN(const auto own, own_responses(options.response, table, is_raw, responses));

  std::vector<std::size_t> columns;
  StringList column_names;
  const auto is_response = [&](std::size_t j) {
    return std::find(responses.begin(), responses.end(), j) != responses.end();
  };
  for (std::size_t j = 0; j < table.header().size(); ++j) {
    if (id_columns.is_id(j) || is_response(j) || (is_raw && j <= kRawPhenotype)) continue;
    columns.push_back(j);
    column_names.push_back(table.header()[j]);
  }
  if (!is_raw) {
    if (Status variables = check_variables(table, columns); !variables.ok()) return variables;
  }
  const auto build = [&](const SampleSelection& selection) -> Result<Built> {
    if (columns.empty()) {
      return Status::input(file.path() + ": no columns left for X besides the response and the ids");
    }
    Status fits = expect_memory(
        file.path(), "its numbers take", selection.rows.kept_count() * columns.size() * sizeof(double),
        "write a column-major .npy of float32, which is mapped, or use a larger machine", options.source.memory);
    if (!fits.ok()) return fits;
    STRADS_ASSIGN_OR_RETURN(auto dense, read_columns(table, columns, selection.rows.kept(), options.source.missing_mean,
                                                     options.source.missing_stays, mean_weights(selection)));
    DatasetParts parts;
    parts.files = {file.path()};
    if (is_raw) {
      parts.warnings.push_back(file.path() +
                               ": genotypes of PLINK (--export A): FID, IID, PAT, MAT, SEX and PHENOTYPE are no "
                               "variables and left out");
    }
    parts.missing_imputed = dense.missing_imputed;
    parts.names = names_from_list(column_names);
    take_dense(std::move(dense.values), Storage::dense_f64, dense.rows, columns.size(), parts);
    return Built{std::move(parts), false};
  };
  return load_each(
      options, names, table.rows(), ids,
      [&](std::size_t k) { return own.empty() ? std::nullopt : std::optional<RowValues>(own[k]); }, build);
}

template <class Own>
AllLoaded load_sparse(const InputOptions& options, ResponseNames names, const InputFile& file,
                      const SparseEntries& entries, const Own& own) {
  const auto build = [&](const SampleSelection& selection) -> Result<Built> {
    STRADS_ASSIGN_OR_RETURN(auto columns,
                            to_columns(entries, selection.rows.kept(), options.source.missing_mean, file.path(),
                                       options.source.missing_stays, mean_weights(selection)));
    DatasetParts parts;
    parts.files = {file.path()};
    parts.names = names_by_number(entries.column_count);
    take_sparse(std::move(columns), selection.rows.kept_count(), parts);
    return Built{std::move(parts), false};
  };
  return load_each(options, names, entries.row_count, SampleIds{}, own, build);
}

AllLoaded load_libsvm(const InputOptions& options, ResponseNames names, const InputFile& file) {
  if (Status status = check_nameless_options(options, true); !status.ok()) return status;
  STRADS_ASSIGN_OR_RETURN(auto parsed, parse_libsvm(file.bytes(), file.path(), options.source.memory));
  const auto own = [&](std::size_t) {
    return std::optional<RowValues>(
        RowValues{.name = "label", .values = parsed.labels, .absent = {}, .always_there = true});
  };
  return load_sparse(options, names, file, parsed.entries, own);
}

// An n x J array: mapped where it lies if it can be, else copied.
AllLoaded load_dense(const InputOptions& options, ResponseNames names, const InputFile& file, const NpyArray& array,
                     bool in_file) {
  std::uint64_t released = 0;
  const auto release = [&](std::uint64_t done) {
    file.mapping()->release(std::exchange(released, array.data_offset + done), array.data_offset + done);
  };
  const Storage storage = storage_of(array);
  std::optional<bool> can_stay;  // once it is known: looking costs a pass
  const auto build = [&](const SampleSelection& selection) -> Result<Built> {
    DatasetParts parts;
    parts.files = {file.path()};
    parts.names = names_by_number(array.shape[1]);
    if (!can_stay) can_stay = in_file && file.mapped() && is_column_major(array) && all_finite(array, release);
    if (*can_stay) {
      use_dense(reinterpret_cast<const std::byte*>(array.data.data()), storage, array.shape[0], array.shape[1],
                array.shape[0] * array.item_size, parts);
      parts.mapped = file.mapping();
      return Built{std::move(parts), true};
    }
    const std::uint64_t bytes = storage == Storage::dense_f64 ? sizeof(double) : array.item_size;
    Status fits = expect_memory(file.path(), "copied column by column, the array takes",
                                selection.rows.kept_count() * array.shape[1] * bytes,
                                "write it column-major (numpy.asfortranarray) with all rows used and nothing missing, "
                                "which is mapped, or use a larger machine",
                                options.source.memory);
    if (!fits.ok()) return fits;
    STRADS_ASSIGN_OR_RETURN(auto copied,
                            copy_columns(array, selection.rows.kept(), options.source.missing_mean, file.path(),
                                         options.source.missing_stays, mean_weights(selection)));
    parts.missing_imputed = copied.missing_imputed;
    take_copied(std::move(copied), storage, selection.rows.kept_count(), array.shape[1], parts);
    return Built{std::move(parts), false};
  };
  return load_each(options, names, array.shape[0], SampleIds{}, none_of_its_own, build);
}

AllLoaded load_npy(const InputOptions& options, ResponseNames names, const InputFile& file) {
  if (Status status = check_nameless_options(options, false); !status.ok()) return status;
  STRADS_ASSIGN_OR_RETURN(const auto array, parse_npy(file.bytes(), file.path()));
  const auto& shape = array.shape;
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) {
    return Status::input(file.path() + ": an array of " + std::to_string(shape.size()) + " dimensions and " +
                         std::to_string(array.count) + " entries, expected rows x columns, at least one of each");
  }
  if (shape[0] > kRowsMax || shape[1] > kRowsMax) {
    return Status::input(file.path() + ": more rows or columns than 32 bits can count");
  }
  return load_dense(options, names, file, array, true);
}

AllLoaded load_matrix_market(const InputOptions& options, ResponseNames names, const InputFile& file) {
  if (Status status = check_nameless_options(options, false); !status.ok()) return status;
  STRADS_ASSIGN_OR_RETURN(MatrixMarket matrix, parse_matrix_market(file.bytes(), file.path(), options.source.memory));
  if (matrix.coordinate) return load_sparse(options, names, file, matrix.entries, none_of_its_own);
  NpyArray array;
  array.fortran = true;
  array.shape = {matrix.entries.row_count, matrix.entries.column_count};
  array.count = matrix.dense.size();
  array.data = {reinterpret_cast<const char*>(matrix.dense.data()), matrix.dense.size() * sizeof(double)};
  return load_dense(options, names, file, array, false);
}

AllLoaded load_npz(const InputOptions& options, ResponseNames names, const InputFile& file) {
  if (Status status = check_nameless_options(options, false); !status.ok()) return status;
  STRADS_ASSIGN_OR_RETURN(auto entries, parse_npz(file.bytes(), file.path(), options.source.memory));
  return load_sparse(options, names, file, entries, none_of_its_own);
}

AllLoaded load_x(const InputOptions& options, ResponseNames names) {
  STRADS_ASSIGN_OR_RETURN(const auto file, InputFile::open(options.source.x));
  STRADS_ASSIGN_OR_RETURN(const auto format, find_format(file));
  switch (format) {
    case Format::table:
      return load_table(options, names, file);
    case Format::libsvm:
      return load_libsvm(options, names, file);
    case Format::matrix_market:
      return load_matrix_market(options, names, file);
    case Format::npy:
      return load_npy(options, names, file);
    case Format::npz:
      return load_npz(options, names, file);
  }
  return Status::internal("unknown format");
}

// `names` has the name in `options`, or several.
AllLoaded load(const InputOptions& options, ResponseNames names) {
  if (Status together = check_input(options); !together.ok()) return together;
  if (options.source.has_x_in_memory()) return load_in_memory(options, names);
  return !options.source.is_plink() ? load_x(options, names) : load_genotypes(options, names);
}

}  // namespace
}  // namespace data

namespace {

data::AllLoaded load_all(const InputOptions& options, std::span<const std::string> names) {
  try {
    return data::load(options, names);
  } catch (const std::bad_alloc&) {
    return Status::input(options.source.name() +
                         ": not enough memory to hold the data; use a format that is mapped (.bed, column-major .npy)");
  }
}

}  // namespace

std::vector<std::string> files_of(const InputOptions& options) {
  std::vector<std::string> files;
  if (options.source.is_plink()) {
    const auto sources = data::sources_of(options.source);
    for (const Source& one : sources.ok() ? sources.value() : std::vector<Source>{options.source}) {
      const data::GenotypeFiles genotypes = data::genotype_files(one);
      files.insert(files.end(), {genotypes.calls, genotypes.variants, genotypes.samples});
    }
  }
  const auto& [source, response, samples, variables] = options;
  for (const std::string* file :
       {&source.x, &response.y, &response.pheno, &samples.keep, &samples.remove, &variables.extract, &variables.exclude,
        &response.covar, &variables.penalty_factors, &response.weights, &response.offset, &samples.split}) {
    if (!file->empty()) files.push_back(*file);
  }
  return files;
}

Result<std::shared_ptr<const Dataset>> load_dataset(const InputOptions& options) {
  STRADS_ASSIGN_OR_RETURN(auto loaded, load_all(options, {&options.response.column(options.source.is_plink()), 1}));
  return std::move(loaded.front());
}

Result<std::vector<std::shared_ptr<const Dataset>>> load_datasets(const InputOptions& options,
                                                                  std::span<const std::string> responses) {
  STRADS_CHECK(!responses.empty(), "callers name at least one response");
  return load_all(data::with_response(options, responses.front()), responses);
}

}  // namespace strads
