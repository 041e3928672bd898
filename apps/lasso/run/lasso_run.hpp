// What `lasso fit`, `lasso path` and `lasso cv` do alike besides what every program does: reading data, notes about
// them, checks of what was found.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lasso/check/check_solutions.hpp"
#include "lasso/options/fit_options.hpp"
#include "lasso/problem/lasso.hpp"
#include "lasso/report/round_trace.hpp"
#include "lasso/run/fit_memory.hpp"
#include "lasso/study/study_result.hpp"
#include "regression/model_file.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/trace.hpp"

namespace strads::lasso {

class LassoRun : public ProgramRun {
 public:
  /// `command`: "lasso fit". `options`: settled.
  LassoRun(std::string command, FitOptions options, const OptionTable& table);

 protected:
  /// One data set, or one for each trait. On a cluster called on another thread.
  virtual Result<std::vector<std::shared_ptr<const Dataset>>> read_data() = 0;
  /// From these. On a cluster called on another thread.
  virtual Result<RunList> make_runs() = 0;
  /// How many problems run beside each other, and how many at a time.
  [[nodiscard]] virtual ProblemCount problem_count() const = 0;
  /// Where the facts are kept.
  [[nodiscard]] virtual RunFacts& facts() = 0;
  [[nodiscard]] RunRecord& record() final { return facts(); }
  [[nodiscard]] Trace* trace() override { return &trace_; }
  void note_event(const ProgressEvent& event, double seconds) override { trace_.record(event, seconds); }
  [[nodiscard]] Result<MemoryPlan> plan_memory(Look look) const final {
    return plan_fit(options_, problem_count(), look);
  }

  /// Which covariates are used and which are not, where there are any. `whose`: "trait: " of one of several.
  void note_covariates(const LassoData& data, const std::string& whose);
  void log_barrier(const ProgressEvent& event);
  /// On the coordinator's thread: takes over what the judge has accepted, unless it is there: a run that went back says
  /// the same again. `name`: what the log calls it; `more`: what it says besides.
  void keep(std::vector<Solution>& path, const Solution& solution, const std::string& name,
            const std::string& more = "");
  /// Counts the coefficients of a solution that double precision cannot hold in units of the data.
  void count_unrepresented(const Solution& solution);
  /// Says how many there were, once all solutions that are written were counted.
  void note_unrepresented();
  /// Recomputes, from the data alone, what the messages say about solutions that are about to be written, of one path
  /// or fit that ended with `end`, at this l1 ratio; then evaluates `written`, the models that are made of them, one a
  /// step. Certificates become those of the data where these are
  /// worse: a solution whose gap rounding has left too large did not meet the tolerance. Steps that are false are taken
  /// out, and ended() says so. `whose`: in front of their names. `part`: of several, for note_zeros(). Errors: as
  /// SolutionCheck::examine(); input, where no column takes part and some of them should.
  Status check(const LassoData& data, RunEnd& end, std::vector<Solution>& steps, const FittedPath& written,
               const std::string& whose, double l1_ratio, const std::string& part);
  /// How a run ends. Errors: internal: some solutions were false, and left out. `is_written`: the others were written.
  [[nodiscard]] Status ended(bool tolerance_met, bool is_written = true) const;
  [[nodiscard]] std::size_t false_solutions() const { return false_.size(); }
  /// Says which of the checked solutions are 0 at every lambda, and why.
  void note_zeros();

  FitOptions options_;
  std::shared_ptr<const Dataset> dataset_;                ///< the first of those that were read
  std::vector<std::shared_ptr<const Dataset>> datasets_;  ///< all
  Trace trace_;
  std::mutex mutex_;  ///< of solutions, while the run goes on

 private:
  Result<RunList> prepare(bool on_driver) final;
  Result<RoundListener> listen_to_rounds() final;
  [[nodiscard]] bool rounds_failed() const final { return rounds_.has_value() && !rounds_->ok(); }
  Status end_rounds() final { return rounds_.has_value() ? rounds_->finish() : Status(); }
  Status load();
  void note_what_was_read();
  void note_lost(std::span<const VarId> variables);
  void judge_steps(const SolutionCheck& own, const LassoOptions& options, RunEnd& end, std::vector<Solution>& steps,
                   std::span<SolutionCheck::Finding> findings);
  [[nodiscard]] std::string lost_text(std::span<const VarId> variables) const;

  std::optional<RoundTrace> rounds_;         ///< of --trace-rounds
  std::string covariates_noted_;             ///< the last line about them
  std::optional<ProgressPrinter> checking_;  ///< of all checks of the run: it counts their seconds together
  std::uint64_t unrepresented_ = 0;
  std::vector<std::string> false_;                         ///< what was wrong with solutions that are not written
  bool lost_is_noted_ = false;                             ///< said once
  std::map<std::string, std::set<std::string>> all_zero_;  ///< by reason: the parts whose solutions are 0
};

}  // namespace strads::lasso
