// Samples as sparse rows, from files of several formats.
#include "svm/data/loaded_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "support/temporary_folder.hpp"

namespace strads::svm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LoadedRows : public testing::Test {
 protected:
  LoadedRows() { input_.response.any_classes = true; }
  LoadedSamples load(const std::vector<std::string>& class_weights = {}) {
    auto dataset = load_dataset(input_);
    EXPECT_TRUE(dataset.ok()) << dataset.status().message();
    auto loaded = rows_of(dataset.value(), class_weights);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    return std::move(loaded).value();
  }
  test::TemporaryFolder folder_;
  InputOptions input_;
};

TEST_F(LoadedRows, OfLibsvmAreItsLines) {
  input_.source.x = folder_.write("x.svm", "1 1:2 3:-1\n-1\n1 2:0.5 3:0\n");
  const auto loaded = load();
  const Rows& rows = loaded.data->rows;
  EXPECT_EQ(rows.features, 3U);
  EXPECT_THAT(rows.begins, ElementsAre(0, 2, 2, 3)) << "an empty row, and a zero that is written out";
  EXPECT_THAT(rows.index, ElementsAre(0, 2, 1));
  EXPECT_THAT(rows.values, ElementsAre(2, -1, 0.5));
  EXPECT_THAT(loaded.data->labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(loaded.counts, ElementsAre(1, 2));
  EXPECT_THAT(loaded.data->sample_weights, IsEmpty());
  EXPECT_DOUBLE_EQ(loaded.means[2], -1.0 / 3) << "zeros count";
}

TEST_F(LoadedRows, OfATableLeaveOutZerosAndSamplesWithoutAClass) {
  input_.source.x = folder_.write("x.csv", "a,b,y\n1,0,u\n7,7,NA\n0,3,v\n2,4,w\n");
  input_.response.y_name = "y";
  const auto loaded = load();
  EXPECT_THAT(loaded.data->rows.begins, ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(loaded.data->rows.index, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(loaded.data->rows.values, ElementsAre(1, 3, 2, 4));
  EXPECT_EQ(loaded.data->classes, 3U);
  EXPECT_EQ(loaded.data->problems(), 3U);
  EXPECT_THAT(loaded.means, ElementsAre(1, 7.0 / 3));
}

TEST_F(LoadedRows, OfGenotypesHaveTheMeanWhereACallIsMissing) {
  // Four people, one variant: 2, missing, 1, 0 copies.
  folder_.write("g.bed", std::string("\x6c\x1b\x01\xe4", 4));
  folder_.write("g.bim", "1\trs1\t0\t100\tA\tG\n");
  folder_.write("g.fam", "f a 0 0 1 1\nf b 0 0 1 2\nf c 0 0 1 1\nf d 0 0 1 2\n");
  input_.source.bfile = folder_.path("g");
  const auto loaded = load();
  EXPECT_THAT(loaded.data->rows.begins, ElementsAre(0, 1, 2, 3, 3));
  EXPECT_THAT(loaded.data->rows.values, ElementsAre(2, 1, 1));
  EXPECT_EQ(loaded.missing, 1U);
  EXPECT_EQ(loaded.means[0], 1);
}

TEST_F(LoadedRows, HaveWeightsOfSamplesWithTheMeanOne) {
  input_.source.x = folder_.write("x.csv", "a,y\n1,0\n2,1\n3,1\n4,0\n");
  input_.response.y_name = "y";
  input_.response.weights = folder_.write("w.csv", "w\n1\n3\n0\n2\n");
  const auto loaded = load();
  EXPECT_THAT(loaded.data->labels, ElementsAre(0, 1, 0));
  EXPECT_THAT(loaded.data->sample_weights, ElementsAre(0.5, 1.5, 1));
  EXPECT_DOUBLE_EQ(loaded.means[0], (0.5 * 1 + 1.5 * 2 + 1 * 4) / 3);
}

TEST_F(LoadedRows, HaveAnotherFingerprintWithOtherClassWeights) {
  input_.source.x = folder_.write("x.svm", "1 1:2\n-1 1:1\n");
  const auto plain = load(), again = load(), weighted = load({"1=2"});
  EXPECT_EQ(plain.data->fingerprint, again.data->fingerprint);
  EXPECT_NE(plain.data->fingerprint, weighted.data->fingerprint);
  EXPECT_THAT(weighted.data->class_weights, ElementsAre(1, 2));
}

TEST_F(LoadedRows, LeaveOutColumnsThatNobodyWants) {
  input_.source.x = folder_.write("x.csv", "a,b,c,y\n1,2,3,0\n4,5,6,1\n");
  input_.response.y_name = "y";
  input_.variables.exclude = folder_.write("out.txt", "b\n");
  const auto loaded = load();
  EXPECT_EQ(loaded.data->rows.features, 3U);
  EXPECT_THAT(loaded.data->rows.index, ElementsAre(0, 2, 0, 2));
}

}  // namespace
}  // namespace strads::svm
