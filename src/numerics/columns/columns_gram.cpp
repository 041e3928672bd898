#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/columns/columns_sparse.hpp"
#include "numerics/columns/columns_state.hpp"
#include "numerics/kernels/gram.hpp"
#include "numerics/kernels/quantised_kernels.hpp"

namespace strads {

namespace {

/// A sparse entry costs about as much as this many dense ones: below 1 / 16 full, entries win.
constexpr std::uint64_t kSparseEntryCost = 16;
/// Sparse columns that share a work vector of length rows.
constexpr std::size_t kScatteredColumns = 16;
/// Words of a bit plane that a tile takes at a time: 64 columns x 4 planes x 2 KiB stay in L2.
constexpr std::size_t kPlaneWords = 256;
/// Bytes of bit planes of a strip of columns. A strip is decoded once for each strip of the other list.
constexpr std::size_t kPlaneBytes = 32U << 20;
constexpr std::size_t kPlanes = 4;  ///< of a column

}  // namespace

/// Four bit planes of each column of a list.
class StandardizedColumns::State::PlaneTable {
 public:
  PlaneTable(std::size_t columns, std::size_t words) : bits_(kPlanes * columns * words), planes_(columns) {
    for (std::size_t i = 0; i < columns; ++i) {
      std::uint64_t* const first = bits_.data() + kPlanes * i * words;
      planes_[i] = {first, first + words, first + 2 * words, first + 3 * words};
    }
  }

  [[nodiscard]] const GenotypePlanes& of(std::size_t i) const { return planes_[i]; }
  [[nodiscard]] std::span<const GenotypePlanes> of(std::size_t i, std::size_t count) const {
    return std::span(planes_).subspan(i, count);
  }

 private:
  std::vector<std::uint64_t> bits_;
  std::vector<GenotypePlanes> planes_;
};

/// Columns and their bit planes.
struct StandardizedColumns::State::PlaneList {
  std::span<const VarId> list;
  PlaneTable& table;
};

/// Copies of A1 in column j: the integer that the mean was made of (exact below 2^50).
std::uint64_t StandardizedColumns::State::copies(VarId j) const {
  const double observed = static_cast<double>(view.samples() - missing(j));
  return static_cast<std::uint64_t>(std::llround(columns[j].mean() * observed));
}

bool StandardizedColumns::State::any_missing(VarId j, VarId k) const {
  return any_missing(j) || any_missing(k);
}

double StandardizedColumns::State::genotype_product(VarId j, VarId k, GenotypeProducts sums) const {
  if (!any_missing(j, k)) sums = {view.samples(), copies(j), copies(k), sums.product};
  const double mean_j = columns[j].mean(), mean_k = columns[k].mean();
  const double left = static_cast<double>(sums.left), right = static_cast<double>(sums.right);
  const double both = static_cast<double>(sums.both);
  // Every line is symmetric in the columns bit for bit: exchanging them exchanges the factors of a product.
  if (how.center) {
    if (sums.both == 0) return 0;
    const auto spread = static_cast<std::int64_t>(sums.both * sums.product - sums.left * sums.right);
    return static_cast<double>(spread) / both + both * ((left / both - mean_j) * (right / both - mean_k));
  }
  const std::uint64_t neither = missing(j) + std::uint64_t{missing(k)} + sums.both - view.samples();
  const double alone_j = static_cast<double>(copies(j)) - left, alone_k = static_cast<double>(copies(k)) - right;
  return static_cast<double>(sums.product) + (mean_k * alone_j + mean_j * alone_k) +
         static_cast<double>(neither) * (mean_j * mean_k);
}

double StandardizedColumns::State::sparse_product(VarId j, VarId k, double product) const {
  return product - weight() * (shift(j) * shift(k));
}

double StandardizedColumns::State::dense_product(VarId j, VarId k) const {
  const double mean_j = shift(j), mean_k = shift(k);
  if (!kept.empty() || !roots.empty()) {
    // Dropped rows of a mapped file hold values: a copy of one column with zeros there. Always the same one of the two.
    const auto [first, second] = std::minmax(j, k);
    std::vector<double> copy(rows(), 0.0);
    add_entries(first, columns[first].norm(), 0, rows(), copy.data());
    clear_dropped(0, rows(), copy.data());
    for (std::size_t i = 0; i < weights.size(); ++i) copy[i] *= weights[i];
    // Genotypes come here with weights only; dense columns subtract their mean from every entry.
    const double total = view.storage == Storage::genotype_2bit ? kernels().sum(copy.data(), rows()) : 0.0;
    return dot(second, copy.data(), total) * columns[second].norm();
  }
  const Kernels& kernel = kernels();
  switch (view.storage) {
    case Storage::dense_f32:
      return kernel.dense_pair_f32(dense<float>(j), mean_j, dense<float>(k), mean_k, rows());
    case Storage::dense_i8:
      return kernel.dense_pair_i8(dense<std::int8_t>(j), mean_j, dense<std::int8_t>(k), mean_k, rows());
    case Storage::dense_u8:
      return kernel.dense_pair_u8(dense<std::uint8_t>(j), mean_j, dense<std::uint8_t>(k), mean_k, rows());
    case Storage::dosage_u16:
      return kernel.dosage_pair(dense<std::uint16_t>(j), columns[j].mean(), mean_j, dense<std::uint16_t>(k),
                                columns[k].mean(), mean_k, rows());
    default:
      return kernel.dense_pair_f64(dense<double>(j), mean_j, dense<double>(k), mean_k, rows());
  }
}

double StandardizedColumns::State::raw_pair(VarId j, VarId k) const {
  switch (view.storage) {
    case Storage::dense_f32:
    case Storage::dense_f64:
    case Storage::dense_i8:
    case Storage::dense_u8:
    case Storage::dosage_u16:
      return dense_product(j, k);
    case Storage::genotype_2bit:
      if (!roots.empty()) return dense_product(j, k);
      return genotype_product(j, k,
                              kernels().genotype_pair(calls(j), calls(k), keep.data(), rows(), any_missing(j, k)));
    case Storage::sparse_f32:
      return sparse_product(j, k, sparse_pair(sparse<float>(j), sparse<float>(k), kept, weights));
    case Storage::sparse_f64:
      return sparse_product(j, k, sparse_pair(sparse<double>(j), sparse<double>(k), kept, weights));
  }
  return 0;
}

double StandardizedColumns::State::standardised_pair(VarId j, VarId k, double raw) const {
  if (!takes_part(j) || !takes_part(k)) return 0;
  const double norm_j = columns[j].norm(), norm_k = columns[k].norm();
  const bool is_plain =
      !has_extreme_norms.load(std::memory_order_relaxed) || (is_plain_norm(norm_j) && is_plain_norm(norm_k));
  const double product = is_plain ? raw / (norm_j * norm_k) : decoded_pair(j, k);
  const std::size_t count = covariates.size();
  double projected = 0;
  for (std::size_t c = 0; c < count; ++c) projected += share(j, c) * share(k, c);
  return product - projected;
}

double StandardizedColumns::State::decoded_pair(VarId j, VarId k) const {
  std::vector<double> left(rows(), 0.0), right(rows(), 0.0);
  add_rows(j, 1.0, 0, rows(), left.data());
  add_rows(k, 1.0, 0, rows(), right.data());
  for (std::vector<double>* const column : {&left, &right}) {
    clear_dropped(0, rows(), column->data());
    weigh(0, rows(), column->data());
  }
  return kernels().dot(left.data(), right.data(), rows());
}

double StandardizedColumns::pair(VarId j, VarId k) const {
  if (!state_->takes_part(j) || !state_->takes_part(k)) return 0;
  return state_->standardised_pair(j, k, state_->raw_pair(j, k));
}

void StandardizedColumns::State::fill_planes(std::span<const VarId> list, PlaneTable& table, Chunks& chunks) const {
  const std::size_t size = columns_per_piece();
  chunks.for_each((list.size() + size - 1) / size, [&](std::size_t piece) {
    const std::size_t end = std::min(list.size(), (piece + 1) * size);
    for (std::size_t i = piece * size; i < end; ++i) {
      kernels().genotype_planes(calls(list[i]), keep.data(), rows(), table.of(i));
    }
  });
}

/// What a product of two columns needs of each of them.
struct StandardizedColumns::State::GenotypeFacts {
  double copies = 0, norm = 0;
  bool simple = false;  ///< simple_pair() may be asked
};

std::vector<StandardizedColumns::State::GenotypeFacts> StandardizedColumns::State::facts_of(
    std::span<const VarId> list) const {
  constexpr std::uint64_t kSamplesMax = std::uint64_t{1} << 25;  // products of two counts are exact in a double
  std::vector<GenotypeFacts> facts(list.size());
  if (!how.center || covariates.size() > 0 || view.samples() > kSamplesMax) return facts;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const VarId j = list[i];
    if (!takes_part(j) || any_missing(j)) continue;
    facts[i] = {static_cast<double>(copies(j)), columns[j].norm(), true};
  }
  return facts;
}

/// genotype_product() and standardised_pair() of two columns without missing calls, centred, without covariates: the
/// same bits, since the terms left out are exactly 0 (c_j / n is the mean itself) and these counts are exact.
double StandardizedColumns::State::simple_pair(const GenotypeFacts& left, const GenotypeFacts& right,
                                               std::uint64_t product) const {
  const auto samples = static_cast<double>(view.samples());
  const double spread = samples * static_cast<double>(product) - left.copies * right.copies;
  return spread / samples / (left.norm * right.norm);
}

/// Of two lists strips are taken: bit planes are twice as large as what they are made of, and a block of thousands of
/// variables meets some new ones.
void StandardizedColumns::State::gram_genotype(std::span<const VarId> lefts, std::span<const VarId> rights,
                                               std::span<double> out, Chunks& chunks) const {
  if (lefts.data() == rights.data()) {
    PlaneTable table(lefts.size(), keep.size());
    fill_planes(lefts, table, chunks);
    return gram_strip({lefts, table}, {rights, table}, true, rights.size(), out.data(), chunks);
  }
  const std::size_t column_bytes = kPlanes * keep.size() * sizeof(std::uint64_t);
  const std::size_t strip = std::max(kGramColumns, kPlaneBytes / std::max<std::size_t>(1, column_bytes));
  PlaneTable left_table(std::min(strip, lefts.size()), keep.size());
  PlaneTable right_table(std::min(strip, rights.size()), keep.size());
  for (std::size_t i = 0; i < lefts.size(); i += strip) {
    const auto some_lefts = lefts.subspan(i, std::min(strip, lefts.size() - i));
    fill_planes(some_lefts, left_table, chunks);
    for (std::size_t k = 0; k < rights.size(); k += strip) {
      const auto some_rights = rights.subspan(k, std::min(strip, rights.size() - k));
      fill_planes(some_rights, right_table, chunks);
      gram_strip({some_lefts, left_table}, {some_rights, right_table}, false, rights.size(),
                 out.data() + i * rights.size() + k, chunks);
    }
  }
}

/// Of columns that miss calls, or where products are not counted in whole registers, pair by pair.
void StandardizedColumns::State::genotype_tile(const GenotypeColumns& left, const GenotypeColumns& right,
                                               double* values) const {
  const GenotypeTileKernels* const wide =
      kernels().genotype_plane_pair == wide_genotype_plane_pair() ? wide_genotype_tiles() : nullptr;
  const auto left_facts = facts_of(left.list), right_facts = facts_of(right.list);
  const auto is_simple = [](const GenotypeFacts& facts) { return facts.simple; };
  const bool all_wide =
      wide != nullptr && std::ranges::all_of(left_facts, is_simple) && std::ranges::all_of(right_facts, is_simple);
  std::array<std::uint64_t, kGramColumns * kGramColumns> products;
  if (wide != nullptr) {
    std::fill_n(products.begin(), left.list.size() * kGramColumns, 0);
    for (std::size_t word = 0; word < keep.size(); word += kPlaneWords) {
      wide->products(left.planes, right.planes, word, std::min(keep.size(), word + kPlaneWords), products.data(),
                     kGramColumns);
    }
    std::array<double, kGramColumns> copies{}, norms{};
    for (std::size_t b = 0; b < right_facts.size(); ++b) {
      copies[b] = right_facts[b].copies;
      norms[b] = right_facts[b].simple ? right_facts[b].norm : 1.0;
    }
    for (std::size_t a = 0; a < left_facts.size(); ++a) {
      if (!left_facts[a].simple) continue;
      wide->pairs(products.data() + a * kGramColumns, static_cast<double>(view.samples()), left_facts[a].copies,
                  left_facts[a].norm, copies.data(), norms.data(), right_facts.size(), values + a * kGramColumns);
    }
  }
  if (all_wide) return;
  const auto is_done = [&](std::size_t a, std::size_t b) {
    return wide != nullptr && left_facts[a].simple && right_facts[b].simple;
  };
  std::vector<GenotypeProducts> sums(left_facts.size() * kGramColumns);
  for (std::size_t word = 0; word < keep.size(); word += kPlaneWords) {
    const std::size_t end = std::min(keep.size(), word + kPlaneWords);
    for (std::size_t a = 0; a < left_facts.size(); ++a) {
      for (std::size_t b = 0; b < right_facts.size(); ++b) {
        if (is_done(a, b)) continue;
        const bool missing = any_missing(left.list[a], right.list[b]);
        sums[a * kGramColumns + b] +=
            kernels().genotype_plane_pair(left.planes[a], right.planes[b], keep.data(), word, end, missing);
      }
    }
  }
  for (std::size_t a = 0; a < left_facts.size(); ++a) {
    for (std::size_t b = 0; b < right_facts.size(); ++b) {
      if (is_done(a, b)) continue;
      const GenotypeFacts &one = left_facts[a], &other = right_facts[b];
      const GenotypeProducts& own = sums[a * kGramColumns + b];
      double& value = values[a * kGramColumns + b];
      if (one.simple && other.simple) {
        value = simple_pair(one, other, own.product);
        continue;
      }
      const VarId j = left.list[a], k = right.list[b];
      value = takes_part(j) && takes_part(k) ? standardised_pair(j, k, genotype_product(j, k, own)) : 0.0;
    }
  }
}

/// `stride`: from one row of `out` to the next.
void StandardizedColumns::State::gram_strip(const PlaneList& left, const PlaneList& right, bool symmetric,
                                            std::size_t stride, double* out, Chunks& chunks) const {
  const auto tiles = gram_tiles(left.list.size(), right.list.size(), symmetric);
  chunks.for_each(tiles.size(), [&](std::size_t piece) {
    const GramTile& tile = tiles[piece];
    std::vector<double> values(tile.left_count * kGramColumns);
    genotype_tile({left.list.subspan(tile.left, tile.left_count), left.table.of(tile.left, tile.left_count)},
                  {right.list.subspan(tile.right, tile.right_count), right.table.of(tile.right, tile.right_count)},
                  values.data());
    store_tile(tile, symmetric, stride, out,
               [&](std::size_t a, std::size_t b) { return values[a * kGramColumns + b]; });
  });
}

/// Decodes a block of rows of a tile's columns, centred, not divided by their norms; 0 at dropped rows.
void StandardizedColumns::State::decode_block(std::span<const VarId> list, std::size_t begin, std::size_t end,
                                              double* block) const {
  for (std::size_t i = 0; i < list.size(); ++i) {
    double* const out = block + i * kGramRows;
    std::fill(out, out + kGramRows, 0.0);
    add_rows(list[i], columns[list[i]].norm(), begin, end, out);
    clear_dropped(begin, end, out);
    weigh(begin, end, out);
  }
}

void StandardizedColumns::State::gram_decoded(std::span<const VarId> lefts, std::span<const VarId> rights,
                                              std::span<double> out, Chunks& chunks) const {
  const bool symmetric = lefts.data() == rights.data();
  const auto tiles = gram_tiles(lefts.size(), rights.size(), symmetric);
  const Kernels& kernel = kernels();
  chunks.for_each(tiles.size(), [&](std::size_t piece) {
    const GramTile& tile = tiles[piece];
    std::vector<double> partials(kGramPartials, 0.0), left(kGramColumns * kGramRows), right(left.size());
    // Each tile decodes its 64 columns afresh, 512 rows at a time: no N x count copy, and 1/16 of the products' cost.
    for (std::size_t row = 0; row < rows(); row += kGramRows) {
      const std::size_t end = std::min(rows(), row + kGramRows);
      decode_block(lefts.subspan(tile.left, tile.left_count), row, end, left.data());
      decode_block(rights.subspan(tile.right, tile.right_count), row, end, right.data());
      kernel.gram_add(left.data(), kGramRows, tile.left_count, right.data(), kGramRows, tile.right_count, end - row,
                      partials.data());
    }
    store_tile(tile, symmetric, rights.size(), out.data(), [&](std::size_t a, std::size_t b) {
      return standardised_pair(lefts[tile.left + a], rights[tile.right + b], kernel.gram_entry(partials.data(), a, b));
    });
  });
}

/// Of two columns the longer is scattered and the shorter reads it: a choice that no list's order can change.
template <class T>
bool StandardizedColumns::State::scattered_first(VarId j, VarId k) const {
  const std::size_t size_j = sparse<T>(j).size, size_k = sparse<T>(k).size;
  return size_j != size_k ? size_j > size_k : j <= k;
}

/// Scatters each column of `lefts` and lets the columns of `rights` read it, where this is the way round.
template <class T>
void StandardizedColumns::State::scatter_left(std::span<const VarId> lefts, std::span<const VarId> rights,
                                              std::size_t row_step, std::size_t column_step, std::span<double> out,
                                              bool ties, Chunks& chunks) const {
  chunks.for_each((lefts.size() + kScatteredColumns - 1) / kScatteredColumns, [&](std::size_t piece) {
    std::vector<double> scattered(rows(), 0.0);
    const std::size_t end = std::min(lefts.size(), (piece + 1) * kScatteredColumns);
    for (std::size_t a = piece * kScatteredColumns; a < end; ++a) {
      const VarId j = lefts[a];
      const SparseColumn<T> x = sparse<T>(j);
      for (std::size_t e = 0; e < x.size; ++e) scattered[x.rows[e]] = static_cast<double>(x.values[e]);
      clear_dropped(0, rows(), scattered.data());
      for (std::size_t e = 0; e < (roots.empty() ? 0 : x.size); ++e) scattered[x.rows[e]] *= weights[x.rows[e]];
      for (std::size_t b = 0; b < rights.size(); ++b) {
        const VarId k = rights[b];
        if (!(j == k ? ties : scattered_first<T>(j, k))) continue;
        const double raw = sparse_product(j, k, sparse_dot(sparse<T>(k), scattered.data()));
        out[a * row_step + b * column_step] = standardised_pair(j, k, raw);
      }
      for (std::size_t e = 0; e < x.size; ++e) scattered[x.rows[e]] = 0;
    }
  });
}

template <class T>
void StandardizedColumns::State::gram_sparse(std::span<const VarId> lefts, std::span<const VarId> rights,
                                             std::span<double> out, Chunks& chunks) const {
  scatter_left<T>(lefts, rights, rights.size(), 1, out, true, chunks);
  scatter_left<T>(rights, lefts, 1, rights.size(), out, false, chunks);
}

void StandardizedColumns::gram(std::span<const VarId> lefts, std::span<const VarId> rights, std::span<double> out,
                               Chunks& chunks) const {
  STRADS_CHECK(out.size() == lefts.size() * rights.size(), "one entry per pair of columns");
  const State& state = *state_;
  state.expect(lefts);
  if (lefts.data() != rights.data()) state.expect(rights);
  prepare(lefts, chunks);
  if (lefts.data() != rights.data()) prepare(rights, chunks);
  if (state.view.storage == Storage::genotype_2bit && state.roots.empty())
    return state.gram_genotype(lefts, rights, out, chunks);
  // The mean fill of all columns decides, not of the lists: else an entry's bits would depend on its company.
  const bool sparse =
      state.is_sparse() && kSparseEntryCost * state.view.row_numbers.size() < state.view.rows * state.view.columns;
  if (!sparse) return state.gram_decoded(lefts, rights, out, chunks);
  if (state.view.storage == Storage::sparse_f32) return state.gram_sparse<float>(lefts, rights, out, chunks);
  state.gram_sparse<double>(lefts, rights, out, chunks);
}

void StandardizedColumns::gram(std::span<const VarId> columns, std::span<double> out, Chunks& chunks) const {
  gram(columns, columns, out, chunks);
}

}  // namespace strads
