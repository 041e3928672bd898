#include "data/ratings/ratings_parts.hpp"

#include <algorithm>

#include "data/ratings/pair_draw.hpp"

namespace strads::data {

namespace {

// --- hold-out ---

// The parts of a piece. Branches would be as random as the draws, and the hash of a user is far from the last one's.
void draw_parts(RatingsPiece& piece, const std::vector<std::uint64_t>& users, const std::vector<std::uint64_t>& items,
                const PairDraw& test, const PairDraw& validation) {
  constexpr std::uint64_t kAhead = 32;
  if (piece.parts.empty()) piece.parts = PageArray<Part>(piece.count);
  for (std::uint64_t i = 0; i < piece.count; ++i) {
    __builtin_prefetch(&users[piece.users[std::min(i + kAhead, piece.count - 1)]]);
    const std::uint64_t user = users[piece.users[i]];
    const std::uint64_t item = items[piece.items[i]];
    const Part kept = validation.takes(user, item) ? Part::validation : Part::train;
    const Part drawn = test.takes(user, item) ? Part::test : kept;
    piece.parts[i] = piece.parts[i] == Part::dropped ? Part::dropped : drawn;
  }
}

// --- levels ---

// The values of a piece that are left; false when there are more than 256.
bool add_levels(const RatingsPiece& piece, LevelSet& levels) {
  const PieceValues& values = piece.values;
  if (!values.coded()) {
    for (std::uint64_t i = 0; i < piece.count; ++i) {
      if (piece.part(i) != Part::dropped && levels.code(values.value(i)) < 0) return false;
    }
    return true;
  }
  bool used[256] = {};
  for (std::uint64_t i = 0; i < piece.count; ++i) {
    if (piece.part(i) != Part::dropped) used[values.codes()[i]] = true;
  }
  for (std::size_t code = 0; code < values.levels().size(); ++code) {
    if (used[code] && levels.code(values.levels()[code]) < 0) return false;
  }
  return true;
}

// --- collecting ---

// Ratings of each part; those that are dropped at the end.
using PartCounts = std::array<std::uint64_t, kKeptParts + 1>;

// [piece]
std::vector<PartCounts> count_parts(const RatingsFile& file, Chunks& chunks) {
  std::vector<PartCounts> counts(file.pieces.size());
  chunks.for_each(counts.size(), [&](std::size_t p) {
    const RatingsPiece& piece = file.pieces[p];
    PartCounts here{};
    if (piece.parts.empty()) here[0] = piece.count;
    for (std::uint64_t i = 0; i < piece.count && !piece.parts.empty(); ++i) {
      ++here[static_cast<std::size_t>(piece.parts[i])];
    }
    counts[p] = here;
  });
  return counts;
}

// Appends value_of(i) of each rating that is kept to the list of its part. No branch for the part: it is random.
template <class T, class ValueOf>
void append(const RatingsPiece& piece, const PartCounts& counts, std::vector<T>* const (&lists)[kKeptParts],
            ValueOf value_of) {
  T dropped{};
  T* next[kKeptParts + 1] = {nullptr, nullptr, nullptr, &dropped};
  for (std::size_t part = 0; part < kKeptParts; ++part) {
    const std::size_t before = lists[part]->size();
    lists[part]->resize(before + counts[part]);
    next[part] = lists[part]->data() + before;
  }
  for (std::uint64_t i = 0; i < piece.count; ++i) {
    const Part part = piece.part(i);
    T*& place = next[static_cast<std::size_t>(part)];
    *place = value_of(i);
    place += part != Part::dropped ? 1 : 0;
  }
}

// A piece without parts goes in one go.
void append_numbers(const RatingsPiece& piece, const PartCounts& counts, PageArray<std::uint32_t>& numbers,
                    std::vector<std::uint32_t>* const (&lists)[kKeptParts]) {
  if (piece.parts.empty()) {
    lists[0]->insert(lists[0]->end(), numbers.data(), numbers.data() + piece.count);
  } else {
    append(piece, counts, lists, [&](std::uint64_t i) { return numbers[i]; });
  }
  numbers.clear();
}

// Codes of the piece's values in `levels`.
class Recoder {
 public:
  Recoder(const PieceValues& values, const std::vector<float>& levels) : values_(values), levels_(levels) {
    if (!values.coded()) return;
    for (std::size_t code = 0; code < values.levels().size(); ++code) codes_[code] = code_of(values.levels()[code]);
  }
  std::uint8_t operator()(std::uint64_t i) const {
    return values_.coded() ? codes_[values_.codes()[i]] : code_of(values_.value(i));
  }

 private:
  // Of a value that no rating has any more: the code of a neighbour, never used.
  [[nodiscard]] std::uint8_t code_of(float value) const {
    return static_cast<std::uint8_t>(std::lower_bound(levels_.begin(), levels_.end(), value) - levels_.begin());
  }

  const PieceValues& values_;
  const std::vector<float>& levels_;
  std::uint8_t codes_[256] = {};
};

}  // namespace

void hold_out(RatingsFile& file, const RatingsInput& input, Chunks& chunks) {
  if (input.holdout <= 0 && input.validation <= 0) return;
  const std::vector<std::uint64_t> users = id_hashes(*file.users, chunks);
  const std::vector<std::uint64_t> items = id_hashes(*file.items, chunks);
  const PairDraw test(input.seed, PairDraw::Use::holdout, input.holdout);
  const PairDraw validation(input.seed, PairDraw::Use::validation, input.validation);
  chunks.for_each(file.pieces.size(),
                  [&](std::size_t p) { draw_parts(file.pieces[p], users, items, test, validation); });
}

std::vector<float> levels_of(const std::vector<const RatingsFile*>& files, Chunks& chunks) {
  LevelSet all;
  for (const RatingsFile* file : files) {
    std::vector<LevelSet> sets(file->pieces.size());
    std::vector<std::uint8_t> few(file->pieces.size());
    chunks.for_each(sets.size(), [&](std::size_t p) { few[p] = add_levels(file->pieces[p], sets[p]) ? 1 : 0; });
    for (std::size_t p = 0; p < sets.size(); ++p) {
      if (few[p] == 0) return {};
      for (const float level : sets[p].levels()) {
        if (all.code(level) < 0) return {};
      }
    }
  }
  std::vector<float> levels = all.levels();
  std::sort(levels.begin(), levels.end());
  return levels;
}

void collect(RatingsFile& file, const std::vector<float>& levels, Triplets (&parts)[kKeptParts], Chunks& chunks) {
  const std::vector<PartCounts> counts = count_parts(file, chunks);
  for (std::size_t part = 0; part < kKeptParts; ++part) {
    std::uint64_t sum = 0;
    for (const PartCounts& piece : counts) sum += piece[part];
    // Reserved, not filled: memory is touched as the pieces give theirs back.
    parts[part].users.reserve(sum);
    parts[part].items.reserve(sum);
    if (levels.empty()) {
      parts[part].values.reserve(sum);
    } else {
      parts[part].codes.reserve(sum);
    }
  }
  chunks.for_each(3, [&](std::size_t field) {
    for (std::size_t p = 0; p < file.pieces.size(); ++p) {
      RatingsPiece& piece = file.pieces[p];
      if (field == 0)
        append_numbers(piece, counts[p], piece.users, {&parts[0].users, &parts[1].users, &parts[2].users});
      if (field == 1)
        append_numbers(piece, counts[p], piece.items, {&parts[0].items, &parts[1].items, &parts[2].items});
      if (field < 2) continue;
      if (levels.empty()) {
        append(piece, counts[p], {&parts[0].values, &parts[1].values, &parts[2].values},
               [&](std::uint64_t i) { return piece.values.value(i); });
      } else {
        append(piece, counts[p], {&parts[0].codes, &parts[1].codes, &parts[2].codes}, Recoder(piece.values, levels));
      }
      piece.values.clear();
    }
  });
  for (RatingsPiece& piece : file.pieces) piece = RatingsPiece();
}

}  // namespace strads::data
