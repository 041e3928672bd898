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

/// One diagram. Everything is drawn in the order in which it was asked for, above the axes.
class Picture {
 public:
  /// `title` stands above, in small letters. Ranges as the data have them.
  Picture(std::string title, std::string x_label, std::string y_label, Interval x, Interval y);

  /// Points (x, y) joined by a line. `colour` counts through a fixed palette.
  void line(std::span<const std::pair<double, double>> points, std::size_t colour);
  /// The name of a line in its colour, `row` lines of text below the frame's upper edge, on the right.
  void name(const std::string& text, std::size_t colour, int row);
  /// A dot and the bar from y - spread to y + spread.
  void dot(double x, double y, double spread);
  /// A dashed vertical line with its name at the top, `row` lines of text below the frame's upper edge.
  void mark(double x, const std::string& name, int row);
  /// Text above the frame at x.
  void top(double x, const std::string& text);

  /// The whole file.
  [[nodiscard]] std::string svg() const;

 private:
  [[nodiscard]] double px(double x) const;
  [[nodiscard]] double py(double y) const;
  [[nodiscard]] std::string axes() const;

  std::string title_, x_label_, y_label_;
  Interval x_, y_;
  std::string content_;
};

}  // namespace strads::lasso
