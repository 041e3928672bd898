#include "strads/program/checkpoint_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "strads/program/program.hpp"
#include "strads/program/sealed_file.hpp"
#include "support/temporary_folder.hpp"

namespace strads {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A NaN with a payload of its own: a copy by way of text would lose it.
const double kOddNan = std::bit_cast<double>(std::uint64_t{0xfff8'0000'dead'beefU});

SharedFloats floats_of(const std::vector<float>& values) {
  SharedFloats floats(values.size());
  std::copy(values.begin(), values.end(), floats.writable().begin());
  return floats;
}

/// Every member of it differs from its default, and from the others.
Checkpoint full_checkpoint() {
  Checkpoint c;
  c.identity = {build_id(), "avx2", "lasso fit", "# lasso fit\n\n[engine]\nseed = 7\n", 0xfedc'ba98'7654'3210U};
  c.options = "[engine]\nseed = 7\n\n[output]\nout = r\xc3\xa9sultat\n";
  c.seconds_solve = 12.3456789012345678;
  RunCheckpoint run;
  run.judged = {
      {{1, 10, true, false, 11, 1e-320, -0.0, 12}, {{{1, 2}, {0.1, kOddNan}, {}}, {{}, {}, {}}}},
      {{2, 20, false, true, 21, kInfinity, -kInfinity, 22}, {{{3}, {}, {floats_of({1.5F, -0.0F})}}, {{4}, {5}, {}}}},
  };
  run.barrier = {3, 30, true, true, 31, 32.5, 33.5, std::numeric_limits<std::uint64_t>::max()};
  run.totals = {101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, {112, 113}};
  run.in_phase = true;
  run.phase.verdict = PhasePlan::Verdict::verify;
  run.phase.mode = PhasePlan::Mode::steady;
  run.phase.blocks_max = 41;
  run.phase.rounds_max = 42;
  run.phase.updates_max = 43;
  run.phase.content = {{std::numeric_limits<VarId>::max() - 1}, {44.5}, {}};
  std::vector<float> odd(1000);
  for (std::size_t k = 0; k < odd.size(); ++k) odd[k] = std::bit_cast<float>(static_cast<std::uint32_t>(k * 4294967U));
  run.replica = {{7, 8, 9}, {kOddNan, std::numeric_limits<double>::denorm_min()}, {floats_of(odd), floats_of({})}};
  run.memories = {{{51}, {52.5}, {floats_of({53.5F})}}, {{}, {}, {}}, {{54}, {}, {}}};
  run.planning_flops = {55, 0, std::numeric_limits<std::uint64_t>::max()};
  c.runs.resize(3);
  c.runs[0].at = std::make_shared<RunCheckpoint>(std::move(run));
  c.runs[1].ended = true;
  c.runs[1].end.stop_reason = "rounding floor";
  c.runs[1].end.certificate = {61.5, -0.0, kInfinity, kOddNan, 62, true, {63.5, 64.5}};
  c.runs[1].end.totals = {65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, {76}};
  c.runs[1].end.problem = {{77}, {78.5}, {}};
  c.runs[1].kept = {{{{81}, {82.5, kOddNan}, {floats_of({83.5F})}}, {{}, {}, {}}}, {"", "r\xc3\xa9sultat"}};
  return c;
}

/// One of few bytes.
Checkpoint small_checkpoint(double seconds) {
  Checkpoint c;
  c.identity = {build_id(), "sse", "f", "", 1};
  c.seconds_solve = seconds;
  RunCheckpoint run;
  run.replica = {{1}, {2.5}, {floats_of({3.5F})}};
  c.runs.resize(1);
  c.runs[0].at = std::make_shared<RunCheckpoint>(std::move(run));
  return c;
}

void expect_same_bits(double a, double b) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b));
}

void expect_same_bits(const Payload& a, const Payload& b) {
  EXPECT_EQ(a.ids, b.ids);
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t k = 0; k < a.values.size(); ++k) expect_same_bits(a.values[k], b.values[k]);
  ASSERT_EQ(a.bulk.size(), b.bulk.size());
  for (std::size_t k = 0; k < a.bulk.size(); ++k) {
    const std::size_t size = a.bulk[k].size();
    ASSERT_EQ(size, b.bulk[k].size());
    EXPECT_TRUE(size == 0 || std::memcmp(a.bulk[k].data(), b.bulk[k].data(), size * sizeof(float)) == 0);
  }
}

void expect_same_bits(const std::vector<Payload>& a, const std::vector<Payload>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) expect_same_bits(a[k], b[k]);
}

void expect_same_bits(const Barrier& a, const Barrier& b) {
  EXPECT_EQ(a.phase, b.phase);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.verified, b.verified);
  EXPECT_EQ(a.limit_reached, b.limit_reached);
  EXPECT_EQ(a.rounds, b.rounds);
  expect_same_bits(a.predicted, b.predicted);
  expect_same_bits(a.realised, b.realised);
  EXPECT_EQ(a.updates, b.updates);
}

std::vector<std::uint64_t> counts_of(const RunTotals& totals) {
  std::vector<std::uint64_t> counts = {totals.rounds,        totals.phases,          totals.blocks,
                                       totals.updates,       totals.updates_path,    totals.flops,
                                       totals.flops_path,    totals.rounds_parallel, totals.phases_parallel,
                                       totals.planned_early, totals.empty_rounds};
  counts.insert(counts.end(), totals.tally.begin(), totals.tally.end());
  return counts;
}

void expect_same(const RunCheckpoint& a, const RunCheckpoint& b) {
  ASSERT_EQ(a.judged.size(), b.judged.size());
  for (std::size_t k = 0; k < a.judged.size(); ++k) {
    expect_same_bits(a.judged[k].barrier, b.judged[k].barrier);
    expect_same_bits(a.judged[k].statuses, b.judged[k].statuses);
  }
  expect_same_bits(a.barrier, b.barrier);
  EXPECT_EQ(counts_of(a.totals), counts_of(b.totals));
  EXPECT_EQ(a.in_phase, b.in_phase);
  EXPECT_EQ(a.phase.verdict, b.phase.verdict);
  EXPECT_EQ(a.phase.mode, b.phase.mode);
  EXPECT_EQ(a.phase.blocks_max, b.phase.blocks_max);
  EXPECT_EQ(a.phase.rounds_max, b.phase.rounds_max);
  EXPECT_EQ(a.phase.updates_max, b.phase.updates_max);
  expect_same_bits(a.phase.content, b.phase.content);
  expect_same_bits(a.replica, b.replica);
  expect_same_bits(a.memories, b.memories);
  EXPECT_EQ(a.planning_flops, b.planning_flops);
}

void expect_same(const Certificate& a, const Certificate& b) {
  expect_same_bits(a.objective, b.objective);
  expect_same_bits(a.gap, b.gap);
  expect_same_bits(a.relative_gap, b.relative_gap);
  expect_same_bits(a.dual, b.dual);
  EXPECT_EQ(a.nonzeros, b.nonzeros);
  EXPECT_EQ(a.converged, b.converged);
  EXPECT_EQ(a.figures, b.figures);
}

class ACheckpointFile : public testing::Test {
 protected:
  void write(const Checkpoint& checkpoint) {
    const Status written = write_checkpoint(path_, checkpoint);
    ASSERT_TRUE(written.ok()) << written.message();
  }
  void write_two() {
    write(small_checkpoint(1));
    write(small_checkpoint(2));
  }
  [[nodiscard]] FoundCheckpoint found() const {
    auto read = read_checkpoint(path_);
    EXPECT_TRUE(read.ok()) << read.status().message();
    return read.ok() ? std::move(read).value() : FoundCheckpoint{};
  }
  [[nodiscard]] double seconds_found() const { return found().checkpoint.seconds_solve; }
  [[nodiscard]] std::string refusal() const {
    const auto read = read_checkpoint(path_);
    EXPECT_FALSE(read.ok());
    EXPECT_EQ(read.status().code(), StatusCode::input);
    return read.status().message();
  }
  /// Expects that `newer` in the place of the newer of two is passed over for the older one, and refused alone.
  void expect_passed_over(const std::string& newer) {
    folder_.write(kSecond, newer);
    const auto two = found();
    EXPECT_EQ(two.checkpoint.seconds_solve, 1);
    EXPECT_THAT(two.notes, ElementsAre(AllOf(HasSubstr("checkpoint-1.bin: "), HasSubstr("goes on from"))));
    folder_.write("alone/checkpoint-1.bin", newer);
    const auto alone = read_checkpoint(folder_.path("alone"));
    EXPECT_EQ(alone.status().code(), StatusCode::input);
  }
  /// Changes the content of a file under a checksum that is right.
  template <class Change>
  void reseal(const std::string& name, Change change) {
    auto content = read_sealed_file(folder_.path(name), "STRADSCP", 1, "");
    ASSERT_TRUE(content.ok()) << content.status().message();
    change(content.value());
    ASSERT_TRUE(write_sealed_file(folder_.path(name), "STRADSCP", 1, content.value()).ok());
  }

  static constexpr const char* kFirst = "run/.checkpoint/checkpoint-0.bin";
  static constexpr const char* kSecond = "run/.checkpoint/checkpoint-1.bin";
  TemporaryFolder folder_;
  std::string path_ = folder_.path(std::string("run/") + kCheckpointFolder);
};

TEST_F(ACheckpointFile, ReadsBackEveryMemberToTheLastBit) {
  const Checkpoint wrote = full_checkpoint();
  write(wrote);
  const auto read = found();
  EXPECT_THAT(read.notes, IsEmpty());
  const Checkpoint& c = read.checkpoint;
  EXPECT_EQ(c.identity.build, wrote.identity.build);
  EXPECT_EQ(c.identity.simd, wrote.identity.simd);
  EXPECT_EQ(c.identity.command, wrote.identity.command);
  EXPECT_EQ(c.identity.config, wrote.identity.config);
  EXPECT_EQ(c.identity.fingerprint, wrote.identity.fingerprint);
  EXPECT_EQ(c.options, wrote.options);
  expect_same_bits(c.seconds_solve, wrote.seconds_solve);
  ASSERT_THAT(c.runs, SizeIs(3));
  EXPECT_EQ(c.runs[0].stage(), ListedRun::Stage::going_on);
  EXPECT_EQ(c.runs[1].stage(), ListedRun::Stage::ended);
  EXPECT_EQ(c.runs[2].stage(), ListedRun::Stage::not_begun);
  expect_same(*c.runs[0].at, *wrote.runs[0].at);
  const ListedRun& ended = c.runs[1];
  const ListedRun& wrote_ended = wrote.runs[1];
  EXPECT_EQ(ended.end.stop_reason, wrote_ended.end.stop_reason);
  expect_same(ended.end.certificate, wrote_ended.end.certificate);
  EXPECT_EQ(counts_of(ended.end.totals), counts_of(wrote_ended.end.totals));
  expect_same_bits(ended.end.problem, wrote_ended.end.problem);
  expect_same_bits(ended.kept.numbers, wrote_ended.kept.numbers);
  EXPECT_EQ(ended.kept.texts, wrote_ended.kept.texts);
  EXPECT_TRUE(expect_same(c.identity, wrote.identity).ok());
}

TEST_F(ACheckpointFile, IsKeptWithTheOneBeforeAndTheNewestIsRead) {
  for (int k = 1; k <= 5; ++k) {
    write(small_checkpoint(k));
    EXPECT_EQ(seconds_found(), k);
  }
  EXPECT_THAT(folder_.list("run/.checkpoint"), ElementsAre("checkpoint-0.bin", "checkpoint-1.bin"));
  std::filesystem::remove(folder_.path(kFirst));
  EXPECT_EQ(seconds_found(), 4);
}

TEST_F(ACheckpointFile, IsPassedOverWhicheverByteChanged) {
  write_two();
  std::filesystem::create_directory(folder_.path("alone"));
  const std::string whole = folder_.read(kSecond);
  ASSERT_GT(whole.size(), 100U);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned bits : {0x01U, 0x80U}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ bits);
      expect_passed_over(damaged);
      if (HasFailure()) FAIL() << "byte " << at << " xor " << bits;
    }
  }
}

TEST_F(ACheckpointFile, IsPassedOverWhereverItIsCut) {
  write_two();
  std::filesystem::create_directory(folder_.path("alone"));
  const std::string whole = folder_.read(kSecond);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    expect_passed_over(whole.substr(0, size));
    if (HasFailure()) FAIL() << "cut after " << size << " bytes";
  }
  expect_passed_over(whole + '\0');
}

TEST_F(ACheckpointFile, IsRefusedWithWhatIsWrongWithBoth) {
  write_two();
  folder_.write(kFirst, folder_.read(kFirst).substr(0, 50));
  std::string damaged = folder_.read(kSecond);
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  folder_.write(kSecond, damaged);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("checkpoint-0.bin: 18 bytes after the header"),
                               HasSubstr("checkpoint-1.bin: the checksum does not match"),
                               HasSubstr("without --resume"), Not(HasSubstr("fit the model again"))));
}

TEST_F(ACheckpointFile, IsRefusedWhenThereIsNone) {
  EXPECT_THAT(refusal(), AllOf(HasSubstr(path_), HasSubstr("there is no checkpoint")));
  std::filesystem::create_directories(path_);
  EXPECT_THAT(refusal(), AllOf(HasSubstr(path_), HasSubstr("there is no checkpoint")));
}

TEST_F(ACheckpointFile, OfAnotherBuildIsRefusedByNameAndNotRead) {
  Checkpoint foreign = small_checkpoint(3);
  foreign.identity.build = "0123456789abcdef";
  write(small_checkpoint(1));
  write(foreign);
  // Nothing behind the build id is looked at.
  reseal(kSecond, [](std::string& content) { content.resize(16 + 16); });
  EXPECT_THAT(refusal(), AllOf(HasSubstr("checkpoint-1.bin"), HasSubstr("build 0123456789abcdef"),
                               HasSubstr("this is build " + build_id())));
  write(small_checkpoint(4));
  EXPECT_EQ(seconds_found(), 4);
}

TEST_F(ACheckpointFile, OfAnotherBoostIsRefusedByName) {
  write(small_checkpoint(1));
  reseal(kFirst, [](std::string& content) { content[8] = '\x7f'; });
  EXPECT_THAT(refusal(), HasSubstr("version 127 of Boost's archives"));
}

TEST_F(ACheckpointFile, OfAnotherFormatIsRefusedWithItsVersion) {
  write(small_checkpoint(1));
  ASSERT_TRUE(write_sealed_file(folder_.path(kFirst), "STRADSCP", 2, "later").ok());
  EXPECT_THAT(refusal(), HasSubstr("checkpoint-0.bin: version 2, expected 1"));
}

TEST_F(ACheckpointFile, WithAnArchiveThatBoostRefusesIsPassedOver) {
  write_two();
  const std::string whole = folder_.read(kSecond);
  std::size_t length = 0;
  reseal(kSecond, [&](const std::string& content) { length = content.size(); });
  for (std::size_t size = 0; size < length; size += 7) {  // each is put on the disk
    folder_.write(kSecond, whole);
    reseal(kSecond, [&](std::string& content) { content.resize(size); });
    const auto read = found();
    EXPECT_EQ(read.checkpoint.seconds_solve, 1) << size;
    EXPECT_THAT(read.notes, ElementsAre(HasSubstr("checkpoint-1.bin: "))) << size;
  }
  folder_.write(kSecond, whole);
  reseal(kSecond, [](std::string& content) { content += 'x'; });
  EXPECT_THAT(found().notes, ElementsAre(HasSubstr("something follows")));
}

TEST_F(ACheckpointFile, IsWrittenOverADamagedOneBeforeAWholeOne) {
  write_two();
  folder_.write(kSecond, "damaged");  // the newer one
  write(small_checkpoint(3));
  EXPECT_EQ(seconds_found(), 3);
  std::filesystem::remove(folder_.path(kSecond));
  EXPECT_EQ(seconds_found(), 1);
}

TEST_F(ACheckpointFile, ThatCannotBeWrittenLeavesTheOneBefore) {
  write_two();
  // What is to be replaced cannot be: not even by root, who runs the tests in a container.
  std::filesystem::remove(folder_.path(kFirst));
  std::filesystem::create_directory(folder_.path(kFirst));
  folder_.write(std::string(kFirst) + "/something", "x");
  const Status written = write_checkpoint(path_, small_checkpoint(3));
  EXPECT_EQ(written.code(), StatusCode::input);
  EXPECT_THAT(written.message(), AllOf(HasSubstr("checkpoint-0.bin"), HasSubstr("cannot write")));
  EXPECT_EQ(seconds_found(), 2);
  EXPECT_THAT(folder_.list("run/.checkpoint"), ElementsAre("checkpoint-0.bin", "checkpoint-1.bin"));
}

TEST_F(ACheckpointFile, BelowAFileIsAnError) {
  const std::string file = folder_.write("file", "x");
  const Status written = write_checkpoint(file + "/" + kCheckpointFolder, small_checkpoint(1));
  EXPECT_EQ(written.code(), StatusCode::input);
  EXPECT_THAT(written.message(), HasSubstr(file));
  EXPECT_EQ(read_checkpoint(file + "/" + kCheckpointFolder).status().code(), StatusCode::input);
}

TEST_F(ACheckpointFile, IsNotDisturbedByWhatAKilledWriterLeft) {
  write_two();
  const std::string left = std::string(kFirst) + ".tmp4194304-0";
  folder_.write(left, folder_.read(kSecond).substr(0, 60));
  folder_.write("run/.checkpoint/note.txt", "not ours");
  const auto read = found();
  EXPECT_EQ(read.checkpoint.seconds_solve, 2);
  EXPECT_THAT(read.notes, IsEmpty());
  write(small_checkpoint(3));
  EXPECT_EQ(seconds_found(), 3);
  EXPECT_THAT(folder_.list("run/.checkpoint"), ElementsAre("checkpoint-0.bin", "checkpoint-1.bin", "note.txt"));
}

class TheIdentityOfACheckpoint : public testing::Test {
 protected:
  /// What is said when a run that is `wanted_` finds a checkpoint that is `found_`.
  [[nodiscard]] std::string refusal(StatusCode code) const {
    const Status same = expect_same(found_, wanted_);
    EXPECT_EQ(same.code(), code);
    EXPECT_THAT(same.message(), HasSubstr("without --resume"));
    return same.message();
  }
  CheckpointIdentity found_ = {"b1", "avx2", "lasso fit", "# of 0.1.0\n[data]\nx = a.bed\n[engine]\nseed = 7\n", 5};
  CheckpointIdentity wanted_ = found_;
};

TEST_F(TheIdentityOfACheckpoint, IsTheSameWhateverCommentsAndOrderTheOptionsHave) {
  wanted_.config = "[engine]\nseed = 7\n\n# a remark\n[data]\nx = a.bed\n";
  const Status same = expect_same(found_, wanted_);
  EXPECT_TRUE(same.ok()) << same.message();
}

TEST_F(TheIdentityOfACheckpoint, NamesAnotherBuild) {
  wanted_.build = "b2";
  EXPECT_THAT(refusal(StatusCode::input), AllOf(HasSubstr("build b1"), HasSubstr("this is build b2")));
}

TEST_F(TheIdentityOfACheckpoint, NamesAnotherKernelTarget) {
  wanted_.simd = "avx512";
  EXPECT_THAT(refusal(StatusCode::usage), AllOf(HasSubstr("avx512"), HasSubstr("give --simd avx2")));
}

TEST_F(TheIdentityOfACheckpoint, NamesAnotherCommand) {
  wanted_.command = "lasso path";
  EXPECT_THAT(refusal(StatusCode::usage), AllOf(HasSubstr("one of lasso fit"), HasSubstr("this is lasso path")));
}

TEST_F(TheIdentityOfACheckpoint, NamesOtherData) {
  wanted_.fingerprint = 6;
  EXPECT_THAT(refusal(StatusCode::input), AllOf(HasSubstr("fingerprint 5"), HasSubstr("now it is 6")));
}

TEST_F(TheIdentityOfACheckpoint, NamesTheFirstOptionThatDiffersWithBothValues) {
  wanted_.config = "[data]\nx = a.bed\n[engine]\nseed = 8\n";
  EXPECT_THAT(refusal(StatusCode::usage),
              AllOf(HasSubstr("'7' for the option seed of section [engine]"), HasSubstr("this run has '8'")));
  wanted_.config = "[data]\nx = a.bed\n";
  EXPECT_THAT(refusal(StatusCode::usage), AllOf(HasSubstr("'7' for the option seed"), HasSubstr("this run has none")));
  wanted_.config = found_.config + "depth = 2\n";
  EXPECT_THAT(refusal(StatusCode::usage), AllOf(HasSubstr("none for the option depth"), HasSubstr("has '2'")));
}

}  // namespace
}  // namespace strads
