// load_ratings: reads the files, merges duplicates, draws the parts, puts them together; load_pairs.
#include "data/ratings/ratings.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/formats/matrix_market.hpp"
#include "data/formats/npz.hpp"
#include "data/ratings/ratings_columns.hpp"
#include "data/ratings/ratings_in_memory.hpp"
#include "data/ratings/ratings_names.hpp"
#include "data/ratings/ratings_npz.hpp"
#include "data/ratings/ratings_parts.hpp"
#include "data/ratings/ratings_pieces.hpp"
#include "data/ratings/ratings_records.hpp"
#include "data/ratings/ratings_text.hpp"
#include "data/text/text.hpp"
#include "strads/base/hash.hpp"

namespace strads {
namespace data {
namespace {

Status check_options(const RatingsInput& input) {
  const auto share = [](double value) { return value >= 0 && value < 1; };
  if (!share(input.holdout)) return Status::usage("--holdout: expected a share, at least 0 and below 1");
  if (!share(input.validation)) return Status::usage("--validation: expected a share, at least 0 and below 1");
  if (input.holdout > 0 && !input.test_path.empty()) {
    return Status::usage("--holdout and --test exclude each other: both say what is tested");
  }
  return {};
}

/// --columns of a file that has none.
Status no_columns(const InputFile& source) {
  return Status::usage(source.path() + ": is a matrix, whose rows are users and whose columns are items; --columns " +
                       "goes with lines of text");
}

Result<RatingsFile> read_file(const InputFile& source, const RatingsInput& input, Chunks& chunks,
                              SharedProgress& progress, const RatingsPieces& pieces) {
  const std::string_view bytes = source.bytes();
  if (Status other = refuse_others(bytes, source.path()); !other.ok()) return other;
  if (!input.columns.empty() && (is_zip(bytes) || is_matrix_market(bytes))) return no_columns(source);
  if (is_zip(bytes)) return read_npz_ratings(source, pieces.npz_ratings, chunks, progress);
  const std::uint64_t piece_bytes = pieces.text_bytes == 0 ? ratings_piece_bytes(bytes.size()) : pieces.text_bytes;
  const std::size_t fields = fields_wanted(source, input.columns, input.positives.third());
  return read_text_ratings(source, {.fields = fields, .columns = input.columns}, piece_bytes, chunks, progress);
}

Status check_ids(const RatingsFile& file) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
  const std::uint64_t ids = std::uint64_t{file.users->size()} + file.items->size();
  if (ids <= kMost) return {};
  return Status::input(file.path + ": " + std::to_string(ids) + " users and items, expected at most " +
                       std::to_string(kMost));
}

// Number in `to` of each id of `from`, or to.size().
std::vector<std::uint32_t> matched(const IdTable& from, const IdTable& to) {
  std::vector<std::uint32_t> out(from.size());
  for (std::uint32_t k = 0; k < from.size(); ++k) out[k] = to.find(from.name(k));
  return out;
}

// Gives the ratings of the test file the ids of the main one; those with an unknown side become Part::validation.
void match_ids(RatingsFile& test, const RatingsFile& main, Chunks& chunks) {
  const auto users = matched(*test.users, *main.users);
  const auto items = matched(*test.items, *main.items);
  chunks.for_each(test.pieces.size(), [&](std::size_t p) {
    RatingsPiece& piece = test.pieces[p];
    for (std::uint64_t i = 0; i < piece.count; ++i) {
      piece.users[i] = users[piece.users[i]];
      piece.items[i] = items[piece.items[i]];
      const bool unknown = piece.users[i] == main.users->size() || piece.items[i] == main.items->size();
      if (unknown && piece.part(i) != Part::dropped) piece.set_part(i, Part::validation);
    }
  });
}

// How many pairs of `main` are in `test` too. REQUIRES: match_ids(). Cost: some ns for each rating of `main`.
std::uint64_t pairs_of_both(const RatingsFile& test, const RatingsFile& main, Chunks& chunks) {
  std::vector<std::uint64_t> begins(std::size_t{main.users->size()} + 1);
  const auto each_pair = [&](const RatingsFile& file, std::size_t p, auto&& visit) {
    const RatingsPiece& piece = file.pieces[p];
    for (std::uint64_t i = 0; i < piece.count; ++i) {
      if (piece.part(i) == Part::train) visit(piece.users[i], piece.items[i]);
    }
  };
  const auto each_of_test = [&](auto&& visit) {
    for (std::size_t p = 0; p < test.pieces.size(); ++p) each_pair(test, p, visit);
  };
  each_of_test([&](std::uint32_t user, std::uint32_t) { ++begins[std::size_t{user} + 1]; });
  for (std::size_t k = 1; k < begins.size(); ++k) begins[k] += begins[k - 1];
  std::vector<std::uint32_t> items(begins.back());
  auto next = begins;
  each_of_test([&](std::uint32_t user, std::uint32_t item) { items[next[user]++] = item; });
  const auto at = [&](std::uint64_t index) { return items.begin() + static_cast<std::ptrdiff_t>(index); };
  for (std::size_t k = 0; k + 1 < begins.size(); ++k) std::sort(at(begins[k]), at(begins[k + 1]));
  std::vector<std::uint64_t> found(main.pieces.size());
  chunks.for_each(found.size(), [&](std::size_t p) {
    each_pair(main, p, [&](std::uint32_t user, std::uint32_t item) {
      found[p] += std::binary_search(at(begins[user]), at(begins[std::size_t{user} + 1]), item) ? 1 : 0;
    });
  });
  return std::accumulate(found.begin(), found.end(), std::uint64_t{0});
}

// Lowest and highest value of the ratings that are kept.
std::pair<float, float> range_of(const RatingsFile& file, Chunks& chunks) {
  using Range = std::pair<float, float>;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<Range> ranges(file.pieces.size(), {kInfinity, -kInfinity});
  chunks.for_each(ranges.size(), [&](std::size_t p) {
    const RatingsPiece& piece = file.pieces[p];
    auto& [low, high] = ranges[p];
    for (std::uint64_t i = 0; i < piece.count; ++i) {
      if (piece.part(i) == Part::dropped) continue;
      const float value = piece.values.value(i);
      low = std::min(low, value);
      high = std::max(high, value);
    }
  });
  Range all = ranges.front();
  for (const auto& [low, high] : ranges) all = {std::min(all.first, low), std::max(all.second, high)};
  return all;
}

template <class T>
void add_list(const std::vector<T>& list, Hash64& hash) {
  hash.update_u64(list.size());
  hash.update(std::as_bytes(std::span(list)));
}

void add_names(const IdTable& ids, Hash64& hash) {
  hash.update_u64(ids.size());
  for (std::uint32_t k = 0; k < ids.size(); ++k) {
    const std::string_view name = ids.name(k);
    hash.update_u64(name.size());
    hash.update(std::as_bytes(std::span(name.data(), name.size())));
  }
}

std::uint64_t fingerprint_of(const Ratings& ratings) {
  Hash64 hash;
  add_names(*ratings.users, hash);
  add_names(*ratings.items, hash);
  add_list(ratings.levels, hash);
  for (const Triplets* part : {&ratings.train, &ratings.validation, &ratings.test, &ratings.strangers}) {
    add_list(part->users, hash);
    add_list(part->items, hash);
    add_list(part->codes, hash);
    add_list(part->values, hash);
  }
  return hash.digest();
}

/// The steps from files to Ratings.
class Loader {
 public:
  Loader(const RatingsInput& input, Chunks& chunks, const RatingsPieces& pieces)
      : input_(input), chunks_(chunks), pieces_(pieces), out_(std::make_shared<Ratings>()) {}

  Result<std::shared_ptr<const Ratings>> run(const std::function<void(double)>& tell) {
    if (Status status = check_options(input_); !status.ok()) return status;
    if (Status status = read(tell); !status.ok()) return status;
    hold_out(main_, input_, chunks_);
    std::tie(out_->lowest, out_->highest) = range_of(main_, chunks_);
    std::vector<const RatingsFile*> files{&main_};
    if (has_test_) files.push_back(&test_);
    out_->levels = levels_of(files, chunks_);
    out_->users = main_.users;
    out_->items = main_.items;
    collect_parts();
    if (out_->train.size() == 0) {
      return Status::input(input_.path + ": all ratings were drawn for testing or validation, none is left to learn " +
                           "from; lower --holdout or --validation");
    }
    out_->fingerprint = fingerprint_of(*out_);
    return std::shared_ptr<const Ratings>(out_);
  }

 private:
  // Both files, without duplicates.
  Status read(const std::function<void(double)>& tell) {
    if (input_.in_memory != nullptr) return read_in_memory();
    STRADS_ASSIGN_OR_RETURN(auto main, InputFile::open(input_.path));
    std::optional<InputFile> test;
    if (!input_.test_path.empty()) {
      STRADS_ASSIGN_OR_RETURN(test, InputFile::open(input_.test_path));
    }
    SharedProgress progress(tell, main.bytes().size() + (test ? test->bytes().size() : 0));
    if (Status status = read_one(std::move(main), progress, main_); !status.ok()) return status;
    if (!test) return {};
    has_test_ = true;
    if (Status status = read_one(*std::move(test), progress, test_); !status.ok()) return status;
    match_ids(test_, main_, chunks_);
    note_overlap();
    return {};
  }

  // Pairs of both files are learned from and tested on.
  void note_overlap() {
    const std::uint64_t both = pairs_of_both(test_, main_, chunks_);
    if (both == 0) return;
    out_->notes.push_back(test_.path + ": " + std::to_string(both) + " of " + std::to_string(test_.count()) +
                          " ratings are of pairs that " + main_.path + " has too: the test error is too small, since " +
                          "these are learned from");
  }

  // Ratings of another program.
  Status read_in_memory() {
    if (!input_.test_path.empty()) return Status::usage("--test goes with a file of ratings; give --holdout");
    STRADS_ASSIGN_OR_RETURN(main_, take_ratings(*input_.in_memory, pieces_.npz_ratings));
    if (Status status = check_ids(main_); !status.ok()) return status;
    STRADS_ASSIGN_OR_RETURN(out_->duplicates, resolve_duplicates(main_, input_.duplicates, chunks_));
    main_.place = nullptr;
    return {};
  }

  // The text is given back before anything large is built from it, unless a message may need it.
  Status read_one(InputFile source, SharedProgress& progress, RatingsFile& file) {
    const std::string_view bytes = source.bytes();
    if (!bytes.empty() && bytes.back() != '\n' && !is_zip(bytes)) out_->unended.push_back(source.path());
    { STRADS_ASSIGN_OR_RETURN(file, read_file(source, input_, chunks_, progress, pieces_)); }
    out_->bytes_read += file.bytes;
    if (!file.note.empty()) out_->notes.push_back(file.path + ": " + file.note);
    if (Status status = check_ids(file); !status.ok()) return status;
    if (input_.duplicates != Duplicates::refuse) {
      file.place = nullptr;
      source = InputFile();
    }
    STRADS_ASSIGN_OR_RETURN(const auto duplicates, resolve_duplicates(file, input_.duplicates, chunks_));
    out_->duplicates += duplicates;
    file.place = nullptr;
    return {};
  }

  void collect_parts() {
    Triplets parts[kKeptParts];
    collect(main_, out_->levels, parts, chunks_);
    out_->train = std::move(parts[0]);
    out_->validation = std::move(parts[1]);
    out_->test = std::move(parts[2]);
    if (!has_test_) return;
    Triplets others[kKeptParts];
    collect(test_, out_->levels, others, chunks_);
    out_->test = std::move(others[0]);
    out_->strangers = std::move(others[1]);
    out_->test_unknown = out_->strangers.size();
  }

  const RatingsInput& input_;
  Chunks& chunks_;
  RatingsPieces pieces_;
  std::shared_ptr<Ratings> out_;
  RatingsFile main_, test_;
  bool has_test_ = false;
};

// --- pairs ---

Result<Pairs> read_lines_of_pairs(const InputFile& source, const TextLayout& layout) {
  const std::string_view text = source.bytes();
  LineReader lines(text.substr(layout.begin));
  const auto before = static_cast<std::uint64_t>(
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(layout.begin), '\n'));
  Pairs out;
  std::string_view line;
  while (lines.next(line)) {
    if (is_passed_over(layout, line)) continue;
    const LineFields fields = split_line(line, layout.separator);
    if (fields.count < 2) {
      return Status::input(at(source.path(), before + lines.number(), line.size() + 1) +
                           "the line ends after one field, expected user and item separated by " +
                           name_of(layout.separator));
    }
    for (int side = 0; side < 2; ++side) {
      const std::string wrong =
          wrong_id(fields.field[side], side == 0 ? "user" : "item", side == 0 ? layout.users : layout.items);
      if (wrong.empty()) continue;
      const auto column = static_cast<std::uint64_t>(fields.field[side].data() - line.data()) + 1;
      return Status::input(at(source.path(), before + lines.number(), column) + wrong);
    }
    out.users.emplace_back(fields.field[0]);
    out.items.emplace_back(fields.field[1]);
  }
  if (out.users.empty()) return Status::input(source.path() + ": holds no pairs, expected a line for each");
  return out;
}

Result<Pairs> read_pairs(const InputFile& source, const PairsInput& input) {
  if (Status other = refuse_others(source.bytes(), source.path()); !other.ok()) return other;
  if (is_zip(source.bytes())) {
    return Status::input(source.path() + ": is a zip archive, expected pairs of ids as text");
  }
  if (!input.columns.empty() && is_matrix_market(source.bytes())) return no_columns(source);
  const WantedFields wanted{.fields = 2, .columns = input.columns, .columns_of_fit = input.columns_of_fit};
  return read_lines(source, wanted, read_lines_of_pairs, [](Result<Pairs> read, const TextReading& reading) {
    if (!read.ok()) return read;
    read.value().note = reading.note;
    read.value().has_header = reading.has_header;
    return read;
  });
}

// --- lists of users, lists of items ---

/// What a line of such a list says.
class IdLines {
 public:
  IdLines(const InputFile& source, ColumnKind kind, const std::function<bool(std::string_view)>& is_known)
      : text_(source.bytes()), path_(source.path()), kind_(kind), is_known_(is_known) {}

  Result<std::vector<std::string>> run() {
    const std::size_t mark = byte_order_mark(text_);
    LineReader lines(text_.substr(mark));
    std::vector<std::string> ids;
    std::string_view line;
    bool is_first = true;
    for (std::uint64_t before = 0; lines.next(line); before = lines.position()) {
      if (trimmed(line).empty()) continue;
      if (is_known_(line)) {
        ids.emplace_back(line);
      } else if (is_comment(line)) {
        continue;
      } else if (is_first && names_column(line)) {
        return column_of(mark + before, lines.number());
      } else if (!is_first || !is_name(unquoted(trimmed(line)))) {
        ids.emplace_back(unquoted(trimmed(line)));
      }
      is_first = false;
    }
    return ids;
  }

 private:
  /// `id` is what users.tsv and items.tsv call them.
  [[nodiscard]] bool is_name(std::string_view word) const {
    return same_word(word, "id") || meaning_of(word).kind == kind_;
  }

  static std::string unquoted(std::string_view word) {
    if (word.size() < 2 || word.front() != '"' || word.back() != '"') return std::string(word);
    std::string out;
    for (std::size_t k = 1; k + 1 < word.size(); ++k) {
      out += word[k];
      if (word[k] == '"' && word[k + 1] == '"') ++k;
    }
    return out;
  }

  bool names_column(std::string_view line) {
    for (const Separator separator : {Separator::tab, Separator::comma, Separator::semicolon}) {
      RecordReader header(line, separator, true);
      if (!header.next() || header.fields().size() < 2) continue;
      const auto& names = header.fields();
      const auto found =
          std::find_if(names.begin(), names.end(), [this](std::string_view name) { return is_name(name); });
      if (found == names.end()) continue;
      separator_ = separator;
      column_ = static_cast<std::size_t>(found - names.begin());
      return true;
    }
    return false;
  }

  [[nodiscard]] Result<std::vector<std::string>> column_of(std::uint64_t begin, std::uint64_t line) const {
    RecordReader records(text_.substr(begin), separator_, true, line);
    records.next();
    std::vector<std::string> ids;
    while (records.next()) {
      const auto& fields = records.fields();
      if (fields.empty()) continue;
      if (fields.size() <= column_) {
        return Status::input(at(path_, records.number(), 1) + "the line has " + std::to_string(fields.size()) +
                             " fields, expected the " + (kind_ == ColumnKind::user ? "user" : "item") + " in field " +
                             std::to_string(column_ + 1));
      }
      ids.emplace_back(fields[column_]);
    }
    if (!records.error().empty()) {
      return Status::input(at(path_, records.error_place().line, records.error_place().column) + records.error());
    }
    return ids;
  }

  std::string_view text_;
  const std::string& path_;
  ColumnKind kind_;
  const std::function<bool(std::string_view)>& is_known_;
  Separator separator_ = Separator::tab;
  std::size_t column_ = 0;
};

Status out_of_memory(const std::string& path) {
  return Status::input(path + ": not enough memory to load it");
}

}  // namespace

Result<std::shared_ptr<const Ratings>> load_ratings(const RatingsInput& input, Chunks& chunks,
                                                    const std::function<void(double share)>& progress,
                                                    const RatingsPieces& pieces) {
  try {
    return Loader(input, chunks, pieces).run(progress);
  } catch (const std::bad_alloc&) {
    return out_of_memory(input.path);
  }
}

}  // namespace data

std::vector<std::string> files_of(const RatingsInput& input) {
  std::vector<std::string> files{input.path};
  if (!input.test_path.empty()) files.push_back(input.test_path);
  return files;
}

Result<std::shared_ptr<const Ratings>> load_ratings(const RatingsInput& input, Chunks& chunks,
                                                    const std::function<void(double share)>& progress) {
  return data::load_ratings(input, chunks, progress, {});
}

Result<Pairs> load_pairs(const PairsInput& input) {
  try {
    STRADS_ASSIGN_OR_RETURN(const auto source, data::InputFile::open(input.path));
    return data::read_pairs(source, input);
  } catch (const std::bad_alloc&) {
    return data::out_of_memory(input.path);
  }
}

namespace data {
namespace {

Result<std::vector<std::string>> load_ids(const std::string& path, ColumnKind kind,
                                          const std::function<bool(std::string_view)>& is_known) {
  try {
    STRADS_ASSIGN_OR_RETURN(const auto source, InputFile::open(path));
    return IdLines(source, kind, is_known).run();
  } catch (const std::bad_alloc&) {
    return out_of_memory(path);
  }
}

}  // namespace
}  // namespace data

Result<std::vector<std::string>> load_users(const std::string& path,
                                            const std::function<bool(std::string_view)>& is_known) {
  return data::load_ids(path, data::ColumnKind::user, is_known);
}

Result<std::vector<std::string>> load_items(const std::string& path,
                                            const std::function<bool(std::string_view)>& is_known) {
  return data::load_ids(path, data::ColumnKind::item, is_known);
}

}  // namespace strads
