// model.bin and path.bin: what is written comes back, here and in later releases; damaged files are refused.
#include "regression/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <filesystem>

#include "model_examples.hpp"
#include "regression/model_archive.hpp"
#include "regression/path_in_pieces.hpp"
#include "strads/program/sealed_file.hpp"
#include "support/temporary_folder.hpp"

namespace strads::lasso {
namespace {

using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string file(const std::string& name) {
  return std::string(STRADS_SOURCE_DIR) + "/tests/lasso/regression/model_files/" + name;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[k]), std::bit_cast<std::uint64_t>(b[k]));
  }
}

void expect_same(const FittedModel& a, const FittedModel& b) {
  EXPECT_EQ(a.response, b.response);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.has_alleles, b.has_alleles);
  EXPECT_EQ(a.has_names, b.has_names);
  EXPECT_EQ(a.covariate_names, b.covariate_names);
  expect_same({a.intercept}, {b.intercept});
  expect_same(a.covariates, b.covariates);
  EXPECT_EQ(a.family, b.family);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.has_offset, b.has_offset);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.people, b.people);
  ASSERT_EQ(a.variables.size(), b.variables.size());
  for (std::size_t k = 0; k < a.variables.size(); ++k) {
    const FittedVariable &one = a.variables[k], &other = b.variables[k];
    EXPECT_EQ(one.column, other.column);
    EXPECT_THAT((std::vector{one.id, one.chromosome, one.position, one.counted, one.other}),
                ElementsAre(other.id, other.chromosome, other.position, other.counted, other.other));
    expect_same({one.coefficient, one.mean}, {other.coefficient, other.mean});
  }
}

void expect_same(const FittedPath& a, const FittedPath& b) {
  expect_same(a.shape, b.shape);
  EXPECT_EQ(a.least, b.least);
  EXPECT_EQ(a.simplest, b.simplest);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t k = 0; k < a.steps.size(); ++k) {
    const FittedStep &one = a.steps[k], &other = b.steps[k];
    expect_same({one.lambda, one.lambda_y, one.intercept}, {other.lambda, other.lambda_y, other.intercept});
    expect_same(one.covariates, other.covariates);
    EXPECT_EQ(one.places, other.places);
    expect_same(one.coefficients, other.coefficients);
  }
}

/// The two kinds of files.
struct OfModel {
  using Fitted = FittedModel;
  static constexpr const char* kName = "model";
  static constexpr const char* kMagic = "SRDLASSO";
  static constexpr char kVersion = 3;  ///< of the class
  static Fitted example() { return example_model(); }
  static Status write(const std::string& path, const Fitted& fitted) { return write_model(path, fitted); }
  static Result<Fitted> read(const std::string& path) { return read_model(path); }
};
struct OfPath {
  using Fitted = FittedPath;
  static constexpr const char* kName = "path";
  static constexpr const char* kMagic = "SRDLPATH";
  static constexpr char kVersion = 1;
  static Fitted example() { return example_path(); }
  static Status write(const std::string& path, const Fitted& fitted) { return write_path(path, fitted); }
  static Result<Fitted> read(const std::string& path) { return read_path(path); }
};

template <class Kind>
class AFile : public ::testing::Test {
 protected:
  void SetUp() override { write(Kind::example()); }

  void write(const typename Kind::Fitted& fitted) {
    const Status written = Kind::write(path_, fitted);
    ASSERT_TRUE(written.ok()) << written.message();
  }
  void expect_example(const std::string& path) { expect(path, Kind::example()); }
  /// Of a file from before there were families.
  void expect_least_squares(const std::string& path) {
    auto example = Kind::example();
    forget_family(example);
    expect(path, example);
  }
  void expect(const std::string& path, const typename Kind::Fitted& expected) {
    const auto read = Kind::read(path);
    ASSERT_TRUE(read.ok()) << read.status().message();
    expect_same(read.value(), expected);
  }
  /// A file of its own each time: some disks write one that is replaced at once, which takes milliseconds.
  std::string refusal_of(const std::string& bytes) {
    std::filesystem::remove(path_);
    folder_.write("fitted.bin", bytes);
    return refusal();
  }
  std::string refusal() {
    const auto read = Kind::read(path_);
    EXPECT_EQ(read.status().code(), StatusCode::input);
    EXPECT_THAT(read.status().message(), StartsWith(path_ + ": "));
    return read.status().message();
  }
  /// Changes the content under a checksum that is right.
  template <class Change>
  void reseal(Change change) {
    auto content = read_sealed_file(path_, Kind::kMagic, 2, "");
    ASSERT_TRUE(content.ok()) << content.status().message();
    change(content.value());
    ASSERT_TRUE(write_sealed_file(path_, Kind::kMagic, 2, content.value()).ok());
  }
  TemporaryFolder folder_;
  std::string path_ = folder_.path("fitted.bin");
};
TEST(PathInPieces, HasTheBytesOfTheWholePath) {
  const TemporaryFolder folder;
  FittedPath whole = example_path();
  whole.least = whole.simplest = 0;
  ASSERT_GT(whole.shape.variables.size(), 1U);
  ASSERT_GT(whole.steps.size(), 1U);
  PathInPieces pieces{.shape = whole.shape,
                      .variables = whole.shape.variables.size(),
                      .steps = whole.steps.size(),
                      .variable = [&](std::size_t k) { return whole.shape.variables[k]; },
                      .step = [&](std::size_t k) { return whole.steps[k]; }};
  pieces.shape.variables.clear();
  ASSERT_TRUE(write_path(folder.path("whole.bin"), whole).ok());
  ASSERT_TRUE(write_path(folder.path("pieces.bin"), pieces).ok());
  EXPECT_EQ(folder.read("pieces.bin"), folder.read("whole.bin"));
}

using Kinds = ::testing::Types<OfModel, OfPath>;
TYPED_TEST_SUITE(AFile, Kinds);

TYPED_TEST(AFile, ComesBackToTheLastBit) {
  this->expect_example(this->path_);
}

// Files that say what earlier releases wrote. They stay as they are, whatever comes later: who raises the version of a
// class adds one beside them.
TYPED_TEST(AFile, FromBeforeThereWereFamiliesIsReadAsLeastSquares) {
  this->expect_least_squares(file(std::string(TypeParam::kName) + "_version_1.bin"));
}

TYPED_TEST(AFile, OfModelVersion2IsReadWithoutPeople) {
  auto example = TypeParam::example();
  forget_people(example);
  this->expect(file(std::string(TypeParam::kName) + "_version_2.bin"), example);
}

TYPED_TEST(AFile, OfModelVersion3IsRead) {
  this->expect_example(file(std::string(TypeParam::kName) + "_version_3.bin"));
}

TYPED_TEST(AFile, FromBeforeThereWereArchivesIsRead) {
  this->expect_least_squares(file(std::string(TypeParam::kName) + "_plain.bin"));
}

TYPED_TEST(AFile, ChangesItsBytesOnlyWithTheVersionOfAClass) {
  const auto earlier =
      read_sealed_file(file(std::string(TypeParam::kName) + "_version_3.bin"), TypeParam::kMagic, 2, "");
  const auto now = to_model_content(TypeParam::example());
  // Behind the signature of an archive stands the version of Boost: two bytes that may differ.
  const auto archive_of = [](const std::string& content) {
    const std::string signature = "serialization::archive";
    return content.substr(content.find(signature) + signature.size() + 2);
  };
  EXPECT_EQ(archive_of(now.value()), archive_of(earlier.value()));
}

TYPED_TEST(AFile, IsRefusedWhicheverBitChanged) {
  const std::string whole = this->folder_.read("fitted.bin");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << bit));
      (void)this->refusal_of(damaged);
      if (this->HasFailure()) FAIL() << "byte " << at << ", bit " << bit;
    }
  }
}

TYPED_TEST(AFile, IsRefusedWhereverItIsCutOrGoesOn) {
  const std::string whole = this->folder_.read("fitted.bin");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    (void)this->refusal_of(whole.substr(0, size));
    if (this->HasFailure()) FAIL() << "cut after " << size << " bytes";
  }
  (void)this->refusal_of(whole + '\0');
}

// The version of the container is not below the checksum: neither content passes for one of the other version.
TYPED_TEST(AFile, IsRefusedAsOneOfAnotherContainer) {
  std::string bytes = this->folder_.read("fitted.bin");
  bytes[8] = 1;
  EXPECT_THAT(this->refusal_of(bytes), HasSubstr("fit the model again"));
  std::filesystem::copy(file(std::string(TypeParam::kName) + "_plain.bin"), this->path_,
                        std::filesystem::copy_options::overwrite_existing);
  bytes = this->folder_.read("fitted.bin");
  bytes[8] = 2;
  EXPECT_THAT(this->refusal_of(bytes), HasSubstr("fit the model again"));
  bytes[8] = 3;
  EXPECT_THAT(this->refusal_of(bytes),
              HasSubstr("version 3, expected 1 to 2; use a later release, or fit the model again"));
}

TYPED_TEST(AFile, OfALaterClassVersionIsRefusedWithTheReleaseThatWroteIt) {
  this->reseal([](std::string& content) {
    // Front and header of the archive, then for the first class: whether it is tracked, and its version.
    const std::size_t version_at = content.find("serialization::archive") + 22 + 2 + 4 + 4 + 1;
    ASSERT_EQ(content[version_at], TypeParam::kVersion);
    content[version_at] = TypeParam::kVersion + 1;
    content.replace(8, 5, "9.8.7");
  });
  EXPECT_THAT(this->refusal(), AllOf(HasSubstr("version " + std::to_string(TypeParam::kVersion + 1) + " of Fitted"),
                                     HasSubstr("expected at most " + std::to_string(TypeParam::kVersion)),
                                     HasSubstr("written by release 9.8.7"), HasSubstr("use release 9.8.7 or a later"),
                                     HasSubstr("or fit the model again")));
}

TYPED_TEST(AFile, WithAnArchiveThatIsCutIsRefused) {
  const std::string whole = to_model_content(TypeParam::example()).value();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = from_model_content<typename TypeParam::Fitted>("m.bin", whole.substr(0, size));
    EXPECT_EQ(read.status().code(), StatusCode::input) << size;
    EXPECT_THAT(read.status().message(), AllOf(StartsWith("m.bin: "), HasSubstr("fit the model again"))) << size;
  }
}

using APathFile = AFile<OfPath>;

TEST_F(APathFile, GivesTheModelOfEachStep) {
  const FittedPath path = read_path(path_).value();
  const FittedModel first = path.at(0), second = path.at(1);
  EXPECT_TRUE(first.variables.empty());
  EXPECT_EQ(first.intercept, 1.5);
  EXPECT_THAT(first.covariates, ElementsAre(0.25, 0.75));
  ASSERT_EQ(second.variables.size(), 2U);
  EXPECT_EQ(second.variables[0].id, "rs7");
  EXPECT_EQ(second.variables[0].coefficient, -5);
}

TEST_F(APathFile, ThatDoesNotFitTogetherIsRefused) {
  const auto expect_refused = [&](auto change) {
    FittedPath path = example_path();
    change(path);
    write(path);
    EXPECT_THAT(refusal(), HasSubstr("does not fit together"));
  };
  expect_refused([](FittedPath& path) { path.steps.clear(); });
  expect_refused([](FittedPath& path) { path.steps[1].places[1] = 2; });
  expect_refused([](FittedPath& path) { path.steps[1].coefficients.pop_back(); });
  expect_refused([](FittedPath& path) { path.steps[0].covariates.pop_back(); });
  expect_refused([](FittedPath& path) { path.least = 3; });
  expect_refused([](FittedPath& path) { path.simplest = 3; });
  expect_refused([](FittedPath& path) { path.shape.classes[0] = path.shape.classes[1]; });
}

using AModelFile = AFile<OfModel>;

TEST_F(AModelFile, ThatDoesNotFitTogetherIsRefused) {
  const auto expect_refused = [&](auto change) {
    FittedModel model = example_model();
    change(model);
    write(model);
    EXPECT_THAT(refusal(), HasSubstr("does not fit together"));
  };
  expect_refused([](FittedModel& model) { model.covariates.pop_back(); });
  expect_refused([](FittedModel& model) { model.family = "gamma"; });
  expect_refused([](FittedModel& model) { model.classes = {"case", "case"}; });
}

}  // namespace
}  // namespace strads::lasso
