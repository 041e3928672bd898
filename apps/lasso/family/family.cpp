#include "lasso/family/family.hpp"

#include <algorithm>
#include <array>

#include "strads/base/listed.hpp"

namespace strads::lasso {

extern const FamilyFacts kGaussianFacts, kBinomialFacts, kPoissonFacts;

constinit const Family Family::gaussian{kGaussianFacts};
constinit const Family Family::binomial{kBinomialFacts};

std::span<const Family> Family::all() {
  static constexpr std::array kAll{Family{kGaussianFacts}, Family{kBinomialFacts}, Family{kPoissonFacts}};
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

std::string families_with_link(const char* last) {
  std::vector<std::string> names;
  for (const Family family : Family::all()) {
    if (!family->is_squares()) names.emplace_back(family->name);
  }
  return listed(names, last);
}

std::string of_families_with_link() {
  const bool several = std::ranges::count_if(Family::all(), [](Family one) { return !one->is_squares(); }) > 1;
  return "of the " + families_with_link(" and ") + (several ? " families" : " family");
}

}  // namespace strads::lasso
