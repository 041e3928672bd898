// What StandardizedColumns holds, split over columns*.cpp by subject. Layer: numerics. Pure, private.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "numerics/columns/covariates.hpp"
#include "numerics/columns/read_ahead.hpp"
#include "numerics/kernels/kernels.hpp"
#include "strads/numerics/columns.hpp"

namespace strads {

/// Columns of a piece of a scan or of dots(): about this many bytes.
inline constexpr std::uint64_t kPieceBytes = 65536;
/// Rows of a piece of combine(): a commit of many columns should keep all cores of a host busy, and smaller pieces cost
/// no time (1,000 genotype columns of 20,000 rows: 1.75 ms at 512 as at 4,096). A row's bits do not depend on it.
inline constexpr std::size_t kPieceRows = 512;

/// Entries of one sparse column.
template <class T>
struct SparseColumn {
  const std::uint32_t* rows;
  const T* values;
  std::size_t size;
};

/// Statistics of one column: a pure function of it.
struct ColumnStatistics {
  double mean = 0;          ///< over observed samples, also with center off
  double norm = 1;          ///< s_j
  double squared_norm = 0;  ///< L_j
  std::uint32_t missing = 0;
  ColumnState state = ColumnState::constant;
};

/// Share of the sum of squares below which centring left nothing but rounding.
inline constexpr double kConstant = 1e-22;  // both passes are exact to about 1e-16 of the values
/// Sums of squares outside of these lose digits, or overflow, somewhere on their way.
inline constexpr double kSquaresMin = 1e-200, kSquaresMax = 1e200;
/// Norms outside of these have products that do.
inline constexpr double kPlainNormMin = 1e-140, kPlainNormMax = 1e140;
[[nodiscard]] constexpr bool is_plain_norm(double norm) {
  return norm > kPlainNormMin && norm < kPlainNormMax;
}
/// Norms and means outside of these cannot be represented together with their reciprocals: the column takes no part.
inline constexpr double kScaleMin = 1e-290, kScaleMax = 1e290;

/// e such that the largest of `count` numbers is about 2^e, where their sum of squares is outside of kSquaresMin to
/// kSquaresMax; else 0. Times 2^-e, which is exact, such numbers are like any others. `value(i)`: the number at i.
template <class Value>
[[nodiscard]] int scale_exponent(double squares, std::size_t count, const Value& value) {
  if (squares > kSquaresMin && squares < kSquaresMax) return 0;
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(static_cast<double>(value(i))));
  return largest > 0 ? std::clamp(std::ilogb(largest), -1000, 1000) : 0;
}

/// Where mean, norm and state of one column are published: 16 bytes, since a genome has millions of columns, and every
/// pass reads them all. No lock: whoever needs a column first computes it, and threads that do so at the same time
/// store the same bits. A reader that has seen known() may ask for the rest, also for that of SeldomAsked.
class ColumnSlot {
 public:
  [[nodiscard]] bool known() const { return norm_.load(std::memory_order_acquire) != kUnscanned; }
  [[nodiscard]] bool kept() const { return std::bit_cast<double>(norm_.load(std::memory_order_acquire)) > 0; }
  [[nodiscard]] ColumnState state() const {
    const std::uint64_t bits = norm_.load(std::memory_order_relaxed);
    if (bits == kConstant) return ColumnState::constant;
    if (bits == kExcluded) return ColumnState::excluded;
    return std::bit_cast<double>(bits) > 0 ? ColumnState::kept : ColumnState::collinear;
  }
  [[nodiscard]] double mean() const { return mean_.load(std::memory_order_relaxed); }
  [[nodiscard]] double norm() const {
    const auto norm = std::bit_cast<double>(norm_.load(std::memory_order_relaxed));
    if (norm > 0) [[likely]]
      return norm;
    return norm < 0 ? -norm : 1.0;
  }

  /// The norm of a kept column; of others a number that is not > 0, which may be none.
  [[nodiscard]] double norm_where_kept() const { return std::bit_cast<double>(norm_.load(std::memory_order_acquire)); }

  void publish(const ColumnStatistics& found) {
    mean_.store(found.mean, std::memory_order_relaxed);
    norm_.store(word_of(found), std::memory_order_release);
  }

 private:
  /// The state is in the norm, which is positive: negative is a collinear column's, and the others have none.
  static constexpr std::uint64_t kUnscanned = 0;
  static constexpr std::uint64_t kConstant = 0x7ff8000000000001, kExcluded = 0x7ff8000000000002;  // not numbers
  static std::uint64_t word_of(const ColumnStatistics& found) {
    if (found.state == ColumnState::constant) return kConstant;
    if (found.state == ColumnState::excluded) return kExcluded;
    return std::bit_cast<std::uint64_t>(found.state == ColumnState::kept ? found.norm : -found.norm);
  }
  std::atomic<double> mean_ = 0;
  std::atomic<std::uint64_t> norm_ = kUnscanned;
};
static_assert(sizeof(ColumnSlot) == 16);

/// What is seldom asked of a column, or nearly always the same: a byte a column, and more where that is not enough.
/// Published before the slot, read after it.
class SeldomAsked {
 public:
  /// `near_one`: squared norms are 1 up to rounding.
  SeldomAsked(std::size_t columns, bool near_one);

  void publish(VarId j, const ColumnStatistics& found);
  [[nodiscard]] bool any_missing(VarId j) const { return (byte(j) & kAnyMissing) != 0; }
  [[nodiscard]] std::uint32_t missing(VarId j) const {
    return any_missing(j) ? std::atomic_ref(missing_[j]).load(std::memory_order_relaxed) : 0;
  }
  /// L_j of a kept column.
  [[nodiscard]] double squared_norm(VarId j) const {
    if (squared_norms_) return std::atomic_ref(squared_norms_[j]).load(std::memory_order_relaxed);
    return std::bit_cast<double>(kZeroSteps + (byte(j) & kStepsMask));
  }

 private:
  /// Numbers next to 1 are counted by their bits: l / (sqrt(l) sqrt(l)) is within three roundings of 1, and a rounding
  /// is one number above 1 and two below.
  static constexpr std::uint64_t kZeroSteps = std::bit_cast<std::uint64_t>(1.0) - 8;
  static constexpr std::uint8_t kAnyMissing = 0x80, kStepsMask = 0x0f;
  [[nodiscard]] std::uint8_t byte(VarId j) const { return bytes_[j].load(std::memory_order_relaxed); }

  std::vector<std::atomic<std::uint8_t>> bytes_;  ///< where L_j is around 1, and kAnyMissing
  std::unique_ptr<double[]> squared_norms_;       ///< null: near one
  std::unique_ptr<std::uint32_t[]> missing_;      ///< pages untouched where nothing is missing
};

struct StandardizedColumns::State {
  State(ColumnsView view_of_data, Standardization how_to, const std::vector<std::vector<double>>& covariate_vectors);

  /// The statistics of column j, computed now if nobody has asked before.
  [[nodiscard]] const ColumnSlot& column(VarId j) const {
    if (!columns[j].known()) [[unlikely]]
      scan_alone(j);
    return columns[j];
  }
  [[nodiscard]] bool takes_part(VarId j) const { return columns[j].kept() || column(j).kept(); }
  // REQUIRED of these: column(j) or takes_part(j) was asked before.
  [[nodiscard]] bool any_missing(VarId j) const { return seldom.any_missing(j); }
  [[nodiscard]] std::uint32_t missing(VarId j) const { return seldom.missing(j); }
  [[nodiscard]] double squared_norm(VarId j) const { return columns[j].kept() ? seldom.squared_norm(j) : 0.0; }
  /// mu_j.
  [[nodiscard]] double shift(VarId j) const { return shift_of(columns[j].mean()); }
  [[nodiscard]] double shift_of(double mean) const { return how.center ? mean : 0.0; }
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(view.rows); }
  [[nodiscard]] bool is_sparse() const {
    return view.storage == Storage::sparse_f32 || view.storage == Storage::sparse_f64;
  }
  [[nodiscard]] bool has_bytes() const { return is_bytes(view.storage); }
  [[nodiscard]] std::size_t columns_per_piece() const;
  /// Of a pass over so many columns. Where files are larger than memory, every other long one goes backwards; no bit
  /// depends on that.
  [[nodiscard]] PassOrder pass_order(std::size_t size, std::size_t per_piece) const;
  void read_ahead(std::span<const VarId> list, const PassOrder& order, const Part<std::size_t>& piece) const;

  /// Sum of the weights of the samples; their number where there are none.
  [[nodiscard]] double weight() const { return weight_; }

  // --- the column in memory ---
  [[nodiscard]] const std::byte* bytes(VarId j) const { return view.values + std::uint64_t{j} * view.column_stride; }
  [[nodiscard]] const std::uint8_t* calls(VarId j) const { return reinterpret_cast<const std::uint8_t*>(bytes(j)); }
  template <class T>
  [[nodiscard]] const T* dense(VarId j) const {
    return reinterpret_cast<const T*>(bytes(j));
  }
  template <class T>
  [[nodiscard]] SparseColumn<T> sparse(VarId j) const {
    const std::uint64_t begin = view.starts[j];
    return {view.row_numbers.data() + begin, reinterpret_cast<const T*>(view.values) + begin,
            static_cast<std::size_t>(view.starts[std::size_t{j} + 1] - begin)};
  }

  // --- columns_scan.cpp ---
  void scan(VarId j, std::vector<double>& scratch) const;
  void scan_alone(VarId j) const;
  [[nodiscard]] ColumnStatistics statistics(VarId j, std::vector<double>& scratch) const;
  [[nodiscard]] ColumnStatistics scan_genotype(VarId j) const;
  [[nodiscard]] ColumnStatistics scan_bytes(VarId j) const;
  [[nodiscard]] ColumnStatistics scan_dosages(VarId j) const;
  template <class T>
  [[nodiscard]] ColumnStatistics scan_dense(VarId j, std::vector<double>& scratch) const;
  /// Of the column times 2^-exponent, which it finds out by itself.
  template <class T>
  [[nodiscard]] ColumnStatistics scan_sparse(VarId j, int exponent = 0) const;
  /// Sets norm, squared norm and state from the centred (or, with center off, plain) sum of squares l. All of them, and
  /// the mean in `found`, are of the column times 2^-exponent (scale_exponent()).
  [[nodiscard]] ColumnStatistics finish(VarId j, ColumnStatistics found, bool constant, double l, double squares,
                                        int exponent = 0) const;
  /// finish() of a column that is not constant; for any numbers.
  [[nodiscard]] ColumnStatistics finish_extreme(VarId j, ColumnStatistics found, double l, int exponent) const;
  void project_statistics(VarId j, ColumnStatistics& found) const;
  /// q_k'x~_j; published like the statistics.
  [[nodiscard]] double share(VarId j, std::size_t k) const {
    return std::atomic_ref(shares[std::size_t{j} * covariates.size() + k]).load(std::memory_order_relaxed);
  }

  // --- columns.cpp: u and v are pieces of vectors from row `begin` on; weights are not looked at ---
  [[nodiscard]] double dot(VarId j, const double* u, double total) const;
  /// The same for a column of which only mean and norm are known.
  [[nodiscard]] double dot(VarId j, double mean, double norm, const double* u, double total) const;
  /// dot() of sparse columns list[begin, end), bit for bit, without asking for each what all have in common.
  template <class T>
  void dots_sparse(std::span<const VarId> list, std::size_t begin, std::size_t end, const double* u, double total,
                   std::span<double> out) const;
  /// v += alpha (x_j - shift) / s_j over rows [begin, end); begin is a multiple of 4. Leaves values at dropped rows.
  void add_rows(VarId j, double alpha, std::size_t begin, std::size_t end, double* v) const;
  /// The same without the shift of sparse columns, which touches every row.
  void add_entries(VarId j, double alpha, std::size_t begin, std::size_t end, double* v) const;
  /// Says which columns will be read soon where somebody wants to know.
  void expect(std::span<const VarId> list) const;
  void clear_dropped(std::size_t begin, std::size_t end, double* v) const;
  void project(std::span<double> v) const;
  // --- columns_weights.cpp ---
  [[nodiscard]] ColumnStatistics weighted_genotype(VarId j) const;
  /// `values`: those of the samples times 2^-exponent, destroyed; `constant`: all of them are `first`.
  [[nodiscard]] ColumnStatistics weighted_values(VarId j, std::span<double> values, double first, bool constant,
                                                 int exponent) const;
  template <class T>
  [[nodiscard]] ColumnStatistics weighted_sparse(VarId j, int exponent = 0) const;
  /// sqrt(w_i) u_i: what a column as it is stored is multiplied with. REQUIRES: weights.
  [[nodiscard]] std::vector<double> weighted(std::span<const double> u) const;
  /// v_i <- sqrt(w_i) v_i for v of rows from `begin` on; nothing without weights.
  void weigh(std::size_t begin, std::size_t end, double* v) const;
  [[nodiscard]] double weighted_dot(VarId j, std::span<const double> u, double total) const;
  void weighted_add(VarId j, double alpha, std::span<double> v) const;

  // --- columns_quantised.cpp ---
  struct ApproximateTile;
  void gather(std::span<const VarId> list, ApproximateTile& tile) const;
  /// Calls kernel(places, c) for every four columns from c on, and fetches as many of those that come later.
  template <class Kernel>
  void for_each_four(const ApproximateTile& tile, std::span<const VarId> later, const Kernel& kernel) const;
  void approximate(std::span<const VarId> list, std::span<const VarId> later, ApproximateTile& tile, double* out) const;
  void approximate_bytes(std::span<const VarId> list, std::span<const VarId> later, ApproximateTile& tile,
                         double* out) const;
  /// The column, or a copy with zeros behind it where the storage ends too early for `bytes` of it.
  [[nodiscard]] const std::uint8_t* whole_chunks(VarId j, std::size_t bytes, std::uint8_t* copy) const;

  // --- columns_gram.cpp ---
  /// (x_j - mu_j 1)'(x_k - mu_k 1) over the samples, missing calls imputed; not divided by the norms.
  [[nodiscard]] double raw_pair(VarId j, VarId k) const;
  [[nodiscard]] std::uint64_t copies(VarId j) const;
  [[nodiscard]] bool any_missing(VarId j, VarId k) const;
  [[nodiscard]] double genotype_product(VarId j, VarId k, GenotypeProducts sums) const;
  [[nodiscard]] double dense_product(VarId j, VarId k) const;
  [[nodiscard]] double sparse_product(VarId j, VarId k, double product) const;
  /// x~_j'x~_k from the raw product: over the norms, projected.
  [[nodiscard]] double standardised_pair(VarId j, VarId k, double raw) const;
  /// x~_j'x~_k before the projection, of columns as they are decoded: for those whose raw products are no numbers.
  [[nodiscard]] double decoded_pair(VarId j, VarId k) const;
  class PlaneTable;
  struct PlaneList;
  struct GenotypeFacts;
  [[nodiscard]] std::vector<GenotypeFacts> facts_of(std::span<const VarId> list) const;
  [[nodiscard]] double simple_pair(const GenotypeFacts& left, const GenotypeFacts& right, std::uint64_t product) const;
  /// Columns of a tile with their bit planes.
  struct GenotypeColumns {
    std::span<const VarId> list;
    std::span<const GenotypePlanes> planes;
  };
  /// values[a * kGramColumns + b] = x~_a'x~_b. REQUIRES: at most kGramColumns on each side.
  void genotype_tile(const GenotypeColumns& left, const GenotypeColumns& right, double* values) const;
  void fill_planes(std::span<const VarId> list, PlaneTable& table, Chunks& chunks) const;
  void gram_genotype(std::span<const VarId> lefts, std::span<const VarId> rights, std::span<double> out,
                     Chunks& chunks) const;
  void gram_strip(const PlaneList& left, const PlaneList& right, bool symmetric, std::size_t stride, double* out,
                  Chunks& chunks) const;
  void decode_block(std::span<const VarId> list, std::size_t begin, std::size_t end, double* block) const;
  void gram_decoded(std::span<const VarId> lefts, std::span<const VarId> rights, std::span<double> out,
                    Chunks& chunks) const;
  template <class T>
  void gram_sparse(std::span<const VarId> lefts, std::span<const VarId> rights, std::span<double> out,
                   Chunks& chunks) const;
  template <class T>
  bool scattered_first(VarId j, VarId k) const;
  template <class T>
  void scatter_left(std::span<const VarId> lefts, std::span<const VarId> rights, std::size_t row_step,
                    std::size_t column_step, std::span<double> out, bool ties, Chunks& chunks) const;

  ColumnsView view;
  Standardization how;
  std::vector<std::uint64_t> keep;     ///< genotypes: both bits set at samples, 32 rows a word
  std::vector<std::uint8_t> mask;      ///< bytes: 0xFF at samples, ends with zeros at a multiple of kMaskRows
  std::vector<std::uint8_t> kept;      ///< 1 at samples; empty when no row is dropped
  std::vector<double> roots;           ///< sqrt(w_i), 0 at dropped rows; empty: all weights are 1
  std::vector<double> weights;         ///< w_i, 0 at dropped rows; empty: all 1
  std::vector<double> sample_weights;  ///< of the samples alone
  double weight_;
  mutable std::vector<ColumnSlot> columns;  ///< filled when asked for
  /// Of a column that takes part; stored before its statistics are published.
  mutable std::atomic<bool> has_extreme_norms = false;
  mutable SeldomAsked seldom;
  mutable std::atomic<unsigned> next_pass_is_backwards = 1;  ///< or 0; the first reading of all, scan(), goes forwards
  Covariates covariates;
  std::unique_ptr<double[]> shares;  ///< Q'x~_j: covariates.size() per column; pages untouched until scanned
};

// Called for every column of sparse data, most of them short: 60 instructions a column if it is a call.
[[gnu::always_inline]] inline ColumnStatistics StandardizedColumns::State::finish(VarId j, ColumnStatistics found,
                                                                                  bool constant, double l,
                                                                                  double squares, int exponent) const {
  if (constant || !(l > kConstant * squares)) {
    if (exponent != 0) found.mean = std::ldexp(found.mean, exponent);
    return found;
  }
  // Within these the norm is plain, and so is the mean, which is at most the root of what is squared.
  if (exponent != 0 || !(l > kSquaresMin && squares < kSquaresMax)) return finish_extreme(j, found, l, exponent);
  if (how.scale) found.norm = std::sqrt(l);
  found.squared_norm = how.scale ? l / (found.norm * found.norm) : l;
  found.state = ColumnState::kept;
  if (covariates.size() > 0) project_statistics(j, found);
  return found;
}

}  // namespace strads
