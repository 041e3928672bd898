#include "mf/factors/model_files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "strads/data/arrays.hpp"
#include "strads/program/array_files.hpp"
#include "strads/program/files_of_run.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/run_folder.hpp"

namespace strads::mf {
namespace {

const std::string kModelFiles[] = {kIdsFile[0], kIdsFile[1], kFactorsFile[0], kFactorsFile[1], kBiasesFile};
constexpr std::string_view kBiasArrays[] = {"users", "items", "mean", "range"};

class Names final : public IdTable {
 public:
  explicit Names(std::vector<std::string> names) : names_(std::move(names)) {
    places_.reserve(names_.size());
    for (std::uint32_t k = 0; k < names_.size(); ++k) places_.emplace(names_[k], k);
  }
  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] std::string_view name(std::uint32_t index) const override { return names_[index]; }
  [[nodiscard]] std::uint32_t find(std::string_view name) const override {
    const auto found = places_.find(name);
    return found == places_.end() ? size() : found->second;
  }
  [[nodiscard]] bool has_repeats() const { return places_.size() != names_.size(); }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> places_;  // looked up only
};

Status write_factors(RunDirectory& directory, const FactorModel& model, Side side) {
  const std::uint64_t shape[] = {model.size(side), model.rank};
  return write_array(directory, kFactorsFile[mf::index_of(side)], shape, model.factors[mf::index_of(side)]);
}

Status write_biases(RunDirectory& directory, const FactorModel& model) {
  const auto array = [](std::string_view name, std::vector<float> values) {
    return NamedArray{std::string(name), {{values.size()}, std::move(values)}};
  };
  const NamedArray arrays[] = {array(kBiasArrays[0], model.biases[0]), array(kBiasArrays[1], model.biases[1]),
                               array(kBiasArrays[2], {model.mean}),
                               array(kBiasArrays[3], {model.lowest, model.highest})};
  STRADS_ASSIGN_OR_RETURN(const auto bytes, npz_bytes(arrays));
  return directory.write(kBiasesFile, bytes);
}

/// visit(id, ratings) for each row.
template <class Visit>
Status read_rows(const std::string& path, Visit&& visit) {
  STRADS_ASSIGN_OR_RETURN(const auto text, read_file(path));
  std::string_view rest = text;
  for (std::uint64_t line = 1; !rest.empty(); ++line) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view row = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line == 1) continue;  // id, ratings
    // From the right: whatever an id holds, the count does not.
    const auto tab = row.rfind('\t');
    std::uint32_t count = 0;
    const char* last = row.data() + row.size();
    const bool is_row = tab != std::string_view::npos && tab + 1 < row.size();
    const auto parsed = std::from_chars(is_row ? row.data() + tab + 1 : last, last, count);
    if (!is_row || parsed.ec != std::errc() || parsed.ptr != last) {
      return Status::input(path + ":" + std::to_string(line) + ": found '" + std::string(row) +
                           "', expected an id, a tab and a number; the file is damaged");
    }
    visit(row.substr(0, tab), count);
  }
  return {};
}

Status read_factors(const std::string& path, FactorModel& model, Side side) {
  STRADS_ASSIGN_OR_RETURN(auto array, read_npy(path));
  const auto& shape = array.shape;
  const auto rows = model.ids[mf::index_of(side)]->size();
  if (shape.size() != 2 || shape[0] != rows || shape[1] == 0 || (side == Side::items && shape[1] != model.rank)) {
    return Status::input(path + ": is no matrix of " + std::to_string(rows) + " rows" +
                         (side == Side::items ? " and " + std::to_string(model.rank) + " columns" : "") +
                         "; expected all files of one run");
  }
  model.rank = static_cast<std::uint32_t>(shape[1]);
  model.factors[mf::index_of(side)] = std::move(array.values);
  return {};
}

Status read_biases(const std::string& path, FactorModel& model) {
  STRADS_ASSIGN_OR_RETURN(auto arrays, read_npz(path, kBiasArrays));
  auto& users = arrays[0];
  auto& items = arrays[1];
  const auto& mean = arrays[2];
  const auto& range = arrays[3];
  if (users.values.size() != model.ids[0]->size() || items.values.size() != model.ids[1]->size() ||
      mean.values.size() != 1 || range.values.size() != 2) {
    return Status::input(path + ": has " + std::to_string(users.values.size()) + " and " +
                         std::to_string(items.values.size()) + " biases, expected " +
                         std::to_string(model.ids[0]->size()) + " and " + std::to_string(model.ids[1]->size()) +
                         "; expected all files of one run");
  }
  model.biases[0] = std::move(users.values);
  model.biases[1] = std::move(items.values);
  model.mean = mean.values[0];
  model.lowest = range.values[0];
  model.highest = range.values[1];
  return {};
}

/// To the last bit.
bool are_same(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}

Status check_factors_file(const std::string& path, const FactorModel& model, Side side) {
  const std::uint64_t shape[] = {model.size(side), model.rank};
  return check_array(path, shape, model.factors[mf::index_of(side)]);
}

Status check_ids_file(const std::string& path, const FactorModel& model, Side side) {
  const IdTable& ids = *model.ids[mf::index_of(side)];
  const auto& counts = model.counts[mf::index_of(side)];
  std::uint32_t row = 0;
  bool is_same = true;
  const auto visit = [&](std::string_view name, std::uint32_t count) {
    is_same = is_same && row < ids.size() && name == ids.name(row) && count == counts[row];
    ++row;
  };
  if (Status read = read_rows(path, visit); !read.ok()) return read;
  return is_same && row == ids.size() ? Status() : is_not_as_written(path);
}

}  // namespace

std::string ids_table(const ModelIds& model, Side side) {
  const IdTable& ids = *model.ids[mf::index_of(side)];
  const auto& counts = model.counts[mf::index_of(side)];
  std::string out = "id\tratings\n";
  for (std::uint32_t k = 0; k < ids.size(); ++k) {
    out.append(ids.name(k)).append("\t").append(std::to_string(counts[k])).append("\n");
  }
  return out;
}

Status read_ids(const std::string& path, ModelIds& model, Side side) {
  std::vector<std::string> names;
  auto& counts = model.counts[mf::index_of(side)];
  const auto visit = [&](std::string_view name, std::uint32_t count) {
    names.emplace_back(name);
    counts.push_back(count);
  };
  if (Status read = read_rows(path, visit); !read.ok()) return read;
  STRADS_ASSIGN_OR_RETURN(model.ids[mf::index_of(side)], make_ids(path, std::move(names)));
  return {};
}

float score(const FactorModel& model, std::uint32_t user, std::uint32_t item) {
  const bool known_user = user < model.size(Side::users), known_item = item < model.size(Side::items);
  float base = model.mean;
  if (known_user) base += model.biases[0][user];
  if (known_item) base += model.biases[1][item];
  if (!known_user || !known_item) return base;
  const float* w = model.row(Side::users, user);
  const float* h = model.row(Side::items, item);
  float product = 0;
  for (std::uint32_t k = 0; k < model.rank; ++k) product += w[k] * h[k];
  return base + product;
}

float predict(const FactorModel& model, std::uint32_t user, std::uint32_t item) {
  return std::clamp(score(model, user, item), model.lowest, model.highest);
}

bool gives_numbers(const FactorModel& model) {
  // The largest absolute value; infinity where one is no number.
  const auto most = [](const std::vector<float>& floats) {
    double largest = 0;
    for (const float value : floats) {
      if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, std::abs(double{value}));
    }
    return largest;
  };
  const double bound = std::abs(double{model.mean}) + most(model.biases[0]) + most(model.biases[1]) +
                       model.rank * most(model.factors[0]) * most(model.factors[1]);
  return bound < double{std::numeric_limits<float>::max()};
}

Status write_factor_model(RunDirectory& directory, const FactorModel& model) {
  if (!directory.exists()) return {};
  for (const Side side : {Side::users, Side::items}) {
    if (Status done = write_factors(directory, model, side); !done.ok()) return done;
    if (Status done = directory.write(kIdsFile[mf::index_of(side)], ids_table(model, side)); !done.ok()) return done;
  }
  return write_biases(directory, model);
}

Status check_written(const RunDirectory& directory, const FactorModel& model) {
  for (const Side side : {Side::users, Side::items}) {
    const std::string factors = directory.path_of(kFactorsFile[mf::index_of(side)]);
    if (Status same = check_factors_file(factors, model, side); !same.ok()) return same;
    const std::string ids = directory.path_of(kIdsFile[mf::index_of(side)]);
    if (Status same = check_ids_file(ids, model, side); !same.ok()) return same;
  }
  FactorModel read;
  for (std::size_t s = 0; s < kSides; ++s) read.ids[s] = model.ids[s];
  const std::string biases = directory.path_of(kBiasesFile);
  if (Status done = read_biases(biases, read); !done.ok()) return done;
  const float numbers[] = {read.mean, read.lowest, read.highest};
  const float expected[] = {model.mean, model.lowest, model.highest};
  const bool same = are_same(read.biases[0], model.biases[0]) && are_same(read.biases[1], model.biases[1]) &&
                    are_same(numbers, expected);
  return same ? Status() : is_not_as_written(biases);
}

Result<FactorModel> read_factor_model(const std::string& directory) {
  if (Status run = expect_run_folder(directory, kIdsFile[0], "mf fit"); !run.ok()) return run;
  if (Status known = expect_model_format(directory, kModelFilesFormat); !known.ok()) return known;
  std::error_code none;
  if (std::filesystem::exists(directory + "/" + kWeightsFile, none)) {
    return Status::input(directory + ": is a model of --solver slim, which has weights between items and no factors: " +
                         "mf recommend and mf evaluate read it; expected the run directory of a fit by another solver");
  }
  if (Status whole = check_run_files(directory, kModelFiles); !whole.ok()) return whole;
  FactorModel model;
  for (const Side side : {Side::users, Side::items}) {
    const std::string ids = directory + "/" + kIdsFile[mf::index_of(side)];
    if (Status read = read_ids(ids, model, side); !read.ok()) return read;
    const std::string factors = directory + "/" + kFactorsFile[mf::index_of(side)];
    if (Status read = read_factors(factors, model, side); !read.ok()) return read;
  }
  if (Status read = read_biases(directory + "/" + kBiasesFile, model); !read.ok()) return read;
  STRADS_ASSIGN_OR_RETURN(model.unit, positive_of_summary(directory, kUnit, 1));
  if (!gives_numbers(model)) {
    return Status::input(directory + ": factors or biases of the model are not finite, or too large for a prediction " +
                         "in single precision: fit it again, to ratings that are divided by a constant");
  }
  return model;
}

void add_paths(Summary& summary, const RatingsInput& input) {
  if (!input.path.empty()) summary.add(kRatingsPath, path_from_root(input.path));
  if (!input.test_path.empty()) summary.add(kTestPath, path_from_root(input.test_path));
}

Status read_fit_options(const std::string& directory, FitOptions& options, OptionTable& table) {
  if (Status run = expect_run_folder(directory, kConfigFile, "mf fit"); !run.ok()) return run;
  const std::string config[] = {kConfigFile};
  if (Status whole = check_run_files(directory, config); !whole.ok()) return whole;
  if (Status read = table.parse_config(directory + "/" + kConfigFile); !read.ok()) return read;
  RatingsInput& input = options.input;
  if (!input.path.empty()) input.path = file_of_run(directory, input.path, kRatingsPath);
  if (!input.test_path.empty()) input.test_path = file_of_run(directory, input.test_path, kTestPath);
  // Of a model that was fitted in another program's memory it names no file.
  if (options.input.path.empty()) options.input.in_memory = std::make_shared<RatingsInMemory>();
  Status settled = settle_fit_options(options, table);
  options.input.in_memory.reset();
  return settled;
}

Result<std::shared_ptr<const IdTable>> make_ids(const std::string& path, std::vector<std::string> names) {
  auto table = std::make_shared<Names>(std::move(names));
  if (!table->has_repeats()) return std::shared_ptr<const IdTable>(std::move(table));
  for (std::uint32_t k = 0; k < table->size(); ++k) {
    if (table->find(table->name(k)) == k) continue;
    return Status::input(path + ":" + std::to_string(k + 2) + ": the id '" + std::string(table->name(k)) +
                         "' is there twice, expected each once");
  }
  return Status::internal("a repeated id is found");
}

float value_of(const Triplets& triplets, const std::vector<float>& levels, std::size_t t) {
  return triplets.codes.empty() ? triplets.values[t] : levels[triplets.codes[t]];
}

}  // namespace strads::mf
