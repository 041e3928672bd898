#include "mf/solvers/solvers.hpp"

#include <algorithm>
#include <iterator>

#include "mf/solvers/cell_solver.hpp"
#include "mf/solvers/feature_solver.hpp"
#include "mf/solvers/implicit_solver.hpp"
#include "mf/solvers/row_solver.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {
namespace {

struct SolverMaker {
  Solver solver;
  std::unique_ptr<MfSolver> (*make)(const MfOptions& options);
};

/// A solver is a class and a line here.
constexpr SolverMaker kMakers[] = {
    {Solver::cd,
     [](const MfOptions& options) -> std::unique_ptr<MfSolver> {
       return std::make_unique<RowSolver>(options, options.width);
     }},
    // One block of all coordinates and the bias: a row's minimum.
    {Solver::als,
     [](const MfOptions& options) -> std::unique_ptr<MfSolver> {
       return std::make_unique<RowSolver>(options, options.rank + 1);
     }},
    {Solver::ccd,
     [](const MfOptions& options) -> std::unique_ptr<MfSolver> { return std::make_unique<FeatureSolver>(options); }},
    {Solver::sgd,
     [](const MfOptions& options) -> std::unique_ptr<MfSolver> { return std::make_unique<CellSolver>(options); }}};

}  // namespace

std::unique_ptr<MfSolver> make_solver(const MfOptions& options) {
  if (options.implicit) return std::make_unique<ImplicitSolver>(options);
  const auto* const found = std::ranges::find(kMakers, options.solver, &SolverMaker::solver);
  STRADS_CHECK(found != std::end(kMakers), "every solver has a line");
  return found->make(options);
}

}  // namespace strads::mf
