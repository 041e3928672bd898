// What arithmetic costs here: passes by storage, tiled products, inner solves.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "program/calibrate/calibrate_parts.hpp"
#include "strads/base/random.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/numerics/l1_quadratic.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::calibration {
namespace {

constexpr std::size_t kPassBytes = std::size_t{48} << 20;        // of floats, doubles and compressed columns
constexpr std::size_t kGenotypeBytesMax = std::size_t{1} << 28;  // of more, no cache holds a part worth mentioning
constexpr std::size_t kShortBytes = std::size_t{8} << 20;        // of genotypes, where it has to be quick
constexpr VarId kSweptColumns = 3000;                            // as large a joint block as a fit of the tests has
constexpr VarId kScatteredColumns = 10'000;                      // touched in one measurement
constexpr std::size_t kPairColumns = 256;
constexpr std::size_t kSolveVariables = 600;  // their products do not fit into a second-level cache, as in a run
constexpr double kSparseFill = 0.02;

/// A file in memory, mapped page by page as the data of a run are.
class MappedBytes {
 public:
  explicit MappedBytes(std::span<const std::byte> piece, std::size_t size) : size_(size) {
    const int file = ::memfd_create("strads-calibration", MFD_CLOEXEC);
    STRADS_CHECK(file >= 0, "the system has a descriptor for this process");
    std::size_t written = 0;
    while (written < size) {
      const auto done = ::write(file, piece.data(), std::min(piece.size(), size - written));
      STRADS_CHECK(done > 0, "there is memory for the columns that are measured; ask for fewer with --columns");
      written += static_cast<std::size_t>(done);
    }
    void* const at = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    STRADS_CHECK(at != MAP_FAILED, "there is room to map the columns that are measured");
    data_ = static_cast<const std::byte*>(at);
  }
  MappedBytes(const MappedBytes&) = delete;
  MappedBytes& operator=(const MappedBytes&) = delete;
  ~MappedBytes() { ::munmap(const_cast<std::byte*>(data_), size_); }
  [[nodiscard]] const std::byte* data() const { return data_; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_;
};

/// Columns in memory, of numbers that nobody looks at.
struct MadeUpColumns {
  std::vector<std::byte> bytes;         ///< or
  std::unique_ptr<MappedBytes> mapped;  ///< genotypes
  std::vector<std::uint64_t> starts;
  std::vector<std::uint32_t> row_numbers;
  ColumnsView view;
};

std::unique_ptr<MadeUpColumns> genotypes(std::uint64_t rows, std::uint64_t columns) {
  auto made = std::make_unique<MadeUpColumns>();
  const std::size_t stride = (rows + 3) / 4;
  const std::size_t most = std::max<std::size_t>(kGenotypeBytesMax / stride, 2 * kPairColumns);
  made->view.columns = static_cast<VarId>(std::clamp<std::size_t>(columns, 2 * kPairColumns, most));
  std::vector<std::byte> piece(std::size_t{1} << 20);  // again and again: nobody looks at the numbers
  CounterRng random(1, Purpose::tests);
  // Codes 0, 2 and 3 only: no missing calls, as in imputed data.
  for (auto& four : piece) {
    unsigned code = 0;
    constexpr unsigned kCodes[] = {0, 2, 3};
    for (int k = 0; k < 4; ++k) code = code << 2 | kCodes[random.below(3)];
    four = static_cast<std::byte>(code);
  }
  made->mapped = std::make_unique<MappedBytes>(piece, stride * made->view.columns);
  made->view.storage = Storage::genotype_2bit;
  made->view.rows = rows;
  made->view.column_stride = stride;
  made->view.values = made->mapped->data();
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
double pass(const MadeUpColumns& made, int repeats = 11) {
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
  return typical_seconds<ProcessorStopwatch>(repeats, [&] { columns.dots(all, u, out, serial); }) / flops;
}

/// Seconds for what would be one flop of the pass above, when whole numbers stand in for it.
double quantised_pass(const MadeUpColumns& made, int repeats = 11) {
  const StandardizedColumns columns(made.view, {});
  SerialChunks serial;
  const std::vector<VarId> all = first_columns(made.view.columns);
  columns.scan(all, serial);
  CounterRng random(8, Purpose::tests);
  std::vector<double> u(made.view.rows);
  for (double& value : u) value = random.unit() - 0.5;
  QuantisedVector q;
  q.assign(u, {}, columns.quantised_order());
  std::vector<double> out(all.size());
  const double flops = static_cast<double>(all.size()) * static_cast<double>(columns.work(0));
  return typical_seconds<ProcessorStopwatch>(repeats, [&] { columns.approximate_dots(all, q, out, serial); }) / flops;
}

/// What sweeps() and scattered() work with: all columns scanned, a vector without a mean.
struct SingleColumns {
  explicit SingleColumns(const MadeUpColumns& made) : columns(made.view, {}), u(made.view.rows) {
    SerialChunks serial;
    columns.scan(first_columns(made.view.columns), serial);
    CounterRng random(6, Purpose::tests);
    for (double& value : u) value = random.unit() - 0.5;
  }
  StandardizedColumns columns;
  std::vector<double> u;
};

/// Seconds of one flop of an inner solve without products of pairs: the same columns again and again, each used twice.
double sweeps(const MadeUpColumns& made) {
  SingleColumns single(made);
  const VarId count = std::min(kSweptColumns, made.view.columns);
  const VarId apart = made.view.columns / count;
  double flops = 0;
  for (VarId k = 0; k < count; ++k) flops += 2 * static_cast<double>(single.columns.work(k * apart));
  return typical_seconds<ProcessorStopwatch>(15,
                                             [&] {
                                               for (VarId k = 0; k < count; ++k) {
                                                 const double product = single.columns.dot(k * apart, single.u, 0);
                                                 single.columns.add(k * apart, -1e-3 * product, single.u);
                                               }
                                             }) /
         flops;
}

/// Seconds of one flop over columns that are drawn at random, with a vector or into one.
double scattered(const MadeUpColumns& made) {
  SingleColumns single(made);
  CounterRng random(7, Purpose::tests);
  double product = 0;
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 15; ++repeat) {
    std::vector<VarId> drawn(kScatteredColumns);
    double flops = 0;
    for (VarId& j : drawn) {
      j = static_cast<VarId>(random.below(made.view.columns));
      flops += static_cast<double>(single.columns.work(j));
    }
    const Stopwatch watch;
    for (std::size_t k = 0; k + 1 < drawn.size(); k += 2) {
      product = single.columns.dot(drawn[k], single.u, 0);
      single.columns.add(drawn[k + 1], -1e-3 * product, single.u);
    }
    seconds.push_back(watch.seconds() / flops);
  }
  return typical_of(seconds);
}

/// Seconds of one byte of a large vector that is made, filled from another one and given back.
double fresh_memory() {
  const std::vector<double> source(std::size_t{5} << 20, 1.0);  // 40 MiB: never kept by the allocator
  double sum = 0;
  const double seconds = typical_seconds<ProcessorStopwatch>(9, [&] {
    const std::vector<double> copy(source.begin(), source.end());
    sum += copy.back();
  });
  STRADS_CHECK(sum > 0, "the copies are what was copied");
  return seconds / static_cast<double>(source.size() * sizeof(double));
}

double pair_products(const MadeUpColumns& made, int repeats = 15) {
  const StandardizedColumns columns(made.view, {});
  SerialChunks serial;
  const auto lefts = first_columns(kPairColumns);
  const auto rights = first_columns(kPairColumns, kPairColumns);
  std::vector<double> out(kPairColumns * kPairColumns);
  columns.gram(lefts, rights, out, serial);
  const double flops = 2.0 * static_cast<double>(made.view.rows) * kPairColumns * kPairColumns;
  return typical_seconds<ProcessorStopwatch>(repeats, [&] { columns.gram(lefts, rights, out, serial); }) / flops;
}

/// A block as the Lasso solves them: unit columns with a common factor, a fifth of the largest penalty.
double inner_solve(int repeats = 7) {
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
  const double seconds = typical_seconds<ProcessorStopwatch>(repeats, [&] {
    std::vector<double> solution(k, 0.0);
    const L1Quadratic problem{gram_matrix, gradient, largest / 5, -1};
    flops = static_cast<double>(solve_l1_quadratic(problem, solution, {.gap_max = 1e-9}).flops);
  });
  return seconds / flops;
}

}  // namespace

double ProcessorStopwatch::now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure_work_shortly(std::uint64_t rows, std::string_view storage, Calibration& out) {
  constexpr std::uint64_t kRowsMin = 200, kRowsMax = 20'000;  // of longer ones a flop costs the same
  constexpr int kRepeats = 3;
  const std::uint64_t length = std::clamp(rows, kRowsMin, kRowsMax);
  const auto calls = genotypes(length, kShortBytes / ((length + 3) / 4));
  out.costs.streamed_flop = pass(*calls, kRepeats);
  out.costs.quantised_flop = quantised_pass(*calls, kRepeats);
  out.costs.tiled_flop = pair_products(*calls, kRepeats);
  out.costs.local_flop = inner_solve(kRepeats);
  if (storage == "dense f32") out.streamed_flop_f32 = pass(*dense<float>(length, Storage::dense_f32), kRepeats);
  if (storage == "dense f64") out.streamed_flop_f64 = pass(*dense<double>(length, Storage::dense_f64), kRepeats);
  if (storage == "sparse") out.streamed_flop_sparse = pass(*sparse(length), kRepeats);
}

void measure_work(const CalibrationOptions& options, Calibration& out, const Say& say) {
  const auto calls = genotypes(options.rows, options.columns);
  out.costs.streamed_flop = pass(*calls);
  say("a pass over genotypes", out.costs.streamed_flop, "a flop");
  out.costs.quantised_flop = quantised_pass(*calls);
  say("the same with a vector in whole numbers", out.costs.quantised_flop, "a flop");
  out.costs.swept_flop = sweeps(*calls);
  say("sweeps over some thousand of them", out.costs.swept_flop, "a flop");
  out.costs.scattered_flop = scattered(*calls);
  say("single columns here and there", out.costs.scattered_flop, "a flop");
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
  out.costs.fresh_byte = fresh_memory();
  say("new memory", out.costs.fresh_byte, "a byte");
}

}  // namespace strads::calibration
