// What arithmetic costs here: passes by storage, tiled products, inner solves.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "daemon/calibrate_parts.hpp"
#include "strads/columns.hpp"
#include "strads/l1_quadratic.hpp"
#include "strads/random.hpp"

namespace strads::calibration {
namespace {

constexpr std::size_t kPassBytes = std::size_t{48} << 20;  // more than a core's caches, as the data of a run
constexpr std::size_t kPairColumns = 256;
constexpr std::size_t kSolveVariables = 600;  // their products do not fit into a second-level cache, as in a run
constexpr double kSparseFill = 0.02;

/// Columns in memory, of numbers that nobody looks at.
struct MadeUpColumns {
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> starts;
  std::vector<std::uint32_t> row_numbers;
  ColumnsView view;
};

std::unique_ptr<MadeUpColumns> genotypes(std::uint64_t rows, std::size_t bytes) {
  auto made = std::make_unique<MadeUpColumns>();
  const std::size_t stride = (rows + 3) / 4;
  made->view.columns = static_cast<VarId>(std::max<std::size_t>(2 * kPairColumns, bytes / stride));
  made->bytes.resize(stride * made->view.columns);
  CounterRng random(1, Purpose::tests);
  // Codes 0, 2 and 3 only: no missing calls, as in imputed data.
  for (auto& four : made->bytes) {
    unsigned code = 0;
    constexpr unsigned kCodes[] = {0, 2, 3};
    for (int k = 0; k < 4; ++k) code = code << 2 | kCodes[random.below(3)];
    four = static_cast<std::byte>(code);
  }
  made->view.storage = Storage::genotype_2bit;
  made->view.rows = rows;
  made->view.column_stride = stride;
  made->view.values = made->bytes.data();
  return made;
}

template <class Number>
std::unique_ptr<MadeUpColumns> dense(std::uint64_t rows, Storage storage) {
  auto made = std::make_unique<MadeUpColumns>();
  const std::size_t stride = rows * sizeof(Number);
  made->view.columns = static_cast<VarId>(std::max<std::size_t>(2, kPassBytes / stride));
  made->bytes.resize(stride * made->view.columns);
  CounterRng random(2, Purpose::tests);
  for (std::size_t at = 0; at < made->bytes.size(); at += sizeof(Number)) {
    const auto number = static_cast<Number>(random.unit());
    std::memcpy(made->bytes.data() + at, &number, sizeof number);
  }
  made->view.storage = storage;
  made->view.rows = rows;
  made->view.column_stride = stride;
  made->view.values = made->bytes.data();
  return made;
}

std::unique_ptr<MadeUpColumns> sparse(std::uint64_t rows) {
  auto made = std::make_unique<MadeUpColumns>();
  const auto each = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(kSparseFill * static_cast<double>(rows)));
  made->view.columns = static_cast<VarId>(std::min<std::uint64_t>(200'000, kPassBytes / (12 * each)));
  CounterRng random(3, Purpose::tests);
  made->starts.push_back(0);
  for (VarId j = 0; j < made->view.columns; ++j) {
    // One entry in each stretch of the column: increasing rows without sorting.
    for (std::uint64_t k = 0; k < each; ++k) {
      const std::uint64_t begin = rows * k / each;
      const std::uint64_t end = rows * (k + 1) / each;
      made->row_numbers.push_back(static_cast<std::uint32_t>(begin + random.below(end - begin)));
      const double number = 1 + random.unit();
      const auto at = made->bytes.size();
      made->bytes.resize(at + sizeof number);
      std::memcpy(made->bytes.data() + at, &number, sizeof number);
    }
    made->starts.push_back(made->row_numbers.size());
  }
  made->view.storage = Storage::sparse_f64;
  made->view.rows = rows;
  made->view.values = made->bytes.data();
  made->view.starts = made->starts;
  made->view.row_numbers = made->row_numbers;
  return made;
}

std::vector<VarId> first_columns(VarId count, VarId begin = 0) {
  std::vector<VarId> list(count);
  std::iota(list.begin(), list.end(), begin);
  return list;
}

/// Seconds of one flop of dots() over all columns.
double pass(const MadeUpColumns& made) {
  const StandardizedColumns columns(made.view, {});
  SerialChunks serial;
  const auto all = first_columns(made.view.columns);
  columns.scan(all, serial);
  std::vector<double> u(made.view.rows);
  CounterRng random(4, Purpose::tests);
  for (double& value : u) value = random.unit() - 0.5;
  columns.project(u);
  std::vector<double> out(all.size());
  double flops = 0;
  for (const VarId j : all) flops += static_cast<double>(columns.work(j));
  return typical_seconds(11, [&] { columns.dots(all, u, out, serial); }) / flops;
}

double pair_products(const MadeUpColumns& made) {
  const StandardizedColumns columns(made.view, {});
  SerialChunks serial;
  const auto lefts = first_columns(kPairColumns);
  const auto rights = first_columns(kPairColumns, kPairColumns);
  std::vector<double> out(kPairColumns * kPairColumns);
  columns.gram(lefts, rights, out, serial);
  const double flops = 2.0 * static_cast<double>(made.view.rows) * kPairColumns * kPairColumns;
  return typical_seconds(15, [&] { columns.gram(lefts, rights, out, serial); }) / flops;
}

/// A block as the Lasso solves them: unit columns with a common factor, a fifth of the largest penalty.
double inner_solve() {
  constexpr std::size_t k = kSolveVariables;
  constexpr std::size_t n = 300;
  CounterRng random(5, Purpose::tests);
  std::vector<double> x(k * n);
  for (std::size_t j = 0; j < k; ++j) {
    double squared = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double value = random.unit() - 0.5 + 0.2 * static_cast<double>(i % 7) / 7;
      x[j * n + i] = value;
      squared += value * value;
    }
    for (std::size_t i = 0; i < n; ++i) x[j * n + i] /= std::sqrt(squared);
  }
  std::vector<double> gram_matrix(k * k);
  SerialChunks serial;
  gram(x, x, n, gram_matrix, serial);
  std::vector<double> gradient(k);
  double largest = 0;
  for (double& value : gradient) {
    value = random.unit() - 0.5;
    largest = std::max(largest, std::abs(value));
  }
  double flops = 1;
  const double seconds = typical_seconds(7, [&] {
    std::vector<double> products(gram_matrix.begin(), gram_matrix.end());  // new memory each time, as a block's is
    std::vector<double> solution(k, 0.0);
    const L1Quadratic problem{products, gradient, largest / 5, -1};
    flops = static_cast<double>(solve_l1_quadratic(problem, solution, {.gap_max = 1e-9}).flops);
  });
  return seconds / flops;
}

}  // namespace

void measure_work(const CalibrationOptions& options, Calibration& out, const Say& say) {
  const auto calls = genotypes(options.rows, kPassBytes / 4);
  out.costs.streamed_flop = pass(*calls);
  say("a pass over genotypes", out.costs.streamed_flop, "a flop");
  out.costs.tiled_flop = pair_products(*calls);
  say("products of pairs", out.costs.tiled_flop, "a flop");
  out.streamed_flop_f32 = pass(*dense<float>(options.rows, Storage::dense_f32));
  say("a pass over floats", out.streamed_flop_f32, "a flop");
  out.streamed_flop_f64 = pass(*dense<double>(options.rows, Storage::dense_f64));
  say("a pass over doubles", out.streamed_flop_f64, "a flop");
  out.streamed_flop_sparse = pass(*sparse(options.rows));
  say("a pass over compressed columns", out.streamed_flop_sparse, "a flop");
  out.costs.local_flop = inner_solve();
  say("an inner solve", out.costs.local_flop, "a flop");
}

}  // namespace strads::calibration
