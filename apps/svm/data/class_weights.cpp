#include "svm/data/class_weights.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

namespace strads::svm {
namespace {

constexpr const char* kBalanced = "balanced";

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

Status check_class_weights(const std::vector<std::string>& given) {
  for (const std::string& entry : given) {
    if (entry == kBalanced && given.size() == 1) continue;
    const std::size_t equals = entry.rfind('=');
    const auto weight = equals == std::string::npos ? std::nullopt : number_of(entry.substr(equals + 1));
    if (equals == 0 || !weight.has_value() || *weight <= 0) {
      return Status::usage("--class-weights " + entry +
                           ": expected balanced alone, or CLASS=WEIGHT with a weight above 0, separated by commas");
    }
  }
  return {};
}

Result<std::vector<double>> weights_of_classes(const std::vector<std::string>& given,
                                               const std::vector<std::string>& names,
                                               const std::vector<std::uint64_t>& counts) {
  std::vector<double> weights(names.size(), 1.0);
  if (given.size() == 1 && given.front() == kBalanced) {
    const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    for (std::size_t k = 0; k < names.size(); ++k) {
      weights[k] = all / (static_cast<double>(names.size()) * static_cast<double>(counts[k]));
    }
    return weights;
  }
  std::vector<bool> is_given(names.size(), false);
  for (const std::string& entry : given) {
    const std::size_t equals = entry.rfind('=');
    const std::string name = entry.substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    const auto k = static_cast<std::size_t>(found - names.begin());
    if (found == names.end() || is_given[k]) {
      std::string listed;
      for (std::size_t c = 0; c < std::min<std::size_t>(names.size(), 10); ++c)
        listed += (c == 0 ? "" : ", ") + names[c];
      return Status::usage("--class-weights: the class '" + name + "' is " +
                           (found == names.end() ? "not there" : "named twice") + "; the classes are " + listed +
                           (names.size() > 10 ? " ..." : ""));
    }
    is_given[k] = true;
    weights[k] = number_of(entry.substr(equals + 1)).value_or(1.0);
  }
  return weights;
}

}  // namespace strads::svm
