// From files to the pairs of --solver slim: what a run and every node of it do alike.
#pragma once

#include <functional>
#include <memory>

#include "mf/factors/slim_files.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/slim/slim.hpp"
#include "strads/base/chunks.hpp"
#include "strads/data/ratings.hpp"

namespace strads::mf {

struct SlimPairs {
  std::shared_ptr<const Ratings> ratings;
  std::shared_ptr<const SlimData> data;
};

/// `progress`: as in load_ratings(). Errors: as there; input: no rating is a positive; usage: more schedulers or
/// workers than there are items.
[[nodiscard]] Result<SlimPairs> load_slim(const FitOptions& options, Chunks& chunks,
                                          const std::function<void(double share)>& progress);

/// As it is written. `lowest_positive` is not set: config.ini has it.
[[nodiscard]] SlimWeights written_weights(const Ratings& ratings, const SlimData& data, const SlimSolution& solution);

}  // namespace strads::mf
