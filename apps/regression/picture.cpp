#include "regression/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "strads/program/run.hpp"

namespace strads::lasso {
namespace {

// Pixels.
constexpr double kWidth = 760, kHeight = 480;
constexpr double kLeft = 78, kRight = 20, kTop = 58, kBottom = 56;
constexpr double kTextLine = 15;

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

std::string segment(double x1, double y1, double x2, double y2, const char* style) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" " + style + "/>\n";
}

}  // namespace

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

Picture::Picture(std::string title, std::string x_label, std::string y_label, Interval x, Interval y)
    : title_(std::move(title)), x_label_(std::move(x_label)), y_label_(std::move(y_label)), x_(x), y_(y) {
  const double air = 0.04 * (y.high - y.low);
  y_ = {y.low - air, y.high + air};
}

double Picture::px(double x) const {
  return kLeft + (x - x_.low) / (x_.high - x_.low) * (kWidth - kLeft - kRight);
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

void Picture::name(const std::string& text, std::size_t colour, int row) {
  const std::string fill = std::string(" fill=\"") + kColours[colour % kColours.size()] + "\"";
  content_ += text_at(kWidth - kRight - 8, kTop + kTextLine * (row + 1), "end", text, fill.c_str());
}

void Picture::dot(double x, double y, double spread) {
  constexpr const char* kBar = "stroke=\"#999\" stroke-width=\"1\"";
  if (spread > 0) {
    content_ += segment(px(x), py(y - spread), px(x), py(y + spread), kBar);
    for (const double end : {y - spread, y + spread}) content_ += segment(px(x) - 2, py(end), px(x) + 2, py(end), kBar);
  }
  content_ += "<circle cx=\"" + number(px(x)) + "\" cy=\"" + number(py(y)) + "\" r=\"2.4\" fill=\"#d55e00\"/>\n";
}

void Picture::mark(double x, const std::string& name, int row) {
  content_ +=
      segment(px(x), kTop, px(x), kHeight - kBottom, "stroke=\"#333\" stroke-width=\"1\" stroke-dasharray=\"5 4\"");
  const bool left = px(x) > kWidth - kRight - 160;
  content_ += text_at(px(x) + (left ? -5 : 5), kTop + kTextLine * (row + 1), left ? "end" : "start", name);
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
    out += segment(kLeft, py(y), kWidth - kRight, py(y), kGrid);
    out += text_at(kLeft - 7, py(y) + 4, "end", short_text(y, 4));
  }
  out += "<rect x=\"" + number(kLeft) + "\" y=\"" + number(kTop) + "\" width=\"" + number(kWidth - kLeft - kRight) +
         "\" height=\"" + number(kHeight - kTop - kBottom) + "\" fill=\"none\" stroke=\"#333\"/>\n";
  out += text_at((kLeft + kWidth - kRight) / 2, kHeight - 14, "middle", x_label_);
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
