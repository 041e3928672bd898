// `--trace-rounds`: from the file alone a reader can tell whether a run did what its policy's paper says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr double kLastDigits = 1e-12;
constexpr std::size_t kGroups = 5;

std::vector<double> numbers_of(const std::string& list) {
  std::vector<double> numbers;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) numbers.push_back(std::stod(part));
  return numbers;
}

/// One row of the file.
struct BlockRow {
  std::uint64_t round, scheduler, block, worker;
  std::vector<double> variables, deltas;
  double step;
};

std::vector<BlockRow> blocks_of(const std::string& text) {
  auto rows = rows_of(text);
  EXPECT_THAT(rows.at(0), ElementsAre("round", "scheduler", "block", "worker", "variables", "deltas", "step", "drawn",
                                      "conflicts"));
  rows.erase(rows.begin());
  std::vector<BlockRow> blocks;
  for (const auto& row : rows) {
    // Of working sets nothing was drawn: the last cell is empty, and none to who reads it here.
    EXPECT_THAT(row.size(), AnyOf(8u, 9u));
    blocks.push_back({std::stoull(row.at(0)), std::stoull(row.at(1)), std::stoull(row.at(2)), std::stoull(row.at(3)),
                      numbers_of(row.at(4)), numbers_of(row.at(5)), std::stod(row.at(6))});
    EXPECT_EQ(blocks.back().variables.size(), blocks.back().deltas.size());
  }
  return blocks;
}

std::map<std::uint64_t, std::vector<BlockRow>> rounds_of(const std::vector<BlockRow>& blocks) {
  std::map<std::uint64_t, std::vector<BlockRow>> rounds;
  for (const BlockRow& block : blocks) rounds[block.round].push_back(block);
  return rounds;
}

/// x_j'x_k of the columns with mean 0 and norm 1; from 1, as the file names them.
double coupling(const Table& table, double first, double second) {
  const auto column = [&](double number) {
    const auto begin = table.x.begin() + static_cast<std::ptrdiff_t>((number - 1) * static_cast<double>(table.rows));
    std::vector<double> x(begin, begin + static_cast<std::ptrdiff_t>(table.rows));
    double mean = 0, square = 0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (double& value : x) {
      value -= mean;
      square += value * value;
    }
    for (double& value : x) value /= std::sqrt(square);
    return x;
  };
  const auto a = column(first), b = column(second);
  double product = 0;
  for (std::size_t i = 0; i < a.size(); ++i) product += a[i] * b[i];
  return product;
}

class TraceRounds : public testing::Test {
 protected:
  /// A run of policy `paper` with P = 5 and P' = 4 P, and its file.
  std::vector<BlockRow> paper(const Table& table, const std::string& rho, std::vector<std::string> more = {}) {
    folder_.write("x.csv", table.csv());
    std::vector<std::string> fit = {"fit",
                                    "--x",
                                    folder_.path("x.csv"),
                                    "--y-name",
                                    "y",
                                    "--policy",
                                    "paper",
                                    "--workers",
                                    "5",
                                    "--candidates",
                                    "4",
                                    "--rho",
                                    rho,
                                    "--out",
                                    folder_.path("run"),
                                    "--force",
                                    "--quiet",
                                    "--trace-rounds",
                                    folder_.path("rounds.tsv")};
    fit.insert(fit.end(), more.begin(), more.end());
    const auto ended = lasso(fit);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return blocks_of(folder_.read("rounds.tsv"));
  }
  /// The sums of deltas x steps are the coefficients of the run.
  void expect_sums_to_be_coefficients(const std::vector<BlockRow>& blocks) const {
    std::map<double, double> sums;
    for (const BlockRow& block : blocks) {
      for (std::size_t k = 0; k < block.deltas.size(); ++k) sums[block.variables[k]] += block.step * block.deltas[k];
    }
    auto rows = rows_of(folder_.read("run/coefficients.tsv"));
    ASSERT_THAT(rows.at(0), ElementsAre("id", "standardized", "coefficient", "column"));
    ASSERT_GT(rows.size(), 3u);
    for (std::size_t k = 1; k < rows.size(); ++k) sums[std::stod(rows[k][3])] -= std::stod(rows[k][1]);
    for (const auto& [variable, rest] : sums) EXPECT_NEAR(rest, 0, kLastDigits) << "variable " << variable;
  }
  Folder folder_;
};

TEST_F(TraceRounds, ShowThatNoRoundHoldsACouplingAboveRhoAndThatDeltasAddUpToTheCoefficients) {
  const Table table(40, 30);
  const auto blocks = paper(table, "0.15", {"--schedulers", "2"});
  std::size_t pairs = 0, short_of = 0;
  for (const auto& [round, own] : rounds_of(blocks)) {
    EXPECT_LE(own.size(), 5u) << "P blocks at most";
    short_of += own.size() < 5 ? 1 : 0;
    for (std::size_t b = 0; b < own.size(); ++b) {
      EXPECT_EQ(own[b].scheduler, round % 2);
      EXPECT_EQ(own[b].block, b);
      EXPECT_LT(own[b].worker, 5u);
      for (std::size_t other = 0; other < b; ++other) {
        for (const double j : own[b].variables) {
          for (const double k : own[other].variables) {
            ++pairs;
            EXPECT_LE(std::abs(coupling(table, j, k)), 0.15 + kLastDigits) << "round " << round;
          }
        }
      }
    }
  }
  EXPECT_GT(pairs, 50u);
  EXPECT_GT(short_of, 0u) << "rho must bind somewhere";
  expect_sums_to_be_coefficients(blocks);
}

TEST_F(TraceRounds, ShowThatPPrimeVariablesAreDrawn) {
  // P' = 4 P = J: every draw is the whole set. Of each group of four equal columns one survives, so that a round holds
  // one variable of every group; fewer draws would mostly miss a group.
  Table table(40, 4 * kGroups);
  for (std::size_t k = kGroups * table.rows; k < table.x.size(); ++k) table.x[k] = table.x[k - kGroups * table.rows];
  const auto rounds = rounds_of(paper(table, "0.9"));
  ASSERT_GT(rounds.size(), 5u);
  for (const auto& [round, blocks] : rounds) {
    std::set<std::uint64_t> groups;
    for (const BlockRow& block : blocks) {
      ASSERT_EQ(block.variables.size(), 1u);
      groups.insert(static_cast<std::uint64_t>(block.variables.front() - 1) % kGroups);
    }
    EXPECT_EQ(groups.size(), kGroups) << "round " << round;
  }
}

TEST_F(TraceRounds, AreTheSameForAnyNumberOfThreadsAndChangeNoBit) {
  const Table table(40, 30);
  (void)paper(table, "0.15", {"--threads", "1"});
  const auto rounds = folder_.read("rounds.tsv");
  const auto hash = json_field(folder_.read("run/summary.json"), "beta_hash");
  (void)paper(table, "0.15", {"--threads", "4"});
  EXPECT_EQ(folder_.read("rounds.tsv"), rounds);
  const auto without = lasso({"fit", "--x", folder_.path("x.csv"), "--y-name", "y", "--policy", "paper", "--workers",
                              "5", "--candidates", "4", "--rho", "0.15", "--quiet"});
  EXPECT_THAT(without.out, HasSubstr(hash.substr(1, hash.size() - 2)));
}

TEST_F(TraceRounds, OfWorkingSetsAndOfAPathAddUpAsWell) {
  folder_.write("x.csv", Table(60, 40).csv());
  const std::vector<std::string> data = {"--x",   folder_.path("x.csv"), "--y-name",       "y",
                                         "--out", folder_.path("run"),   "--trace-rounds", folder_.path("rounds.tsv")};
  std::vector<std::string> fit = {"fit", "--lambda-ratio", "0.05"};
  fit.insert(fit.end(), data.begin(), data.end());
  ASSERT_EQ(lasso(fit).code, 0);
  expect_sums_to_be_coefficients(blocks_of(folder_.read("rounds.tsv")));

  std::vector<std::string> path = {"path", "--lambdas", "5", "--force"};
  path.insert(path.end(), data.begin(), data.end());
  ASSERT_EQ(lasso(path).code, 0);
  std::map<double, double> sums;
  for (const BlockRow& block : blocks_of(folder_.read("rounds.tsv"))) {
    for (std::size_t k = 0; k < block.deltas.size(); ++k) sums[block.variables[k]] += block.step * block.deltas[k];
  }
  // The last lambda's: as many nonzeros as its row of path.tsv says.
  std::size_t nonzeros = 0;
  for (const auto& [variable, sum] : sums) nonzeros += std::abs(sum) > kLastDigits ? 1 : 0;
  EXPECT_EQ(std::to_string(nonzeros), rows_of(folder_.read("run/path.tsv")).back().at(4));
}

TEST_F(TraceRounds, AreRefusedWhereTheRoundsAreNotSeen) {
  folder_.write("x.csv", Table(40, 5).csv());
  const std::vector<std::string> rest = {"--x", folder_.path("x.csv"), "--y-name",
                                         "y",   "--trace-rounds",      folder_.path("rounds.tsv")};
  std::vector<std::string> cluster = {"fit", "--processes", "2"};
  cluster.insert(cluster.end(), rest.begin(), rest.end());
  auto ended = lasso(cluster);
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, AllOf(StartsWith("lasso: error: --trace-rounds "), HasSubstr("the same rounds")));

  std::vector<std::string> simulated = {std::string(STRADS_BIN_DIR) + "/strads_sim", "run"};
  simulated.insert(simulated.end(), rest.begin(), rest.end());
  ended = Process(simulated).wait();
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, HasSubstr("--trace-rounds goes with lasso fit"));

  std::vector<std::string> nowhere = {
      "fit", "--x", folder_.path("x.csv"), "--y-name", "y", "--trace-rounds", folder_.path("no folder/rounds.tsv")};
  ended = lasso(nowhere);
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("no folder/rounds.tsv"));
}

}  // namespace
}  // namespace strads::test
