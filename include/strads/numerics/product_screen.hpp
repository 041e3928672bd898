// Inner products of many rows with many others, of which only the large ones are told: what lists of best items need.
// Layer: numerics. Pure.
//
// Products come in panels of columns by strips of rows, as a matrix product has them in registers, and none is kept
// that is too small. They are near those that a plain loop adds up, and how near is part of the answer: whoever needs
// the bits of that loop computes them for the few that are left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strads {

/// Columns of a panel and rows of a strip.
inline constexpr std::size_t kPanelColumns = 32, kStripRows = 12;

/// For each row r of a strip, bit c of large[r]: column c of the panel may be worth least[r] or more. products[r] is
/// written in the neighbourhood of set bits only.
struct LargeProducts {
  std::array<std::uint32_t, kStripRows> large{};
  std::array<std::array<float, kPanelColumns>, kStripRows> products{};
};

/// Not below sqrt(sum of squares); infinity above 2^62. Cost: 2 count flops.
[[nodiscard]] float length_above(const float* row, std::size_t count);
/// How far |row'column|, computed here or by a plain loop in single precision, is above length x length at most, as a
/// factor. REQUIRES: depth <= 2^13.
[[nodiscard]] float product_above(std::size_t depth);

/// Columns, packed: kPanelColumns of them side by side, feature by feature. Memory: that of the columns.
class ColumnPanels {
 public:
  /// Column c is `rows[order[c]]`, `depth` floats, with `biases[order[c]]`.
  ColumnPanels(std::span<const float> rows, std::size_t depth, std::span<const float> biases,
               std::span<const std::uint32_t> order);

  [[nodiscard]] std::size_t panels() const { return lengths_.size() / kPanelColumns; }
  [[nodiscard]] std::size_t depth() const { return depth_; }
  [[nodiscard]] const float* features(std::size_t panel) const {
    return features_.data() + panel * kPanelColumns * depth_;
  }
  /// Of each column of a panel; behind the last column 0, and a bias of -infinity.
  [[nodiscard]] const float* lengths(std::size_t panel) const { return lengths_.data() + panel * kPanelColumns; }
  [[nodiscard]] const float* biases(std::size_t panel) const { return biases_.data() + panel * kPanelColumns; }
  /// The largest of this panel and all behind it.
  [[nodiscard]] float longest_from(std::size_t panel) const { return longest_[panel]; }
  [[nodiscard]] float most_bias_from(std::size_t panel) const { return most_bias_[panel]; }

 private:
  std::size_t depth_;
  std::vector<float> features_, lengths_, biases_;
  std::vector<float> longest_, most_bias_;
};

/// Some rows, packed likewise. A row's worth with a column is (base + bias) + product.
class RowStrip {
 public:
  explicit RowStrip(std::size_t depth);
  /// Takes a row in place r. REQUIRES: r < kStripRows.
  void set(std::size_t r, const float* row, float base);
  /// No row any more in the places from r on: nothing is large there but products with columns of infinite length.
  void clear_from(std::size_t r);

  std::array<float, kStripRows> least{};  ///< what is told: worth this or more

  [[nodiscard]] const float* features() const { return features_.data(); }
  [[nodiscard]] float base(std::size_t r) const { return bases_[r]; }
  /// |product here - product of a plain loop| <= slack(r) x length of the column, the rounding of this sum included.
  [[nodiscard]] float slack(std::size_t r) const { return slacks_[r]; }
  [[nodiscard]] const std::array<float, kStripRows>& bases() const { return bases_; }
  [[nodiscard]] const std::array<float, kStripRows>& slacks() const { return slacks_; }
  /// Whether no column from this panel on can be worth least[r] to any row.
  [[nodiscard]] bool is_done(const ColumnPanels& columns, std::size_t panel) const;

 private:
  std::size_t depth_;
  std::vector<float> features_;
  std::array<float, kStripRows> bases_{}, slacks_{}, reaches_{};
};

/// Returns whether there are any. A worth that is no number is told as well. With l = least[r], told is every column
/// whose (base + bias) + plain product >= l, whatever the SIMD target, where the plain product is the sum over features
/// in their order of products, each rounded. Cost: 2 depth flops for each of kStripRows x kPanelColumns.
[[nodiscard]] bool screen_products(const RowStrip& rows, const ColumnPanels& columns, std::size_t panel,
                                   LargeProducts& out);

}  // namespace strads
