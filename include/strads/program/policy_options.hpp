// The options of policies, each written once for every program. Layer: program.
#pragma once

#include <string>

#include "strads/base/status.hpp"
#include "strads/engine/options.hpp"
#include "strads/policies/options.hpp"
#include "strads/program/option_table.hpp"

namespace strads {

struct Calibration;  // strads/program/calibrate.hpp

/// --policy, a name that policy_named() knows. `name` outlives the table.
void add_policy_choice(OptionTable& table, std::string* name);
/// The numbers of the published policies: --rho, --eta, --candidates, --check-interval. `options` outlives the table.
void add_policy_numbers(OptionTable& table, PolicyOptions* options);
/// --cost-model FILE. `path` outlives the table; it is a path of the program's (nodes read the file, too).
void add_cost_model(OptionTable& table, std::string* path);
/// What the name of a policy and the engine's options say of policies. REQUIRES: the name was taken by the table.
void settle_policy(const std::string& name, const EngineOptions& engine, PolicyOptions& options);
/// The costs that decide about parallelism, of a file that `strads_sim calibrate` wrote; "": they stay.
[[nodiscard]] Status read_cost_model(const std::string& path, CostModel& cost);
/// Those of a calibration.
void set_costs(const Calibration& calibration, CostModel& cost);

}  // namespace strads
