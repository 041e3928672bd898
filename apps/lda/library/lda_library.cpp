#include "lda/library/lda_library.hpp"

#include <utility>

#include "lda/commands/fit_command.hpp"
#include "lda/infer/infer.hpp"
#include "lda/options/fit_options.hpp"
#include "lda/topics/completion.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads::lda {
namespace {

/// c_wk + beta, topics x words.
std::vector<double> components_of(const LdaData& data, const LdaSolution& solution) {
  const std::size_t words = data.vocabulary(), topics = solution.topics;
  const auto counts = word_topic_counts(data, solution);
  std::vector<double> out(words * topics);
  for (std::size_t w = 0; w < words; ++w) {
    for (std::size_t k = 0; k < topics; ++k) out[k * words + w] = counts[w * topics + k] + solution.beta;
  }
  return out;
}

Status expect_words(const GivenTopics& topics, const Documents& documents) {
  const std::size_t words = topics.alpha.empty() ? 0 : topics.phi.size() / topics.alpha.size();
  if (words == documents.vocabulary && words * topics.alpha.size() == topics.phi.size()) return {};
  return Status::input("documents of " + std::to_string(documents.vocabulary) + " words, expected the " +
                       std::to_string(words) + " of the fit");
}

TopicModel model_of(const GivenTopics& topics, std::uint32_t words) {
  TopicModel model;
  model.topics = static_cast<std::uint32_t>(topics.alpha.size());
  model.alpha.assign(topics.alpha.begin(), topics.alpha.end());
  model.words.resize(words);
  model.phi.assign(topics.phi.begin(), topics.phi.end());
  return model;
}

}  // namespace

Result<TopicsResult> call_fit(const TopicsCall& call) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (!call.cluster.empty() && call.documents != nullptr) {
    return Status::usage("the nodes of a cluster do not see what lies in this process's memory; write it into a file");
  }
  if (Status taken = take_values(table, call.options, call.cluster); !taken.ok()) return taken;
  TopicsResult out;
  options.host = host_with_notes(call.host, out.notes);
  options.in_memory = call.documents;
  if (Status settled = settle_fit_options(options, table); !settled.ok()) return settled;
  FitResult result;
  Status ran = fit_in_process(options, table, result);
  if (!has_results(ran)) return ran;
  note_outcome(result, table, out);
  out.finished = result.finished;
  out.sweeps = result.solution.sweeps;
  out.topics = result.model.topics;
  out.words = result.model.vocabulary();
  out.documents = result.input.data->documents->size();
  out.components = components_of(*result.input.data, result.solution);
  out.phi = std::move(result.model.phi);
  out.theta = std::move(result.theta);
  out.alpha = result.model.alpha;
  out.beta = result.model.beta;
  out.word_names = result.input.data->documents->word_names;
  out.log_joint_per_token = result.log_joint_per_token();
  out.held_out_perplexity = result.held_out.perplexity();
  out.model_hash = result.model_hash;
  return out;
}

Result<std::vector<float>> call_infer(const GivenTopics& topics, const Documents& documents) {
  if (Status same = expect_words(topics, documents); !same.ok()) return same;
  const auto threads = make_threads(topics.threads);
  return infer_topics(documents, topics.phi, topics.alpha, {topics.seed, topics.sweeps}, *threads);
}

Result<CompletionResult> call_completion(const GivenTopics& topics, const Documents& documents) {
  if (Status same = expect_words(topics, documents); !same.ok()) return same;
  const auto threads = make_threads(topics.threads);
  const DocumentHalves halves = halves_of(documents, topics.seed);
  const auto theta = infer_topics(halves.seen, topics.phi, topics.alpha, {topics.seed, topics.sweeps}, *threads);
  const Completion done = completed(model_of(topics, documents.vocabulary), theta, halves.asked, *threads);
  return CompletionResult{done.log_likelihood, done.tokens};
}

std::vector<OptionFacts> options_of_fit() {
  FitOptions options;
  return embeddable_options(fit_option_table(options));
}

}  // namespace strads::lda
