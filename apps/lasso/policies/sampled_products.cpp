#include "lasso/policies/sampled_products.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace strads::lasso {

namespace {

constexpr std::uint64_t kRunRows = 64;  ///< whole words of genotypes, whole cache lines of numbers
constexpr std::uint64_t kRuns = kSampledRows / kRunRows;
constexpr std::uint64_t kRowsMin = 4 * kSampledRows;
constexpr std::size_t kCopiedColumns = 64;  ///< a piece of work

/// First row of a run: the runs are spread evenly, at multiples of their length.
std::uint64_t first_row(std::uint64_t run, std::uint64_t rows) {
  return run * (rows / kRunRows) / kRuns * kRunRows;
}

std::uint64_t bits_a_row(Storage storage) {
  switch (storage) {
    case Storage::genotype_2bit:
      return 2;
    case Storage::dense_f32:
      return 32;
    case Storage::dense_f64:
      return 64;
    case Storage::dense_i8:
    case Storage::dense_u8:
      return 8;
    case Storage::dosage_u16:
      return 16;
    case Storage::sparse_f32:
    case Storage::sparse_f64:
      break;
  }
  return 0;
}

/// The rows of the sample that take no part, by their place in it.
std::vector<std::uint32_t> dropped_in_sample(const ColumnsView& view) {
  std::vector<std::uint32_t> dropped;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    const std::uint64_t first = first_row(run, view.rows);
    auto row = std::lower_bound(view.dropped_rows.begin(), view.dropped_rows.end(), first);
    for (; row != view.dropped_rows.end() && *row < first + kRunRows; ++row) {
      dropped.push_back(static_cast<std::uint32_t>(run * kRunRows + *row - first));
    }
  }
  return dropped;
}

/// The weights of the sample's rows; empty: all 1.
std::vector<double> weights_in_sample(const ColumnsView& view) {
  std::vector<double> weights;
  for (std::uint64_t run = 0; run < kRuns && !view.weights.empty(); ++run) {
    const auto from = view.weights.subspan(first_row(run, view.rows), kRunRows);
    weights.insert(weights.end(), from.begin(), from.end());
  }
  return weights;
}

}  // namespace

bool sampling_pays(const StandardizedColumns& columns) {
  const ColumnsView& view = columns.view();
  return bits_a_row(view.storage) != 0 && view.rows >= kRowsMin && columns.covariates() == 0;
}

std::uint64_t sampled_products(const StandardizedColumns& columns, std::span<const VarId> variables,
                               std::vector<double>& out, Chunks& chunks) {
  const ColumnsView& view = columns.view();
  const std::size_t count = variables.size();
  const std::uint64_t run_bytes = kRunRows * bits_a_row(view.storage) / 8;
  const std::uint64_t stride = kRuns * run_bytes;
  std::vector<std::byte> copy(count * stride);
  chunks.for_each((count + kCopiedColumns - 1) / kCopiedColumns, [&](std::size_t piece) {
    for (std::size_t k = piece * kCopiedColumns; k < std::min(count, (piece + 1) * kCopiedColumns); ++k) {
      const std::byte* const column = view.values + std::uint64_t{variables[k]} * view.column_stride;
      for (std::uint64_t run = 0; run < kRuns; ++run) {
        const std::uint64_t begin = first_row(run, view.rows) * bits_a_row(view.storage) / 8;
        std::memcpy(copy.data() + k * stride + run * run_bytes, column + begin, run_bytes);
      }
    }
  });
  const std::vector<std::uint32_t> dropped = dropped_in_sample(view);
  const std::vector<double> weights = weights_in_sample(view);
  ColumnsView sample;
  sample.storage = view.storage;
  sample.rows = kSampledRows;
  sample.columns = static_cast<VarId>(count);
  sample.values = copy.data();
  sample.column_stride = stride;
  sample.dropped_rows = dropped;
  sample.weights = weights;
  const StandardizedColumns sampled(sample, Standardization{});
  std::vector<VarId> all(count);
  std::iota(all.begin(), all.end(), VarId{0});
  out.resize(count * count);
  sampled.gram(all, out, chunks);
  return 2 * kSampledRows * count * (count + 1) / 2;
}

}  // namespace strads::lasso
