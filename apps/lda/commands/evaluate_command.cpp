// `lda evaluate`: perplexity of documents by completion, and coherence of the topics in them.
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include "lda/commands/commands.hpp"
#include "lda/commands/read_for_model.hpp"
#include "lda/infer/infer.hpp"
#include "lda/options/fit_options.hpp"
#include "lda/topics/coherence.hpp"
#include "lda/topics/completion.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_files.hpp"

namespace strads::lda {
namespace {

std::string table_of(const TopicModel& model, const Coherence& coherence, std::uint32_t top) {
  std::string out = "topic\tnpmi\twords\n";
  for (std::uint32_t k = 0; k < model.topics; ++k) {
    out += std::to_string(k + 1) + "\t" + short_text(coherence.of_topic[k], 5) + "\t";
    std::string separator;
    for (const std::uint32_t word : top_words(model, k, top)) {
      out.append(std::exchange(separator, " ")).append(model.words[word]);
    }
    out += "\n";
  }
  return out;
}

Status evaluate(EvaluateOptions& options, const OptionTable& table) {
  const auto threads = make_threads(options.threads);
  STRADS_ASSIGN_OR_RETURN(const auto read, read_for_model(options, table, *threads));
  const TopicModel& model = read.model;
  const DocumentHalves halves = halves_of(read.documents, options.seed);
  const auto theta = infer_topics(halves.seen, model.phi, model.alpha, {options.seed, options.sweeps}, *threads);
  const Completion completion = completed(model, theta, halves.asked, *threads);
  const Coherence coherence = npmi(model, read.documents, options.top);
  if (!options.common.out.empty()) {
    if (Status done = write_result(options.common.out, table_of(model, coherence, options.top)); !done.ok()) {
      return done;
    }
  }
  std::printf("documents   %s\n", corpus_text(read.documents, options.corpus.input.path).c_str());
  std::printf("perplexity  %s by document completion: %llu tokens, %s nats each\n",
              short_text(completion.perplexity(), 6).c_str(), static_cast<unsigned long long>(completion.tokens),
              short_text(-completion.log_likelihood / static_cast<double>(completion.tokens), 6).c_str());
  std::printf("coherence   NPMI %s: mean over %u topics of the pairs of %u words, counted in documents\n",
              short_text(coherence.mean, 4).c_str(), model.topics, options.top);
  return {};
}

}  // namespace

Status run_evaluate(std::span<const std::string> arguments) {
  EvaluateOptions options;
  OptionTable table = evaluate_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "lda")) return {};
  if (Status settled = settle_evaluate_options(options); !settled.ok()) return settled;
  return evaluate(options, table);
}

}  // namespace strads::lda
