// How much memory a fit takes, told before it begins.
#pragma once

#include <cstdint>

#include "strads/data/data_shape.hpp"
#include "strads/program/memory_plan.hpp"
#include "svm/options/cv_options.hpp"
#include "svm/options/fit_options.hpp"

namespace strads::svm {

/// Of all processes of a run. How many classes there are is not known before the data are read: two are planned for.
/// Errors: as look_at_dataset().
[[nodiscard]] Result<MemoryPlan> plan_fit(const FitOptions& options, Look look);

[[nodiscard]] Result<MemoryPlan> plan_cv(const CvOptions& options, Look look);

/// On a node, before it reads its data. Errors: as check_memory().
[[nodiscard]] Status check_node_memory(const FitOptions& options);

}  // namespace strads::svm
