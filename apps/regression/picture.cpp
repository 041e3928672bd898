#include "regression/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "regression/svg.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

// Pixels.
constexpr double kWidth = 760, kHeight = 480;
constexpr double kLeft = 78, kTop = 64, kBottom = 56;
constexpr double kTextLine = 15;
constexpr double kNameGap = 18, kLetter = 6.6;  ///< from the frame to a name; of the widest common letters

std::string shown_name(const std::string& name) {
  return shortened(name, kNameLetters);
}

/// Middles of lines of text near the wanted heights (ascending), a line apart, between `top` and `bottom` if they fit.
std::vector<double> apart(const std::vector<double>& wanted, double top, double bottom) {
  std::vector<double> at = wanted;
  const double line = std::min(kTextLine, (bottom - top) / std::max(1.0, static_cast<double>(wanted.size()) - 1));
  double least = top;
  for (double& y : at) {
    y = std::max(y, least);
    least = y + line;
  }
  double most = bottom;
  for (std::size_t k = at.size(); k-- > 0;) {
    at[k] = std::min(at[k], most);
    most = at[k] - line;
  }
  return at;
}

}  // namespace

double margin_for(std::span<const LineEnd> ends) {
  std::size_t letters = 0;
  for (const LineEnd& end : ends) letters = std::max(letters, letters_of(shown_name(end.name)));
  return ends.empty() ? kRightMargin : kNameGap + kLetter * static_cast<double>(letters) + 8;
}

Interval range_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*high > *low) return {*low, *high};
  const double apart = std::max(std::abs(*low), 1.0) * 0.5;
  return {*low - apart, *high + apart};
}

std::vector<double> ticks_of(Interval range, int count) {
  const double raw = (range.high - range.low) / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double round : {1.0, 2.0, 5.0}) {
    if (round * power >= raw) {
      step = round * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::ceil(range.low / step);
  const double last = std::floor(range.high / step);
  for (double k = first; k <= last; ++k) ticks.push_back(k == 0 ? 0.0 : k * step);
  return ticks;
}

Picture::Picture(std::string title, std::string x_label, std::string y_label, Interval x, Interval y, double right)
    : title_(std::move(title)),
      x_label_(std::move(x_label)),
      y_label_(std::move(y_label)),
      x_(x),
      y_(y),
      right_(right) {
  const double air = 0.04 * (y.high - y.low);
  y_ = {y.low - air, y.high + air};
}

double Picture::px(double x) const {
  return kLeft + (x - x_.low) / (x_.high - x_.low) * (kWidth - kLeft - right_);
}

double Picture::py(double y) const {
  return kHeight - kBottom - (y - y_.low) / (y_.high - y_.low) * (kHeight - kTop - kBottom);
}

void Picture::line(std::span<const std::pair<double, double>> points, std::size_t colour) {
  content_ += "<polyline fill=\"none\" stroke-width=\"1.2\" stroke=\"";
  content_ += kSvgColours[colour % kSvgColours.size()];
  content_ += "\" points=\"";
  for (const auto& [x, y] : points) content_ += svg_number(px(x)) + "," + svg_number(py(y)) + " ";
  content_ += "\"/>\n";
}

void Picture::name_ends(std::span<const LineEnd> ends) {
  std::vector<const LineEnd*> order;
  order.reserve(ends.size());
  for (const LineEnd& end : ends) order.push_back(&end);
  std::ranges::stable_sort(order, [](const LineEnd* a, const LineEnd* b) { return a->y > b->y; });
  std::vector<double> wanted;
  wanted.reserve(order.size());
  for (const LineEnd* end : order) wanted.push_back(py(end->y));
  const std::vector<double> at = apart(wanted, kTop + kTextLine / 2, kHeight - kBottom - kTextLine / 2);
  const double edge = kWidth - right_;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::string colour = kSvgColours[order[k]->colour % kSvgColours.size()];
    const std::string stroke = "stroke=\"" + colour + "\" stroke-width=\"0.7\"";
    content_ += svg_line(edge + 1, wanted[k], edge + kNameGap - 3, at[k], stroke);
    const std::string fill = " fill=\"" + colour + "\"";
    content_ += svg_text(edge + kNameGap, at[k] + 4, "start", shown_name(order[k]->name), fill);
  }
}

void Picture::dot(double x, double y, double spread, std::size_t colour) {
  constexpr const char* kBar = "stroke=\"#999\" stroke-width=\"1\"";
  if (spread > 0) {
    content_ += svg_line(px(x), py(y - spread), px(x), py(y + spread), kBar);
    for (const double end : {y - spread, y + spread})
      content_ += svg_line(px(x) - 2, py(end), px(x) + 2, py(end), kBar);
  }
  content_ += "<circle cx=\"" + svg_number(px(x)) + "\" cy=\"" + svg_number(py(y)) + "\" r=\"2.4\" fill=\"" +
              kSvgColours[colour % kSvgColours.size()] + "\"/>\n";
}

void Picture::mark(double x, const std::string& name, int row) {
  content_ +=
      svg_line(px(x), kTop, px(x), kHeight - kBottom, "stroke=\"#333\" stroke-width=\"1\" stroke-dasharray=\"5 4\"");
  const bool left = px(x) > kWidth - right_ - 160;
  content_ += svg_text(px(x) + (left ? -5 : 5), kTop + kTextLine * (row + 1), left ? "end" : "start", name, kSvgHalo);
}

void Picture::top_label(const std::string& label) {
  content_ += svg_text((kLeft + kWidth - right_) / 2, kTop - 6 - kTextLine, "middle", label, " fill=\"#666\"");
}

void Picture::top(double x, const std::string& text) {
  content_ += svg_text(px(x), kTop - 6, "middle", text, " fill=\"#666\"");
}

std::string Picture::axes() const {
  constexpr const char* kGrid = "stroke=\"#e4e4e4\" stroke-width=\"1\"";
  std::string out;
  for (const double x : ticks_of(x_, 7)) {
    out += svg_line(px(x), kTop, px(x), kHeight - kBottom, kGrid);
    out += svg_text(px(x), kHeight - kBottom + 18, "middle", short_text(x, 4));
  }
  for (const double y : ticks_of(y_, 6)) {
    out += svg_line(kLeft, py(y), kWidth - right_, py(y), kGrid);
    out += svg_text(kLeft - 7, py(y) + 4, "end", short_text(y, 4));
  }
  out += "<rect x=\"" + svg_number(kLeft) + "\" y=\"" + svg_number(kTop) + "\" width=\"" +
         svg_number(kWidth - kLeft - right_) + "\" height=\"" + svg_number(kHeight - kTop - kBottom) +
         "\" fill=\"none\" stroke=\"#333\"/>\n";
  out += svg_text((kLeft + kWidth - right_) / 2, kHeight - 14, "middle", x_label_);
  const std::string turn = " transform=\"rotate(-90 18 " + svg_number((kTop + kHeight - kBottom) / 2) + ")\"";
  out += svg_text(18, (kTop + kHeight - kBottom) / 2, "middle", y_label_, turn);
  out += svg_text(kLeft, 20, "start", title_, " font-weight=\"bold\"");
  return out;
}

std::string Picture::svg() const {
  return svg_file(kWidth, kHeight, axes() + content_);
}

std::string stacked(std::span<const Picture> pictures) {
  std::string content;
  double top = 0;
  for (const Picture& picture : pictures) {
    content += svg_group(top, picture.axes() + picture.content_);
    top += kHeight;
  }
  return svg_file(kWidth, top, content);
}

}  // namespace strads::lasso
