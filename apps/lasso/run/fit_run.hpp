// One fit, from data to a checked solution: what `lasso fit` does before it writes, for whoever needs a solution.
#pragma once

#include "lasso/output/output.hpp"
#include "lasso/run/lasso_run.hpp"

namespace strads::lasso {

class FitRun : public LassoRun {
 public:
  using LassoRun::LassoRun;

 protected:
  Result<RunList> make_runs() override;
  RunFacts& facts() override { return result_; }

  /// Of the run that has ended: the solution and its scale.
  void keep_solution();
  /// And the model that is written of it. After it result_ says how the run ended. Errors: as check(), and ended()
  /// where the model is false.
  Status check_solution();

  FitResult result_;

 private:
  void judge_end();
};

}  // namespace strads::lasso
