// What a process knows about the documents, and what the numbers of an option may be.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lda/problem/lda.hpp"
#include "strads/base/hash.hpp"

namespace strads::lda {
namespace {

// Work of the parts of a run, measured in nanoseconds of a thread on one machine and rounded: they need not be right,
// only the same everywhere.
constexpr double kDelayedWork = 40;       ///< a token and sweep, both half-sweeps
constexpr double kTopicWork = 1;          ///< a topic in a token's conditional
constexpr double kInferTokenWork = 50;    ///< of inference, a token and sweep
constexpr double kInferTopicWork = 0.25;  ///< and each of its topics
constexpr double kCountingWork = 8;       ///< a token whose topic is counted for its word
constexpr double kSharesWork = 2;         ///< a word's share of a topic

constexpr std::uint64_t kRowTokensMax = std::numeric_limits<std::int32_t>::max();

Status out_of_range(const std::string& what, const std::string& expected) {
  return Status::usage(what + ", expected " + expected);
}

bool is_positive(double number) {
  return std::isfinite(number) && number > 0;
}

}  // namespace

Result<std::shared_ptr<LdaData>> prepare_lda(std::shared_ptr<const Documents> documents, std::uint64_t seed,
                                             std::shared_ptr<Chunks> threads) {
  auto data = std::make_shared<LdaData>();
  const Documents& read = *documents;
  if (read.size() + read.vocabulary > std::numeric_limits<VarId>::max() - std::uint64_t{1}) {
    return Status::input(std::to_string(read.size()) + " documents and " + std::to_string(read.vocabulary) +
                         " words, expected at most 2^32 - 2 of both together");
  }
  data->word_tokens.assign(read.vocabulary, 0);
  data->token_begins.reserve(read.size() + 1);
  data->token_begins.push_back(0);
  for (std::uint64_t d = 0; d < read.size(); ++d) {
    std::uint64_t tokens = 0;
    for (std::uint64_t entry = read.begins[d]; entry < read.begins[d + 1]; ++entry) {
      tokens += read.counts[entry];
      data->word_tokens[read.words[entry]] += read.counts[entry];
    }
    if (tokens > kRowTokensMax) {
      return Status::input("document " + read.document(d) + " has " + std::to_string(tokens) +
                           " tokens, expected fewer than 2^31: divide it");
    }
    data->token_begins.push_back(data->token_begins.back() + tokens);
  }
  if (data->tokens() == 0) return Status::input("no document has a token");
  for (std::uint32_t word = 0; word < read.vocabulary; ++word) {
    if (data->word_tokens[word] > kRowTokensMax) {
      return Status::input("word " + read.word(word) + " has " + std::to_string(data->word_tokens[word]) +
                           " tokens, expected fewer than 2^31: leave it out");
    }
  }
  data->fingerprint = fingerprint_of(read);
  data->documents = std::move(documents);
  data->seed = seed;
  data->threads = std::move(threads);
  return data;
}

void measure_held_out(LdaData& data, DocumentHalves halves) {
  Hash64 hash;
  hash.update_u64(data.fingerprint);
  hash.update_u64(fingerprint_of(halves.seen));
  hash.update_u64(fingerprint_of(halves.asked));
  data.fingerprint = hash.digest();
  data.held_out = std::make_shared<const DocumentHalves>(std::move(halves));
}

double sweep_work(const LdaData& data, const LdaOptions& options) {
  const double of_token = options.sampler == Sampler::delayed ? kDelayedWork : kTopicWork * options.topics;
  return of_token * static_cast<double>(data.tokens());
}

double counting_work(const LdaData& data, const LdaOptions& options) {
  return kCountingWork * static_cast<double>(data.tokens()) +
         kSharesWork * options.topics * static_cast<double>(data.vocabulary());
}

double evaluation_work(const LdaData& data, const LdaOptions& options) {
  if (data.held_out == nullptr) return 0;
  const double seen = static_cast<double>(data.held_out->seen.tokens) * kInferSweeps;
  return seen * (kInferTokenWork + kInferTopicWork * options.topics) + counting_work(data, options);
}

std::uint32_t evaluation_interval(const LdaData& data, const LdaOptions& options) {
  if (data.held_out == nullptr || data.held_out->asked.tokens == 0) return 0;
  if (options.evaluate_every > 0) return options.evaluate_every;
  const double sweeps = evaluation_work(data, options) / (kEvaluationShare * sweep_work(data, options));
  const double intervals = std::max(1.0, std::ceil(sweeps / options.measure_every));
  constexpr double kNever = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(kNever, intervals * options.measure_every));
}

Status check_lda_options(const LdaOptions& options) {
  if (options.topics < 1 || options.topics > kTopicsMax) {
    return out_of_range("--topics " + std::to_string(options.topics), "1 to " + std::to_string(kTopicsMax));
  }
  if (!options.alpha.empty() && options.alpha.size() != options.topics) {
    return out_of_range("alpha of " + std::to_string(options.alpha.size()) + " numbers",
                        "one for each of " + std::to_string(options.topics) + " topics");
  }
  if (!std::all_of(options.alpha.begin(), options.alpha.end(), is_positive)) {
    return out_of_range("alpha has a number that is not above 0", "numbers above 0");
  }
  if (!is_positive(options.beta)) return out_of_range("--beta " + std::to_string(options.beta), "a number above 0");
  if (options.sweeps < 1) return out_of_range("--sweeps 0", "at least 1");
  if (options.measure_every < 1) return out_of_range("--measure-every 0", "at least 1");
  if (options.proposals < 1 || options.proposals > kProposalsMax) {
    return out_of_range("--proposals " + std::to_string(options.proposals), "1 to " + std::to_string(kProposalsMax));
  }
  return {};
}

std::uint64_t bytes_of_run(std::uint64_t tokens, const LdaOptions& options) {
  // Topics and proposals, in two orders while a half-sweep makes the other one; places in both orders. Cells: topics
  // twice, and where each token is in its document.
  const std::uint64_t of_token =
      options.sampler == Sampler::delayed ? 2 * 4 * ((std::uint64_t{options.proposals} + 2) / 2) + 8 : 2 * 2 + 12;
  return tokens * of_token;
}

}  // namespace strads::lda
