// Errors of samples held out and curves of the binomial family against glmnet 4.1-6, and what the measures are.
#include "lasso/study/cv_measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "regression/classification.hpp"

namespace strads::lasso {
namespace {

using ::testing::HasSubstr;

// The numbers below are what this prints with R 4.2.2 and glmnet 4.1-6:
//
//   suppressMessages(library(glmnet))
//   i <- 0:44
//   link <- sapply(c(4, 1/8, 1/8), function(s) ((i * 7) %% 23 - 11) * s)
//   y <- as.integer((i * 13) %% 17 > 7)
//   link[, 2] <- link[, 2] + y * 15/16; link[, 3] <- link[, 3] + y
//   w <- 1 + (i %% 3) / 2
//   curve <- function(measure, fold, y) {
//     s <- suppressWarnings(glmnet:::cv.lognet(link, y, glmnet:::cvtype(measure, "lognet"), w, fold, TRUE))
//     o <- glmnet:::cvstats(s, fold, max(fold), 3:1, 1:3, s$grouped && length(y) / max(fold) >= 3)
//     best <- glmnet:::getOptcv.glmnet(3:1, o$cvm, o$cvsd, names(s$type.measure))
//     cat(sprintf('{"%s", {%s}, {%s}, %d, %d},\n', measure, paste(sprintf("%.17g", o$cvm), collapse = ", "),
//                 paste(sprintf("%.17g", o$cvsd), collapse = ", "), best$index[1] - 1, best$index[2] - 1))
//   }
//   for (m in c("mse", "mae", "deviance", "class", "auc")) curve(m, c(1, 1, 1, 2, 2, 3, 3, 4, 4)[i %% 9 + 1], y)
//   for (m in c("mse", "mae", "deviance", "class", "auc")) curve(m, i %% 20 + 1, y)
//   curve("auc", c(1, 1, 1, 2, 2, 3, 3, 4, 4)[i %% 9 + 1], ifelse(i %% 9 > 6, 1, y))
constexpr std::uint32_t kSamples = 45;
constexpr std::size_t kLambdas = 3;

double response_of(std::uint32_t i) {
  return (i * 13) % 17 > 7 ? 1 : 0;
}

double link_of(std::uint32_t i, std::size_t k) {
  const double spread = static_cast<double>((i * 7) % 23) - 11;
  return k == 0 ? 4 * spread : spread / 8 + (k == 1 ? 15.0 / 16 : 1.0) * response_of(i);
}

std::uint32_t unequal_fold(std::uint32_t i) {
  return std::array<std::uint32_t, 9>{0, 0, 0, 1, 1, 2, 2, 3, 3}[i % 9];
}

std::uint32_t tiny_fold(std::uint32_t i) {
  return i % 20;
}

/// All of the last of four folds are cases.
double response_with_one_class(std::uint32_t i) {
  return i % 9 > 6 ? 1 : response_of(i);
}

Curve curve_by(Measure wanted, std::uint32_t folds, std::uint32_t (*fold_of)(std::uint32_t),
               double (*response)(std::uint32_t)) {
  const Measure measure = measure_for(wanted, kSamples, folds);
  std::vector<std::vector<FoldError>> errors(folds);
  for (std::uint32_t f = 0; f < folds; ++f) {
    for (std::size_t k = 0; k < kLambdas; ++k) {
      HeldOut samples;
      for (std::uint32_t i = 0; i < kSamples; ++i) {
        if (fold_of(i) != f) continue;
        samples.response.push_back(response(i));
        samples.predicted.push_back(link_of(i, k));
        samples.weights.push_back(1 + (i % 3) / 2.0);
      }
      errors[f].push_back(fold_error(samples, measure, Family::binomial));
    }
  }
  return curve_of(errors, kSamples, measure);
}

/// A line of the script's.
struct Printed {
  const char* measure;
  std::array<double, kLambdas> mean, standard_error;
  std::size_t least, simplest;
};

void expect_curve(const Curve& curve, const Printed& printed) {
  for (std::size_t k = 0; k < kLambdas; ++k) {
    EXPECT_NEAR(curve.mean[k], printed.mean[k], 1e-13 * printed.mean[k]) << printed.measure << " " << k;
    EXPECT_NEAR(curve.standard_error[k], printed.standard_error[k], 1e-11 * printed.mean[k]) << printed.measure << k;
  }
  EXPECT_EQ(curve.least, printed.least) << printed.measure;
  EXPECT_EQ(curve.simplest, printed.simplest) << printed.measure;
}

Measure named(const char* name) {
  return measure_named(name, Family::binomial).value();
}

TEST(CurveOfClasses, IsThatOfCvGlmnet) {
  constexpr std::array<Printed, 5> kPrinted{{
      {"mse",
       {0.81901173739035971, 0.34931001695563335, 0.34122623928729656},
       {0.04827960202329068, 0.0038677024188941557, 0.0050187309349621024},
       2,
       2},
      {"mae",
       {0.84495822651440344, 0.74671512867458323, 0.73481168468090929},
       {0.04357722616197042, 0.00712303773929031, 0.0083075692783942216},
       2,
       2},
      {"deviance",
       {8.191624526706919, 1.043975849465282, 1.0247155619539119},
       {0.30694826630650568, 0.010008012965878391, 0.012625470164371247},
       2,
       2},
      {"class",
       {0.4148148148148148, 0.25925925925925924, 0.25925925925925924},
       {0.03486393772604808, 0.024127602950076345, 0.024127602950076345},
       1,
       1},
      {"auc",
       {0.57538506760728991, 0.84907701352145792, 0.85955320399764845},
       {0.024268002952054998, 0.0096151730751123255, 0.014340018871273988},
       2,
       1},
  }};
  for (const Printed& printed : kPrinted) {
    expect_curve(curve_by(named(printed.measure), 4, unequal_fold, response_of), printed);
  }
}

TEST(CurveOfClasses, IsThatOfCvGlmnetWithTinyFolds) {
  constexpr std::array<Printed, 5> kPrinted{{
      {"mse",
       {0.81901173739035971, 0.34931001695563335, 0.34122623928729651},
       {0.14519278828131085, 0.047143016738639243, 0.046971010104612743},
       2,
       1},
      {"mae",
       {0.84495822651440344, 0.74671512867458323, 0.7348116846809094},
       {0.14491918360890552, 0.056616041438593452, 0.05690987025571799},
       2,
       1},
      {"deviance",
       {8.191624526706919, 1.0439758494652822, 1.0247155619539119},
       {1.5675546650171071, 0.1055505474447955, 0.10555889373593451},
       2,
       1},
      {"class",
       {0.4148148148148148, 0.25925925925925924, 0.25925925925925924},
       {0.074275819542763855, 0.066065376667840348, 0.066065376667840348},
       1,
       1},
      {"auc",
       {8.191624526706919, 1.0439758494652822, 1.0247155619539119},
       {1.5675546650171071, 0.1055505474447955, 0.10555889373593451},
       2,
       1},
  }};
  for (const Printed& printed : kPrinted) {
    const Curve curve = curve_by(named(printed.measure), 20, tiny_fold, response_of);
    EXPECT_FALSE(curve.grouped);
    expect_curve(curve, printed);
  }
}

TEST(CurveOfClasses, LeavesOutTheAreaOfAFoldWithOneClassAsCvGlmnetDoes) {
  expect_curve(curve_by(Measure::auc, 4, unequal_fold, response_with_one_class),
               {"auc",
                {0.55743650793650801, 0.84525396825396826, 0.85239682539682549},
                {0.019515882698474853, 0.01029650497077785, 0.014552062899928891},
                2,
                1});
}

TEST(CurveOfClasses, HasTheLargestAreaAtLambdaMin) {
  const auto fold = [](std::vector<double> areas) {
    std::vector<FoldError> errors;
    for (const double area : areas) errors.push_back({10 * area, 0, 10});
    return errors;
  };
  // Means 0.5, 0.72, 0.8, 0.8, 0.7; the standard error at the best is 0.1.
  const Curve curve = curve_of({fold({0.5, 0.72, 0.7, 0.7, 0.7}), fold({0.5, 0.72, 0.9, 0.9, 0.7})}, 20, Measure::auc);
  EXPECT_EQ(curve.least, 2u);
  EXPECT_EQ(curve.simplest, 1u);
}

TEST(Measure, OfTheAreaIsTheDevianceWithFewerThanTenSamplesAFold) {
  EXPECT_EQ(measure_for(Measure::auc, 100, 10), Measure::auc);
  EXPECT_EQ(measure_for(Measure::auc, 99, 10), Measure::deviance);
  EXPECT_EQ(measure_for(Measure::misclassification, 30, 10), Measure::misclassification);
}

TEST(Measure, IsTheDefaultOfItsFamily) {
  EXPECT_EQ(measure_named("auto", Family::gaussian).value(), Measure::mse);
  EXPECT_EQ(measure_named("auto", Family::binomial).value(), Measure::deviance);
}

TEST(Measure, OfClassesIsRefusedForNumbers) {
  for (const char* name : {"deviance", "class", "auc"}) {
    const auto measure = measure_named(name, Family::gaussian);
    EXPECT_EQ(measure.status().code(), StatusCode::usage) << name;
    EXPECT_THAT(measure.status().message(), HasSubstr("goes with --family binomial; expected mse or mae"));
    EXPECT_TRUE(measure_named(name, Family::binomial).ok()) << name;
    EXPECT_STREQ(measure_name(measure_named(name, Family::binomial).value()), name);
  }
  EXPECT_EQ(measure_named("mae", Family::gaussian).value(), Measure::mae);
}

TEST(Measure, IsNamedOnAxes) {
  EXPECT_STREQ(measure_text(Measure::mse, Family::gaussian), "mean squared error");
  EXPECT_STREQ(measure_text(Measure::deviance, Family::binomial), "binomial deviance");
  EXPECT_STREQ(measure_text(Measure::auc, Family::binomial), "area under the ROC curve");
}

TEST(FoldErrorOfNumbers, IsSquaredOrAbsolute) {
  const HeldOut samples{{1, 5}, {3, 4}, {2, 0.5}};  // off by 2 and 1
  EXPECT_EQ(fold_error(samples, Measure::mse, Family::gaussian).sum, 2 * 4 + 0.5);
  EXPECT_EQ(fold_error(samples, Measure::mse, Family::gaussian).squares, 2 * 16 + 0.5);
  EXPECT_EQ(fold_error(samples, Measure::mae, Family::gaussian).sum, 2 * 2 + 0.5);
  EXPECT_EQ(fold_error(samples, Measure::mae, Family::gaussian).weight, 2.5);
}

}  // namespace
}  // namespace strads::lasso
