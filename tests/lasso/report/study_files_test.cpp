// Which files a run says beforehand that it may write, so that a foreign one in its way is refused before the run.
#include "lasso/report/study_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads::lasso {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

CvOptions options_of_genotypes() {
  CvOptions options;
  options.path.fit.input.source.bfile = "data/g";
  return options;
}

TEST(FilesOfAStudy, HaveTheFrequenciesOfItsModels) {
  const CvOptions options = options_of_genotypes();
  for (const StudyKind kind : {StudyKind::fit, StudyKind::path, StudyKind::cv}) {
    EXPECT_THAT(files_of_study(kind, options), Contains("g.afreq")) << command_of(kind);
  }
  EXPECT_THAT(files_of_study(StudyKind::cv, options), Contains("lambda_1se/g.afreq"));
  EXPECT_THAT(files_of_study(StudyKind::path, CvOptions()), Not(Contains(".afreq")));
}

TEST(FilesOfAStudy, HaveAModelOfEachFold) {
  CvOptions options;
  options.folds = "3";
  EXPECT_THAT(files_of_study(StudyKind::cv, options),
              AllOf(IsSupersetOf({"fold_1.bin", "fold_3.bin"}), Not(Contains("fold_4.bin"))));
  EXPECT_THAT(files_of_study(StudyKind::path, options), Not(Contains("fold_1.bin")));
  options.folds = "folds.tsv";
  EXPECT_THAT(files_of_study(StudyKind::cv, options), Contains("fold_12.bin"));
}

TEST(FilesOfAStudy, AreThoseOfEachTraitAndRatioInItsFolder) {
  CvOptions options = options_of_genotypes();
  options.path.traits = {"a", "b"};
  options.path.l1_ratios = {0.5, 1};
  EXPECT_THAT(files_of_study(StudyKind::path, options),
              AllOf(IsSupersetOf({"traits.tsv", "trace.csv", "a/l1_ratios.tsv", "b/summary.json", "b/path.bin",
                                  "b/l1_ratio_0.5/path.tsv", "b/l1_ratio_0.5/g.afreq", "b/l1_ratio_1/summary.json"}),
                    Not(Contains("path.tsv")), Not(Contains("a/val.svg")), Not(Contains("a/cv.tsv"))));
  options.path.fit.input.samples.split = "split.tsv";
  EXPECT_THAT(files_of_study(StudyKind::path, options),
              IsSupersetOf({"a/val.svg", "a/chosen/model.bin", "b/l1_ratio_1/refit/summary.json"}));
  EXPECT_THAT(files_of_study(StudyKind::cv, options),
              IsSupersetOf({"a/cv.tsv", "a/lambda_min/coefficients.tsv", "b/l1_ratio_1/lambda_1se/summary.json"}));
}

}  // namespace
}  // namespace strads::lasso
