#include "mf/factors/slim_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "strads/program/array_files.hpp"
#include "strads/program/files_of_run.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/run_folder.hpp"

namespace strads::mf {

namespace {

const std::string kSlimFiles[] = {kIdsFile[0], kIdsFile[1], kWeightsFile, kConfigFile};

bool is_same_matrix(const SparseRows& a, const SparseRows& b) {
  return a.width == b.width && a.begins == b.begins && a.columns == b.columns &&
         std::ranges::equal(std::as_bytes(std::span(a.values)), std::as_bytes(std::span(b.values)));
}

}  // namespace

bool is_slim_model(const std::string& directory) {
  std::error_code none;
  return std::filesystem::exists(directory + "/" + kWeightsFile, none) || run_wrote(directory, kWeightsFile);
}

SparseRows weights_by_row(const SlimSolution& solution) {
  const std::size_t items = solution.columns.size();
  SparseRows out;
  out.width = items;
  out.begins.assign(items + 1, 0);
  for (const ItemWeights& column : solution.columns) {
    for (const std::uint32_t row : column.rows) ++out.begins[row + std::size_t{1}];
  }
  for (std::size_t row = 1; row <= items; ++row) out.begins[row] += out.begins[row - 1];
  out.columns.resize(out.begins.back());
  out.values.resize(out.begins.back());
  auto next = out.begins;
  for (std::uint32_t item = 0; item < items; ++item) {
    const ItemWeights& column = solution.columns[item];
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      const std::uint64_t at = next[column.rows[k]]++;
      out.columns[at] = item;
      out.values[at] = column.weights[k];
    }
  }
  return out;
}

Status write_weights(RunDirectory& directory, const SparseRows& weights) {
  {
    STRADS_ASSIGN_OR_RETURN(const auto bytes, sparse_rows_bytes(weights));
    if (Status done = directory.write(kWeightsFile, bytes); !done.ok()) return done;
  }
  const std::string path = directory.path_of(kWeightsFile);
  STRADS_ASSIGN_OR_RETURN(const auto again, read_sparse_rows(path));
  return is_same_matrix(again, weights) ? Status() : is_not_as_written(path);
}

Status write_slim_model(RunDirectory& directory, const SlimWeights& model) {
  if (!directory.exists()) return {};
  for (const Side side : {Side::users, Side::items}) {
    if (Status done = directory.write(kIdsFile[mf::index_of(side)], ids_table(model.ids, side)); !done.ok())
      return done;
  }
  return write_weights(directory, model.weights);
}

Result<SlimWeights> read_slim_model(const std::string& directory) {
  if (Status run = expect_run_folder(directory, kIdsFile[1], "mf fit"); !run.ok()) return run;
  if (Status known = expect_model_format(directory, kModelFilesFormat); !known.ok()) return known;
  if (Status whole = check_run_files(directory, kSlimFiles); !whole.ok()) return whole;
  SlimWeights model;
  for (const Side side : {Side::users, Side::items}) {
    Status read = read_ids(directory + "/" + kIdsFile[mf::index_of(side)], model.ids, side);
    if (!read.ok()) return read;
  }
  const std::string path = directory + "/" + kWeightsFile;
  STRADS_ASSIGN_OR_RETURN(model.weights, read_sparse_rows(path));
  const std::uint64_t items = model.ids.known(Side::items);
  if (model.weights.width != items || model.weights.begins.size() != items + 1) {
    return Status::input(path + ": is no matrix of " + std::to_string(items) +
                         " rows and columns; expected all files "
                         "of one run");
  }
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (Status read = read_fit_options(directory, options, table); !read.ok()) return read;
  model.lowest_positive = options.lowest_positive();
  return model;
}

}  // namespace strads::mf
