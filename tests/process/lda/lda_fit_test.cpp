// lda fit, infer and evaluate from files to files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "run_lda.hpp"

namespace strads::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class LdaProgram : public LdaFixture {};

TEST_F(LdaProgram, FindsTheTopicsThatDocumentsWereMadeOf) {
  const auto ended = lda(fit_command("run", {"--top-words", "5", "--held-out", "0.2"}));
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("corpus.txt: "));
  EXPECT_THAT(ended.out, HasSubstr("held-out perplexity "));
  std::istringstream table(folder_.read("run/topics.tsv"));
  std::string line, letters;
  std::getline(table, line);
  EXPECT_EQ(line, "topic\talpha\ttokens\tshare\twords");
  while (std::getline(table, line)) {
    std::istringstream words(line.substr(line.rfind('\t') + 1));
    std::string word;
    words >> word;
    letters += word[0];
    for (const char letter = word[0]; words >> word;) EXPECT_EQ(word[0], letter) << line;
  }
  std::ranges::sort(letters);
  EXPECT_EQ(letters, "abc");
}

TEST_F(LdaProgram, WritesWhatItSays) {
  const auto ended = lda(fit_command("run", {"--state", "on", "--doc-topics", "on", "--pyldavis", "on"}));
  ASSERT_EQ(ended.code, 0) << ended.err;
  for (const char* file :
       {"phi.npy", "theta.npy", "words.tsv", "topics.tsv", "documents.tsv", "state.gz", "topics.svg", "curve.svg",
        "doc-topics.tsv", "pyldavis.json", "trace.csv", "config.ini", "log.txt", "summary.json"}) {
    EXPECT_TRUE(folder_.has(std::string("run/") + file)) << file;
    EXPECT_THAT(ended.out, HasSubstr(file));
  }
  const auto again = lda(fit_command("run", {}));
  EXPECT_EQ(again.code, 2) << again.err;
  EXPECT_THAT(again.err, HasSubstr("--force"));
}

TEST_F(LdaProgram, GivesTheSameBitsForAnyThreadsSchedulersAndWorkers) {
  const auto expected = hash_of({"--threads", "1"}, "one");
  EXPECT_EQ(hash_of({"--threads", "2"}, "two"), expected);
  EXPECT_EQ(hash_of({"--schedulers", "3", "--workers", "5"}, "many"), expected);
  EXPECT_NE(hash_of({"--seed", "2"}, "other"), expected);
}

TEST_F(LdaProgram, GivesTheBitsOfTheEmbeddedRunOnProcesses) {
  for (const char* sampler : {"delayed", "rotation"}) {
    const std::vector<std::string> options = {"--sampler", sampler, "--schedulers", "2",
                                              "--workers", "4",     "--threads",    "1"};
    const auto embedded = hash_of(options, std::string("embedded-") + sampler);
    EXPECT_EQ(hash_of(with(options, {"--processes=2"}), std::string("processes-") + sampler), embedded) << sampler;
  }
}

TEST_F(LdaProgram, InfersTheSameTopicsEachTime) {
  ASSERT_EQ(lda(fit_command("run", {"--quiet"})).code, 0);
  const auto unseen = folder_.write("unseen.txt", "a0 a1 a2 a1 a0\nc1 c2 c0 yak c1\n\n");
  const std::vector<std::string> infer = {"infer", "--model", folder_.path("run"), "--corpus", unseen};
  const auto first = lda(infer), second = lda(with(infer, {"--threads", "1"}));
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, second.out);
  EXPECT_THAT(first.err, HasSubstr("1 document has no words"));
  EXPECT_THAT(first.err, HasSubstr("1 token is of words that the model does not know"));
  const auto ended = lda(with(infer, {"--out", folder_.path("inferred"), "--doc-topics", "on"}));
  ASSERT_EQ(ended.code, 0) << ended.err;
  for (const char* file : {"theta.npy", "documents.tsv", "doc-topics.tsv", "summary.json"}) {
    EXPECT_TRUE(folder_.has(std::string("inferred/") + file)) << file;
  }
}

TEST_F(LdaProgram, MeasuresPerplexityBelowThatOfChance) {
  ASSERT_EQ(lda(fit_command("run", {"--quiet"})).code, 0);
  const auto unseen = folder_.write("unseen.txt", made_up_documents(60, 40, 7));
  const auto ended = lda({"evaluate", "--model", folder_.path("run"), "--corpus", unseen, "--out",
                          folder_.path("topics.tsv"), "--top-words", "4"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const auto at = ended.out.find("perplexity  ");
  ASSERT_NE(at, std::string::npos) << ended.out;
  const double perplexity = std::stod(ended.out.substr(at + 12));
  EXPECT_GT(perplexity, 4);
  EXPECT_LT(perplexity, 20) << "of 30 words as probable it is 30";
  EXPECT_THAT(ended.out, HasSubstr("coherence   NPMI 0."));
  EXPECT_THAT(folder_.read("topics.tsv"), HasSubstr("topic\tnpmi\twords\n1\t"));
}

TEST_F(LdaProgram, SaysWhileItRunsWhatEvaluateSaysOfTheSameDocuments) {
  const auto unseen = folder_.write("unseen.txt", made_up_documents(30, 40, 7));
  const std::vector<std::string> test = {"--test", unseen, "--evaluate-every", "10", "--threads", "1"};
  const auto summary = summary_of(test, "run");
  const auto evaluated = lda({"evaluate", "--model", folder_.path("run"), "--corpus", unseen});
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  const double at_end = std::stod(json_field(summary, "held_out_perplexity"));
  const auto at = evaluated.out.find("perplexity  ");
  ASSERT_NE(at, std::string::npos) << evaluated.out;
  EXPECT_NEAR(std::stod(evaluated.out.substr(at + 12)), at_end, 1e-4);
  sweeps_ = "20";
  const double at_20 = std::stod(json_field(summary_of(test, "shorter"), "held_out_perplexity"));
  std::istringstream trace(folder_.read("run/trace.csv"));
  std::string line, measured;
  while (std::getline(trace, line)) {
    std::istringstream fields(line);
    std::string seconds, sweep, joint, perplexity;
    std::getline(std::getline(std::getline(std::getline(fields, seconds, ','), sweep, ','), joint, ','), perplexity,
                 ',');
    if (perplexity.empty() || sweep == "sweep") continue;
    measured += sweep + " ";
    EXPECT_TRUE(sweep != "20" || std::stod(perplexity) == at_20) << perplexity;
    EXPECT_TRUE(sweep != "30" || std::stod(perplexity) == at_end) << perplexity;
  }
  EXPECT_EQ(measured, "10 20 30 ");
}

TEST_F(LdaProgram, MeasuresTheSamePerplexityOnProcessesAndKeepsTheModel) {
  const auto hash = hash_of({"--held-out", "0.2"}, "seldom");
  const std::vector<std::string> often = {"--held-out", "0.2", "--evaluate-every", "1", "--threads", "1"};
  const auto rows = [&](const std::string& run) {
    std::istringstream trace(folder_.read(run + "/trace.csv"));
    std::string all, line;
    while (std::getline(trace, line)) {
      const auto first = line.find(',') + 1;
      all += line.substr(first, line.find(',', line.find(',', line.find(',', first) + 1) + 1) - first) + "\n";
    }
    return all;
  };
  EXPECT_EQ(hash_of(often, "embedded"), hash);
  EXPECT_EQ(hash_of(with(often, {"--processes=2"}), "processes"), hash);
  EXPECT_EQ(rows("processes"), rows("embedded"));
  EXPECT_THAT(rows("embedded"), HasSubstr("sweep,log_joint_per_token,held_out_perplexity\n1,,"));
}

TEST_F(LdaProgram, SaysWhatIsWrongWithDocumentsForTesting) {
  const auto other = folder_.write("other.txt", "nothing of it\n");
  const auto ended = lda(fit_command("run", {"--test", other}));
  EXPECT_EQ(ended.code, 4) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("other.txt"));
  const auto both = lda(fit_command("run", {"--test", other, "--held-out", "0.1"}));
  EXPECT_EQ(both.code, 2) << both.err;
}

TEST_F(LdaProgram, SaysWhatIsWrongWithACorpus) {
  const auto refused = [&](const std::string& text, const std::vector<std::string>& more = {}) {
    const auto ended = lda(with({"fit", "--corpus", folder_.write("f", text)}, more));
    EXPECT_EQ(ended.code, 4) << ended.err;
    return ended.err;
  };
  EXPECT_THAT(refused("1\n2\n1\n1 1 -2\n"), HasSubstr("f:4:5: count -2, expected a whole number from 0"));
  EXPECT_THAT(refused("1\n2\n1\n1 3 1\n"), HasSubstr("word number '3', expected 1 to 2"));
  EXPECT_THAT(refused("one two\nthree four\n"), HasSubstr("hold no word"));
  EXPECT_THAT(refused("1\n2\n1\n1 2 1\n", {"--vocab", folder_.write("v", "ape\n")}),
              HasSubstr("outside of the vocabulary"));
}

TEST_F(LdaProgram, SaysItsMemoryBefore) {
  const auto ended = lda(fit_command("run", {"--dry-run"}));
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("90 documents, 3600 tokens of 30 words, 3 topics"));
  EXPECT_FALSE(folder_.has("run"));
}

TEST_F(LdaProgram, EndsAtALimitWithTheTopicsSoFar) {
  const auto ended = lda(fit_command("run", {"--max-rounds", "40"}));
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "stop_reason"), "\"max_rounds\"");
}

TEST_F(LdaProgram, GoesOnFromItsCheckpointAfterAKill) {
  sweeps_ = "200";
  const std::vector<std::string> slow = {"--threads", "1"};
  const auto expected = hash_of(slow, "whole");
  const auto command = lda_command(fit_command("run", with(slow, {"--checkpoint-rounds", "1", "--quiet"})));
  Process process(command);
  const auto checkpoint = [&] {
    std::string seen;
    for (const char* name : {"run/.checkpoint/checkpoint-0.bin", "run/.checkpoint/checkpoint-1.bin"}) {
      if (folder_.has(name)) seen += folder_.read(name);
    }
    return seen;
  };
  const auto wait_for_another = [&](const std::string& before) {
    for (int tries = 0; tries < 20000; ++tries) {
      if (const std::string now = checkpoint(); !now.empty() && now != before) return now;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return std::string();
  };
  const std::string first = wait_for_another("");
  ASSERT_FALSE(first.empty());
  ASSERT_FALSE(wait_for_another(first).empty());
  process.signal(SIGKILL);
  ASSERT_EQ(process.wait().code, 128 + SIGKILL);
  const auto resumed = lda({"fit", "--resume", folder_.path("run"), "--processes=2"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(json_field(folder_.read("run/summary.json"), "model_hash"), expected);
}

}  // namespace
}  // namespace strads::test
