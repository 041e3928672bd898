// All policies (docs/DESIGN.md, "Policies"): their names, and who makes the two halves of each.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lasso/policies/phase_planner.hpp"
#include "lasso/policies/slice_policy.hpp"

namespace strads::lasso {

/// One policy. A reader finds p(j) and d(j,k) behind `for_slice`, what a phase is behind `for_judge`.
struct PolicyEntry {
  Policy policy;
  const char* name;
  /// Slices are dealt variable by variable, at random (SAP section 3), instead of in stripes of adjacent columns.
  bool single_variables;
  std::unique_ptr<SlicePolicy> (*for_slice)(const SliceSetting& setting);
  std::unique_ptr<PhasePlanner> (*for_judge)(const PhaseSetting& setting);
};

[[nodiscard]] const PolicyEntry& entry_of(Policy policy);
/// "uniform", "static", "paper", "theorem1", "block-greedy", "auto".
[[nodiscard]] const char* policy_name(Policy policy);
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
// published_phases.cpp, working_set_phases.cpp
[[nodiscard]] std::unique_ptr<PhasePlanner> make_published_phases(const PhaseSetting& setting);
[[nodiscard]] std::unique_ptr<PhasePlanner> make_working_set_phases(const PhaseSetting& setting);

}  // namespace strads::lasso
