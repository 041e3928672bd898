// The data sets of tests/datasets against the counts and norms that other programs found (reference.json).
#include <cmath>

#include "fixtures.hpp"

namespace strads::data {
namespace {

const std::string kFolder = std::string(STRADS_SOURCE_DIR) + "/tests/datasets/";
constexpr double kLastDigits = 1e-12;  // relative: the reference sums in another order

struct Moments {
  double mean = 0;
  double norm = 0;
};

// Mean and centred norm over the samples kept; nothing is dropped in these sets.
Moments moments(std::span<const double> values) {
  Moments out;
  for (const double value : values) out.mean += value / static_cast<double>(values.size());
  for (const double value : values) out.norm += (value - out.mean) * (value - out.mean);
  out.norm = std::sqrt(out.norm);
  return out;
}

TEST(RealData, GenotypesHaveTheMissingCallsOfTheReference) {
  InputOptions options;
  options.source.bfile = kFolder + "1000g-chr2-eur/chr2-eur";
  options.response.pheno = kFolder + "1000g-chr2-eur/pheno.tsv";
  const auto set = load(options);
  const ColumnsView& x = set->columns();
  EXPECT_EQ(x.samples(), 503u);
  EXPECT_EQ(x.columns, 10'025u);
  EXPECT_EQ(set->response_name(), "sim20");
  std::uint64_t missing = 0;
  std::uint64_t not_zero = 0;
  for (std::uint64_t j = 0; j < x.columns; ++j) {
    for (std::uint64_t i = 0; i < x.rows; ++i) {
      const auto byte = static_cast<unsigned>(x.values[j * x.column_stride + i / 4]);
      const unsigned code = (byte >> (2 * (i % 4))) & 3;
      missing += code == 1;
      not_zero += code == 0 || code == 2;
    }
  }
  EXPECT_EQ(missing, 5'108u);
  EXPECT_EQ(not_zero, 1'371'343u);
  EXPECT_NEAR(moments(set->response()).norm, 138.59768569909605, 138.6 * kLastDigits);
  EXPECT_EQ(set->variable(139).id, "rs66737610") << "column 140 of sim20-truth.tsv";
}

TEST(RealData, LeukemiaHasTheShapeAndResponseOfTheReference) {
  InputOptions options;
  options.source.x = kFolder + "leukemia/X.csv.gz";
  options.response.y = kFolder + "leukemia/y.csv";
  const auto set = load(options);
  EXPECT_EQ(set->columns().samples(), 72u);
  EXPECT_EQ(set->columns().columns, 7'129u);
  EXPECT_NEAR(moments(set->response()).norm, 8.079466429027214, 8.08 * kLastDigits);
  EXPECT_EQ(set->variable(0).id, "AFFX-BioB-5_at");
  EXPECT_EQ(entry(*set, 0, 0), -342);
}

TEST(RealData, DiabetesHasTheShapeAndResponseOfTheReference) {
  InputOptions options;
  options.source.x = kFolder + "diabetes/X.csv.gz";
  options.response.y = kFolder + "diabetes/y.csv";
  const auto set = load(options);
  EXPECT_EQ(set->columns().samples(), 442u);
  EXPECT_EQ(ids(*set), (std::vector<std::string>{"age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"}));
  EXPECT_NEAR(moments(set->response()).mean, 152.13348416289594, 152.2 * kLastDigits);
  EXPECT_NEAR(moments(set->response()).norm, 1618.953095192813, 1619 * kLastDigits);
}

}  // namespace
}  // namespace strads::data
