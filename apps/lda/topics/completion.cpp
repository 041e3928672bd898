#include "lda/topics/completion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "strads/base/random.hpp"

namespace strads::lda {
namespace {

/// Slices of Purpose::holdout. Numbers are for ever.
enum class HeldOutDraw : std::uint64_t { documents = 1, halves = 2 };

/// Documents of one piece of work: cut by number, so that threads change nothing.
constexpr std::size_t kDocumentsAtOnce = 256;

Documents like(const Documents& documents) {
  Documents out;
  out.vocabulary = documents.vocabulary;
  out.word_names = documents.word_names;
  out.format = documents.format;
  return out;
}

void append_entry(Documents& out, std::uint32_t word, std::uint32_t count) {
  if (count == 0) return;
  out.words.push_back(word);
  out.counts.push_back(count);
  out.tokens += count;
}

void end_document(Documents& out) {
  out.empty += out.words.size() == out.begins.back() ? 1 : 0;
  out.begins.push_back(out.words.size());
}

}  // namespace

DocumentParts hold_out(const Documents& documents, double share, std::uint64_t seed) {
  DocumentParts parts{like(documents), like(documents)};
  parts.kept.left_out = documents.left_out;
  parts.kept.unknown = documents.unknown;
  CounterRng random(seed, Purpose::holdout, static_cast<std::uint64_t>(HeldOutDraw::documents));
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    Documents& out = random.unit() < share ? parts.held_out : parts.kept;
    for (std::uint64_t k = documents.begins[d]; k < documents.begins[d + 1]; ++k) {
      append_entry(out, documents.words[k], documents.counts[k]);
    }
    end_document(out);
    out.document_names.push_back(documents.document(d));
  }
  return parts;
}

DocumentHalves halves_of(const Documents& documents, std::uint64_t seed) {
  DocumentHalves halves{like(documents), like(documents)};
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    CounterRng random(seed, Purpose::holdout, static_cast<std::uint64_t>(HeldOutDraw::halves), d);
    for (std::uint64_t k = documents.begins[d]; k < documents.begins[d + 1]; ++k) {
      std::uint32_t seen = 0;
      for (std::uint32_t n = 0; n < documents.counts[k]; ++n) seen += random.unit() < 0.5 ? 1 : 0;
      append_entry(halves.seen, documents.words[k], seen);
      append_entry(halves.asked, documents.words[k], documents.counts[k] - seen);
    }
    end_document(halves.seen);
    end_document(halves.asked);
  }
  return halves;
}

double Completion::perplexity() const {
  if (tokens == 0) return std::numeric_limits<double>::quiet_NaN();
  return std::exp(-log_likelihood / static_cast<double>(tokens));
}

Completion completed(const TopicModel& model, std::span<const float> theta, const Documents& asked, Chunks& chunks) {
  // Topics of a word lie beside each other, as a document asks for them.
  const std::size_t words = model.words.size(), topics = model.topics;
  std::vector<float> by_word(words * topics);
  for (std::size_t k = 0; k < topics; ++k) {
    for (std::size_t w = 0; w < words; ++w) by_word[w * topics + k] = model.phi[k * words + w];
  }
  const auto documents = static_cast<std::size_t>(asked.size());
  std::vector<double> sums((documents + kDocumentsAtOnce - 1) / kDocumentsAtOnce, 0.0);
  chunks.for_each(sums.size(), [&](std::size_t piece) {
    const std::size_t begin = piece * kDocumentsAtOnce, end = std::min(documents, begin + kDocumentsAtOnce);
    for (std::size_t d = begin; d < end; ++d) {
      const float* const shares = theta.data() + d * topics;
      for (std::uint64_t k = asked.begins[d]; k < asked.begins[d + 1]; ++k) {
        const float* const of_word = by_word.data() + asked.words[k] * topics;
        double probability = 0;
        for (std::size_t t = 0; t < topics; ++t) probability += double{shares[t]} * double{of_word[t]};
        sums[piece] += asked.counts[k] * std::log(probability);
      }
    }
  });
  Completion out;
  out.tokens = asked.tokens;
  for (const double sum : sums) out.log_likelihood += sum;
  return out;
}

}  // namespace strads::lda
