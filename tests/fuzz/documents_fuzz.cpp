// libFuzzer target: UCI's bag of words, and text as words.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "data/corpora/docword.hpp"
#include "data/corpora/entries_by_document.hpp"
#include "data/corpora/text_documents.hpp"
#include "strads/base/chunks.hpp"

namespace {

/// What every set of documents keeps to.
void expect_whole(const strads::Documents& documents) {
  if (documents.begins.front() != 0 || documents.begins.back() != documents.words.size() ||
      documents.words.size() != documents.counts.size()) {
    __builtin_trap();
  }
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    for (std::uint64_t k = documents.begins[d]; k < documents.begins[d + 1]; ++k) {
      if (documents.words[k] >= documents.vocabulary || documents.counts[k] == 0) __builtin_trap();
      if (k > documents.begins[d] && documents.words[k] <= documents.words[k - 1]) __builtin_trap();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto parsed = strads::data::parse_docword(bytes, "fuzz");
  if (parsed.ok() && parsed.value().row_count <= (1 << 20)) {
    const auto documents = strads::data::documents_of(std::move(parsed).value(), false, "fuzz");
    if (documents.ok()) expect_whole(documents.value());
  }
  strads::TextOptions options;
  options.documents_min = 1;
  strads::SerialChunks serial;
  const auto lines = strads::data::lines_of_text(bytes);
  const auto text = strads::data::documents_of_texts(lines, options, {}, serial, {});
  if (!text.ok() || text.value().size() != lines.size()) __builtin_trap();
  expect_whole(text.value());
  return 0;
}
