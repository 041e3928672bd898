// The Lasso inside of another program: same results as of files, told to a host, and nothing else touched.
#include "lasso/library/lasso_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "strads/base/random.hpp"
#include "strads/program/program.hpp"
#include "support/temporary_folder.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::size_t kLibraryRows = 40, kLibraryColumns = 60;

/// X in Fortran order and y of three of its columns.
struct InMemoryProblem {
  std::vector<double> x = std::vector<double>(kLibraryRows * kLibraryColumns), y = std::vector<double>(kLibraryRows);

  explicit InMemoryProblem(std::uint64_t seed = 1) {
    CounterRng random(seed, Purpose::tests);
    for (double& value : x) value = std::round(64 * random.unit()) / 64;
    for (std::size_t i = 0; i < kLibraryRows; ++i) {
      y[i] = x[i] - 2 * x[kLibraryRows + i] + x[2 * kLibraryRows + i] + 0.25 * random.unit();
    }
  }

  [[nodiscard]] std::shared_ptr<DataInMemory> view() const {
    auto data = std::make_shared<DataInMemory>();
    data->dense =
        DenseInMemory{reinterpret_cast<const std::byte*>(x.data()), 'f', sizeof(double), kLibraryRows, kLibraryColumns};
    data->response = ColumnInMemory{"y", y};
    return data;
  }

  /// The same as a table, with the response in its last column.
  [[nodiscard]] std::string table(bool with_response = true) const {
    std::string text;
    for (std::size_t j = 0; j < kLibraryColumns; ++j) text += (j == 0 ? "v" : "\tv") + std::to_string(j);
    text += with_response ? "\ty\n" : "\n";
    for (std::size_t i = 0; i < kLibraryRows; ++i) {
      for (std::size_t j = 0; j < kLibraryColumns; ++j) {
        text += (j == 0 ? "" : "\t") + exact_text(x[j * kLibraryRows + i]);
      }
      text += with_response ? "\t" + exact_text(y[i]) + "\n" : "\n";
    }
    return text;
  }
};

const std::vector<OptionValue> kLibraryOptions{{"lambda-ratio", "0.2"}, {"threads", "1"}};

Call call_on(std::shared_ptr<const DataInMemory> data, std::vector<OptionValue> options = kLibraryOptions) {
  return {std::move(options), std::move(data), {}, {}};
}

TEST(LassoLibrary, MemoryGivesTheBitsOfAFile) {
  const InMemoryProblem problem;
  const test::TemporaryFolder folder;
  const std::string path = folder.write("x.tsv", problem.table());
  auto options = kLibraryOptions;
  options.push_back({"x", path});
  options.push_back({"y-name", "y"});
  const auto of_file = call_fit(call_on(nullptr, options));
  const auto of_memory = call_fit(call_on(problem.view()));
  ASSERT_TRUE(of_file.ok()) << of_file.status().message();
  ASSERT_TRUE(of_memory.ok()) << of_memory.status().message();
  EXPECT_EQ(of_memory.value().solution.beta_hash, of_file.value().solution.beta_hash);
  EXPECT_EQ(of_memory.value().solution.coefficients, of_file.value().solution.coefficients);
  EXPECT_EQ(of_memory.value().solution.intercept, of_file.value().solution.intercept);
  EXPECT_TRUE(of_memory.value().converged);
}

TEST(LassoLibrary, ColumnsWithGapsAndRowsFirstAreTheSameMatrix) {
  const InMemoryProblem problem;
  std::vector<double> gaps(2 * kLibraryRows * kLibraryColumns, std::numeric_limits<double>::quiet_NaN()),
      by_rows(kLibraryRows * kLibraryColumns);
  for (std::size_t j = 0; j < kLibraryColumns; ++j) {
    for (std::size_t i = 0; i < kLibraryRows; ++i) {
      gaps[2 * j * kLibraryRows + i] = by_rows[i * kLibraryColumns + j] = problem.x[j * kLibraryRows + i];
    }
  }
  const auto wide = problem.view(), rows = problem.view();
  wide->dense->values = reinterpret_cast<const std::byte*>(gaps.data());
  wide->dense->stride = 2 * kLibraryRows * sizeof(double);
  rows->dense->values = reinterpret_cast<const std::byte*>(by_rows.data());
  rows->dense->column_major = false;
  const auto expected = call_fit(call_on(problem.view())).value().solution.beta_hash;
  EXPECT_EQ(call_fit(call_on(wide)).value().solution.beta_hash, expected);
  EXPECT_EQ(call_fit(call_on(rows)).value().solution.beta_hash, expected);
}

TEST(LassoLibrary, SparseColumnsAreUsedWhereTheyLie) {
  const InMemoryProblem problem;
  std::vector<double> values;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint64_t> starts{0};
  for (std::size_t j = 0; j < kLibraryColumns; ++j) {
    for (std::size_t i = 0; i < kLibraryRows; ++i) {
      if (problem.x[j * kLibraryRows + i] == 0) continue;
      values.push_back(problem.x[j * kLibraryRows + i]);
      rows.push_back(static_cast<std::uint32_t>(i));
    }
    starts.push_back(rows.size());
  }
  auto data = problem.view();
  data->dense.reset();
  data->sparse = SparseInMemory{
      reinterpret_cast<const std::byte*>(values.data()), false, kLibraryRows, kLibraryColumns, starts, rows};
  const auto dense = call_fit(call_on(problem.view())), sparse = call_fit(call_on(data));
  ASSERT_TRUE(sparse.ok()) << sparse.status().message();
  EXPECT_EQ(sparse.value().solution.variables, dense.value().solution.variables);
  EXPECT_NEAR(sparse.value().solution.certificate.objective, dense.value().solution.certificate.objective, 1e-7);
  rows[1] = rows[0];
  EXPECT_THAT(call_fit(call_on(data)).status().message(), HasSubstr("do not rise"));
}

TEST(LassoLibrary, ErrorsAreTheCommands) {
  InMemoryProblem problem;
  const auto message = [&](std::vector<OptionValue> options) {
    return call_fit(call_on(problem.view(), std::move(options))).status().message();
  };
  EXPECT_THAT(message({{"lamda", "1"}}), HasSubstr("did you mean --lambda?"));
  EXPECT_THAT(message({{"lambda", "-1"}}), HasSubstr("--lambda"));
  EXPECT_THAT(message({{"out", "somewhere"}}), HasSubstr("writes no files"));
  EXPECT_THAT(message({{"processes", "2"}}), HasSubstr("no cluster"));
  EXPECT_THAT(message({{"simd", "sse4"}}), HasSubstr("--simd"));
  EXPECT_THAT(message({{"x", "file"}}), HasSubstr("given twice"));
  problem.x[2 * kLibraryRows + 3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(message(kLibraryOptions), HasSubstr("X: row 4, column 3"));
  problem.y.pop_back();
  EXPECT_THAT(message(kLibraryOptions), HasSubstr("y: 39 rows, expected 40"));
}

TEST(LassoLibrary, WeightsOfZeroLeaveSamplesOut) {
  const InMemoryProblem problem;
  std::vector<double> weights(kLibraryRows, 1.0);
  weights[5] = weights[9] = 0;
  auto data = problem.view();
  data->weights = weights;
  const auto fit = call_fit(call_on(data));
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit.value().samples, kLibraryRows - 2);
  weights[7] = -1;
  EXPECT_THAT(call_fit(call_on(data)).status().message(), HasSubstr("weights: the weight of row 8 is -1"));
}

TEST(LassoLibrary, TheHostHearsAndEndsARun) {
  const InMemoryProblem problem;
  std::size_t heard = 0;
  Call call = call_on(problem.view());
  call.host.progress = [&](const ProgressEvent&, double) { return ++heard == 2; };
  const auto fit = call_fit(call);
  ASSERT_TRUE(fit.ok()) << fit.status().message();
  EXPECT_FALSE(fit.value().converged);
  EXPECT_GE(heard, 2u);
  Call ended = call_on(problem.view());
  ended.host.finish_requested = [] { return true; };
  const auto nothing = call_fit(ended);
  ASSERT_TRUE(nothing.ok()) << nothing.status().message();
  EXPECT_EQ(nothing.value().stop_reason, "signal");
}

TEST(LassoLibrary, PathAndCrossValidationGiveTheirSolutions) {
  const InMemoryProblem problem;
  Call path = call_on(problem.view(), {{"threads", "1"}, {"lambda-scale", "ratio"}});
  path.lambdas = {0.2, 0.5, 0.2};
  const auto steps = call_path(path);
  ASSERT_TRUE(steps.ok()) << steps.status().message();
  ASSERT_EQ(steps.value().path.size(), 2u);
  EXPECT_EQ(steps.value().model.at(1).variables.size(), steps.value().path[1].variables.size());
  auto data = problem.view();
  std::vector<std::uint32_t> folds(kLibraryRows);
  for (std::size_t i = 0; i < kLibraryRows; ++i) folds[i] = static_cast<std::uint32_t>(i % 4);
  data->folds = folds;
  const auto cv = call_cv(call_on(data, {{"lambdas", "10"}, {"threads", "1"}}));
  ASSERT_TRUE(cv.ok()) << cv.status().message();
  EXPECT_EQ(cv.value().fold_errors.size(), 4u);
  EXPECT_EQ(cv.value().fold_of_row, folds);
  EXPECT_LE(cv.value().simplest, cv.value().least);
  folds[0] = 7;
  EXPECT_THAT(call_cv(call_on(data, {{"lambdas", "10"}})).status().message(), HasSubstr("no sample is in fold 4"));
}

TEST(LassoLibrary, SeveralRatiosHaveTheResultsThatEachHasAlone) {
  const InMemoryProblem problem;
  Call call{{{"threads", "1"}, {"lambdas", "6"}, {"folds", "3"}, {"l1-ratio", "1,0.5"}}, problem.view()};
  const auto both = call_cv(call);
  ASSERT_TRUE(both.ok()) << both.status().message();
  ASSERT_EQ(both.value().others.size(), 1U);
  for (const bool first : {true, false}) {
    call.options.back().value = first ? "1" : "0.5";
    const auto alone = call_cv(call);
    ASSERT_TRUE(alone.ok()) << alone.status().message();
    EXPECT_THAT(alone.value().others, IsEmpty());
    const CvCall& together = first ? both.value() : both.value().others.front();
    EXPECT_EQ(together.path_hash, alone.value().path_hash);
    EXPECT_EQ(together.mean, alone.value().mean);
    EXPECT_EQ(together.simplest, alone.value().simplest);
  }
}

/// The result of a response and l1 ratio of several.
template <class Several>
const Several& one_of_several(const Several& first, std::size_t place) {
  return place == 0 ? first : first.others.at(place - 1);
}

TEST(LassoLibrary, SeveralResponsesHaveTheResultsThatEachHasAlone) {
  const InMemoryProblem problem;
  std::vector<double> other = problem.y;
  for (std::size_t i = 0; i < kLibraryRows; ++i) other[i] = 3 * problem.x[5 * kLibraryRows + i] - 0.1 * other[i];
  other[4] = std::numeric_limits<double>::quiet_NaN();
  const auto both = problem.view(), second = problem.view();
  both->more_responses = {ColumnInMemory{"z", other}};
  second->response = ColumnInMemory{"z", other};
  const std::vector<OptionValue> options{{"threads", "1"}, {"lambdas", "6"}, {"l1-ratio", "1,0.5"}};
  const auto expect_alone = [&](const auto& call, std::vector<OptionValue> own) {
    const auto together = call({own, both});
    ASSERT_TRUE(together.ok()) << together.status().message();
    ASSERT_EQ(together.value().others.size(), 3U);
    for (std::size_t place = 0; place < 4; ++place) {
      own[2].value = place % 2 == 0 ? "1" : "0.5";
      const auto alone = call({own, place < 2 ? problem.view() : second});
      ASSERT_TRUE(alone.ok()) << alone.status().message();
      const auto& one = one_of_several(together.value(), place);
      EXPECT_EQ(one.path_hash, alone.value().path_hash) << place;
      EXPECT_EQ(one.response, place < 2 ? "y" : "z");
      EXPECT_EQ(one.l1_ratio, place % 2 == 0 ? 1 : 0.5);
      EXPECT_EQ(one.samples, place < 2 ? kLibraryRows : kLibraryRows - 1);
    }
  };
  expect_alone(call_path, options);
  auto folds = options;
  folds.push_back({"folds", "3"});
  expect_alone(call_cv, folds);

  EXPECT_THAT(call_fit({kLibraryOptions, both}).status().message(), HasSubstr("a fit has one response"));
  both->more_responses[0].name = "y";
  EXPECT_THAT(call_path({options, both}).status().message(), HasSubstr("'y' is there twice"));
}

TEST(LassoLibrary, ASplitInMemoryIsThatOfAFile) {
  const InMemoryProblem problem;
  const test::TemporaryFolder folder;
  std::vector<std::uint8_t> parts;
  std::string table = "part\n";
  for (std::size_t i = 0; i < kLibraryRows; ++i) {
    parts.push_back(static_cast<std::uint8_t>(i % 5 == 2 ? 2 : i % 5 == 4 ? 3 : 1));
    table += std::array{"NA", "train", "val", "test"}[parts.back()] + std::string("\n");
  }
  std::vector<OptionValue> options{{"threads", "1"}, {"lambdas", "20"}, {"l1-ratio", "1,0.5"}};
  const auto data = problem.view();
  data->split = parts;
  const auto memory = call_path({options, data});
  ASSERT_TRUE(memory.ok()) << memory.status().message();
  const auto fit = call_fit({kLibraryOptions, data});
  EXPECT_THAT(fit.status().message(), HasSubstr("goes with a path alone"));
  options.push_back({"x", folder.write("x.tsv", problem.table())});
  options.push_back({"y-name", "y"});
  options.push_back({"split", folder.write("split.tsv", table)});
  const auto file = call_path({options, nullptr});
  ASSERT_TRUE(file.ok()) << file.status().message();
  for (std::size_t place = 0; place < 2; ++place) {
    const PathCall& one = one_of_several(memory.value(), place);
    const PathCall& same = one_of_several(file.value(), place);
    EXPECT_EQ(one.path_hash, same.path_hash);
    ASSERT_TRUE(one.split && same.split && one.split->refit);
    EXPECT_EQ(one.split->chosen, same.split->chosen);
    EXPECT_EQ(one.split->validation, same.split->validation);
    EXPECT_EQ(one.split->validation.size(), one.path.size());
    EXPECT_EQ(one.split->refit->beta_hash, same.split->refit->beta_hash);
    EXPECT_EQ(one.split->on_test.mse, same.split->on_test.mse);
    EXPECT_EQ(one.split->train + one.split->validate + one.split->test, kLibraryRows);
    const auto predicted = call_predict(one.split->refit_model, call_on(problem.view(), {}));
    ASSERT_TRUE(predicted.ok());
    double squares = 0, count = 0;
    for (std::size_t i = 0; i < kLibraryRows; ++i) {
      if (parts[i] != 3) continue;
      squares += std::pow(problem.y[i] - predicted.value().predictions[i], 2);
      ++count;
    }
    EXPECT_NEAR(one.split->refit_on_test.mse, squares / count, 1e-12);
  }
  parts[8] = 0;
  const auto fewer = call_path({{{"threads", "1"}, {"lambdas", "3"}}, data});
  ASSERT_TRUE(fewer.ok()) << fewer.status().message();
  EXPECT_EQ(fewer.value().split->train, memory.value().split->train - 1) << "it takes no part";
  parts[3] = 9;
  EXPECT_THAT(call_path({{}, data}).status().message(), HasSubstr("split: row 4 is 9"));
  parts.pop_back();
  data->split = parts;
  EXPECT_THAT(call_path({{}, data}).status().message(), HasSubstr("split: 39 rows, expected 40"));
}

TEST(LassoLibrary, APathBeginsWithAModel) {
  const InMemoryProblem problem;
  const auto fit = call_fit(call_on(problem.view())).value();
  Call call{{{"threads", "1"}, {"lambdas", "5"}}, problem.view()};
  const auto cold = call_path(call);
  call.start = std::make_shared<const FittedModel>(fit.model);
  const auto warm = call_path(call);
  ASSERT_TRUE(cold.ok() && warm.ok()) << warm.status().message();
  EXPECT_TRUE(warm.value().converged);
  for (std::size_t k = 0; k < cold.value().path.size(); ++k) {
    const double objective = cold.value().path[k].certificate.objective;
    EXPECT_NEAR(warm.value().path[k].certificate.objective, objective, 2e-6 * objective) << k;
  }
  EXPECT_TRUE(std::ranges::any_of(warm.value().notes,
                                  [](const std::string& note) { return note.starts_with("warm start: "); }));
}

TEST(LassoLibrary, AResponseInMemoryGoesWithAFileOfX) {
  test::TemporaryFolder folder;
  const InMemoryProblem problem;
  auto data = problem.view();
  const auto expected = call_fit({kLibraryOptions, data});
  std::vector<OptionValue> options = kLibraryOptions;
  options.push_back({"x", folder.write("x.tsv", problem.table(false))});
  auto response = std::make_shared<DataInMemory>();
  response->response = data->response;
  const auto found = call_fit({options, response});
  ASSERT_TRUE(expected.ok() && found.ok()) << found.status().message();
  EXPECT_EQ(found.value().solution.beta_hash, expected.value().solution.beta_hash);
}

TEST(LassoLibrary, WhatLiesInMemoryIsNotSentToACluster) {
  const InMemoryProblem problem;
  const auto refused = call_fit({kLibraryOptions, problem.view(), {}, {}, {{"listen", "ipc:///tmp/driver"}}});
  EXPECT_EQ(refused.status().code(), StatusCode::usage);
  EXPECT_THAT(refused.status().message(), HasSubstr("write it into files"));
}

TEST(LassoLibrary, PredictionsNeedTheCovariatesAndOffsetsOfTheFit) {
  const InMemoryProblem problem;
  auto data = problem.view();
  const std::vector<double> age(kLibraryRows, 1.5);
  std::vector<double> other = problem.y;
  other[0] += 1;
  data->covariates = {{"age", age}, {"other", other}};
  const auto fit = call_fit({kLibraryOptions, data});
  ASSERT_TRUE(fit.ok()) << fit.status().message();
  EXPECT_TRUE(call_predict(fit.value().model, {{}, data}).ok());
  const auto refused = call_predict(fit.value().model, {{}, problem.view()});
  EXPECT_THAT(refused.status().message(), HasSubstr("the model has 2 covariates, found 0"));
  data->offset = age;
  EXPECT_THAT(call_predict(fit.value().model, {{}, data}).status().message(), HasSubstr("without offsets"));
}

TEST(LassoLibrary, CountsHaveOffsetsAndLeastSquaresRefuseThem) {
  InMemoryProblem problem;
  for (double& value : problem.y) value = std::max(0.0, std::floor(2 + 2 * value));
  const std::vector<double> offset(kLibraryRows, 1.5);
  auto data = problem.view();
  data->offset = offset;
  EXPECT_THAT(call_fit({kLibraryOptions, data}).status().message(),
              HasSubstr("--offset goes with --family binomial or"));
  auto options = kLibraryOptions;
  options.push_back({"family", "poisson"});
  options.push_back({"tolerance", "1e-10"});
  const auto with_it = call_fit({options, data}), without = call_fit({options, problem.view()});
  ASSERT_TRUE(with_it.ok() && without.ok()) << with_it.status().message() << without.status().message();
  EXPECT_TRUE(with_it.value().converged && with_it.value().model.has_offset);
  EXPECT_GT(with_it.value().solution.variables.size(), 0U);
  EXPECT_NEAR(with_it.value().solution.intercept + 1.5, without.value().solution.intercept, 1e-4);
  const auto links = call_predict(with_it.value().model, {{}, data});
  ASSERT_TRUE(links.ok()) << links.status().message();
  double means = 0, counts = 0;
  for (std::size_t i = 0; i < kLibraryRows; ++i) {
    means += std::exp(links.value().predictions[i]);
    counts += problem.y[i];
  }
  EXPECT_NEAR(means, counts, 1e-8 * counts);
}

TEST(LassoLibrary, CountsThatAreExplainedWhollyHaveNoCoefficientsAndAreSolved) {
  InMemoryProblem problem;
  for (const auto& [low, high] : {std::pair(3.0, 3.0), {123457.0, 123457.0}, {0.1, 0.1}, {2.0, 7.0}, {1e6, 3e-4}}) {
    std::vector<double> group(kLibraryRows);
    for (std::size_t i = 0; i < kLibraryRows; ++i) {
      group[i] = static_cast<double>(i % 2);
      problem.y[i] = i % 2 == 0 ? low : high;
    }
    const auto data = problem.view();
    if (low != high) data->covariates = {{"group", group}};
    const auto fit = call_fit(call_on(data, {{"lambda-ratio", "0.2"}, {"threads", "1"}, {"family", "poisson"}}));
    ASSERT_TRUE(fit.ok()) << low << " " << fit.status().message();
    EXPECT_EQ(fit.value().stop_reason, "converged") << low;
    EXPECT_TRUE(fit.value().converged) << low;
    EXPECT_THAT(fit.value().solution.variables, IsEmpty()) << low;
  }
}

TEST(LassoLibrary, ScaleOfSamplesIsScikitLearnsAlpha) {
  const InMemoryProblem problem;
  const std::vector<OptionValue> off{{"scale", "off"}, {"scale-y", "off"}, {"threads", "1"}, {"tolerance", "1e-12"}};
  auto sample = off, unit = off;
  sample.insert(sample.end(), {{"lambda", "0.0625"}, {"lambda-scale", "sample"}});
  unit.push_back({"lambda", exact_text(0.0625 * kLibraryRows)});
  EXPECT_EQ(call_fit(call_on(problem.view(), sample)).value().solution.beta_hash,
            call_fit(call_on(problem.view(), unit)).value().solution.beta_hash);
}

TEST(LassoLibrary, PredictionsAreInterceptAndProducts) {
  const InMemoryProblem problem;
  const auto fit = call_fit(call_on(problem.view())).value();
  auto data = problem.view();
  data->response.reset();
  const auto predicted = call_predict(fit.model, call_on(data, {}));
  ASSERT_TRUE(predicted.ok()) << predicted.status().message();
  double expected = fit.solution.intercept;
  for (std::size_t k = 0; k < fit.solution.variables.size(); ++k) {
    expected += fit.solution.coefficients[k] * problem.x[fit.solution.variables[k] * kLibraryRows + 6];
  }
  EXPECT_NEAR(predicted.value().predictions[6], expected, 1e-12);
  EXPECT_TRUE(predicted.value().notes.empty()) << predicted.value().notes.front();
}

TEST(LassoLibrary, AModelIsHandedOverAsByLassoExport) {
  const InMemoryProblem problem;
  const auto fit = call_fit(call_on(problem.view())).value();
  const auto text = call_export(fit.model, std::vector<OptionValue>{{"export", "csv"}});
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_THAT(text.value(), HasSubstr("term,id,"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.value().begin(), text.value().end(), '\n')),
            2 + fit.model.variables.size());
  const auto refused = [&](const std::vector<OptionValue>& options) {
    return call_export(fit.model, options).status().message();
  };
  EXPECT_THAT(refused({}), HasSubstr("the model was fitted to data without; --export csv takes any model"));
  EXPECT_THAT(refused({{"export", "csv"}, {"out", "x"}}), HasSubstr("--out: expected one of --export"));
  EXPECT_THAT(refused({{"export", "csv"}, {"trait", "height"}}), HasSubstr("lines of --export pgs"));
}

TEST(LassoLibrary, SeveralFitsAtATimeDoNotKnowOfEachOther) {
  std::vector<InMemoryProblem> problems;
  std::vector<std::string> alone, together(4);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    problems.emplace_back(seed);
    alone.push_back(call_fit(call_on(problems.back().view())).value().solution.beta_hash);
  }
  {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < 4; ++k) {
      threads.emplace_back([&, k] { together[k] = call_fit(call_on(problems[k].view())).value().solution.beta_hash; });
    }
  }
  EXPECT_EQ(together, alone);
}

TEST(LassoLibrary, PrintsNothingAndLeavesSignalsAlone) {
  struct sigaction before {
  }, after{};
  sigaction(SIGINT, nullptr, &before);
  const InMemoryProblem problem;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const auto fit = call_fit(call_on(problem.view()));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), IsEmpty());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), IsEmpty());
  sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
  EXPECT_TRUE(fit.ok());
}

TEST(LassoLibrary, TellsItsOptions) {
  bool has_lambda = false, has_out = false;
  for (const OptionFacts& option : options_of("fit")) {
    has_lambda = has_lambda || option.name == "lambda";
    has_out = has_out || option.name == "out";
  }
  EXPECT_TRUE(has_lambda);
  EXPECT_FALSE(has_out);
}

}  // namespace
}  // namespace strads::lasso
