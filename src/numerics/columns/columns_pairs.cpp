#include <algorithm>

#include "numerics/columns/columns_state.hpp"
#include "numerics/kernels/gram.hpp"

namespace strads {

namespace {
constexpr std::size_t kColumnsAhead = 8;
constexpr std::uint64_t kFetchedBytes = 512;  ///< of a column; from there on the processor's own prefetching is faster
constexpr std::uint64_t kCacheLine = 64;
}  // namespace

/// What a product needs of one column, looked up once.
struct StandardizedColumns::Pairs::Facts {
  bool takes_part = false;
  bool missing = false;
  std::uint64_t copies = 0;  ///< of A1 over all samples
  double excess = 0;         ///< copies / samples - mean: rounding, but the same as in pair()
  double norm = 1;
};

StandardizedColumns::Pairs::Pairs(const StandardizedColumns& columns) : columns_(columns), state_(*columns.state_) {}

StandardizedColumns::Pairs::~Pairs() = default;

/// Counts of bits know no weights.
bool StandardizedColumns::Pairs::planes() const {
  return state_.view.storage == Storage::genotype_2bit && state_.roots.empty();
}

void StandardizedColumns::Pairs::prepare(std::span<const VarId> list, Chunks& chunks) {
  list_.assign(list.begin(), list.end());
  state_.expect(list);
  if (!planes()) return;
  const std::size_t words = state_.keep.size(), size = state_.columns_per_piece();
  facts_.resize(list.size());
  bits_.resize(4 * words * list.size());
  planes_.resize(list.size());
  const auto samples = static_cast<double>(state_.view.samples());
  chunks.for_each((list.size() + size - 1) / size, [&](std::size_t piece) {
    const std::size_t end = std::min(list.size(), (piece + 1) * size);
    for (std::size_t i = piece * size; i < end; ++i) {
      // Drawn columns lie anywhere: without this the loop waits for memory twice a column.
      if (i + kColumnsAhead < end) {
        const VarId ahead = list_[i + kColumnsAhead];
        __builtin_prefetch(&state_.columns[ahead]);
        for (std::uint64_t b = 0; b < std::min(state_.view.column_stride, kFetchedBytes); b += kCacheLine) {
          __builtin_prefetch(state_.bytes(ahead) + b);
        }
      }
      const VarId j = list_[i];
      std::uint64_t* const first = bits_.data() + 4 * words * i;
      planes_[i] = {first, first + words, first + 2 * words, first + 3 * words};
      Facts& facts = facts_[i];
      facts.takes_part = state_.takes_part(j);
      if (!facts.takes_part) continue;
      facts.missing = state_.any_missing(j);
      facts.copies = state_.copies(j);
      facts.excess = static_cast<double>(facts.copies) / samples - state_.columns[j].mean();
      facts.norm = state_.columns[j].norm();
      kernels().genotype_planes(state_.calls(j), state_.keep.data(), state_.rows(), planes_[i]);
    }
  });
}

double StandardizedColumns::Pairs::product(std::size_t a, std::size_t b) const {
  const VarId j = list_[a], k = list_[b];
  if (!planes()) {
    if (!state_.takes_part(j) || !state_.takes_part(k)) return 0;
    return state_.standardised_pair(j, k, state_.raw_pair(j, k));
  }
  const Facts &left = facts_[a], &right = facts_[b];
  if (!left.takes_part || !right.takes_part) return 0;
  const bool missing = left.missing || right.missing;
  const GenotypeProducts sums =
      kernels().genotype_plane_pair(planes_[a], planes_[b], state_.keep.data(), 0, state_.keep.size(), missing);
  if (missing || !state_.how.center || state_.covariates.size() > 0 || state_.view.samples() == 0) {
    return state_.standardised_pair(j, k, state_.genotype_product(j, k, sums));
  }
  // genotype_product() and standardised_pair() where nothing is missing: the same operations in the same order.
  const std::uint64_t samples = state_.view.samples();
  const auto both = static_cast<double>(samples);
  const auto spread = static_cast<std::int64_t>(samples * sums.product - left.copies * right.copies);
  const double raw = static_cast<double>(spread) / both + both * (left.excess * right.excess);
  return raw / (left.norm * right.norm);
}

void StandardizedColumns::Pairs::products(std::span<const std::uint32_t> lefts, std::span<double> out,
                                          Chunks& chunks) const {
  STRADS_CHECK(out.size() == lefts.size() * list_.size(), "one entry per pair of columns");
  std::vector<VarId> left_list;
  for (const std::uint32_t place : lefts) left_list.push_back(list_[place]);
  if (!planes()) return columns_.gram(left_list, list_, out, chunks);
  std::vector<GenotypePlanes> left_planes;
  for (const std::uint32_t place : lefts) left_planes.push_back(planes_[place]);
  const auto tiles = gram_tiles(lefts.size(), list_.size(), false);
  chunks.for_each(tiles.size(), [&](std::size_t piece) {
    const GramTile& tile = tiles[piece];
    std::vector<double> values(tile.left_count * kGramColumns);
    state_.genotype_tile({std::span(left_list).subspan(tile.left, tile.left_count),
                          std::span(left_planes).subspan(tile.left, tile.left_count)},
                         {std::span(list_).subspan(tile.right, tile.right_count),
                          std::span(planes_).subspan(tile.right, tile.right_count)},
                         values.data());
    store_tile(tile, false, list_.size(), out.data(),
               [&](std::size_t a, std::size_t b) { return values[a * kGramColumns + b]; });
  });
}

}  // namespace strads
