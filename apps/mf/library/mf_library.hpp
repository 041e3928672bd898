// Matrix factorization inside of another program: see lasso/library/lasso_library.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/ratings.hpp"
#include "strads/program/embedding.hpp"
#include "strads/program/hosted_run.hpp"
#include "strads/program/run_host.hpp"

namespace strads::mf {

/// `mf fit`.
struct FactorCall {
  std::vector<OptionValue> options;                          ///< {"rank", "20"}, {"lambda", "0.05"} ...
  std::shared_ptr<const RatingsInMemory> ratings = nullptr;  ///< null: --ratings names a file
  RunHost host = {};
  std::vector<OptionValue> cluster = {};  ///< as lasso::Call's: then `ratings` is null
};

/// One side of the model: users or items.
struct FactorSide {
  std::vector<std::string> ids;       ///< of ratings in memory: rows or columns, in decimal
  std::vector<float> factors;         ///< ids x rank
  std::vector<float> biases;          ///< zeros where there are none
  std::vector<std::uint32_t> counts;  ///< training ratings of each
};

struct FactorResult : HostedOutcome {
  bool finished = false;  ///< no limit and nobody ended it
  std::uint64_t sweeps = 0;
  std::uint32_t rank = 0;
  float mean = 0, lowest = 0, highest = 0;  ///< predictions are mean + biases + product, cut to lowest ... highest
  double unit = 1;                          ///< of the ratings: docs/MODELS.md; save_model() keeps it for mf fold-in
  FactorSide users, items;
  double objective = 0;
  double rmse_train = 0, rmse_validation = 0, rmse_test = 0;  ///< NaN: there were no such ratings
  std::string model_hash;
};

/// From options to the model. Errors: usage, input: as `mf fit`, same text.
[[nodiscard]] Result<FactorResult> call_fit(const FactorCall& call);

/// A run directory that `mf predict`, `mf recommend` and `mf fold-in` read, with the files of a model of `mf fit`.
/// Of `result` it takes the sides, rank, mean, range, unit, figures and config. Errors: usage, input: as `mf fit
/// --out`.
[[nodiscard]] Status save_model(const FactorResult& result, const std::string& directory, bool force);
/// The model in a run directory of `mf fit`, of `mf fold-in` or of save_model(): sides, rank, mean, range, unit,
/// config, and the summary's text. Errors: input: as `mf predict`.
struct SavedModel {
  FactorResult result;
  std::string summary;
};
[[nodiscard]] Result<SavedModel> load_model(const std::string& directory);

/// What call_fit takes.
[[nodiscard]] std::vector<OptionFacts> options_of_fit();

}  // namespace strads::mf
