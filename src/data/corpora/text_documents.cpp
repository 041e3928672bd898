#include "data/corpora/text_documents.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/corpora/stop_words.hpp"
#include "data/corpora/tokenizer.hpp"
#include "data/ratings/ratings_pieces.hpp"
#include "data/text/text.hpp"

namespace strads::data {
namespace {

/// Texts of one piece: cut by number, so that threads change nothing.
constexpr std::size_t kTextsAtOnce = 256;
constexpr std::uint32_t kNoWord = 0xffff'ffff;

using Entry = std::pair<std::uint32_t, std::uint32_t>;  // word, count

/// The texts of a piece, with words numbered in the order in which they came.
struct Piece {
  std::vector<std::string> words;
  std::vector<std::vector<Entry>> documents;
  std::uint64_t stop_words = 0;
};

void sum_equal_words(std::vector<std::uint32_t>& tokens, std::vector<Entry>& out) {
  std::ranges::sort(tokens);
  for (const std::uint32_t word : tokens) {
    if (!out.empty() && out.back().first == word) {
      ++out.back().second;
    } else {
      out.emplace_back(word, 1);
    }
  }
}

Piece piece_of(std::span<const std::string_view> texts, const TextOptions& options,
               const std::unordered_set<std::string>& stop) {
  Piece piece;
  std::unordered_map<std::string, std::uint32_t> numbers;  // looked up only
  std::vector<std::uint32_t> tokens;
  std::string word;
  std::uint32_t characters = 0;
  piece.documents.reserve(texts.size());
  for (const std::string_view text : texts) {
    tokens.clear();
    TextWords words(text, options.digits);
    while (words.next(word, characters)) {
      if (characters < options.letters_min) continue;
      if (stop.contains(word)) {
        ++piece.stop_words;
        continue;
      }
      const auto [place, is_new] = numbers.try_emplace(word, static_cast<std::uint32_t>(piece.words.size()));
      if (is_new) piece.words.push_back(word);
      tokens.push_back(place->second);
    }
    sum_equal_words(tokens, piece.documents.emplace_back());
  }
  return piece;
}

/// What is known of one word.
struct WordFacts {
  std::string_view word;
  std::uint64_t documents = 0, tokens = 0;
};

/// All words, in the order of their bytes; `numbers[p][w]`: that of word w of piece p.
struct AllWords {
  std::vector<WordFacts> facts;
  std::vector<std::vector<std::uint32_t>> numbers;
};

AllWords all_words(const std::vector<Piece>& pieces) {
  AllWords all;
  std::vector<std::string_view> sorted;
  for (const Piece& piece : pieces) sorted.insert(sorted.end(), piece.words.begin(), piece.words.end());
  std::ranges::sort(sorted);
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::unordered_map<std::string_view, std::uint32_t> places;  // looked up only
  places.reserve(sorted.size());
  for (const std::string_view word : sorted) {
    places.emplace(word, static_cast<std::uint32_t>(all.facts.size()));
    all.facts.push_back({word, 0, 0});
  }
  for (const Piece& piece : pieces) {
    auto& numbers = all.numbers.emplace_back();
    for (const std::string& word : piece.words) numbers.push_back(places.find(word)->second);
    for (const auto& document : piece.documents) {
      for (const Entry& entry : document) {
        WordFacts& facts = all.facts[numbers[entry.first]];
        ++facts.documents;
        facts.tokens += entry.second;
      }
    }
  }
  return all;
}

/// The number that each word gets; kNoWord: left out.
std::vector<std::uint32_t> kept_words(const AllWords& all, std::uint64_t documents, const TextOptions& options,
                                      TextLeftOut& out) {
  std::vector<std::uint32_t> kept;
  const double most = options.share_max * static_cast<double>(documents);
  for (std::uint32_t w = 0; w < all.facts.size(); ++w) {
    const WordFacts& facts = all.facts[w];
    if (facts.documents < options.documents_min) {
      out.rare += facts.tokens;
    } else if (static_cast<double>(facts.documents) > most) {
      out.common += facts.tokens;
    } else {
      kept.push_back(w);
    }
  }
  if (options.words_max > 0 && kept.size() > options.words_max) {
    std::ranges::stable_sort(kept, [&](std::uint32_t a, std::uint32_t b) {
      return all.facts[a].tokens > all.facts[b].tokens;  // equal ones stay in the order of their bytes
    });
    for (std::size_t k = options.words_max; k < kept.size(); ++k) out.beyond += all.facts[kept[k]].tokens;
    kept.resize(options.words_max);
    std::ranges::sort(kept);
  }
  std::vector<std::uint32_t> numbers(all.facts.size(), kNoWord);
  for (std::uint32_t k = 0; k < kept.size(); ++k) numbers[kept[k]] = k;
  return numbers;
}

/// Those of a model.
std::vector<std::uint32_t> known_words(const AllWords& all, std::span<const std::string> known,
                                       std::uint64_t& unknown) {
  std::unordered_map<std::string_view, std::uint32_t> places;  // looked up only
  for (std::uint32_t k = 0; k < known.size(); ++k) places.emplace(known[k], k);
  std::vector<std::uint32_t> numbers(all.facts.size(), kNoWord);
  for (std::uint32_t w = 0; w < all.facts.size(); ++w) {
    const auto place = places.find(all.facts[w].word);
    if (place != places.end()) {
      numbers[w] = place->second;
    } else {
      unknown += all.facts[w].tokens;
    }
  }
  return numbers;
}

void take_documents(const std::vector<Piece>& pieces, const AllWords& all, std::span<const std::uint32_t> numbers,
                    Documents& documents) {
  std::vector<Entry> entries;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    for (const auto& document : pieces[p].documents) {
      entries.clear();
      for (const Entry& entry : document) {
        const std::uint32_t word = numbers[all.numbers[p][entry.first]];
        if (word != kNoWord) entries.emplace_back(word, entry.second);
      }
      std::ranges::sort(entries);
      for (const Entry& entry : entries) {
        documents.words.push_back(entry.first);
        documents.counts.push_back(entry.second);
      }
      documents.begins.push_back(documents.words.size());
    }
  }
}

}  // namespace

std::vector<std::string_view> lines_of_text(std::string_view text) {
  std::vector<std::string_view> out;
  LineReader lines = LineReader::of_file(text);
  for (std::string_view line; lines.next(line);) out.push_back(line);
  return out;
}

Result<std::vector<std::string>> files_in_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  std::error_code failed;
  fs::recursive_directory_iterator entries(folder, failed);
  for (; !failed && entries != fs::end(entries); entries.increment(failed)) {
    const bool is_hidden = entries->path().filename().native().starts_with('.');
    if (is_hidden && entries->is_directory(failed)) entries.disable_recursion_pending();
    if (!is_hidden && entries->is_regular_file(failed)) {
      out.push_back(entries->path().lexically_relative(folder).generic_string());
    }
  }
  if (failed) return Status::input(folder + ": cannot be read: " + failed.message());
  std::ranges::sort(out);
  return out;
}

Result<Documents> documents_of_texts(std::span<const std::string_view> texts, const TextOptions& options,
                                     std::span<const std::string> known, Chunks& chunks,
                                     const std::function<void(double share)>& progress) {
  STRADS_ASSIGN_OR_RETURN(const auto stop, stop_words(options.stop_words));
  std::vector<Piece> pieces((texts.size() + kTextsAtOnce - 1) / kTextsAtOnce);
  SharedProgress shown(progress, texts.size());
  chunks.for_each(pieces.size(), [&](std::size_t p) {
    const std::size_t begin = p * kTextsAtOnce;
    const auto here = texts.subspan(begin, std::min(kTextsAtOnce, texts.size() - begin));
    pieces[p] = piece_of(here, options, stop);
    shown.add(here.size());
  });
  const AllWords all = all_words(pieces);
  Documents documents;
  for (const Piece& piece : pieces) documents.left_out.stop_words += piece.stop_words;
  std::vector<std::uint32_t> numbers;
  if (known.empty()) {
    numbers = kept_words(all, texts.size(), options, documents.left_out);
    for (std::uint32_t w = 0; w < numbers.size(); ++w) {
      if (numbers[w] != kNoWord) documents.word_names.emplace_back(all.facts[w].word);
    }
  } else {
    numbers = known_words(all, known, documents.unknown);
    documents.word_names.assign(known.begin(), known.end());
  }
  documents.vocabulary = static_cast<std::uint32_t>(documents.word_names.size());
  take_documents(pieces, all, numbers, documents);
  documents.format = DocumentFormat::text;
  return documents;
}

}  // namespace strads::data
