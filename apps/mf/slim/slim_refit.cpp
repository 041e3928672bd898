#include "mf/slim/slim_refit.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mf/slim/item_solver.hpp"

namespace strads::mf {
namespace {

/// A solver has memory for all users and items: some hundred items share one.
constexpr std::size_t kItemsOfAPiece = 256;

}  // namespace

SlimSolution refitted_weights(const SlimData& data, const SlimOptions& options, const std::vector<ItemWeights>& starts,
                              Chunks& chunks) {
  const SlimScales scales(data, options);
  SlimSolution solution;
  solution.columns.resize(data.items());
  solution.solved.assign(data.items(), true);
  chunks.for_each((data.items() + kItemsOfAPiece - 1) / kItemsOfAPiece, [&](std::size_t piece) {
    ItemSolver solver(data, scales, options);
    const std::size_t end = std::min<std::size_t>((piece + 1) * kItemsOfAPiece, data.items());
    for (std::size_t item = piece * kItemsOfAPiece; item < end; ++item) {
      solution.columns[item] = solver.solve(static_cast<std::uint32_t>(item), &starts[item]);
    }
  });
  for (const ItemWeights& column : solution.columns) solution.nonzeros += column.rows.size();
  return solution;
}

}  // namespace strads::mf
