#include "data/samples/samples.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr std::size_t kCodes = 3;  // 0, 1, 2

// How often each code is there; nothing where another value is.
bool count_codes(const std::vector<double>& values, std::array<std::uint64_t, kCodes>& counts) {
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (value != 0 && value != 1 && value != 2) return false;
    ++counts[static_cast<std::size_t>(value)];
  }
  return true;
}

std::string binary(const std::string& name, const std::string& codes) {
  return "phenotype " + in_quotes(name) + ": binary trait, least squares (" + codes +
         "); --family binomial fits logistic regression";
}

}  // namespace

std::string understand_case_control(RowValues& phenotype, bool zero_is_control) {
  std::array<std::uint64_t, kCodes> counts{};
  if (!count_codes(phenotype.values, counts)) return "";
  const auto [zeros, ones, twos] = counts;
  if (twos == 0) return zeros > 0 && ones > 0 ? binary(phenotype.name, "0 = control, 1 = case") : "";
  if (zero_is_control) return "";
  for (double& value : phenotype.values) {
    if (value == 0) value = std::numeric_limits<double>::quiet_NaN();
  }
  std::string codes = "1 = control, 2 = case";
  if (zeros > 0) codes += "; 0 is missing: " + std::to_string(zeros) + (zeros == 1 ? " sample" : " samples");
  return binary(phenotype.name, codes);
}

}  // namespace strads::data
