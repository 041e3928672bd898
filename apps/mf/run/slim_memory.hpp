// How much memory a fit of item weights takes, told before it begins.
#pragma once

#include "mf/options/fit_options.hpp"
#include "mf/run/mf_memory.hpp"
#include "strads/data/data_shape.hpp"
#include "strads/program/memory_plan.hpp"

namespace strads::mf {

/// Of all processes of a run. How many weights there will be nobody knows before: a guess is said. Errors: as
/// look_at_ratings().
[[nodiscard]] Result<MemoryPlan> plan_slim(const FitOptions& options, const GridSizes& grid, Look look);
/// On a node, before it reads the pairs. Errors: as check_memory().
[[nodiscard]] Status check_slim_node_memory(const FitOptions& options, const GridSizes& grid = {});

}  // namespace strads::mf
