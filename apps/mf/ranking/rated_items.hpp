// Which items each user of a model has rated: what is left out where items are ranked.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mf/factors/model_files.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"

namespace strads::mf {

/// The rated items of each user, ascending.
struct RatedItems {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint32_t> items;
  std::uint64_t unknown = 0;  ///< pairs of other users or items than the model's

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t user) const {
    return std::span(items).subspan(begins[user], begins[user + 1] - begins[user]);
  }
};

/// `parts`: of `ratings`, the triplets that count; with ratings below `lowest` they do not. Cost: 20 ns a rating.
[[nodiscard]] RatedItems rated_by_user(const Ratings& ratings, std::span<const Triplets* const> parts,
                                       const ModelIds& model, double lowest = -std::numeric_limits<double>::infinity());

/// What the fit read that `model` (a directory) comes from. Errors: usage: it was fitted to ratings in
/// another program's memory, so that `missing` has to be given; input.
[[nodiscard]] Result<RatingsInput> input_of_fit(const std::string& model, const std::string& missing);

/// All pairs of `path`, or without one those of the file that `model` was fitted to. Errors: usage, input.
[[nodiscard]] Result<std::shared_ptr<const Ratings>> rated_pairs(const std::string& path, const std::string& columns,
                                                                 const std::string& model, Chunks& chunks);

/// Says how pairs were read and which of them leave nothing out. `path`: "" for the file of the fit. Errors: input:
/// none of `pairs` is of the model.
[[nodiscard]] Status say_rated(const std::string& path, const std::string& model, const Ratings& ratings,
                               std::uint64_t pairs, const RatedItems& rated, bool quiet);

}  // namespace strads::mf
