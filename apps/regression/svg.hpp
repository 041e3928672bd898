// Elements of SVG as text, for pictures. Lengths are pixels.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace strads::lasso {

/// Colours that people with colour blindness tell apart (Okabe, Ito 2008), black left out.
inline constexpr std::array kSvgColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31"};
/// Behind letters that lie on lines.
inline constexpr const char* kSvgHalo = " paint-order=\"stroke\" stroke=\"white\" stroke-width=\"4\"";
inline constexpr double kSvgFont = 12;  ///< of text that says nothing else

[[nodiscard]] std::string svg_number(double pixel);
/// `anchor`: start, middle, end. `more`: further attributes, each after a blank.
[[nodiscard]] std::string svg_text(double x, double y, const char* anchor, const std::string& text,
                                   const std::string& more = "");
/// `style`: attributes.
[[nodiscard]] std::string svg_line(double x1, double y1, double x2, double y2, const std::string& style);
[[nodiscard]] std::string svg_box(double x, double y, double width, double height, const std::string& style);
/// The elements, `down` pixels lower.
[[nodiscard]] std::string svg_group(double down, const std::string& elements);
/// A whole file with a white ground.
[[nodiscard]] std::string svg_file(double width, double height, const std::string& elements);

/// Letters of UTF-8; of other bytes each counts.
[[nodiscard]] std::size_t letters_of(const std::string& name);
/// At most so many letters, the last three of them dots where some were left out. Cut between letters.
[[nodiscard]] std::string shortened(const std::string& name, std::size_t letters);
/// As many letters as are at most so wide, by the widths of common fonts; letters of East Asia are as wide as high.
[[nodiscard]] std::string shortened_to(const std::string& name, double pixels, double font = kSvgFont);

}  // namespace strads::lasso
