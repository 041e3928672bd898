#include "strads/policies/coordinate_problem.hpp"

namespace strads {

std::vector<std::uint32_t> CoordinateProblem::working_set(double threshold) const {
  std::vector<std::uint32_t> members;
  for (std::size_t i = 0; i < variables().size(); ++i) {
    if (!takes_part(i)) continue;
    const double own = importance(i);
    if (own > 0 && own >= threshold) members.push_back(static_cast<std::uint32_t>(i));
  }
  return members;
}

CouplingsTaken CoordinateProblem::couplings(std::span<const std::uint32_t> members, std::size_t /*fresh*/,
                                            std::vector<double>& out, Chunks& chunks) {
  const std::size_t count = members.size();
  out.assign(count * count, 0.0);
  chunks.for_each(count, [&](std::size_t row) {
    for (std::size_t k = 0; k <= row; ++k) out[row * count + k] = coupling(members[row], members[k]);
  });
  CouplingsTaken taken;
  for (std::size_t row = 0; row < count; ++row) taken.cost.flops += (row + 1) * work(members[row]);
  taken.cost.streamed = taken.cost.flops;
  taken.cost.fresh = out.size() * sizeof(double);
  return taken;
}

}  // namespace strads
