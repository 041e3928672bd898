#include "fuzz/rogue_problems.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "lasso/model/lasso_model.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/run/in_memory_dataset.hpp"
#include "lasso/study/study.hpp"
#include "mf/problem/mf.hpp"
#include "strads/base/status.hpp"

namespace strads::fuzz {
namespace {

constexpr EngineOptions kAtOnce{.schedulers = 2, .workers = 3, .depth = 1};
constexpr EngineOptions kAhead{.schedulers = 2, .workers = 3, .depth = 2};

// --- the Lasso ---

std::shared_ptr<const Dataset> columns() {
  static const auto dataset = lasso::dataset_of(lasso::random_content({.rows = 12, .columns = 6}));
  return dataset;
}

Problem lasso_problem(const lasso::LassoOptions& options, const EngineOptions& engine) {
  const auto data = lasso::prepare_lasso(columns(), options).value();
  return {engine, [data, options] { return lasso::make_lasso_model(data, options, [](const lasso::Solution&) {}); },
          [data](const RunEnd& end) {
            const lasso::Solution solution = lasso::solution_of(end);
            (void)lasso::beta_hash(solution, data->columns->size());
            (void)lasso::original_scale(*data, solution);
          }};
}

lasso::LassoOptions lasso_options(lasso::Policy policy) {
  lasso::LassoOptions options;
  options.policy = policy;
  options.workers = kAtOnce.workers;
  options.schedulers = kAtOnce.schedulers;
  options.cost.round_seconds = options.cost.block_seconds = 0;  // so that so few columns are worth a round
  options.tolerance = 0.1;
  return options;
}

lasso::LassoOptions path_options() {
  lasso::LassoOptions options = lasso_options(lasso::Policy::automatic);
  options.path.count = 2;
  options.path.min_ratio = 0.2;
  return options;
}

/// The path on all samples of a cross-validation, or the one without a fold that follows it.
Problem lasso_cv(const EngineOptions& engine, std::size_t part) {
  const lasso::LassoOptions options = path_options();
  const auto group =
      lasso::make_group(columns(), options, {.kind = lasso::StudyDesign::Kind::cv, .folds = "2"}).value();
  return {engine,
          [group, options, part] {
            lasso::LassoOptions own = options;
            own.path.lead = std::make_shared<lasso::PathLead>();
            own.path.follows = part > 0;
            if (part > 0) own.path.lead->lambdas = {0.5, 0.1};
            return lasso::make_lasso_model(group.paths[part].data, own);
          },
          [group, part](const RunEnd& end) {
            if (!end.statuses.empty()) (void)lasso::original_scale(*group.paths[part].data, lasso::solution_of(end));
          }};
}

// --- matrix factorization ---

class Numbered final : public IdTable {
 public:
  explicit Numbered(std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) names_.push_back(std::to_string(k));
  }
  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] std::string_view name(std::uint32_t index) const override { return names_[index]; }
  [[nodiscard]] std::uint32_t find(std::string_view name) const override {
    return static_cast<std::uint32_t>(std::ranges::find(names_, name) - names_.begin());
  }

 private:
  std::vector<std::string> names_;
};

/// Half of all pairs; the first users have rated most, so that some rows are split. Some are held out.
std::shared_ptr<mf::MfData> ratings() {
  constexpr std::uint32_t kUsers = 9, kItems = 8;
  auto ratings = std::make_shared<Ratings>();
  ratings->users = std::make_shared<Numbered>(kUsers);
  ratings->items = std::make_shared<Numbered>(kItems);
  ratings->levels = {1, 2, 3, 4, 5};
  ratings->lowest = 1;
  ratings->highest = 5;
  for (std::uint32_t user = 0; user < kUsers; ++user) {
    for (std::uint32_t item = 0; item < kItems; ++item) {
      if (user > 1 && (user + item) % 2 == 0) continue;
      Triplets& part = (user * item) % 7 == 5   ? ratings->validation
                       : (user * item) % 7 == 6 ? ratings->test
                                                : ratings->train;
      part.users.push_back(user);
      part.items.push_back(item);
      part.codes.push_back(static_cast<std::uint8_t>((3 * user + item * item) % 5));
    }
  }
  auto data = mf::prepare_mf(ratings, 1, std::make_shared<SerialChunks>()).value();
  data->reload = [train = data->train]() -> Result<std::shared_ptr<const Triplets>> {
    return std::shared_ptr<const Triplets>(train);
  };
  return data;
}

mf::MfOptions mf_options(mf::Solver solver) {
  mf::MfOptions options;
  options.solver = solver;
  options.rank = 2;
  options.sweeps_max = 2;
  return options;
}

void read_factors(const mf::MfData& data, const mf::MfOptions& options, const RunEnd& end) {
  (void)mf::model_hash(mf::solution_of(data, options, end));
}

Problem mf_problem(mf::Solver solver, const EngineOptions& engine) {
  static const auto data = ratings();
  const mf::MfOptions options = mf_options(solver);
  return {engine, [options, engine] { return mf::make_mf_model(data, options, engine, true); },
          [options](const RunEnd& end) { read_factors(*data, options, end); }};
}

}  // namespace

const std::vector<Problem>& problems() {
  using lasso::Policy;
  static const std::vector<Problem> all = {
      lasso_problem(lasso_options(Policy::automatic), kAtOnce),
      lasso_problem(lasso_options(Policy::automatic), kAhead),
      lasso_problem(lasso_options(Policy::paper), kAhead),
      lasso_problem(lasso_options(Policy::fixed_structure), kAtOnce),
      lasso_problem(lasso_options(Policy::block_greedy), kAhead),
      lasso_problem(path_options(), kAhead),
      lasso_cv(kAhead, 0),
      mf_problem(mf::Solver::cd, kAtOnce),
      mf_problem(mf::Solver::ccd, kAhead),
      mf_problem(mf::Solver::als, kAhead),
      mf_problem(mf::Solver::sgd, kAtOnce),
      lasso_cv(kAtOnce, 1),
  };
  return all;
}

}  // namespace strads::fuzz
