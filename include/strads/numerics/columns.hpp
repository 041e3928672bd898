// Standardised columns over any storage: the only way in which models touch data. Layer: numerics. Pure.
// Formulas: docs/DESIGN.md, "Implicit standardisation". Centring and scaling are never materialised.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/base/types.hpp"
#include "strads/data/dataset.hpp"
#include "strads/numerics/quantised.hpp"

namespace strads {

struct GenotypePlanes;  // numerics/kernels/kernels.hpp

/// SIMD level of the kernels. One run uses one target on all nodes; each target gives its own bits.
enum class Simd : std::uint8_t { automatic, sse4, avx2, avx512 };

/// Fixes the target for this process. Errors: usage, when the CPU lacks it. Call once, before any kernel.
[[nodiscard]] Status choose_simd(Simd wanted);
/// "sse4", "avx2", "avx512" (or "neon"): what the kernels run with now.
[[nodiscard]] std::string_view simd_name();

// --- plain dense kernels on spans of doubles (run-time dispatched, defined order of sums) ---

/// Sum over i of a_i, in the order of dot() with ones: what dots() uses as 1'u. Cost: n flops.
[[nodiscard]] double sum(std::span<const double> a);
/// Sum over i of a_i b_i. Cost: 2n flops. REQUIRES: equal sizes.
[[nodiscard]] double dot(std::span<const double> a, std::span<const double> b);
/// y <- y + alpha x. Cost: 2n flops. REQUIRES: equal sizes.
void axpy(double alpha, std::span<const double> x, std::span<double> y);
/// out[a * count + b] = sum_i left(i, a) right(i, b) for `left` (n x left_count) and `right` (n x right_count), both
/// column-major with leading dimension n; out row-major, left_count x right_count.
/// The bits of an entry depend on its two columns only, never on the tile it falls into, and are symmetric in them.
/// Cost: 2 n left_count right_count flops.
void gram(std::span<const double> left, std::span<const double> right, std::size_t n, std::span<double> out,
          Chunks& chunks);

/// How columns are standardised.
struct Standardization {
  bool center = true;  ///< subtract the mean (implicitly)
  bool scale = true;   ///< divide by the 2-norm of what is left
};

/// Why a column takes no part.
enum class ColumnState : std::uint8_t { kept, constant, excluded, collinear };

/// x~_j = (x_j - mu_j 1) / s_j over the samples, 0 at missing calls and at dropped rows; with covariates Q also
/// projected: P x~_j = x~_j - Q Q'x~_j (s_j from before the projection).
///
/// With sample weights w (ColumnsView::weights) mu_j and s_j are weighted, and x~_j below stands for sqrt(w) o x~_j, as
/// u, v stand for sqrt(w) o the vector of the samples: then weighted inner products are plain ones, and nobody who uses
/// these columns needs to know. Cost: rows more multiplications for every vector that goes in or comes out.
///
/// Statistics are a pure function of the column: whoever needs one first computes it, and everybody finds it from then
/// on. `scan` and `prepare` do so for many columns at once. Thread-safe without locks: several threads may ask for the
/// same column at the same time.
class StandardizedColumns {
 public:
  /// `covariates`: vectors of length rows to project out besides the constant (may be empty; need center = true).
  StandardizedColumns(ColumnsView view, Standardization how, const std::vector<std::vector<double>>& covariates = {});
  ~StandardizedColumns();
  StandardizedColumns(const StandardizedColumns&) = delete;
  StandardizedColumns& operator=(const StandardizedColumns&) = delete;

  [[nodiscard]] const ColumnsView& view() const;
  [[nodiscard]] std::uint64_t rows() const;  ///< length of the vectors below
  [[nodiscard]] std::uint64_t samples() const;
  [[nodiscard]] double weight() const;           ///< sum of the sample weights; without them samples()
  [[nodiscard]] std::size_t covariates() const;  ///< vectors projected out besides the constant
  [[nodiscard]] VarId size() const;              ///< J

  /// Computes mean, norm, missing count and state of the given columns. Chunk bounds depend on the list only.
  /// Cost: one pass over the columns.
  void scan(std::span<const VarId> columns, Chunks& chunks) const;
  /// The same for those of them that nobody has asked for yet. Not required: what is below does it column by column.
  void prepare(std::span<const VarId> columns, Chunks& chunks) const;

  /// These columns will be read soon, in any order: a hint, and only for files that memory cannot hold. combine(),
  /// gram() and Pairs::prepare() give it themselves; whoever reads many columns one by one calls it before.
  void expect(std::span<const VarId> columns) const;
  /// The same for a pass over a list in its order, of which the piece [begin, end) is read next: asks for what comes
  /// some megabytes later. scan(), dots() and approximate_dots() do so for theirs.
  void read_ahead(std::span<const VarId> columns, std::size_t begin, std::size_t end) const;

  [[nodiscard]] ColumnState state(VarId j) const;
  [[nodiscard]] double mean(VarId j) const;           ///< mu_j over observed samples; 0 with center off
  [[nodiscard]] double observed_mean(VarId j) const;  ///< mean over observed samples, also with center off
  [[nodiscard]] double norm(VarId j) const;           ///< s_j: the divisor (1 with scale off)
  [[nodiscard]] double squared_norm(
      VarId j) const;  ///< L_j = ||x~_j||^2 (1 up to rounding with scale on and no covariates); 0 if dropped
  [[nodiscard]] std::uint64_t missing(VarId j) const;  ///< missing calls among the samples
  [[nodiscard]] std::uint64_t work(VarId j) const;     ///< flops of one dot with this column (workload of an update)

  /// Square roots of the weights, 0 at dropped rows; empty: all 1.
  [[nodiscard]] std::span<const double> roots() const;
  /// 1'u; with weights sqrt(w)'u. Cost: rows.
  [[nodiscard]] double total(std::span<const double> u) const;
  /// x~_j'u. `total` is total(u) (needed because centring is implicit); 0 for a dropped column. Cost: work(j).
  /// With covariates u must be projected already (u = P u): then it is the product with P x~_j too.
  [[nodiscard]] double dot(VarId j, std::span<const double> u, double total) const;
  /// out[i] = x~_{columns[i]}'u, all threads. One slot per column; without weights the bits equal those of dot() with
  /// total(u).
  void dots(std::span<const VarId> columns, std::span<const double> u, std::span<double> out, Chunks& chunks) const;

  /// For who goes through list[0, end) one by one and is at i: columns that come soon are fetched into a cache.
  /// Sparse columns only: the processor foresees the others. Cost: a few instructions.
  void fetch_ahead(std::span<const VarId> list, std::size_t i, std::size_t end) const;

  // --- bounds on products (docs/DESIGN.md, "Passes"); all of them hold for the numbers that dots() returns ---

  /// True iff approximate_dots() is there: genotypes and columns of bytes.
  [[nodiscard]] bool can_approximate() const;
  /// The order of rows that a vector for approximate_dots() must have.
  [[nodiscard]] QuantisedOrder quantised_order() const;
  /// out[i] = x~_{columns[i]}'(u - e) for q of a u as dots() takes it (and of roots()), in quantised_order(). The same
  /// bits on every target of choose_simd(). |out[i] - dots()| <= length_bound(j) (q.error + rounding_bound(j)
  /// q.length). Genotypes without missing calls: less than half of what dots() costs; with them twice that. Bytes: as
  /// fast as memory, somewhat less than dots(). REQUIRES: can_approximate().
  void approximate_dots(std::span<const VarId> columns, const QuantisedVector& q, std::span<double> out,
                        Chunks& chunks) const;
  /// >= ||x~_j|| before projection: by so much at most does x~_j'u change with ||u||.
  [[nodiscard]] double length_bound(VarId j) const;
  /// By so much ||u|| length_bound(j) at most do dot()'s numbers differ from x~_j'u.
  [[nodiscard]] double rounding_bound(VarId j) const;

  /// v <- v + alpha x~_j, dropped rows stay 0. Not projected: call project() once after a series of adds.
  /// Sparse columns with center on change every row; use combine() for many columns.
  void add(VarId j, double alpha, std::span<double> v) const;
  /// True iff add_entries() and lower() are there: sparse columns without weights and covariates.
  [[nodiscard]] bool can_add_entries() const;
  /// add() without centring: changes the samples that x_j has entries for, and no others. Returns what lower() must
  /// subtract for the rest. REQUIRES: can_add_entries(). Cost: work(j).
  [[nodiscard]] double add_entries(VarId j, double alpha, std::span<double> v) const;
  /// v <- v - level at every sample.
  void lower(double level, std::span<double> v) const;
  /// v = sum_k coefficients[k] x~_{columns[k]}, projected; order of sums fixed by row chunks and the list.
  /// `v` has length rows. Cost: the columns' work, plus rows. All threads.
  void combine(std::span<const VarId> columns, std::span<const double> coefficients, std::span<double> v,
               Chunks& chunks) const;
  /// v <- P v: removes the covariates (nothing without covariates), and with center on the mean over the samples.
  void project(std::span<double> v) const;
  /// q_k'x~_j with the k-th of the orthonormal vectors that project() removes besides the constant. REQUIRES:
  /// k < covariates(), j was scanned.
  [[nodiscard]] double share(VarId j, std::size_t k) const;
  /// out = x~_j as a plain vector of length rows, projected. Cost: rows.
  void decode(VarId j, std::span<double> out) const;
  /// x~_j'x~_k (projected). Cost: one pair product; for genotypes by bit counts.
  [[nodiscard]] double pair(VarId j, VarId k) const;
  /// out (lefts x rights, row-major) = x~_j'x~_k, projected. The bits of an entry depend on its two columns only and
  /// are symmetric in them: it does not matter with which others they are asked for. All threads.
  void gram(std::span<const VarId> lefts, std::span<const VarId> rights, std::span<double> out, Chunks& chunks) const;
  /// All pairs of one list.
  void gram(std::span<const VarId> columns, std::span<double> out, Chunks& chunks) const;
  /// out (k x k, row-major) = sum_i omega_i x~_ia x~_ib of the columns without sqrt(w) and without projection, for
  /// weights omega of every row (0 at dropped rows) that need not be those of the samples: the Gram matrix of a Newton
  /// step. Every entry depends on its two columns only. Cost: k^2 rows flops, whatever the storage; all threads.
  void weighted_gram(std::span<const VarId> columns, std::span<const double> omega, std::span<double> out,
                     Chunks& chunks) const;
  /// Least-squares coefficients of [1, covariates] for the vector e (original units; with weights sqrt(w) o e), used
  /// for the intercept.
  [[nodiscard]] std::vector<double> covariate_coefficients(std::span<const double> e) const;

  class Pairs;
  class Heavy;
  class ByRows;
  class Preconditioner;
  class Reweighted;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Some columns under weights omega that change from one Newton step to the next: coordinate descent on the quadratic
///   1/2 sum_i omega_i (Delta_i)^2 - sum_i u_i Delta_i,   Delta = X~ delta + c
/// of a loss whose slopes are u and whose curvatures are omega, with the intercept's change c solved exactly after
/// every update (where there is one). X~ is without sqrt(w): omega and u have the sample weights. Not projected.
class StandardizedColumns::Reweighted {
 public:
  /// `columns` and `list` must outlive this.
  Reweighted(const StandardizedColumns& columns, std::span<const VarId> list);
  ~Reweighted();
  Reweighted(const Reweighted&) = delete;
  Reweighted& operator=(const Reweighted&) = delete;

  /// A new quadratic, at delta = 0. REQUIRES: omega > 0 at samples, 0 at dropped rows; with `intercept` sum u = 0 up to
  /// rounding. `places`: those of the list that will be asked for. Cost: one pass over these columns, all threads.
  void start(std::span<const double> omega, std::span<const double> u, bool intercept,
             std::span<const std::size_t> places, Chunks& chunks);
  /// The second derivative by place k of the list.
  [[nodiscard]] double squared_norm(std::size_t k) const { return squared_norms_[k]; }
  /// Minus the first one, after all moves. Cost: one dot with the column.
  [[nodiscard]] double gradient(std::size_t k);
  /// delta_k += delta. Cost: as gradient().
  void move(std::size_t k, double delta);
  /// Delta += v, of every row.
  void move_all(std::span<const double> v);
  /// out_i = u_i - omega_i Delta_i.
  void residual(std::span<double> out) const;

 private:
  struct Row {
    double q = 0, omega = 0;  ///< residual but for the intercept's part; one line of the cache has both
  };
  void decode(std::size_t k);
  template <class T>
  void start_sparse(std::size_t k);
  void start_dense(std::size_t k, std::vector<double>& column);
  void finish(std::size_t k, double sum, double squares);
  const StandardizedColumns& columns_;
  std::span<const VarId> list_;
  std::vector<Row> rows_;
  bool intercept_ = false;
  double weight_ = 0;                      ///< sum omega
  double level_ = 0;                       ///< the intercept's change
  std::vector<double> sums_;               ///< by place: sum_i omega_i x_ik / s_k of the column as it is met
  std::vector<double> squared_norms_;      ///< by place
  std::vector<double> column_;             ///< of dense storages: the one decoded last,
  std::size_t decoded_ = ~std::size_t{0};  ///< and its place
};

/// Some columns, made ready for many products of single pairs in no known order. Genotypes are unpacked to bit planes:
/// a product then costs a quarter of pair(). Other storages are read where they are.
///
/// Where most pairs are never asked for because an earlier answer decides (Algorithm 1 meets a conflict after some 30
/// of 240 checks), this is faster than gram() of all of them.
class StandardizedColumns::Pairs {
 public:
  explicit Pairs(const StandardizedColumns& columns);
  ~Pairs();
  Pairs(const Pairs&) = delete;
  Pairs& operator=(const Pairs&) = delete;

  /// Replaces the list. Cost: one pass over these columns, all threads.
  void prepare(std::span<const VarId> list, Chunks& chunks);
  /// pair() of the columns at two places of the list, bit for bit. Thread-safe.
  [[nodiscard]] double product(std::size_t a, std::size_t b) const;
  /// gram() of the columns at some places with all of the list, bit for bit: lefts x list, row-major. All threads.
  void products(std::span<const std::uint32_t> lefts, std::span<double> out, Chunks& chunks) const;

 private:
  struct Facts;
  [[nodiscard]] bool planes() const;
  const StandardizedColumns& columns_;
  const State& state_;
  std::vector<VarId> list_;
  std::vector<Facts> facts_;
  std::vector<std::uint64_t> bits_;  ///< four planes a column
  std::vector<GenotypePlanes> planes_;
};

/// The heaviest columns of sparse data, packed row by row together with their Gram matrix. In power-law data 194
/// columns of a million hold a third of all entries, and nine tenths of those of a working set. With their products at
/// hand coordinate descent on them takes two passes over packed rows, all threads, however many updates it does, where
/// it otherwise reads and changes a residual once an update. Thread-safe.
class StandardizedColumns::Heavy {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// Which columns are heavy, ascending, by the data alone: those with entries in a sixteenth of the rows, and of more
  /// than 256 the heaviest. None where can_add_entries() is false. Cost: a look at every column.
  [[nodiscard]] static std::vector<VarId> choose(const StandardizedColumns& columns);

  /// `list`: ascending, at most 256. REQUIRES: columns.can_add_entries(). `columns` must outlive this.
  /// Cost: three passes over the columns and, for every row, its entries squared; all threads.
  Heavy(const StandardizedColumns& columns, std::span<const VarId> list, Chunks& chunks);
  ~Heavy();
  Heavy(const Heavy&) = delete;
  Heavy& operator=(const Heavy&) = delete;

  [[nodiscard]] std::size_t size() const;
  /// Where column j is in the list; kNone: nowhere. Cost: log of the list.
  [[nodiscard]] std::uint32_t place(VarId j) const;
  /// out[h] = x~_h'u for all of the list: dots(), up to rounding. Cost: one pass over the packed rows, all threads.
  void dots(std::span<const double> u, double total, std::span<double> out, Chunks& chunks) const;
  /// As StandardizedColumns::add_entries(): v <- v + sum_h coefficients[h] x~_h but for centring. Returns what lower()
  /// must subtract for that. Cost: one pass over the packed rows, all threads.
  [[nodiscard]] double add_entries(std::span<const double> coefficients, std::span<double> v, Chunks& chunks) const;
  /// x~_h'x~_k for all k of the list: pair(), up to rounding.
  [[nodiscard]] std::span<const double> products(std::size_t h) const;

 private:
  friend class ByRows;
  struct Packed;
  template <class T>
  void pack(Chunks& chunks);
  /// v += sum_h scales[h] x_h, of the columns as they are stored, at rows [begin, end): whole blocks of SparseRows.
  void add(std::span<const double> scales, std::size_t begin, std::size_t end, double* v) const;
  /// The same, then sums[h] += x_h'v over these rows.
  void add_and_sum(std::span<const double> scales, std::size_t begin, std::size_t end, double* v, double* sums) const;
  const StandardizedColumns& columns_;
  std::vector<VarId> list_;
  std::uint64_t entries_ = 0;
  std::unique_ptr<Packed> packed_;
  std::vector<double> norms_, shifts_;  ///< by place; norm 0: takes no part
  std::vector<double> products_;        ///< row-major
};

/// Some columns, made ready for many combinations. Sparse ones are packed row by row (12 bytes an entry at most): a
/// combination then reads entries one after the other, and threads share the rows. Others are read where they are.
class StandardizedColumns::ByRows {
 public:
  /// `list` must outlive this. Cost: two passes over the columns, all threads.
  /// `heavy`: of the same columns; may be null, must outlive this. What it holds of the list is not packed again.
  ByRows(const StandardizedColumns& columns, std::span<const VarId> list, Chunks& chunks, const Heavy* heavy = nullptr);
  ~ByRows();
  ByRows(const ByRows&) = delete;
  ByRows& operator=(const ByRows&) = delete;

  /// combine() of the list: bit for bit without heavy columns, up to rounding with them.
  void combine(std::span<const double> coefficients, std::span<double> v, Chunks& chunks);
  /// out = X~'X~ coefficients, for X~ the columns of the list: dots() after combine(), up to rounding, in one pass over
  /// the entries where columns are sparse and there are no covariates. Cost: twice the columns' work.
  void multiply(std::span<const double> coefficients, std::span<double> out, Chunks& chunks);

 private:
  struct Packed;
  template <class T>
  [[nodiscard]] std::unique_ptr<Packed> pack(Chunks& chunks) const;
  double scale(std::span<const double> coefficients);
  [[nodiscard]] std::uint32_t heavy_place(std::size_t k) const;
  void image(double level, std::size_t begin, std::size_t end, std::span<double> v) const;
  [[nodiscard]] std::size_t begin_of(std::size_t piece, std::size_t pieces) const;
  const StandardizedColumns& columns_;
  std::span<const VarId> list_;
  const Heavy* heavy_;                       ///< may be null, and what belongs to it empty
  std::vector<std::uint32_t> heavy_places_;  ///< among the heavy columns, by place
  std::vector<double> heavy_scales_;         ///< by place among the heavy columns
  std::vector<double> image_;                ///< of multiply() with heavy columns
  std::unique_ptr<Packed> packed_;           ///< null: nothing is packed, and what follows is empty
  std::vector<double> norms_, shifts_;       ///< by place; norm 0: takes no part
  std::vector<double> scales_;               ///< coefficients / norms
  std::vector<double> sums_;                 ///< of multiply(), a vector for each piece of the rows
};

/// An approximate inverse of X~'X~ + diag(l2) for some columns, which conjugate gradients go faster with
/// [GolubVanLoan13, 11.5]. In sparse data with few heavy and many light columns (words, say) what is ill-conditioned is
/// light: columns of two or three entries that share rows. Their Gram matrix has few entries and its Cholesky factor
/// little more, so it is inverted as it is (without the means, and with a ridge of 1 %); of the other columns only the
/// diagonal is. Where columns are not sparse, or most of them are not light, all that is left is the diagonal.
class StandardizedColumns::Preconditioner {
 public:
  /// `l2`: >= 0, one for each column of the list. Cost: a sort of the list, one pass over the light columns,
  /// work_made().
  Preconditioner(const StandardizedColumns& columns, std::span<const VarId> list, std::span<const double> l2);
  ~Preconditioner();
  Preconditioner(const Preconditioner&) = delete;
  Preconditioner& operator=(const Preconditioner&) = delete;

  /// z = M^-1 r; both have one number a column. Columns that take no part and have no l2 get 0.
  void apply(std::span<const double> r, std::span<double> z) const;
  /// Columns that the factor holds; 0: all there is is the diagonal.
  [[nodiscard]] std::size_t light() const;
  /// Flops of making it, and of one apply().
  [[nodiscard]] std::uint64_t work_made() const;
  [[nodiscard]] std::uint64_t work() const;

 private:
  struct Factor;
  struct Light;
  template <class T>
  [[nodiscard]] static Light light_of(const State& state, std::span<const VarId> list);
  template <class T>
  void factorise(const State& state, std::span<const VarId> list, std::span<const double> l2);
  std::vector<double> inverse_;        ///< of the diagonal
  std::vector<std::uint32_t> places_;  ///< of the light columns
  std::unique_ptr<Factor> factor_;     ///< null: no light columns
  std::uint64_t work_made_ = 0;
};

}  // namespace strads
