// A fitted factorization as files of a run directory, and back. Formats: docs/OUTPUT.md.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mf/options/fit_options.hpp"
#include "mf/problem/mf.hpp"
#include "strads/data/ratings.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {

inline constexpr const char* kFactorsFile[kSides] = {"user_factors.npy", "item_factors.npy"};
inline constexpr const char* kIdsFile[kSides] = {"users.tsv", "items.tsv"};
inline constexpr const char* kBiasesFile = "biases.npz";
/// Of --solver slim, in place of factors and biases, J x J: row i has what item i says for others, column j what speaks
/// for item j.
inline constexpr const char* kWeightsFile = "item_weights.npz";

/// Version of these files, noted in summary.json: raised when an earlier release could not read them any more, or would
/// read something else in them.
inline constexpr std::uint32_t kModelFilesFormat = 1;

/// The unit that lambda is for (MfData::unit) in summary.json; models without it were fitted in the unit of their file.
inline constexpr const char* kUnit = "unit";

/// Whom and what a model knows.
struct ModelIds {
  std::shared_ptr<const IdTable> ids[kSides];
  std::vector<std::uint32_t> counts[kSides];  ///< training ratings of each

  [[nodiscard]] std::uint32_t known(Side side) const { return ids[mf::index_of(side)]->size(); }
};

/// A table of ids and counts as it is written.
[[nodiscard]] std::string ids_table(const ModelIds& model, Side side);
/// Reads it back. Errors: input: missing, damaged, an id comes twice.
[[nodiscard]] Status read_ids(const std::string& path, ModelIds& model, Side side);

/// What predictions need. Single precision throughout, as it was computed and as it is written.
struct FactorModel : ModelIds {
  std::uint32_t rank = 0;
  float mean = 0;
  /// Predictions stay between; with --clip off infinite.
  float lowest = -std::numeric_limits<float>::infinity(), highest = std::numeric_limits<float>::infinity();
  double unit = 1;  ///< MfData::unit of the fit: for whoever folds new users in. All numbers here are the user's
  std::vector<float> factors[kSides];  ///< rows of `rank`
  std::vector<float> biases[kSides];   ///< zeros where there are none

  [[nodiscard]] std::uint32_t size(Side side) const {
    return static_cast<std::uint32_t>(biases[mf::index_of(side)].size());
  }
  [[nodiscard]] const float* row(Side side, std::uint32_t index) const {
    return factors[mf::index_of(side)].data() + std::size_t{index} * rank;
  }
};

/// Not clipped: what items are ranked by. Factors are added up in their order, so that every command says the same.
/// An index that is not there (size() or more): its bias and the product are left out. Cost: 2 rank flops.
[[nodiscard]] float score(const FactorModel& model, std::uint32_t user, std::uint32_t item);
/// The score within the range of the ratings.
[[nodiscard]] float predict(const FactorModel& model, std::uint32_t user, std::uint32_t item);

/// Whether every score is a number, whoever and whatever it is about. Cost: one pass over the factors.
[[nodiscard]] bool gives_numbers(const FactorModel& model);

/// Factors, biases and ids. Errors: input, with the file and the system's reason.
[[nodiscard]] Status write_factor_model(RunDirectory& directory, const FactorModel& model);
/// Reads the files of an unfinished run back. Errors: internal: they are not this model; input: one cannot be read.
/// Cost: a pass over the files.
[[nodiscard]] Status check_written(const RunDirectory& directory, const FactorModel& model);
/// Errors: input: a file is missing or damaged, or the files are not of one model, or a later release wrote them in a
/// later form.
[[nodiscard]] Result<FactorModel> read_factor_model(const std::string& directory);
/// In summaries: where the ratings and the test file lie, from the root on.
inline constexpr const char* kRatingsPath = "ratings_path";
inline constexpr const char* kTestPath = "test_path";
void add_paths(Summary& summary, const RatingsInput& input);
/// The options that a model was fitted with, from its config.ini; input.path is "" where that was to no file. Files are
/// looked for by file_of_run(). Errors: input, usage.
[[nodiscard]] Status read_fit_options(const std::string& directory, FitOptions& options, OptionTable& table);

/// A table of ids from lines: for tests and for files. Errors: input, when an id comes twice (path, line).
[[nodiscard]] Result<std::shared_ptr<const IdTable>> make_ids(const std::string& path, std::vector<std::string> names);

/// Value t of some ratings.
[[nodiscard]] float value_of(const Triplets& triplets, const std::vector<float>& levels, std::size_t t);

}  // namespace strads::mf
