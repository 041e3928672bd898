#include "regression/svg.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace strads::lasso {
namespace {

constexpr unsigned kFollows = 0x80, kFirstBits = 0xc0;

bool follows(char byte) {
  return (static_cast<unsigned char>(byte) & kFirstBits) == kFollows;
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

/// Of the letter that begins with this byte, in parts of the font's height.
double width_of(char first) {
  constexpr unsigned kThreeBytes = 0xe1;  // from U+1000 on: scripts of East Asia, and signs
  if (static_cast<unsigned char>(first) >= kThreeBytes) return 1;
  if (std::string_view("mwMW@%").find(first) != std::string_view::npos) return 0.9;
  const bool is_capital = first >= 'A' && first <= 'Z';
  if (std::string_view("ijlIt.,:;'|fr()[] -").find(first) != std::string_view::npos) return 0.36;
  return is_capital ? 0.72 : 0.57;
}

}  // namespace

std::string svg_number(double pixel) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", pixel);
  return text.data();
}

std::string svg_text(double x, double y, const char* anchor, const std::string& text, const std::string& more) {
  return "<text x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
         escaped(text) + "</text>\n";
}

std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style) {
  return "<line x1=\"" + svg_number(x1) + "\" y1=\"" + svg_number(y1) + "\" x2=\"" + svg_number(x2) + "\" y2=\"" +
         svg_number(y2) + "\" " + style + "/>\n";
}

std::string svg_box(double x, double y, double width, double height, const std::string& style) {
  return "<rect x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" + svg_number(width) + "\" height=\"" +
         svg_number(height) + "\" " + style + "/>\n";
}

std::string svg_group(double down, const std::string& elements) {
  return "<g transform=\"translate(0 " + svg_number(down) + ")\">\n" + elements + "</g>\n";
}

std::string svg_file(double width, double height, const std::string& elements) {
  const std::string wide = svg_number(width), high = svg_number(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + wide + "\" height=\"" + high + "\" viewBox=\"0 0 " +
         wide + " " + high + "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n" +
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" + elements + "</svg>\n";
}

std::size_t letters_of(const std::string& name) {
  return static_cast<std::size_t>(std::count_if(name.begin(), name.end(), [](char byte) { return !follows(byte); }));
}

std::string shortened(const std::string& name, std::size_t letters) {
  if (letters_of(name) <= letters) return name;
  std::size_t end = name.size();
  while (end > 0 && letters_of(name.substr(0, end)) > letters - 3) --end;
  return name.substr(0, end) + "...";
}

std::string shortened_to(const std::string& name, double pixels, double font) {
  constexpr double kDots = 3 * 0.36;
  double width = 0;
  std::size_t with_dots = 0;  // as many bytes as leave room for them
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (follows(name[at])) continue;
    if (width + kDots <= pixels / font) with_dots = at;
    width += width_of(name[at]);
    if (width > pixels / font) return name.substr(0, with_dots) + "...";
  }
  return name;
}

}  // namespace strads::lasso
