// What a list of items is judged by: the pairs of each user that the model has not seen.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mf/factors/model_files.hpp"
#include "mf/ranking/rated_items.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"

namespace strads::mf {

/// The relevant items of the model's users, and what became of the other pairs.
struct HeldOut {
  std::vector<std::uint64_t> begins;  ///< by user
  std::vector<std::uint32_t> items;   ///< ascending for each user, each once; not among the rated ones
  std::vector<std::uint32_t> missed;  ///< by user: relevant items that the model does not know
  std::uint64_t pairs = 0;            ///< all that were given
  std::uint64_t irrelevant = 0;       ///< with a rating below the bound
  std::uint64_t of_strangers = 0;     ///< of users whom the model does not know
  std::uint64_t rated = 0;            ///< among the rated pairs: no list can have them
  std::uint64_t repeated = 0;

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t user) const {
    return std::span(items).subspan(begins[user], begins[user + 1] - begins[user]);
  }
  /// Users with at least one relevant item.
  [[nodiscard]] std::vector<std::uint32_t> users() const;
};

/// Pairs whose rating is at least `relevant`; all without it. Errors: input: as load_pairs and, with `relevant`, as
/// load_ratings.
struct HeldOutFile {
  std::string path, columns;
  std::optional<double> relevant;
};
[[nodiscard]] Result<HeldOut> held_out_of_file(const HeldOutFile& file, const ModelIds& model, const RatedItems& rated,
                                               Chunks& chunks);

/// All pairs of such a file that was read, or of what another program has in its memory.
[[nodiscard]] HeldOut held_out_of_ratings(const Ratings& given, std::optional<double> relevant, const ModelIds& model,
                                          const RatedItems& rated);

/// Some parts of what a fit has read.
[[nodiscard]] HeldOut held_out_of_parts(const Ratings& ratings, std::span<const Triplets* const> parts,
                                        std::optional<double> relevant, const ModelIds& model, const RatedItems& rated);
/// The test ratings of a fit.
[[nodiscard]] HeldOut held_out_of_fit(const Ratings& ratings, std::optional<double> relevant, const ModelIds& model,
                                      const RatedItems& rated);

}  // namespace strads::mf
