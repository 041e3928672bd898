// Statistics that nobody asked for before: a process scans its own slices, and touches columns of any.
#include <gtest/gtest.h>

#include <thread>

#include "columns_fixture.hpp"

namespace strads::test {
namespace {

SerialChunks on_demand_chunks;

/// Pieces that ran.
class CountedChunks final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    pieces += count;
    for (std::size_t i = 0; i < count; ++i) piece(i);
  }
  std::size_t pieces = 0;
};

/// Columns of every state with and without covariates: column 2 is constant, column 3 left out.
struct Problem {
  Matrix matrix;
  std::vector<std::vector<double>> covariates;

  Problem(Storage storage, bool with_covariates, std::size_t columns = 9)
      : matrix({storage, 70, columns, 0.1, 0.4, 6, 3}) {
    for (std::size_t i = 0; i < 70; ++i) matrix.raw[2 * 70 + i] = 1;
    matrix.excluded.assign(columns, 0);
    matrix.excluded[3] = 1;
    matrix.store();
    if (with_covariates) covariates = {matrix.vector(31), matrix.vector(32)};
  }
  [[nodiscard]] StandardizedColumns columns() const { return {matrix.view(), {}, covariates}; }
};

/// Everything that can be asked about one column and a pair, in one vector.
using Question = std::vector<double> (*)(const StandardizedColumns&, const Matrix&);
constexpr Question kQuestions[] = {[](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> answers;
                                     for (const VarId j : matrix.all())
                                       answers.push_back(static_cast<double>(columns.state(j)));
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> answers;
                                     for (const VarId j : matrix.all()) answers.push_back(columns.mean(j));
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> answers;
                                     for (const VarId j : matrix.all()) answers.push_back(columns.observed_mean(j));
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> answers;
                                     for (const VarId j : matrix.all()) answers.push_back(columns.norm(j));
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> answers;
                                     for (const VarId j : matrix.all()) answers.push_back(columns.squared_norm(j));
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> answers;
                                     for (const VarId j : matrix.all())
                                       answers.push_back(static_cast<double>(columns.missing(j)));
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     const auto u = matrix.vector(8);
                                     std::vector<double> answers;
                                     for (const VarId j : matrix.all()) answers.push_back(columns.dot(j, u, sum(u)));
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> answers(matrix.recipe.columns);
                                     columns.dots(matrix.all(), matrix.vector(8), answers, on_demand_chunks);
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     auto v = matrix.vector(8);
                                     for (const VarId j : matrix.all()) columns.add(j, 0.5, v);
                                     return v;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     auto v = matrix.vector(8);
                                     columns.combine(matrix.all(), std::vector<double>(matrix.recipe.columns, 0.5), v,
                                                     on_demand_chunks);
                                     return v;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> v(matrix.recipe.rows);
                                     columns.decode(1, v);
                                     return v;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> answers;
                                     for (const VarId j : matrix.all()) answers.push_back(columns.pair(j, 5));
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     std::vector<double> answers(matrix.recipe.columns * matrix.recipe.columns);
                                     columns.gram(matrix.all(), answers, on_demand_chunks);
                                     return answers;
                                   },
                                   [](const StandardizedColumns& columns, const Matrix& matrix) {
                                     const std::vector<VarId> lefts{1, 4};
                                     std::vector<double> answers(2 * matrix.recipe.columns);
                                     columns.gram(lefts, matrix.all(), answers, on_demand_chunks);
                                     return answers;
                                   }};

TEST(StatisticsOnDemand, EveryQuestionHasTheAnswerOfAScannedColumn) {
  for (const Storage storage : kStorages) {
    for (const bool with_covariates : {false, true}) {
      const Problem problem(storage, with_covariates);
      const auto scanned = problem.columns();
      scanned.scan(problem.matrix.all(), on_demand_chunks);
      for (std::size_t q = 0; q < std::size(kQuestions); ++q) {
        const auto fresh = problem.columns();  // of which nobody has asked anything
        EXPECT_TRUE(same_bits(kQuestions[q](fresh, problem.matrix), kQuestions[q](scanned, problem.matrix)))
            << name_of(storage) << ", question " << q << (with_covariates ? ", covariates" : "");
      }
    }
  }
}

TEST(StatisticsOnDemand, PrepareScansWhatIsNotKnownAndNothingElse) {
  const Problem problem(Storage::genotype_2bit, false);
  const auto columns = problem.columns();
  CountedChunks counted;
  columns.prepare(std::vector<VarId>{1, 4, 1}, counted);
  EXPECT_GT(counted.pieces, 0u);
  counted.pieces = 0;
  columns.prepare(std::vector<VarId>{4, 1}, counted);
  EXPECT_EQ(counted.pieces, 0u);
  columns.prepare(std::vector<VarId>{4, 1, 0}, counted);
  EXPECT_EQ(counted.pieces, 1u);
}

TEST(StatisticsOnDemand, PrepareGivesTheBitsOfScan) {
  for (const Storage storage : kStorages) {
    const Problem problem(storage, true);
    const auto prepared = problem.columns();
    const auto scanned = problem.columns();
    prepared.prepare(problem.matrix.all(), on_demand_chunks);
    scanned.scan(problem.matrix.all(), on_demand_chunks);
    for (const Question question : kQuestions) {
      EXPECT_TRUE(same_bits(question(prepared, problem.matrix), question(scanned, problem.matrix)));
    }
  }
}

TEST(StatisticsOnDemand, ThreadsMayPrepareTheSameColumnsWhileOthersReadThem) {
  constexpr std::size_t kColumns = 120;
  for (const Storage storage : kStorages) {
    const Problem problem(storage, true, kColumns);
    const auto& matrix = problem.matrix;
    const auto scanned = problem.columns();
    scanned.scan(matrix.all(), on_demand_chunks);
    const auto u = matrix.vector(8);
    const auto columns = problem.columns();
    const std::vector<VarId> before{0, 1, 5, 6};
    columns.prepare(before, on_demand_chunks);
    std::vector<std::vector<double>> seen(8, std::vector<double>(kColumns));
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {  // overlapping ranges, then a look at all columns
          SerialChunks chunks;
          for (std::size_t step = 0; step < 4; ++step) {
            std::vector<VarId> list;
            for (std::size_t k = 0; k < 60; ++k) list.push_back(static_cast<VarId>((30 * (t + step) + k) % kColumns));
            columns.prepare(list, chunks);
          }
          for (VarId j = 0; j < kColumns; ++j) seen[t][j] = columns.dot(j, u, sum(u)) + columns.pair(j, 5);
        });
      }
      for (std::size_t t = 4; t < 8; ++t) {
        threads.emplace_back([&, t] {  // columns that were known before, and some that nobody has prepared yet
          for (int again = 0; again < 20; ++again) {
            for (const VarId j : before) seen[t][j] = columns.dot(j, u, sum(u)) + columns.pair(j, 5);
          }
          for (VarId j = 0; j < kColumns; ++j) seen[t][j] = columns.dot(j, u, sum(u)) + columns.pair(j, 5);
        });
      }
    }
    std::vector<double> expected(kColumns);
    for (VarId j = 0; j < kColumns; ++j) expected[j] = scanned.dot(j, u, sum(u)) + scanned.pair(j, 5);
    for (const auto& answers : seen) EXPECT_TRUE(same_bits(answers, expected)) << name_of(storage);
  }
}

}  // namespace
}  // namespace strads::test
