#include "regression/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

// Pixels.
constexpr double kWidth = 760, kHeight = 480;
constexpr double kLeft = 78, kTop = 64, kBottom = 56;
constexpr double kTextLine = 15;
constexpr double kNameGap = 18, kLetter = 6.6;  ///< from the frame to a name; of the widest common letters

/// Behind letters that lie on lines.
constexpr const char* kHalo = " paint-order=\"stroke\" stroke=\"white\" stroke-width=\"4\"";

/// Colours that people with colour blindness tell apart (Okabe, Ito 2008), black left out.
constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31"};

std::string number(double pixel) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", pixel);
  return text.data();
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        // A file of XML may not hold other control characters.
        out += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
    }
  }
  return out;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text, const char* more = "") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
         escaped(text) + "</text>\n";
}

/// Letters of UTF-8; of other bytes each counts.
std::size_t letters_of(const std::string& name) {
  return static_cast<std::size_t>(std::count_if(name.begin(), name.end(), [](char byte) {
    constexpr unsigned kFollows = 0x80, kFirstBits = 0xc0;
    return (static_cast<unsigned char>(byte) & kFirstBits) != kFollows;
  }));
}

/// Cut between letters.
std::string shown_name(const std::string& name) {
  if (letters_of(name) <= kNameLetters) return name;
  std::size_t end = name.size();
  while (end > 0 && letters_of(name.substr(0, end)) > kNameLetters - 3) --end;
  return name.substr(0, end) + "...";
}

std::string segment(double x1, double y1, double x2, double y2, const char* style) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" " + style + "/>\n";
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
  content_ += kColours[colour % kColours.size()];
  content_ += "\" points=\"";
  for (const auto& [x, y] : points) content_ += number(px(x)) + "," + number(py(y)) + " ";
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
    const std::string colour = kColours[order[k]->colour % kColours.size()];
    const std::string stroke = "stroke=\"" + colour + "\" stroke-width=\"0.7\"";
    content_ += segment(edge + 1, wanted[k], edge + kNameGap - 3, at[k], stroke.c_str());
    const std::string fill = " fill=\"" + colour + "\"";
    content_ += text_at(edge + kNameGap, at[k] + 4, "start", shown_name(order[k]->name), fill.c_str());
  }
}

void Picture::dot(double x, double y, double spread, std::size_t colour) {
  constexpr const char* kBar = "stroke=\"#999\" stroke-width=\"1\"";
  if (spread > 0) {
    content_ += segment(px(x), py(y - spread), px(x), py(y + spread), kBar);
    for (const double end : {y - spread, y + spread}) content_ += segment(px(x) - 2, py(end), px(x) + 2, py(end), kBar);
  }
  content_ += "<circle cx=\"" + number(px(x)) + "\" cy=\"" + number(py(y)) + "\" r=\"2.4\" fill=\"" +
              kColours[colour % kColours.size()] + "\"/>\n";
}

void Picture::mark(double x, const std::string& name, int row) {
  content_ +=
      segment(px(x), kTop, px(x), kHeight - kBottom, "stroke=\"#333\" stroke-width=\"1\" stroke-dasharray=\"5 4\"");
  const bool left = px(x) > kWidth - right_ - 160;
  content_ += text_at(px(x) + (left ? -5 : 5), kTop + kTextLine * (row + 1), left ? "end" : "start", name, kHalo);
}

void Picture::top_label(const std::string& label) {
  content_ += text_at((kLeft + kWidth - right_) / 2, kTop - 6 - kTextLine, "middle", label, " fill=\"#666\"");
}

void Picture::top(double x, const std::string& text) {
  content_ += text_at(px(x), kTop - 6, "middle", text, " fill=\"#666\"");
}

std::string Picture::axes() const {
  constexpr const char* kGrid = "stroke=\"#e4e4e4\" stroke-width=\"1\"";
  std::string out;
  for (const double x : ticks_of(x_, 7)) {
    out += segment(px(x), kTop, px(x), kHeight - kBottom, kGrid);
    out += text_at(px(x), kHeight - kBottom + 18, "middle", short_text(x, 4));
  }
  for (const double y : ticks_of(y_, 6)) {
    out += segment(kLeft, py(y), kWidth - right_, py(y), kGrid);
    out += text_at(kLeft - 7, py(y) + 4, "end", short_text(y, 4));
  }
  out += "<rect x=\"" + number(kLeft) + "\" y=\"" + number(kTop) + "\" width=\"" + number(kWidth - kLeft - right_) +
         "\" height=\"" + number(kHeight - kTop - kBottom) + "\" fill=\"none\" stroke=\"#333\"/>\n";
  out += text_at((kLeft + kWidth - right_) / 2, kHeight - 14, "middle", x_label_);
  const std::string turn = " transform=\"rotate(-90 18 " + number((kTop + kHeight - kBottom) / 2) + ")\"";
  out += text_at(18, (kTop + kHeight - kBottom) / 2, "middle", y_label_, turn.c_str());
  out += text_at(kLeft, 20, "start", title_, " font-weight=\"bold\"");
  return out;
}

std::string Picture::svg() const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(kWidth) + "\" height=\"" + number(kHeight) +
         "\" viewBox=\"0 0 " + number(kWidth) + " " + number(kHeight) +
         "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
         "fill=\"white\"/>\n" +
         axes() + content_ + "</svg>\n";
}

}  // namespace strads::lasso
