#include "lda/problem/held_out.hpp"

#include "strads/base/random.hpp"

namespace strads::lda {
namespace {

/// Slices of Purpose::holdout. Numbers are for ever.
enum class HeldOutDraw : std::uint64_t { documents = 1, halves = 2 };

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

}  // namespace strads::lda
