// Columns as docs/DESIGN.md defines them, by plain loops: what the check of a run reads. Nothing in here is shared with
// StandardizedColumns and its kernels, so that a mistake in one of the two shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "strads/data/dataset.hpp"

namespace strads::lasso {

class PlainColumns {
 public:
  /// `view` must outlive this.
  PlainColumns(const ColumnsView& view, bool center, bool scale);

  /// What standardises one column.
  struct Facts {
    double mean = 0;     ///< of what is observed, also with center off
    double divisor = 0;  ///< s_j; not > 0: the column takes no part
    /// Divisor of a column that varies, but by less than double precision can tell from rounding, or whose norm has no
    /// reciprocal in it.
    static constexpr double kLost = -2;
    [[nodiscard]] bool takes_part() const { return divisor > 0; }
    [[nodiscard]] bool lost() const { return divisor == kLost; }
  };
  /// mu_j / s_j.
  [[nodiscard]] double level(const Facts& facts) const { return shift(facts) / facts.divisor; }
  /// Cost: two passes over column j.
  [[nodiscard]] Facts facts_of(VarId j) const;

  [[nodiscard]] const ColumnsView& view() const { return view_; }
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(view_.rows); }
  [[nodiscard]] bool is_sparse() const {
    return view_.storage == Storage::sparse_f32 || view_.storage == Storage::sparse_f64;
  }
  [[nodiscard]] bool is_excluded(VarId j) const { return !view_.excluded.empty() && view_.excluded[j] != 0; }
  /// By row: sqrt(w_i), 1 without weights; 0 where the row is no sample.
  [[nodiscard]] std::span<const double> roots() const { return roots_; }
  /// Sum of the weights; without them the number of samples.
  [[nodiscard]] double weight() const { return weight_; }
  /// A weighted mean over the samples in two parts, of which the second is small: around one of the values a large mean
  /// takes no digits from the differences.
  struct Mean {
    double around = 0, rest = 0;
    [[nodiscard]] double value() const { return around + rest; }
    [[nodiscard]] double off(double v) const { return (v - around) - rest; }
  };
  /// v_i at row i.
  [[nodiscard]] Mean mean_of(std::span<const double> v) const;

  /// out[i - begin] = sqrt(w_i) (x_ij - mu_j) / s_j for rows [begin, end), 0 where the row is no sample. `begin` is a
  /// multiple of 4. REQUIRES: not sparse, facts.divisor > 0.
  void decode(VarId j, const Facts& facts, std::size_t begin, std::size_t end, double* out) const;

  /// Some vectors of length rows(), side by side, each entry times sqrt(w_i), 0 where the row is no sample.
  struct SideBySide {
    std::size_t width = 1;           ///< how many: 1, 2, 4 or 8
    const double* values = nullptr;  ///< entry (i, k) at place(i, k)
    const double* totals = nullptr;  ///< `width` sums over the rows
  };
  /// Rows that lie together, so that columns are read in the order in which they are stored.
  [[nodiscard]] std::size_t lanes() const { return is_sparse() ? 1 : 4; }
  [[nodiscard]] std::size_t place(std::size_t i, std::size_t k, std::size_t width) const {
    return ((i / lanes()) * width + k) * lanes() + i % lanes();
  }
  /// Length of `values`; entries behind the last row are 0.
  [[nodiscard]] std::size_t places(std::size_t width) const {
    return (rows() + lanes() - 1) / lanes() * lanes() * width;
  }
  /// out[(j - begin) width + k] = x~_j'v_k for columns [begin, end), 0 where facts[j - begin] takes no part. Each byte
  /// is decoded once for all vectors.
  void products(VarId begin, VarId end, std::span<const Facts> facts, const SideBySide& v, double* out) const;
  /// v_k -= coefficients[k] x for rows [begin, end) of a column that decode() made. `begin` is a multiple of 4.
  /// REQUIRES: not sparse.
  void subtract(std::span<const double> x, std::size_t begin, std::span<const double> coefficients,
                std::span<double> v) const;
  /// Calls entry(row, sqrt(w_i) x_ij / s_j) for the entries of a sparse column in rows [begin, end).
  template <class Entry>
  void for_each_entry(VarId j, const Facts& facts, std::size_t begin, std::size_t end, const Entry& entry) const {
    if (view_.storage == Storage::sparse_f32) return entries<float>(j, facts, begin, end, entry);
    entries<double>(j, facts, begin, end, entry);
  }

 private:
  template <class T, class Entry>
  void entries(VarId j, const Facts& facts, std::size_t begin, std::size_t end, const Entry& entry) const;
  template <class T>
  [[nodiscard]] Facts dense_facts(VarId j) const;
  template <class T>
  [[nodiscard]] Facts sparse_facts(VarId j) const;
  template <class T>
  [[nodiscard]] Facts facts_of_values(const T* x, const double* weights, std::size_t n) const;
  [[nodiscard]] Facts genotype_facts(VarId j) const;
  [[nodiscard]] Facts dosage_facts(VarId j) const;
  template <class T>
  void decode_dense(VarId j, const Facts& facts, std::size_t begin, std::size_t end, double* out) const;
  void decode_dosages(VarId j, const Facts& facts, std::size_t begin, std::size_t end, double* out) const;
  void decode_genotypes(VarId j, const Facts& facts, std::size_t begin, std::size_t end, double* out) const;
  template <std::size_t K>
  void products_of(VarId begin, VarId end, const Facts* facts, const SideBySide& v, double* out) const;
  template <std::size_t K, class T>
  void add_dense(VarId j, const Facts& facts, std::size_t row, const double* v, double* out) const;
  template <std::size_t K>
  void add_dosages(VarId j, const Facts& facts, std::size_t row, const double* v, double* out) const;
  template <std::size_t K>
  void add_genotypes(VarId j, const Facts& facts, std::size_t row, const double* v, double* out) const;
  template <std::size_t K, class T>
  void add_sparse(VarId j, const Facts& facts, const double* v, double* out) const;
  template <std::size_t K>
  void add_tile(VarId j, const Facts& facts, std::size_t row, const double* v, double* out) const;
  template <class T>
  [[nodiscard]] const T* column_of(VarId j) const {
    return reinterpret_cast<const T*>(view_.values + std::uint64_t{j} * view_.column_stride);
  }
  [[nodiscard]] double shift(const Facts& facts) const { return center_ ? facts.mean : 0.0; }
  /// `squares`: weighted, of what is left of the values, and of the values themselves; all of the column times `unit`.
  [[nodiscard]] Facts settled(double mean, bool constant, double squares_left, double squares, double unit) const;
  [[nodiscard]] std::span<const double> weights() const { return view_.weights; }

  ColumnsView view_;
  bool center_, scale_;
  std::vector<double> roots_;
  std::vector<double> weights_;         ///< by row, 0 where it is no sample; empty: every row is one, of weight 1
  std::vector<std::uint64_t> samples_;  ///< genotypes: the low bit of each call that is a sample's, 32 rows a word
  double weight_ = 0;
};

template <class T, class Entry>
void PlainColumns::entries(VarId j, const Facts& facts, std::size_t begin, std::size_t end, const Entry& entry) const {
  const T* const values = reinterpret_cast<const T*>(view_.values);
  std::uint64_t e = view_.starts[j];
  const std::uint64_t last = view_.starts[std::size_t{j} + 1];
  if (begin > 0) {
    for (std::uint64_t stop = last; e < stop;) {
      const std::uint64_t middle = e + (stop - e) / 2;
      if (view_.row_numbers[middle] < begin) {
        e = middle + 1;
      } else {
        stop = middle;
      }
    }
  }
  for (; e < last && view_.row_numbers[e] < end; ++e) {
    const std::uint32_t row = view_.row_numbers[e];
    if (roots_[row] != 0) entry(row, roots_[row] * (static_cast<double>(values[e]) / facts.divisor));
  }
}

}  // namespace strads::lasso
