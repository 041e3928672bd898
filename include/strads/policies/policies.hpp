// All policies (docs/DESIGN.md, "Policies"): their names, and who makes the scheduler's half of each. Layer: policies.
// Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strads/policies/slice_policy.hpp"

namespace strads {

/// One policy. A reader finds p(j) and d(j,k) behind `for_slice`.
struct PolicyEntry {
  Policy policy;
  const char* name;
  /// Slices are dealt variable by variable, at random (SAP section 3), instead of in stripes of adjacent columns.
  bool single_variables;
  std::unique_ptr<SlicePolicy> (*for_slice)(const SliceSetting& setting);
};

[[nodiscard]] const PolicyEntry& entry_of(Policy policy);
/// The default first.
[[nodiscard]] std::vector<std::string> policy_names();
/// nullopt: no policy has this name.
[[nodiscard]] std::optional<Policy> policy_named(const std::string& name);

// uniform.cpp, static_structure.cpp, algorithm1.cpp, theorem1.cpp, block_greedy.cpp, working_set.cpp
[[nodiscard]] std::unique_ptr<SlicePolicy> make_uniform(const SliceSetting& setting);
[[nodiscard]] std::unique_ptr<SlicePolicy> make_static_structure(const SliceSetting& setting);
[[nodiscard]] std::unique_ptr<SlicePolicy> make_algorithm1(const SliceSetting& setting);
[[nodiscard]] std::unique_ptr<SlicePolicy> make_theorem1(const SliceSetting& setting);
[[nodiscard]] std::unique_ptr<SlicePolicy> make_block_greedy(const SliceSetting& setting);
[[nodiscard]] std::unique_ptr<SlicePolicy> make_working_set(const SliceSetting& setting);

}  // namespace strads
