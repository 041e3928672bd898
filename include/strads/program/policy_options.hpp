// The options of policies, each written once for every program. Layer: program.
#pragma once

#include <string>

#include "strads/engine/options.hpp"
#include "strads/policies/options.hpp"
#include "strads/program/option_table.hpp"

namespace strads {

/// --policy, a name that policy_named() knows. `name` outlives the table.
void add_policy_choice(OptionTable& table, std::string* name);
/// The numbers of the published policies: --rho, --eta, --candidates, --check-interval. `options` outlives the table.
void add_policy_numbers(OptionTable& table, PolicyOptions* options);
/// What the name of a policy and the engine's options say of policies. REQUIRES: the name was taken by the table.
void settle_policy(const std::string& name, const EngineOptions& engine, PolicyOptions& options);

}  // namespace strads
