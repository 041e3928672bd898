// The fitted model, gathered from the slices' last reports, and its tables.
#include <algorithm>
#include <array>
#include <cstdio>
#include <span>

#include "lda/problem/lda.hpp"
#include "lda/problem/packed_topics.hpp"
#include "lda/problem/payloads.hpp"
#include "strads/base/hash.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/progress.hpp"

namespace strads::lda {
namespace {

/// each(word, topic) for every token of a document.
template <class Each>
void for_tokens(const LdaData& data, const LdaSolution& solution, std::uint64_t document, Each&& each) {
  const Documents& documents = *data.documents;
  std::uint64_t token = data.token_begins[document];
  for (std::uint64_t entry = documents.begins[document]; entry < documents.begins[document + 1]; ++entry) {
    for (std::uint32_t n = 0; n < documents.counts[entry]; ++n) {
      each(documents.words[entry], solution.assignments[token++]);
    }
  }
}

}  // namespace

LdaSolution solution_of(const LdaData& data, const LdaOptions& options, const RunEnd& end) {
  LdaSolution solution;
  solution.topics = options.topics;
  solution.assignments.resize(data.tokens());
  for (const Payload& status : end.statuses) {
    if (status.bulk.empty()) continue;
    const auto topics = unpack_topics(status.bulk[0], 2 * status.bulk[0].size());
    std::size_t at = 0;
    for (const VarId document : status.ids) {
      const std::uint64_t first = data.token_begins[document];
      const std::uint64_t length = data.token_begins[document + std::size_t{1}] - first;
      STRADS_CHECK(at + length <= topics.size(), "a verified status has a topic for each token of its documents");
      std::copy_n(topics.begin() + static_cast<std::ptrdiff_t>(at), length,
                  solution.assignments.begin() + static_cast<std::ptrdiff_t>(first));
      at += length;
    }
  }
  const StatusView view = read_status(end.statuses[0].values, options.topics);
  for (const double total : view.totals) solution.totals.push_back(static_cast<std::uint64_t>(total));
  solution.alpha.assign(view.alpha.begin(), view.alpha.end());
  solution.beta = view.head.beta;
  solution.log_joint = -end.certificate.objective;
  solution.sweeps = static_cast<std::uint32_t>(end.certificate.figures[kFigureSweep]);
  return solution;
}

std::string model_hash(const LdaSolution& solution) {
  Hash64 hash;
  hash.update(std::as_bytes(std::span(solution.assignments)));
  for (const double each : solution.alpha) hash.update_f64(each);
  hash.update_f64(solution.beta);
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash.digest()));
  return text.data();
}

std::vector<std::uint32_t> word_topic_counts(const LdaData& data, const LdaSolution& solution) {
  std::vector<std::uint32_t> counts(std::size_t{data.vocabulary()} * solution.topics, 0);
  for (std::uint64_t d = 0; d < data.documents->size(); ++d) {
    for_tokens(data, solution, d,
               [&](std::uint32_t word, std::uint16_t topic) { ++counts[std::size_t{word} * solution.topics + topic]; });
  }
  return counts;
}

std::vector<std::uint32_t> document_topic_counts(const LdaData& data, const LdaSolution& solution, std::uint64_t first,
                                                 std::uint64_t last) {
  std::vector<std::uint32_t> counts((last - first) * solution.topics, 0);
  for (std::uint64_t d = first; d < last; ++d) {
    for (std::uint64_t token = data.token_begins[d]; token < data.token_begins[d + 1]; ++token) {
      ++counts[(d - first) * solution.topics + solution.assignments[token]];
    }
  }
  return counts;
}

std::vector<float> phi_of(const LdaData& data, const LdaSolution& solution) {
  const std::size_t topics = solution.topics, words = data.vocabulary();
  const std::vector<std::uint32_t> counts = word_topic_counts(data, solution);
  std::vector<float> phi(topics * words);
  for (std::size_t k = 0; k < topics; ++k) {
    const double divisor = static_cast<double>(solution.totals[k]) + static_cast<double>(words) * solution.beta;
    for (std::size_t w = 0; w < words; ++w) {
      phi[k * words + w] = static_cast<float>((counts[w * topics + k] + solution.beta) / divisor);
    }
  }
  return phi;
}

std::vector<float> theta_of(const LdaData& data, const LdaSolution& solution, Chunks& chunks) {
  const std::size_t topics = solution.topics;
  const std::uint64_t documents = data.documents->size();
  std::vector<float> theta(documents * topics);
  double whole = 0;
  for (const double each : solution.alpha) whole += each;
  constexpr std::uint64_t kPiece = 256;
  chunks.for_each((documents + kPiece - 1) / kPiece, [&](std::size_t piece) {
    const std::uint64_t first = piece * kPiece, last = std::min(documents, first + kPiece);
    const auto counts = document_topic_counts(data, solution, first, last);
    for (std::uint64_t d = first; d < last; ++d) {
      const double divisor = static_cast<double>(data.token_begins[d + 1] - data.token_begins[d]) + whole;
      for (std::size_t k = 0; k < topics; ++k) {
        theta[d * topics + k] = static_cast<float>((counts[(d - first) * topics + k] + solution.alpha[k]) / divisor);
      }
    }
  });
  return theta;
}

}  // namespace strads::lda
