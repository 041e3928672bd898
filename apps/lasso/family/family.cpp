#include "lasso/family/family.hpp"

#include <algorithm>
#include <array>

namespace strads::lasso {

extern const FamilyFacts kGaussianFacts, kBinomialFacts;

constinit const Family Family::gaussian{kGaussianFacts};
constinit const Family Family::binomial{kBinomialFacts};

std::span<const Family> Family::all() {
  static constexpr std::array kAll{Family{kGaussianFacts}, Family{kBinomialFacts}};
  return kAll;
}

std::optional<Family> Family::named(std::string_view name) {
  for (const Family family : all()) {
    if (family->name == name) return family;
  }
  return std::nullopt;
}

const FamilyMeasure* FamilyFacts::find(Measure measure) const {
  const auto found = std::ranges::find(measures, measure, &FamilyMeasure::measure);
  return found == measures.end() ? nullptr : &*found;
}

std::string families_with_link(const char* between) {
  std::string names;
  for (const Family family : Family::all()) {
    if (!family->is_squares()) names += (names.empty() ? "" : between) + std::string(family->name);
  }
  return names;
}

}  // namespace strads::lasso
