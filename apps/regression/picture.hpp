// Small pictures as SVG: axes, lines, points with error bars.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace strads::lasso {

struct Interval {
  double low = 0, high = 1;
};

/// The smallest and the largest of the values, a little apart where they are the same; {0, 1} without any.
[[nodiscard]] Interval range_of(std::span<const double> values);

/// Round numbers inside the range, about `count` of them.
[[nodiscard]] std::vector<double> ticks_of(Interval range, int count);

inline constexpr double kRightMargin = 20;
/// Of an upper axis with numbers of variables.
inline constexpr const char* kNonzerosAxis = "nonzero coefficients";
inline constexpr std::size_t kDotColour = 1;

/// The end of a line at the right edge of the frame.
struct LineEnd {
  double y = 0;
  std::string name;
  std::size_t colour = 0;
};

/// At most so many letters are shown of a name, then dots.
inline constexpr std::size_t kNameLetters = 24;

/// Pixels that these names take right of a frame.
[[nodiscard]] double margin_for(std::span<const LineEnd> ends);

/// One diagram. Everything is drawn in the order in which it was asked for, above the axes.
class Picture {
 public:
  /// `title` stands above, in small letters. Ranges as the data have them. `right`: pixels right of the frame, for
  /// name_ends().
  Picture(std::string title, std::string x_label, std::string y_label, Interval x, Interval y,
          double right = kRightMargin);

  /// Points (x, y) joined by a line. `colour` counts through a fixed palette.
  void line(std::span<const std::pair<double, double>> points, std::size_t colour);
  /// Names of lines right of the frame, in their colours, each beside the end of its line, moved apart where they
  /// would lie on each other, with a thin line to where it belongs. REQUIRES: right = margin_for(names).
  void name_ends(std::span<const LineEnd> ends);
  /// A dot and the bar from y - spread to y + spread.
  void dot(double x, double y, double spread, std::size_t colour = kDotColour);
  /// A dashed vertical line with its name at the top, `row` lines of text below the frame's upper edge.
  void mark(double x, const std::string& name, int row);
  /// Text above the frame at x: a number of the upper axis, which is called `label`.
  void top(double x, const std::string& text);
  void top_label(const std::string& label);

  /// The whole file.
  [[nodiscard]] std::string svg() const;
  /// A file of pictures below each other.
  friend std::string stacked(std::span<const Picture> pictures);

 private:
  [[nodiscard]] double px(double x) const;
  [[nodiscard]] double py(double y) const;
  [[nodiscard]] std::string axes() const;

  std::string title_, x_label_, y_label_;
  Interval x_, y_;
  double right_;
  std::string content_;
};
[[nodiscard]] std::string stacked(std::span<const Picture> pictures);

}  // namespace strads::lasso
