// How large data are, and how much memory reading them takes, before they are read. Layer: data.
#pragma once

#include <cstdint>

#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"
#include "strads/data/ratings.hpp"

namespace strads {

/// How closely a text is looked at, which does not say in its head how much is in it.
enum class Look : std::uint8_t {
  /// Some pieces of it: numbers of rows and entries within a few percent, others are lower bounds; 1 ms. Of an archive
  /// of ratings the first 2 MiB of each of its indices, up to 20 ms.
  quick,
  thorough  ///< all of it: exact, or within 1 %; about 0.1 s for 100 MB
};

/// Of what load_dataset() is going to read. Anonymous memory is what the system cannot take back; mapped pages it can.
struct DataShape {
  Storage storage = Storage::dense_f64;
  std::uint64_t rows = 0, columns = 0;  ///< of X; rows that will be dropped are counted
  std::uint64_t entries = 0;            ///< sparse: nonzeros
  std::uint64_t mapped_bytes = 0;       ///< of files that stay mapped
  std::uint64_t reading_bytes = 0;      ///< anonymous, at the most while they are read
  std::uint64_t held_bytes = 0;         ///< anonymous, of it what stays: columns that are not mapped
  std::uint64_t names_bytes = 0;        ///< anonymous, besides: names of variables and samples
};
/// Errors: input, as load_dataset() where a file cannot be opened or its head is damaged; what follows is not checked.
[[nodiscard]] Result<DataShape> look_at_dataset(const InputOptions& options, Look look);

/// Who takes part, from the tables beside X: nothing of X is read.
struct PeopleShape {
  std::uint64_t samples = 0;                        ///< that are kept
  std::uint64_t train = 0, validate = 0, test = 0;  ///< of them with --split, else 0
  std::uint64_t covariates = 0;                     ///< vectors of `rows` numbers: a factor has one for each level
};
/// Of genotypes as load_dataset() selects them, but that --mind drops nobody. Of other formats every row of `shape` is
/// taken to be there; of a split and of covariates what their tables hold.
/// Errors: as load_dataset(). Cost: reads these tables, and the .fam or .psam.
[[nodiscard]] Result<PeopleShape> look_at_people(const InputOptions& options, const DataShape& shape);

/// Of what load_ratings() is going to read.
struct RatingsShape {
  std::uint64_t ratings = 0;           ///< lines, or entries
  std::uint64_t users = 0, items = 0;  ///< with ratings; with Look::quick at least so many
  bool has_levels = true;              ///< at most 256 different values: a byte each
  /// Of a matrix, anonymous, while it is read: numbers of all its rows and columns, with ratings and without.
  std::uint64_t lines_bytes = 0;
  /// Of a text whose fields stand in another order or in quotes, anonymous, while it is read: its lines as they are
  /// read.
  std::uint64_t copied_bytes = 0;
};
/// Errors: as look_at_dataset().
[[nodiscard]] Result<RatingsShape> look_at_ratings(const RatingsInput& input, Look look);

}  // namespace strads
