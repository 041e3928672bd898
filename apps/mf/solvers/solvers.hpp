// The solvers that there are. Private to apps/mf. Pure.
#pragma once

#include <memory>

#include "mf/solvers/mf_solver.hpp"

namespace strads::mf {

/// The one that the options ask for, not placed yet.
[[nodiscard]] std::unique_ptr<MfSolver> make_solver(const MfOptions& options);

}  // namespace strads::mf
