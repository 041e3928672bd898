#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "process/small_data.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kRounding = 1e-9;  // of predictions around 100, through texts that read back exactly

/// Prediction by the last id, or by row number.
std::map<std::string, double> predictions_of(const std::string& tsv) {
  std::map<std::string, double> predictions;
  const auto rows = rows_of(tsv);
  for (std::size_t k = 1; k < rows.size(); ++k) predictions[rows[k][rows[k].size() - 2]] = std::stod(rows[k].back());
  return predictions;
}

class PredictTable : public testing::Test {
 protected:
  PredictTable() : table_(60, 12) {
    const auto ended = lasso({"fit", "--x", folder_.write("x.csv", table_.csv()), "--y-name", "y", "--lambda-ratio",
                              "0.05", "--out", folder_.path("run")});
    EXPECT_EQ(ended.code, 0) << ended.err;
  }
  Ended predict(const std::string& file) {
    return lasso({"predict", "--model", folder_.path("run"), "--x", folder_.path(file)});
  }
  double r2(const std::map<std::string, double>& predictions) {
    double mean = 0;
    for (const double value : table_.y) mean += value / static_cast<double>(table_.rows);
    double residual = 0;
    double total = 0;
    for (std::uint64_t i = 0; i < table_.rows; ++i) {
      residual += std::pow(table_.y[i] - predictions.at(std::to_string(i + 1)), 2);
      total += std::pow(table_.y[i] - mean, 2);
    }
    return 1 - residual / total;
  }
  Table table_;
  Folder folder_;
};

TEST_F(PredictTable, GivesYMinusTheResidual) {
  const auto ended = predict("x.csv");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_NEAR(r2(predictions_of(ended.out)), json_number(folder_.read("run/summary.json"), "r2"), kRounding);
}

TEST_F(PredictTable, WritesTheSameTableToAFile) {
  const auto shown = predict("x.csv").out;
  const auto ended =
      lasso({"predict", "--model", folder_.path("run"), "--x", folder_.path("x.csv"), "--out", folder_.path("p.tsv")});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(folder_.read("p.tsv"), shown);
}

TEST_F(PredictTable, MatchesColumnsByNameInAnyOrder) {
  std::ostringstream reordered;
  reordered.precision(17);
  for (std::uint64_t j = table_.columns; j > 0; --j) reordered << "x" << j << (j > 1 ? "," : "\n");
  for (std::uint64_t i = 0; i < table_.rows; ++i) {
    for (std::uint64_t j = table_.columns; j > 0; --j) reordered << table_.at(i, j - 1) << (j > 1 ? "," : "\n");
  }
  folder_.write("reordered.csv", reordered.str());
  EXPECT_EQ(predict("reordered.csv").out, predict("x.csv").out);
}

TEST_F(PredictTable, MatchesColumnsAmongMoreAndRefusesOneThatIsThereTwice) {
  std::ostringstream more, twice;
  more.precision(17);
  more << "more";
  twice << "x1";
  for (std::uint64_t j = 1; j <= table_.columns; ++j) more << ",x" << j;
  for (std::uint64_t j = 1; j <= table_.columns; ++j) twice << ",x" << j;
  for (std::uint64_t i = 0; i < table_.rows; ++i) {
    more << "\n7";
    for (std::uint64_t j = 0; j < table_.columns; ++j) more << "," << table_.at(i, j);
  }
  folder_.write("more.csv", more.str() + "\n");
  folder_.write("twice.csv", twice.str() + more.str().substr(more.str().find('\n')) + "\n");
  EXPECT_EQ(predict("more.csv").out, predict("x.csv").out);
  const auto ended = predict("twice.csv");
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("two columns are called 'x1', number 1 and number 2"));
}

TEST_F(PredictTable, MatchesColumnsWithoutNamesByNumberAndSaysSo) {
  folder_.write("x.npy", table_.npy());
  const auto ended = predict("x.npy");
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err,
              HasSubstr("the model's variables have names and the columns here have none: matched by column number"));
  EXPECT_EQ(ended.out, predict("x.csv").out);
}

TEST_F(PredictTable, RefusesAnotherNumberOfColumnsWithoutNames) {
  folder_.write("x.npy", Table(60, 11).npy());
  const auto ended = predict("x.npy");
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("11 columns, the model was fitted on 12"));
}

TEST_F(PredictTable, GivesAbsentColumnsTheirTrainingMean) {
  // x1 alone is there, at its training mean: then everything is at its mean, and the prediction is the mean of y.
  double mean = 0;
  double y_mean = 0;
  for (std::uint64_t i = 0; i < table_.rows; ++i) {
    mean += table_.at(i, 0) / static_cast<double>(table_.rows);
    y_mean += table_.y[i] / static_cast<double>(table_.rows);
  }
  std::ostringstream text;
  text.precision(17);
  text << "x1,other\n" << mean << ",5\n";
  folder_.write("short.csv", text.str());
  const auto ended = predict("short.csv");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("are absent"), HasSubstr("training mean used")));
  EXPECT_NEAR(predictions_of(ended.out).at("1"), y_mean, kRounding);
}

TEST_F(PredictTable, GivesMissingValuesTheirTrainingMean) {
  double y_mean = 0;
  for (const double value : table_.y) y_mean += value / static_cast<double>(table_.rows);
  std::ostringstream names;
  std::ostringstream row;
  std::ostringstream other;
  for (std::uint64_t j = 0; j < table_.columns; ++j) {
    const char* comma = j > 0 ? "," : "";
    names << comma << "x" << j + 1;
    row << comma << "NA";
    other << comma << "7";  // the file's own mean is not the training mean
  }
  folder_.write("missing.csv", names.str() + "\n" + row.str() + "\n" + other.str() + "\n");
  const auto ended = predict("missing.csv");
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NEAR(predictions_of(ended.out).at("1"), y_mean, kRounding);
}

TEST_F(PredictTable, RefusesDataWithNothingOfTheModel) {
  folder_.write("other.csv", "a,b\n1,2\n3,4\n");
  const auto ended = predict("other.csv");
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, HasSubstr("none of the model's"));
}

TEST_F(PredictTable, RefusesADamagedModel) {
  auto bytes = folder_.read("run/model.bin");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  folder_.write("run/model.bin", bytes);
  const auto ended = predict("x.csv");
  EXPECT_EQ(ended.code, 4);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("model.bin"), HasSubstr("damaged")));
}

TEST_F(PredictTable, RefusesNoModel) {
  EXPECT_EQ(lasso({"predict", "--x", folder_.path("x.csv")}).code, 2);
  EXPECT_EQ(lasso({"predict", "--model", folder_.path("absent"), "--x", folder_.path("x.csv")}).code, 4);
}

TEST_F(PredictTable, ScoresTheResponseThatIsThereAndNeedsNone) {
  const std::string predicted = "60 samples predicted with ";
  const std::string score = ", R2 0.9";
  EXPECT_THAT(predict("x.csv").err, AllOf(HasSubstr(predicted), HasSubstr(score), HasSubstr("against 'y'")));
  const auto with = [&](const std::string& file, const std::string& response) {
    return lasso({"predict", "--model", folder_.path("run"), "--x", folder_.path(file), response});
  };
  EXPECT_THAT(with("x.csv", "--y-name=x12").err, HasSubstr("against 'x12'"));
  folder_.write("x.npy", table_.npy());
  EXPECT_THAT(predict("x.npy").err, AllOf(HasSubstr(predicted), Not(HasSubstr("R2"))));
  EXPECT_THAT(with("x.npy", "--y=" + folder_.write("y.csv", table_.y_csv())).err, HasSubstr(score));
}

TEST_F(PredictTable, RefusesAResponseThatIsNotThere) {
  for (const char* response : {"--y-name=unknown", "--pheno=p.tsv", "--pheno-name=y"}) {
    const auto ended =
        lasso({"predict", "--model", folder_.path("run"), "--x", folder_.path("x.csv"), std::string(response)});
    EXPECT_EQ(ended.code, 2) << ended.err;
    EXPECT_EQ(ended.out, "");
  }
}

TEST(PredictSparse, TakesFeaturesBeyondTheEndOfAFileForZero) {
  Folder folder;
  std::ostringstream train;
  Numbers numbers(3);
  for (int i = 0; i < 50; ++i) {
    const double a = numbers.bell();
    const double b = numbers.bell();
    train << 2 * a + 3 * b << " 1:" << a << " 4:" << b << "\n";
  }
  ASSERT_EQ(lasso({"fit", "--x", folder.write("train.libsvm", train.str()), "--lambda-ratio", "0.01", "--out",
                   folder.path("run")})
                .code,
            0);
  folder.write("short.libsvm", "0 1:0.5\n0 1:0.25\n");
  folder.write("long.libsvm", "0 1:0.5 4:0\n0 1:0.25 4:0\n");
  const auto ended = lasso({"predict", "--model", folder.path("run"), "--x", folder.path("short.libsvm")});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, lasso({"predict", "--model", folder.path("run"), "--x", folder.path("long.libsvm")}).out);
}

class PredictGenotypes : public testing::Test {
 protected:
  PredictGenotypes() : genotypes_(150, 80) {
    prefix_ = genotypes_.write(folder_, "cohort");
    const auto ended = lasso({"fit", "--bfile", prefix_, "--lambda-ratio", "0.1", "--out", folder_.path("run")});
    EXPECT_EQ(ended.code, 0) << ended.err;
  }
  Ended predict(const std::string& prefix) {
    return lasso({"predict", "--model", folder_.path("run"), "--bfile", prefix});
  }
  Genotypes genotypes_;
  Folder folder_;
  std::string prefix_;
};

TEST_F(PredictGenotypes, NamesSamplesByFamilyAndIndividual) {
  const auto ended = predict(prefix_);
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto rows = rows_of(ended.out);
  ASSERT_EQ(rows.size(), 151U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"FID", "IID", "prediction"}));
  EXPECT_EQ(rows[1][0], "f0");
  EXPECT_EQ(rows[1][1], "i0");
}

TEST_F(PredictGenotypes, FlipsSwappedAllelesAndCountsThem) {
  const auto ended = predict(genotypes_.write(folder_, "swapped", true));
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("alleles swapped here: flipped"));
  const auto expected = predictions_of(predict(prefix_).out);
  for (const auto& [id, value] : predictions_of(ended.out)) EXPECT_NEAR(value, expected.at(id), kRounding) << id;
}

TEST_F(PredictGenotypes, TakesOtherAllelesForAbsent) {
  auto bim = folder_.read("cohort.bim");
  const auto at = bim.find("rs6\t");
  bim[bim.find("\tA\tG", at) + 1] = 'T';
  folder_.write("cohort.bim", bim);
  const auto ended = predict(prefix_);
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, HasSubstr("1 of the model's"));
  EXPECT_THAT(ended.err, HasSubstr("have other alleles here: training mean used"));
}

TEST_F(PredictGenotypes, EqualsWhatPlink2ScoresFromOurTables) {
  const auto ours = predictions_of(predict(prefix_).out);
  const auto scored =
      Process({"plink2", "--bfile", prefix_, "--score", folder_.path("run/coefficients.tsv"), "1", "4", "7", "header",
               "cols=+scoresums", "--read-freq", folder_.path("run/cohort.afreq"), "--out", folder_.path("plink")})
          .wait();
  ASSERT_EQ(scored.code, 0) << scored.out << scored.err;
  const auto rows = rows_of(folder_.read("plink.sscore"));
  const auto column = std::find(rows[0].begin(), rows[0].end(), "SCORE1_SUM") - rows[0].begin();
  const double intercept = json_number(folder_.read("run/summary.json"), "intercept");
  double mean = 0;
  for (const auto& [id, value] : ours) mean += value / static_cast<double>(ours.size());
  double variance = 0;
  for (const auto& [id, value] : ours) variance += (value - mean) * (value - mean) / static_cast<double>(ours.size());
  ASSERT_EQ(rows.size(), ours.size() + 1);
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const double sum = std::stod(rows[k][static_cast<std::size_t>(column)]);
    // plink2 prints six significant digits.
    const double printed = std::pow(10, std::floor(std::log10(std::abs(sum))) - 5) / 2;
    EXPECT_NEAR(sum + intercept, ours.at(rows[k][1]), std::max(1e-5 * std::sqrt(variance), 1.01 * printed))
        << rows[k][1];
  }
}

}  // namespace
}  // namespace strads::test
