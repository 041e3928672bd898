#include "mf/run/slim_data.hpp"

#include <cstdint>
#include <string>

#include "strads/engine/role_limits.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {

Result<SlimPairs> load_slim(const FitOptions& options, Chunks& chunks,
                            const std::function<void(double share)>& progress) {
  SlimPairs out;
  STRADS_ASSIGN_OR_RETURN(out.ratings, load_ratings(options.input, chunks, progress));
  out.data = slim_data(*out.ratings, options.lowest_positive());
  if (out.data->pairs() == 0) {
    return Status::input(options.input.path + ": none of " + std::to_string(out.ratings->train.size()) +
                         " training ratings is a positive: the highest is " + short_text(double{out.ratings->highest}) +
                         ", expected some of at least --positive-from " + short_text(options.lowest_positive()));
  }
  if (Status roles = check_roles(options.engine, out.data->items()); !roles.ok()) return roles;
  return out;
}

SlimWeights written_weights(const Ratings& ratings, const SlimData& data, const SlimSolution& solution) {
  SlimWeights model;
  model.ids.ids[0] = ratings.users;
  model.ids.ids[1] = ratings.items;
  for (std::uint32_t user = 0; user < data.users(); ++user) {
    model.ids.counts[0].push_back(static_cast<std::uint32_t>(data.items_of(user).size()));
  }
  for (std::uint32_t item = 0; item < data.items(); ++item) {
    model.ids.counts[1].push_back(static_cast<std::uint32_t>(data.users_of(item).size()));
  }
  model.weights = weights_by_row(solution);
  return model;
}

}  // namespace strads::mf
