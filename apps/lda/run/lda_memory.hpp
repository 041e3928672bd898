// What memory a fit takes, from sizes alone.
#pragma once

#include <cstdint>

#include "lda/options/fit_options.hpp"
#include "strads/base/status.hpp"
#include "strads/data/documents.hpp"
#include "strads/program/memory_plan.hpp"

namespace strads::lda {

/// The parts of one process. `computes`: it has workers; `writes`: it makes phi and theta. A pure function.
[[nodiscard]] ProcessMemory lda_memory(const DocumentsShape& shape, const LdaOptions& options, bool computes,
                                       bool writes);

/// Of all processes of a run with these options. Errors: as look_at_documents().
[[nodiscard]] Result<MemoryPlan> plan_topics(const FitOptions& options, Look look);

/// On a node, before it reads the documents. Errors: as check_memory().
[[nodiscard]] Status check_node_memory(const FitOptions& options);

}  // namespace strads::lda
