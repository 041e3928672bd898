// Topic models inside of another program: see lasso/library/lasso_library.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/documents.hpp"
#include "strads/program/embedding.hpp"
#include "strads/program/hosted_run.hpp"
#include "strads/program/run_host.hpp"

namespace strads::lda {

/// `lda fit`.
struct TopicsCall {
  std::vector<OptionValue> options;                      ///< {"topics", "20"}, {"sweeps", "500"} ...
  std::shared_ptr<const Documents> documents = nullptr;  ///< null: --corpus names a file
  RunHost host = {};
  std::vector<OptionValue> cluster = {};  ///< as lasso::Call's: then `documents` is null
};

struct TopicsResult : HostedOutcome {
  bool finished = false;  ///< no limit and nobody ended it
  std::uint64_t sweeps = 0;
  std::uint32_t topics = 0, words = 0;
  std::uint64_t documents = 0;
  std::vector<float> phi;          ///< topics x words, rows sum to 1
  std::vector<float> theta;        ///< documents x topics, rows sum to 1
  std::vector<double> components;  ///< topics x words: tokens of a word that have a topic, and beta
  std::vector<double> alpha;       ///< of each topic
  double beta = 0;
  std::vector<std::string> word_names;  ///< of a corpus in a file
  double log_joint_per_token = 0;
  double held_out_perplexity = 0;  ///< NaN: nothing was held out
  std::string model_hash;
};

/// From options to the model. Errors: usage, input: as `lda fit`, same text.
[[nodiscard]] Result<TopicsResult> call_fit(const TopicsCall& call);

/// Topics of a fit, as arrays.
struct GivenTopics {
  std::span<const float> phi;     ///< topics x words, above 0
  std::span<const double> alpha;  ///< of each topic
  std::uint64_t seed = 1;
  std::uint32_t sweeps = 100;
  std::uint32_t threads = 0;
};
/// theta of documents, as `lda infer`. Errors: input: the documents have other words than phi.
[[nodiscard]] Result<std::vector<float>> call_infer(const GivenTopics& topics, const Documents& documents);

/// Log likelihood of the second halves of documents and their tokens, as `lda evaluate`. Errors: as call_infer().
struct CompletionResult {
  double log_likelihood = 0;
  std::uint64_t tokens = 0;
};
[[nodiscard]] Result<CompletionResult> call_completion(const GivenTopics& topics, const Documents& documents);

/// A fitted model as a folder, which `lda infer` and `lda evaluate` read as that of `lda fit --out`.
struct SavedTopics {
  std::vector<double> components;  ///< topics x words: tokens of a word that have a topic, and beta
  std::vector<double> alpha;       ///< of each topic
  double beta = 0;                 ///< above 0
  std::vector<std::string> words;  ///< empty: they are called by their numbers
  std::vector<float> theta;        ///< documents x topics
  double log_joint_per_token = 0;  ///< as TopicsResult says
  double held_out_perplexity = 0;
  std::uint64_t sweeps = 0;
  std::string stop_reason;
  bool finished = true;
  std::string model_hash;
  std::string config;  ///< the options of the fit
};
/// Errors: usage: a finished run is there and `force` is false; input: with the file and the system's reason, or the
/// arrays do not fit.
[[nodiscard]] Status save_topics(const SavedTopics& saved, const std::string& directory, bool force);

/// What save_topics() or `lda fit --out` wrote.
struct LoadedTopics {
  SavedTopics topics;
  std::vector<float> phi;  ///< topics x words
  std::string summary;     ///< summary.json
};
/// Errors: input: as read_topic_model(); theta.npy does not fit.
[[nodiscard]] Result<LoadedTopics> load_topics(const std::string& directory);

/// What call_fit takes.
[[nodiscard]] std::vector<OptionFacts> options_of_fit();

}  // namespace strads::lda
