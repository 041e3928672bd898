// The third model: what docs/MODELS.md says, compiled and run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "examples/ridge/ridge_model.hpp"
#include "strads/base/random.hpp"
#include "strads/transport/embedded.hpp"
#include "support/cluster.hpp"

namespace strads {
namespace {

using support::Order;

constexpr std::size_t kFewRows = 40;

/// 25 variables, every column correlated with the one before.
ridge::Problem small_ridge(std::size_t rows = kFewRows) {
  constexpr std::size_t kColumns = 25;
  CounterRng random(3, Purpose::tests);
  ridge::Problem problem;
  problem.mu = 0.5;
  problem.x.assign(kColumns, std::vector<double>(rows));
  for (std::size_t j = 0; j < kColumns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) {
      problem.x[j][i] = random.unit() - 0.5 + (j > 0 ? 0.4 * problem.x[j - 1][i] : 0.0);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) problem.y.push_back(random.unit() - 0.5 + problem.x[7][i]);
  return problem;
}

/// (X'X + mu I)^-1 X'y by Gaussian elimination; the matrix is positive definite, so no pivot is needed.
std::vector<double> closed_form(const ridge::Problem& problem) {
  const std::size_t n = problem.x.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) a[j][k] = dot(problem.x[j], problem.x[k]) + (j == k ? problem.mu : 0.0);
    a[j][n] = dot(problem.x[j], problem.y);
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) axpy(-a[i][j] / a[j][j], a[j], a[i]);
  }
  std::vector<double> b(n);
  for (std::size_t j = n; j-- > 0;) {
    double rest = a[j][n];
    for (std::size_t k = j + 1; k < n; ++k) rest -= a[j][k] * b[k];
    b[j] = rest / a[j][j];
  }
  return b;
}

/// Every coefficient, from the slices' last reports.
std::vector<double> solution_of(const RunEnd& end, std::size_t count) {
  std::vector<double> b(count, 0.0);
  for (const Payload& status : end.statuses) {
    for (std::size_t k = 0; k < status.ids.size(); ++k) b[status.ids[k]] = status.values[3 + k];
  }
  return b;
}

EngineOptions ridge_engine(std::uint32_t schedulers, std::uint32_t depth) {
  return {.seed = 5, .schedulers = schedulers, .workers = 4, .depth = depth, .rounds_max = 20'000};
}

/// Under a policy by its name. `prices`: of rounds and blocks; where they are free `auto` makes rounds of many blocks.
std::shared_ptr<ridge::RidgeModel> ridge_under(const std::string& policy, const EngineOptions& engine,
                                               const CostModel& prices = {}, std::size_t rows = kFewRows) {
  ridge::Problem problem = small_ridge(rows);
  problem.policy.policy = policy_named(policy).value();
  problem.policy.workers = engine.workers;
  problem.policy.schedulers = engine.schedulers;
  problem.policy.rho = 0.3;
  problem.policy.cost = prices;
  return std::make_shared<ridge::RidgeModel>(std::move(problem));
}

constexpr CostModel kFreeRounds{.flop_seconds = 1e-9, .round_seconds = 0, .block_seconds = 0};

RunEnd fit(const EngineOptions& engine, unsigned threads, const std::string& policy) {
  return run_embedded(ridge_under(policy, engine), engine, {.threads = threads}, {}, {}).end;
}

/// b is the closed form's solution as far as the certificate says.
void expect_solution(const RunEnd& end, std::size_t rows = kFewRows) {
  const auto problem = small_ridge(rows);
  const auto expected = closed_form(problem);
  ASSERT_TRUE(end.status.ok());
  EXPECT_EQ(end.stop_reason, "converged");
  const auto b = solution_of(end, problem.x.size());
  // The gap bounds the error: mu/2 ||b - b*||^2 <= F - F* <= gap.
  const double error_max = std::sqrt(2 * end.certificate.gap / problem.mu) + 1e-12;
  for (std::size_t j = 0; j < b.size(); ++j) EXPECT_NEAR(b[j], expected[j], error_max);
  EXPECT_LT(error_max, 1e-4);
}

TEST(Ridge, ReachesTheClosedFormSolutionUnderEveryPolicy) {
  for (const std::string& policy : policy_names()) {
    for (const auto& engine : {ridge_engine(1, 1), ridge_engine(2, 1), ridge_engine(4, 2)}) {
      SCOPED_TRACE(policy + ", " + std::to_string(engine.schedulers) + " schedulers");
      expect_solution(fit(engine, 1, policy));
    }
  }
}

TEST(Ridge, ReachesItWithWorkingSetsInRoundsOfManyBlocks) {
  constexpr std::size_t kManyRows = 1000;  // few enough, and one block is cheaper
  for (const auto& engine : {ridge_engine(1, 1), ridge_engine(2, 2)}) {
    const auto ends = [&](unsigned threads) {
      return run_embedded(ridge_under("auto", engine, kFreeRounds, kManyRows), engine, {.threads = threads}, {}, {})
          .end;
    };
    const RunEnd end = ends(1);
    expect_solution(end, kManyRows);
    EXPECT_GT(end.totals.rounds_parallel, 0u);
    EXPECT_EQ(ends(3).statuses, end.statuses);
  }
}

TEST(Ridge, HasTheSameBitsAtAnyNumberOfThreads) {
  for (const std::string& policy : policy_names()) {
    const auto engine = ridge_engine(3, 2);
    const auto expected = fit(engine, 1, policy);
    EXPECT_EQ(fit(engine, 5, policy).statuses, expected.statuses) << policy;
  }
}

TEST(Ridge, HasTheSameBitsOnAnyNumberOfNodesInAnyOrder) {
  const auto engine = ridge_engine(3, 2);
  for (const std::string policy : {"paper", "auto"}) {
    const auto expected = fit(engine, 1, policy);
    for (const std::uint32_t nodes : {1U, 2U, 4U}) {
      const auto run = support::run_cluster(
          [&] { return ridge_under(policy, engine); },
          {.engine = engine, .nodes = nodes, .seed = nodes, .order = Order::any, .duplicates = 0.1, .delays = 0.05});
      EXPECT_TRUE(run.all_stopped);
      EXPECT_EQ(run.end.statuses, expected.statuses) << policy;
    }
  }
}

TEST(Ridge, NoRoundRaisesTheObjective) {
  for (const std::string& policy : policy_names()) {
    double last = std::numeric_limits<double>::infinity();
    std::uint64_t commits = 0;
    const auto observe = [&](const ProgressEvent& event) {
      if (event.kind != ProgressEvent::Kind::commit) return false;
      ++commits;
      EXPECT_LE(event.objective, last * (1 + 1e-14)) << policy;
      last = event.objective;
      return false;
    };
    const auto engine = ridge_engine(4, 4);
    static_cast<void>(run_embedded(ridge_under(policy, engine), engine, {.threads = 1}, observe, {}));
    EXPECT_GT(commits, policy == "auto" ? 1u : 20u) << policy;
  }
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(STRADS_SOURCE_DIR) + path).rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(ModelsDocument, ShowsTheFileThatIsCompiledHere) {
  // The document's blocks of C++, one after the other, are the file; between two blocks the file may have empty lines.
  const auto code = lines_of(read("/docs/examples/ridge/ridge_model.hpp"));
  ASSERT_GT(code.size(), 100u);
  std::size_t at = 0;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(read("/docs/MODELS.md"))) {
    ++number;
    if (line == "```cpp") {
      inside = true;
      while (at < code.size() && code[at].empty()) ++at;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      ASSERT_LT(at, code.size()) << "docs/MODELS.md:" << number
                                 << ": more code than in docs/examples/ridge/ridge_model.hpp";
      ASSERT_EQ(line, code[at]) << "docs/MODELS.md:" << number
                                << " differs from docs/examples/ridge/ridge_model.hpp:" << at + 1;
      ++at;
    }
  }
  EXPECT_EQ(at, code.size()) << "the document ends before line " << at + 1 << " of docs/examples/ridge/ridge_model.hpp";
}

TEST(ModelsDocument, UsesPublicHeadersOnly) {
  for (const std::string& line : lines_of(read("/docs/examples/ridge/ridge_model.hpp"))) {
    EXPECT_TRUE(!line.starts_with("#include \"") || line.starts_with("#include \"strads/")) << line;
  }
}

}  // namespace
}  // namespace strads
