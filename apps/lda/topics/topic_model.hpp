// A fitted topic model as files of a run directory, and back. Formats: docs/OUTPUT.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/program/run_directory.hpp"

namespace strads::lda {

inline constexpr const char* kPhiFile = "phi.npy";
inline constexpr const char* kThetaFile = "theta.npy";
inline constexpr const char* kWordsFile = "words.tsv";
inline constexpr const char* kTopicsFile = "topics.tsv";
inline constexpr const char* kDocumentsFile = "documents.tsv";

/// Version of these files, noted in summary.json: raised when an earlier release could not read them any more, or would
/// read something else in them.
inline constexpr std::uint32_t kTopicFilesFormat = 1;
/// The prior of words in summary.json.
inline constexpr const char* kBeta = "beta";

/// What unseen documents need.
struct TopicModel {
  std::uint32_t topics = 0;
  std::vector<double> alpha;                ///< of each topic: prior of a document's topics
  double beta = 0;                          ///< prior of a topic's words, the same for all
  std::vector<std::string> words;           ///< their numbers, from 1, where they have no names
  std::vector<float> phi;                   ///< topics x words: share of a word in a topic, rows sum to 1
  std::vector<std::uint64_t> word_tokens;   ///< of each word in the training documents
  std::vector<std::uint64_t> topic_tokens;  ///< of each topic

  [[nodiscard]] std::uint32_t vocabulary() const { return static_cast<std::uint32_t>(words.size()); }
  [[nodiscard]] std::span<const float> row(std::uint32_t topic) const {
    return std::span(phi).subspan(std::size_t{topic} * words.size(), words.size());
  }
};

/// The `count` most probable words of a topic; of equal ones the first. Cost: O(words log count).
[[nodiscard]] std::vector<std::uint32_t> top_words(const TopicModel& model, std::uint32_t topic, std::uint32_t count);

/// phi, words and topics; the table of topics shows `top` words of each. Errors: input, with the file and the system's
/// reason.
[[nodiscard]] Status write_topic_model(RunDirectory& directory, const TopicModel& model, std::uint32_t top);
/// Reads phi, words and topics of an unfinished run back. Errors: internal: they are not this model; input: one cannot
/// be read.
[[nodiscard]] Status check_written(const RunDirectory& directory, const TopicModel& model);
/// Errors: input: a file is missing or damaged, or the files are not of one model, or a later release wrote them.
[[nodiscard]] Result<TopicModel> read_topic_model(const std::string& directory);

/// documents.tsv: name and tokens of each document.
[[nodiscard]] std::string documents_table(std::span<const std::string> names, std::span<const std::uint64_t> begins,
                                          std::span<const std::uint32_t> counts);

}  // namespace strads::lda
