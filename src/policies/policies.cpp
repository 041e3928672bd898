#include "strads/policies/policies.hpp"

#include <algorithm>
#include <array>

#include "strads/base/status.hpp"

namespace strads {

namespace {
constexpr std::array<PolicyEntry, 6> kPolicies{{{Policy::automatic, "auto", false, make_working_set},
                                                {Policy::uniform, "uniform", false, make_uniform},
                                                {Policy::fixed_structure, "static", true, make_static_structure},
                                                {Policy::paper, "paper", true, make_algorithm1},
                                                {Policy::theorem1, "theorem1", true, make_theorem1},
                                                {Policy::block_greedy, "block-greedy", false, make_block_greedy}}};
}  // namespace

const PolicyEntry& entry_of(Policy policy) {
  const auto found = std::find_if(kPolicies.begin(), kPolicies.end(),
                                  [policy](const PolicyEntry& entry) { return entry.policy == policy; });
  STRADS_CHECK(found != kPolicies.end(), "every policy has a row in the table");
  return *found;
}

const char* policy_name(Policy policy) {
  return entry_of(policy).name;
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  names.reserve(kPolicies.size());
  for (const PolicyEntry& entry : kPolicies) names.emplace_back(entry.name);
  return names;
}

std::optional<Policy> policy_named(const std::string& name) {
  for (const PolicyEntry& entry : kPolicies) {
    if (entry.name == name) return entry.policy;
  }
  return std::nullopt;
}

}  // namespace strads
