// Models as files and back, and the forms of other programs.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "lda/topics/exports.hpp"
#include "lda/topics/topic_model.hpp"
#include "strads/program/run_directory.hpp"
#include "support/temporary_folder.hpp"
#include "topics_fixture.hpp"

namespace strads::lda {
namespace {

using test::counted;
using test::small_model;

std::string text_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

RunDirectory folder_for(const std::string& path) {
  auto opened = RunDirectory::open(path, false, {});
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  return std::move(opened).value();
}

Summary summary_of_model() {
  Summary summary;
  summary.add("model_format", kTopicFilesFormat);
  summary.add(kBeta, 0.125);
  return summary;
}

std::string written_model(const std::string& path) {
  RunDirectory directory = folder_for(path);
  EXPECT_TRUE(write_topic_model(directory, small_model(), 2).ok());
  EXPECT_TRUE(check_written(directory, small_model()).ok());
  EXPECT_TRUE(directory.finish(summary_of_model()).ok());
  return path;
}

TEST(TopicModelFiles, AreReadBackAsTheyWereWritten) {
  const strads::test::TemporaryFolder folder;
  const auto read = read_topic_model(written_model(folder.path("run")));
  ASSERT_TRUE(read.ok()) << read.status().message();
  const TopicModel expected = small_model();
  EXPECT_EQ(read.value().topics, 2U);
  EXPECT_EQ(read.value().alpha, expected.alpha);
  EXPECT_EQ(read.value().beta, expected.beta);
  EXPECT_EQ(read.value().words, expected.words);
  EXPECT_EQ(read.value().phi, expected.phi);
  EXPECT_EQ(read.value().word_tokens, expected.word_tokens);
  EXPECT_EQ(read.value().topic_tokens, expected.topic_tokens);
}

TEST(TopicModelFiles, ShowTheTopWordsOfEachTopic) {
  const strads::test::TemporaryFolder folder;
  EXPECT_EQ(text_of(written_model(folder.path("run")) + "/topics.tsv"),
            "topic\talpha\ttokens\tshare\twords\n1\t0.5\t9\t0.5625\tape bee\n2\t0.25\t7\t0.4375\tdog cat\n");
}

TEST(TopicModelFiles, ThatWereChangedAreRefused) {
  const strads::test::TemporaryFolder folder;
  const std::string run = written_model(folder.path("run"));
  std::ofstream(run + "/words.tsv", std::ios::app) << "eel\t1\n";
  const auto read = read_topic_model(run);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().message().find("words.tsv"), std::string::npos) << read.status().message();
}

TEST(TopicModelFiles, ThatAreAnotherModelAreNotKept) {
  const strads::test::TemporaryFolder folder;
  RunDirectory directory = folder_for(folder.path("run"));
  ASSERT_TRUE(write_topic_model(directory, small_model(), 2).ok());
  TopicModel other = small_model();
  other.phi[3] = 0.25F;
  EXPECT_EQ(check_written(directory, other).code(), StatusCode::internal);
  other = small_model();
  other.alpha[1] = 0.5;
  EXPECT_EQ(check_written(directory, other).code(), StatusCode::internal);
}

TEST(ExportsOfTopics, AreWhatPyldavisTakes) {
  const strads::test::TemporaryFolder folder;
  RunDirectory directory = folder_for(folder.path("run"));
  const std::vector<float> theta = {0.75F, 0.25F, 0.5F, 0.5F};
  ASSERT_TRUE(write_pyldavis(directory, small_model(), counted({{2, 0, 0, 1}, {0, 0, 0, 0}}), theta).ok());
  EXPECT_EQ(text_of(directory.path_of("pyldavis.json")),
            "{\"topic_term_dists\":[[0.5,0.25,0.125,0.125],[0.125,0.125,0.25,0.5]],\n"
            "\"doc_topic_dists\":[[0.75,0.25]],\n\"doc_lengths\":[3],\n"
            "\"vocab\":[\"ape\",\"bee\",\"cat\",\"dog\"],\n\"term_frequency\":[5,3,2,6]}\n");
}

TEST(ExportsOfTopics, AreMalletsTopicsOfDocuments) {
  const strads::test::TemporaryFolder folder;
  RunDirectory directory = folder_for(folder.path("run"));
  const std::vector<float> theta = {0.75F, 0.25F, 0.5F, 0.5F};
  ASSERT_TRUE(write_doc_topics(directory, small_model(), counted({{2, 0, 0, 1}, {0, 0, 0, 0}}), theta).ok());
  EXPECT_EQ(text_of(directory.path_of("doc-topics.tsv")), "0\t1\t0.75\t0.25\n1\t2\t0.5\t0.5\n");
}

TEST(ExportsOfTopics, AreMalletsStateOfEveryToken) {
  const strads::test::TemporaryFolder folder;
  RunDirectory directory = folder_for(folder.path("run"));
  const std::vector<std::uint16_t> assignments = {1, 0, 1};
  ASSERT_TRUE(write_mallet_state(directory, small_model(), counted({{2, 0, 0, 0}, {0, 0, 0, 1}}), assignments).ok());
  SerialChunks serial;
  DocumentsInput unpacked{.path = directory.path_of("state.gz"), .format = DocumentFormat::text};
  unpacked.text.documents_min = 1;
  const auto words = load_documents(unpacked, {}, serial, {});  // unpacks gzip
  ASSERT_TRUE(words.ok()) << words.status().message();
  EXPECT_EQ(words.value().size(), 6U);  // three lines of head, one of each token
}

}  // namespace
}  // namespace strads::lda
