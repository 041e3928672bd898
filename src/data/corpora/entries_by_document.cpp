#include "data/corpora/entries_by_document.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "data/text/text.hpp"

namespace strads::data {
namespace {

constexpr double kCountMax = std::numeric_limits<std::uint32_t>::max();

std::string entry_of(const std::string& path, std::uint64_t document, std::uint64_t word) {
  return path + ": document " + std::to_string(document + 1) + ", word " + std::to_string(word + 1) + ": ";
}

Status expect_count(const std::string& path, std::uint64_t document, std::uint64_t word, double count) {
  if (count >= 0 && count <= kCountMax && count == std::floor(count)) return {};
  if (std::isnan(count)) {
    return Status::input(entry_of(path, document, word) + "the count is missing, expected a whole number from 0");
  }
  const bool is_whole = count == std::floor(count);
  return Status::input(entry_of(path, document, word) + "count " + short_number(count) +
                       ", expected a whole number from 0 to 4294967295" +
                       (count < 0 || is_whole ? "" : "; weights as of tf-idf are no counts: give the counts"));
}

/// Sorts the words of a document; equal ones are an error.
Status sort_document(Documents& documents, std::uint64_t document, const std::string& path,
                     std::vector<std::pair<std::uint32_t, std::uint32_t>>& scratch) {
  const auto begin = static_cast<std::ptrdiff_t>(documents.begins[document]);
  const auto end = static_cast<std::ptrdiff_t>(documents.begins[document + 1]);
  const auto first = documents.words.begin() + begin, last = documents.words.begin() + end;
  if (!std::is_sorted(first, last)) {
    scratch.clear();
    for (auto k = begin; k < end; ++k) {
      scratch.emplace_back(documents.words[static_cast<std::size_t>(k)], documents.counts[static_cast<std::size_t>(k)]);
    }
    std::ranges::sort(scratch);
    for (auto k = begin; k < end; ++k) {
      const auto& entry = scratch[static_cast<std::size_t>(k - begin)];
      documents.words[static_cast<std::size_t>(k)] = entry.first;
      documents.counts[static_cast<std::size_t>(k)] = entry.second;
    }
  }
  const auto twice = std::adjacent_find(first, last);
  if (twice == last) return {};
  return Status::input(entry_of(path, document, *twice) + "is there twice, expected once, with the sum as its count");
}

}  // namespace

Result<Documents> documents_of(SparseEntries entries, bool columns, const std::string& path) {
  if (entries.rows.empty() && !entries.row_starts.empty()) {
    entries.rows.reserve(entries.values.size());
    for (std::uint64_t row = 0; row + 1 < entries.row_starts.size(); ++row) {
      entries.rows.resize(entries.row_starts[row + 1], static_cast<std::uint32_t>(row));
    }
  }
  if (columns) {
    std::swap(entries.rows, entries.columns);
    std::swap(entries.row_count, entries.column_count);
  }
  if (entries.column_count > std::numeric_limits<std::uint32_t>::max()) {
    return Status::input(path + ": " + std::to_string(entries.column_count) + " words, expected fewer than 2^32");
  }
  Documents documents;
  documents.vocabulary = static_cast<std::uint32_t>(entries.column_count);
  documents.begins.assign(entries.row_count + 1, 0);
  for (std::uint64_t e = 0; e < entries.values.size(); ++e) {
    const double count = entries.values[e];
    if (Status whole = expect_count(path, entries.rows[e], entries.columns[e], count); !whole.ok()) return whole;
    if (count > 0) ++documents.begins[entries.rows[e] + std::uint64_t{1}];
  }
  for (std::uint64_t d = 0; d < entries.row_count; ++d) documents.begins[d + 1] += documents.begins[d];
  documents.words.resize(documents.begins.back());
  documents.counts.resize(documents.begins.back());
  std::vector<std::uint64_t> next = documents.begins;
  for (std::uint64_t e = 0; e < entries.values.size(); ++e) {
    if (entries.values[e] == 0) continue;
    const std::uint64_t k = next[entries.rows[e]]++;
    documents.words[k] = entries.columns[e];
    documents.counts[k] = static_cast<std::uint32_t>(entries.values[e]);
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> scratch;
  for (std::uint64_t d = 0; d < entries.row_count; ++d) {
    if (Status once = sort_document(documents, d, path, scratch); !once.ok()) return once;
  }
  return documents;
}

Status count_tokens(Documents& documents, const std::string& path) {
  if (documents.size() == 0) return Status::input(path + ": holds no documents");
  documents.tokens = 0;
  for (const std::uint32_t count : documents.counts) documents.tokens += count;
  documents.empty = 0;
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    documents.empty += documents.begins[d] == documents.begins[d + 1] ? 1 : 0;
  }
  if (documents.tokens > 0) return {};
  std::string why;
  if (documents.unknown > 0) why = ": all " + std::to_string(documents.unknown) + " are of words that are not known";
  const TextLeftOut& out = documents.left_out;
  if (const std::uint64_t all = out.stop_words + out.rare + out.common + out.beyond; all > 0) {
    why = ": all " + std::to_string(all) + " were left out (" + std::to_string(out.stop_words) + " stop words, " +
          std::to_string(out.rare) + " of words in too few documents, " + std::to_string(out.common) +
          " of words in too many)";
  }
  return Status::input(path + ": its " + std::to_string(documents.size()) + " documents hold no word" + why +
                       ", expected at least one");
}

}  // namespace strads::data
