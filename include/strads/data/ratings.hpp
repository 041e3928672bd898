// What the readers of ratings hand to the factorization: who rated what how much. Layer: data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"

namespace strads {

/// The ids of one side (users or items), numbered in the order of first appearance. Immutable; thread-safe.
class IdTable {
 public:
  virtual ~IdTable() = default;
  [[nodiscard]] virtual std::uint32_t size() const = 0;
  /// REQUIRES: index < size(). Valid as long as this object lives.
  [[nodiscard]] virtual std::string_view name(std::uint32_t index) const = 0;
  /// size() where the id is unknown.
  [[nodiscard]] virtual std::uint32_t find(std::string_view name) const = 0;
};

/// Ratings one after the other, in the order of the file. A value is one byte where there are at most 256 different
/// ones (levels[code]), else a float.
struct Triplets {
  std::vector<std::uint32_t> users;
  std::vector<std::uint32_t> items;
  std::vector<std::uint8_t> codes;  ///< empty: `values` has them
  std::vector<float> values;

  [[nodiscard]] std::uint64_t size() const noexcept { return users.size(); }
};

/// What the ratings of one (user, item) become when there are several.
enum class Duplicates : std::uint8_t { refuse, average, last, sum };

/// What the third column of a text of ratings is good for.
enum class ThirdColumn : std::uint8_t {
  needed,    ///< it has the ratings
  optional,  ///< where a file has none, each line counts 1
  unread     ///< each line counts 1, whatever it has
};

/// Implicit feedback: what the value of a pair says of how sure it is. log: log2(1 + value).
enum class Confidence : std::uint8_t { ones, linear, log };
/// Which pairs were chosen, and how sure that is (mf::to_positives). Readers of files look at `on` alone.
struct Positives {
  bool on = false;
  Confidence confidence = Confidence::ones;
  std::optional<double> from{};  ///< pairs with smaller values are left out

  /// What of a text has to be there.
  [[nodiscard]] ThirdColumn third() const {
    if (!on || from.has_value()) return ThirdColumn::needed;
    return confidence == Confidence::ones ? ThirdColumn::unread : ThirdColumn::optional;
  }
  friend bool operator==(const Positives&, const Positives&) = default;
};

/// Ratings that another program has in its memory: user k is row users[k], item k column items[k] of its matrix.
struct RatingsInMemory {
  std::span<const std::uint32_t> users, items;
  std::span<const double> values;
  /// Ids of the rows and columns, each once, as a file of these ratings has them. Empty: their numbers, in decimal.
  std::span<const std::string> user_ids{}, item_ids{};
  std::vector<std::shared_ptr<const void>> owners{};
  /// Of a matrix by rows in place of `users`: where the entries of each row begin, and where the last one's end.
  std::span<const std::uint64_t> row_begins{};
  std::span<const float> single_values{};  ///< in place of `values`
};

struct RatingsInput {
  std::string path{};  ///< triplets as text, Matrix Market (both also gzip, by content), or scipy.sparse .npz
  Duplicates duplicates = Duplicates::average;
  double holdout = 0;       ///< share of the pairs that is kept for testing, 0 <= holdout < 1
  double validation = 0;    ///< share of the others that is kept for early stopping
  std::uint64_t seed = 1;   ///< of both draws
  std::string test_path{};  ///< a file of its own for testing; not together with holdout
  std::shared_ptr<const RatingsInMemory> in_memory = nullptr;  ///< in place of `path`; null: `path` is read
  /// Of `path` and `test_path`: which columns are user, item and rating, names or numbers from 1, separated by commas;
  /// "": as the header says, or the first three.
  std::string columns{};
  Positives positives{};

  friend bool operator==(const RatingsInput&, const RatingsInput&) = default;
};

/// What a column of this name holds in a table of ratings: "user", "item", "rating", "time"; "" where that is not
/// known.
[[nodiscard]] std::string_view role_of_column(std::string_view name);

/// Every file that load_ratings() reads with this input.
[[nodiscard]] std::vector<std::string> files_of(const RatingsInput& input);

/// Users x items with observed ratings, split once and for all into three parts.
struct Ratings {
  std::shared_ptr<const IdTable> users, items;  ///< of all parts of `path`; ids that only test_path has are not in it
  std::vector<float> levels;                    ///< ascending; empty where Triplets::values is used
  Triplets train, validation, test;
  std::uint64_t duplicates = 0;    ///< ratings that were merged with an earlier one of the same pair
  std::uint64_t test_unknown = 0;  ///< ratings of test_path whose user or item is not in `path`: kept in `strangers`
  /// Ratings of test_path with an unknown user or item: number of the known side (or size()) and the value.
  Triplets strangers;
  /// Text files whose last line has no line end: what is left of one that was cut short may still be a rating.
  std::vector<std::string> unended{};
  std::vector<std::string> notes{};  ///< what a user should know of how the files were read, each with its file's name
  float lowest = 0, highest = 0;     ///< of the ratings in `path`
  std::uint64_t fingerprint = 0;     ///< XXH3-64 of ids, ratings and parts: what nodes compare
  std::uint64_t bytes_read = 0;      ///< of the files, as they lie on the disk
};

/// Reads a file of ratings. A pair is held out by a hash of (seed, user id, item id) after duplicates are resolved:
/// whatever the order of the file, the same pairs. `progress` (may be empty) is called now and then with the share that
/// is done: from any thread, never from two at a time. Pieces are cut by size alone, so that ids, order and bits do not
/// depend on the number of threads. Errors: input, with path:line:column, what was found, what was expected; a value
/// that is not finite; more than 2^32 - 2 users and items together; no ratings at all. Cost: one pass over the file,
/// about 9 bytes a rating (12 without levels) at the end and at most twice that on the way.
[[nodiscard]] Result<std::shared_ptr<const Ratings>> load_ratings(
    const RatingsInput& input, Chunks& chunks, const std::function<void(double share)>& progress = {});

/// Cross-validation: the fold of each of `all.train`, 0 ... folds - 1, by a hash of (seed, user id, item id): whatever
/// the order of the file, the same pairs. REQUIRES: 2 <= folds <= 65535; all ratings are in `train`. Cost: 10 ns a
/// rating.
[[nodiscard]] std::vector<std::uint16_t> draw_folds(const Ratings& all, std::uint32_t folds, std::uint64_t seed,
                                                    Chunks& chunks);

/// One fold left out: what load_ratings() gives for a file with the other folds' ratings and, as test_path, one with
/// those of `fold`. Users and items are numbered anew, in the order in which the others name them.
struct FoldInput {
  std::uint32_t fold = 0;
  double validation = 0;   ///< share of the others that is kept for early stopping
  std::uint64_t seed = 1;  ///< of that draw
};
/// REQUIRES: folds: draw_folds(all). The fingerprint is that of `all` with this input. Cost: 20 ns a rating.
[[nodiscard]] std::shared_ptr<Ratings> leave_out(const Ratings& all, const std::vector<std::uint16_t>& folds,
                                                 const FoldInput& input, Chunks& chunks);

/// Pairs to be predicted: two columns (user, item; further ones ignored) in the text formats of load_ratings.
struct Pairs {
  std::vector<std::string> users, items;
  std::string note{};       ///< what a user should know of how they were read; else ""
  bool has_header = false;  ///< a line named the columns, so that it is no pair
};
/// Which columns are user and item: as for ratings, whose third column may be among them.
struct PairsInput {
  std::string path;
  std::string columns{};  ///< as RatingsInput::columns, of two or three
  std::string
      columns_of_fit{};  ///< where neither `columns` nor a header says it: those of the fit whose model is asked
};
/// Errors: input, as load_ratings.
[[nodiscard]] Result<Pairs> load_pairs(const PairsInput& input);

/// Ids of users, one a line, or in a column of a table whose header names it (`id` as in users.tsv, `user`, user_id and
/// the like); a header of one word, a byte order mark, comments and quotes are passed over. `is_known` decides where a
/// line could be read in two ways: an id may have blanks, commas, quotes or # in it. Errors: input.
[[nodiscard]] Result<std::vector<std::string>> load_users(const std::string& path,
                                                          const std::function<bool(std::string_view)>& is_known);
/// The same of items (`id` as in items.tsv, `item`, movieId and the like).
[[nodiscard]] Result<std::vector<std::string>> load_items(const std::string& path,
                                                          const std::function<bool(std::string_view)>& is_known);

}  // namespace strads
