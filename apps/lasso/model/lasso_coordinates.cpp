#include "lasso/model/lasso_coordinates.hpp"

#include <algorithm>
#include <utility>

#include "lasso/policies/sampled_products.hpp"

namespace strads::lasso {

LassoCoordinates::LassoCoordinates(const SliceView& view, const LassoOptions& options,
                                   std::shared_ptr<BlockCaches> caches)
    : view_(view), options_(options), caches_(std::move(caches)), pairs_(view.columns) {}

CoordinateStep LassoCoordinates::step(std::size_t i) const {
  const Step step = view_.step(i);
  return {step.delta, step.decrease};
}

std::vector<std::uint32_t> LassoCoordinates::working_set(double threshold) const {
  std::vector<std::uint32_t> members = exact_ones();
  std::erase_if(members, [&](std::uint32_t i) {
    const bool candidate = strong_ ? view_.penalty_of(i).steepness(view_.gradient[i]) >= threshold
                                   : view_.enters(i) && view_.decrease(i) >= threshold;
    return view_.beta[i] == 0.0 && !candidate;
  });
  return members;
}

/// Positions whose gradients are exact, ascending: what is known of the others depends on what this slice was shown
/// before.
std::vector<std::uint32_t> LassoCoordinates::exact_ones() const {
  std::vector<std::uint32_t> exact = strong_ ? view_.strong : view_.candidates;
  exact.insert(exact.end(), view_.support.begin(), view_.support.end());
  std::sort(exact.begin(), exact.end());
  exact.erase(std::unique(exact.begin(), exact.end()), exact.end());
  return exact;
}

double LassoCoordinates::coupling(std::size_t i, std::size_t k) const {
  const std::uint32_t a = place_.empty() ? SlicePositions::kNone : place_[i];
  const std::uint32_t b = place_.empty() ? SlicePositions::kNone : place_[k];
  if (a == SlicePositions::kNone || b == SlicePositions::kNone) {
    return view_.columns.pair(view_.variables[i], view_.variables[k]);
  }
  return pairs_.product(a, b);
}

void LassoCoordinates::prepare_couplings(std::span<const std::uint32_t> drawn, Chunks& chunks) {
  place_.resize(view_.variables.size(), SlicePositions::kNone);
  for (const std::uint32_t i : paired_) place_[i] = SlicePositions::kNone;
  paired_.assign(drawn.begin(), drawn.end());
  std::vector<VarId> columns;
  for (std::size_t a = 0; a < drawn.size(); ++a) {
    place_[drawn[a]] = static_cast<std::uint32_t>(a);
    columns.push_back(view_.variables[drawn[a]]);
  }
  pairs_.prepare(columns, chunks);
}

/// Of all rows they are remembered, and the blocks of the node find theirs.
CouplingsTaken LassoCoordinates::couplings(std::span<const std::uint32_t> members, std::size_t fresh,
                                           std::vector<double>& out, Chunks& chunks) {
  std::vector<VarId> variables;
  std::uint64_t work = 0;
  for (const std::uint32_t i : members) {
    variables.push_back(view_.variables[i]);
    work += view_.columns.work(view_.variables[i]);
  }
  // With scaling off couplings are not correlations, and a sample of the rows would be in other units.
  if (options_.center && options_.scale && sampling_pays(view_.columns)) {
    const std::uint64_t flops = sampled_products(view_.columns, variables, out, chunks);
    return {{.flops = flops, .streamed = 2 * kSampledRows * members.size(), .tiled = flops}, false};
  }
  CouplingsTaken taken{{.flops = work * (fresh - fresh * fresh / (2 * members.size()))}, true};
  taken.cost.tiled = caches_->ordinary.gram(view_.columns, variables, out, chunks);
  taken.cost.fresh = 2 * out.size() * sizeof(double);  // the matrix, and what is remembered of it
  return taken;
}

}  // namespace strads::lasso
