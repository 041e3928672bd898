// The samplers of `lda` against a serial exact collapsed Gibbs sampler, which shares no code with them: log joint per
// token, perplexity by document completion and coherence over seeds.
//
// usage: bench_lda_exact CORPUS TOPICS SWEEPS FIRST_SEED LAST_SEED [WORKERS]
//
// "delayed5" is `delayed` with five times as many sweeps. A tenth of the documents is held out, by seed. Alpha is
// 50 / TOPICS, beta 0.01. Coherence is the mean NPMI of the 10 most probable words of each topic, counted in all documents.
// Prints a line a seed and the means; "spread" is the standard deviation over seeds.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lda/check/check_topics.hpp"
#include "lda/infer/infer.hpp"
#include "lda/problem/lda.hpp"
#include "lda/topics/coherence.hpp"
#include "lda/topics/completion.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/progress.hpp"
#include "strads/transport/embedded.hpp"

namespace strads::lda {
namespace {

/// Griffiths and Steyvers 2004, eq. 5: each token in turn, from its conditional given all others.
LdaSolution sample_exactly(const Documents& documents, const LdaOptions& options, std::uint64_t seed) {
  const std::size_t topics = options.topics;
  const double alpha = 50.0 / options.topics, words = documents.vocabulary;
  std::vector<std::uint32_t> word_of, document_of;
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    for (std::uint64_t entry = documents.begins[d]; entry < documents.begins[d + 1]; ++entry) {
      word_of.insert(word_of.end(), documents.counts[entry], documents.words[entry]);
      document_of.insert(document_of.end(), documents.counts[entry], static_cast<std::uint32_t>(d));
    }
  }
  std::mt19937_64 random(seed);
  std::vector<double> of_document(documents.size() * topics, 0), of_word(documents.vocabulary * topics, 0);
  std::vector<double> totals(topics, 0), sums(topics);
  LdaSolution solution;
  solution.topics = options.topics;
  solution.alpha.assign(topics, alpha);
  solution.beta = options.beta;
  const auto count = [&](std::size_t token, std::size_t topic, double by) {
    of_document[document_of[token] * topics + topic] += by;
    of_word[word_of[token] * topics + topic] += by;
    totals[topic] += by;
  };
  for (std::size_t token = 0; token < word_of.size(); ++token) {
    solution.assignments.push_back(static_cast<std::uint16_t>(random() % topics));
    count(token, solution.assignments[token], 1);
  }
  for (std::uint32_t sweep = 0; sweep < options.sweeps; ++sweep) {
    for (std::size_t token = 0; token < word_of.size(); ++token) {
      count(token, solution.assignments[token], -1);
      const double* const d = of_document.data() + document_of[token] * topics;
      const double* const w = of_word.data() + word_of[token] * topics;
      double sum = 0;
      for (std::size_t k = 0; k < topics; ++k) {
        sums[k] = sum += (d[k] + alpha) * (w[k] + options.beta) / (totals[k] + words * options.beta);
      }
      const double x = std::uniform_real_distribution<double>(0, sum)(random);
      std::size_t topic = 0;
      while (topic + 1 < topics && sums[topic] <= x) ++topic;
      solution.assignments[token] = static_cast<std::uint16_t>(topic);
      count(token, topic, 1);
    }
  }
  solution.totals.assign(totals.begin(), totals.end());
  return solution;
}

LdaSolution sample(const std::shared_ptr<LdaData>& data, const LdaOptions& options, std::uint32_t workers) {
  const EngineOptions engine{.schedulers = 1, .workers = workers, .depth = 1};
  const auto run = run_embedded(make_lda_model(data, options, engine), engine, {.threads = 1}, {}, {});
  return solution_of(*data, options, run.end);
}

constexpr std::uint32_t kTopWords = 10;

/// Of one sampler over the seeds.
struct Measures {
  std::string name;
  std::vector<double> log_joints, perplexities, coherences;
  double seconds = 0;  ///< of the processor
};

void show_spread(const char* what, const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (const double each : values) mean += each / static_cast<double>(values.size());
  for (const double each : values) squares += (each - mean) * (each - mean);
  std::printf("  %s %.4f +- %.4f", what, mean,
              values.size() > 1 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) : 0.0);
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Seeds {
  std::uint64_t first = 1, last = 1;
};

int compare(const std::string& corpus, const LdaOptions& given, const Seeds& seeds, std::uint32_t workers) {
  const auto serial = std::make_shared<SerialChunks>();
  DocumentsInput input;
  input.path = corpus;
  const auto all = load_documents(input, {}, *serial, {});
  if (!all.ok()) {
    std::fprintf(stderr, "%s\n", all.status().message().c_str());
    return 4;
  }
  std::vector<Measures> measures = {{"exact", {}, {}, {}, 0},
                                    {"delayed", {}, {}, {}, 0},
                                    {"delayed5", {}, {}, {}, 0},
                                    {"rotation", {}, {}, {}, 0},
                                    {"stale", {}, {}, {}, 0}};
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const DocumentParts parts = hold_out(all.value(), 0.1, seed);
    const DocumentHalves halves = halves_of(parts.held_out, seed);
    const auto data = prepare_lda(std::make_shared<const Documents>(parts.kept), seed, serial).value();
    for (Measures& each : measures) {
      LdaOptions options = given;
      if (each.name == "rotation") options.sampler = Sampler::rotation;
      if (each.name == "delayed5") options.sweeps *= 5;
      if (each.name == "stale") options.sampler = Sampler::stale;
      const double before = processor_seconds();
      const LdaSolution solution =
          each.name == "exact" ? sample_exactly(parts.kept, options, seed) : sample(data, options, workers);
      each.seconds += processor_seconds() - before;
      const TopicModel model = {.topics = solution.topics,
                                .alpha = solution.alpha,
                                .beta = solution.beta,
                                .words = std::vector<std::string>(data->vocabulary()),
                                .phi = phi_of(*data, solution),
                                .word_tokens = {},
                                .topic_tokens = {}};
      const auto theta = infer_topics(halves.seen, model.phi, model.alpha, {.seed = seed}, *serial);
      each.log_joints.push_back(plain_log_joint(*data->documents, solution) / static_cast<double>(data->tokens()));
      each.perplexities.push_back(completed(model, theta, halves.asked, *serial).perplexity());
      each.coherences.push_back(npmi(model, all.value(), kTopWords).mean);
      std::printf("seed %llu %-8s log joint/token %.5f perplexity %.1f npmi %.4f\n",
                  static_cast<unsigned long long>(seed), each.name.c_str(), each.log_joints.back(),
                  each.perplexities.back(), each.coherences.back());
      std::fflush(stdout);
    }
  }
  for (const Measures& each : measures) {
    std::printf("%-8s", each.name.c_str());
    show_spread("log joint/token", each.log_joints);
    show_spread("perplexity", each.perplexities);
    show_spread("npmi", each.coherences);
    std::printf("  %.2f processor s a run\n", each.seconds / static_cast<double>(each.log_joints.size()));
  }
  return 0;
}

}  // namespace
}  // namespace strads::lda

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: bench_lda_exact CORPUS TOPICS SWEEPS FIRST_SEED LAST_SEED [WORKERS]\n");
    return 2;
  }
  strads::lda::LdaOptions options;
  options.topics = static_cast<std::uint32_t>(std::atoi(argv[2]));
  options.sweeps = static_cast<std::uint32_t>(std::atoi(argv[3]));
  const strads::lda::Seeds seeds{static_cast<std::uint64_t>(std::atoi(argv[4])),
                                 static_cast<std::uint64_t>(std::atoi(argv[5]))};
  return strads::lda::compare(argv[1], options, seeds, argc > 6 ? static_cast<std::uint32_t>(std::atoi(argv[6])) : 4);
}
