// A factorization survives its files.
#include "mf/factors/model_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

namespace strads::mf {
namespace {

using strads::test::TemporaryFolder;
using testing::AllOf;
using testing::HasSubstr;

class ModelFiles : public testing::Test {
 protected:
  static FactorModel model() {
    FactorModel model;
    model.rank = 3;
    model.mean = 3.25F;
    model.lowest = 1;
    model.ids[0] = make_ids("users", {"ann", "bob and\twife", "c", "\xc3\xa4"}).value();
    model.ids[1] = make_ids("items", {"1", "01"}).value();
    for (std::size_t side = 0; side < kSides; ++side) {
      const auto rows = model.ids[side]->size();
      for (std::uint32_t k = 0; k < rows * 3; ++k) model.factors[side].push_back(0.1F * static_cast<float>(k) - 0.3F);
      for (std::uint32_t k = 0; k < rows; ++k) {
        model.biases[side].push_back(-0.7F / static_cast<float>(k + 1));
        model.counts[side].push_back(k * k + 1);
      }
    }
    return model;
  }
  /// `biases`: instead of the model's own; "": those.
  [[nodiscard]] std::string write(const FactorModel& model, const std::string& biases = "",
                                  const Summary& summary = {}) const {
    auto directory = RunDirectory::open(folder_.path("run"), true, {});
    EXPECT_TRUE(directory.ok()) << directory.status().message();
    const Status written = write_factor_model(directory.value(), model);
    EXPECT_TRUE(written.ok()) << written.message();
    if (!biases.empty()) {
      EXPECT_TRUE(directory.value().write(kBiasesFile, biases).ok());
    }
    EXPECT_TRUE(directory.value().finish(summary).ok());
    return folder_.path("run");
  }
  TemporaryFolder folder_;
};

TEST_F(ModelFiles, AreRefusedBeforeTheEndOfTheRunWhereOneIsNotWhatWasToBeWritten) {
  FactorModel large = model();
  large.rank = 40'000;  // several pieces of a file
  for (std::size_t side = 0; side < kSides; ++side) {
    large.factors[side].resize(std::size_t{large.ids[side]->size()} * large.rank);
    for (std::size_t k = 0; k < large.factors[side].size(); ++k) large.factors[side][k] = static_cast<float>(k + 1);
  }
  auto opened = RunDirectory::open(folder_.path("run"), true, {});
  ASSERT_TRUE(opened.ok());
  RunDirectory& directory = opened.value();
  ASSERT_TRUE(write_factor_model(directory, large).ok());
  const Status same = check_written(directory, large);
  EXPECT_TRUE(same.ok()) << same.message();
  for (const char* name : {kFactorsFile[0], kFactorsFile[1], kIdsFile[0], kIdsFile[1], kBiasesFile}) {
    const std::string path = directory.path_of(name);
    const std::string whole = read_file(path).value();
    const auto refuses = [&](const std::string& bytes) {
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
      return !check_written(directory, large).ok();
    };
    std::string other = whole;
    // In an archive a byte between the arrays may be another one: there it is that of a bias.
    const std::string bias(reinterpret_cast<const char*>(large.biases[0].data()), sizeof(float));
    other[name == kBiasesFile ? whole.find(bias) : whole.size() - 3 * whole.size() / 8] ^= 1;
    EXPECT_TRUE(refuses(other)) << name;
    EXPECT_TRUE(refuses(whole.substr(0, whole.size() - 3))) << name;
    EXPECT_TRUE(refuses("")) << name;
    if (name != kBiasesFile) {
      EXPECT_TRUE(refuses(whole + "x\t3\n")) << name;
    }
    if (whole.size() > 100'000) {
      std::string lost = whole;
      std::fill_n(lost.begin() + 81'920, 4096, '\0');
      EXPECT_TRUE(refuses(lost)) << name;
    }
    EXPECT_FALSE(refuses(whole)) << name;
    std::filesystem::remove(path);
    EXPECT_EQ(check_written(directory, large).code(), StatusCode::input) << name;
    EXPECT_FALSE(refuses(whole)) << name;
  }
  std::string text = read_file(directory.path_of(kIdsFile[1])).value();
  std::ofstream(directory.path_of(kFactorsFile[1])) << text;
  EXPECT_THAT(check_written(directory, large).message(),
              AllOf(HasSubstr("item_factors.npy: what was read back is not what was to be written"),
                    HasSubstr("nothing was kept")));
}

TEST_F(ModelFiles, ReadBackAsTheyWere) {
  const auto before = model();
  const auto read = read_factor_model(write(before));
  ASSERT_TRUE(read.ok()) << read.status().message();
  const auto& after = read.value();
  EXPECT_EQ(after.rank, 3U);
  EXPECT_EQ(after.mean, before.mean);
  EXPECT_EQ(after.lowest, before.lowest);
  EXPECT_EQ(after.highest, before.highest) << "infinite: predictions are not clipped";
  for (std::size_t side = 0; side < kSides; ++side) {
    EXPECT_EQ(after.factors[side], before.factors[side]);
    EXPECT_EQ(after.biases[side], before.biases[side]);
    EXPECT_EQ(after.counts[side], before.counts[side]);
    ASSERT_EQ(after.ids[side]->size(), before.ids[side]->size());
    for (std::uint32_t k = 0; k < after.ids[side]->size(); ++k) {
      EXPECT_EQ(after.ids[side]->name(k), before.ids[side]->name(k)) << "tabs and other letters included";
      EXPECT_EQ(after.ids[side]->find(before.ids[side]->name(k)), k);
    }
  }
}

TEST_F(ModelFiles, OfALaterFormAreRefusedWithTheReleaseThatWroteThem) {
  Summary later;
  later.add(kModelFormat, kModelFilesFormat + 1);
  later.add("version", "9.7.0");
  const std::string folder = write(model(), "", later);
  EXPECT_EQ(read_factor_model(folder).status().message(),
            folder + "/summary.json: version 2 of the model's files, expected at most 1; written by release 9.7.0, " +
                "this is release " + std::string(version()) +
                "; use release 9.7.0 or a later one, or fit the model again");
  EXPECT_EQ(read_factor_model(folder).status().code(), StatusCode::input);
}

TEST_F(ModelFiles, OfThisFormAreReadAndSoAreThoseOfReleasesThatNotedNone) {
  Summary own;
  own.add(kModelFormat, kModelFilesFormat);
  EXPECT_TRUE(read_factor_model(write(model(), "", own)).ok());
  EXPECT_TRUE(read_factor_model(write(model())).ok());
}

TEST_F(ModelFiles, WithAFormThatIsNoNumberAreRefused) {
  Summary damaged;
  damaged.add(kModelFormat, "one");
  EXPECT_THAT(read_factor_model(write(model(), "", damaged)).status().message(), HasSubstr("damaged"));
}

TEST_F(ModelFiles, DoNotKnowOtherIds) {
  const auto ids = make_ids("users", {"a", "b"}).value();
  EXPECT_EQ(ids->find("c"), 2U);
  EXPECT_EQ(ids->find(""), 2U);
}

TEST_F(ModelFiles, RefuseAnIdThatComesTwice) {
  const auto ids = make_ids("users.tsv", {"a", "b", "a"});
  EXPECT_FALSE(ids.ok());
  EXPECT_THAT(ids.status().message(), HasSubstr("users.tsv:4: the id 'a' is there twice"));
}

TEST_F(ModelFiles, RefuseBiasesOfAnotherSize) {
  const auto path = write(model());
  auto other = model();
  other.ids[0] = make_ids("users", {"ann"}).value();
  other.biases[0].resize(1);
  other.factors[0].resize(3);
  const auto bytes = folder_.read("run/biases.npz");
  (void)write(other, bytes);
  const auto read = read_factor_model(path);
  EXPECT_FALSE(read.ok());
  EXPECT_THAT(read.status().message(), HasSubstr("has 4 and 2 biases, expected 1 and 2"));
}

TEST_F(ModelFiles, AreRefusedWithAnyByteChanged) {
  const auto path = write(model());
  ASSERT_TRUE(read_factor_model(path).ok());
  for (const char* name : {"users.tsv", "items.tsv", "user_factors.npy", "item_factors.npy", "biases.npz"}) {
    const std::string file = std::string("run/") + name, before = folder_.read(file);
    ASSERT_FALSE(before.empty());
    for (std::size_t at = 0; at < before.size(); at += support::kSanitized ? 5 : 1) {
      std::string after = before;
      after[at] = static_cast<char>(after[at] ^ (1 << (at % 8)));
      folder_.write(file, after);
      const auto read = read_factor_model(path);
      ASSERT_FALSE(read.ok()) << name << ", byte " << at;
      ASSERT_THAT(read.status().message(), HasSubstr(name));
    }
    folder_.write(file, before);
  }
  EXPECT_TRUE(read_factor_model(path).ok());
}

TEST_F(ModelFiles, AreRefusedWhereAPredictionWouldBeNoNumber) {
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e30F}) {
    auto broken = model();
    broken.factors[0][2] = broken.factors[1][1] = value;
    const auto read = read_factor_model(write(broken));
    ASSERT_FALSE(read.ok()) << value;
    EXPECT_THAT(read.status().message(), HasSubstr("not finite, or too large"));
  }
}

TEST_F(ModelFiles, AreNotWrittenWithoutADirectory) {
  RunDirectory none;
  EXPECT_TRUE(write_factor_model(none, model()).ok());
}

}  // namespace
}  // namespace strads::mf
