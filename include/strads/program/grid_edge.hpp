// What to try next where the best point of a grid lies at its edge. Layer: program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "strads/program/program.hpp"

namespace strads {

/// Where `best` is the least or the largest of several values that were tried: which end, and what lies beyond it, as
/// an option of the command that tried them. "" where it is not, or it was the only one.
///   next: from a value and the ratio of the last two, the value beyond
template <class T, class Next>
[[nodiscard]] std::string beyond_grid(const char* name, const char* option, std::vector<T> tried, T best, Next next) {
  std::sort(tried.begin(), tried.end());
  tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
  if (tried.size() < 2 || (best != tried.front() && best != tried.back())) return "";
  const bool largest = best == tried.back();
  const T neighbour = largest ? tried[tried.size() - 2] : tried[1];
  std::vector<T> values{best};
  for (int k = 0; k < 2; ++k) {
    const T further = next(values.back(), double{1} * best / neighbour);
    if (further == values.back()) break;
    values.push_back(further);
  }
  if (values.size() == 1) return "";  // there is nothing beyond it
  std::sort(values.begin(), values.end());
  std::string text = std::string("the best ") + name + " is the " + (largest ? "largest" : "least") +
                     " that was tried: go on with --" + option + " ";
  for (std::size_t k = 0; k < values.size(); ++k) text += (k == 0 ? "" : ",") + short_text(double{1} * values[k], 4);
  return text;
}

}  // namespace strads
