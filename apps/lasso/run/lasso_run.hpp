// What `lasso fit`, `lasso path` and `lasso cv` do alike: run directory, log, the run embedded or on a cluster,
// interruption.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lasso/model/lasso.hpp"
#include "lasso/options/fit_options.hpp"
#include "lasso/run/check_solutions.hpp"
#include "strads/program/run.hpp"
#include "strads/transport/cluster.hpp"
#include "strads/transport/embedded.hpp"

namespace strads::lasso {

/// What every finished run knows.
struct RunFacts {
  std::shared_ptr<LassoData> data;
  std::optional<ClusterRun> cluster;  ///< of a run on several processes; `run` has its end and traffic too
  EmbeddedRun run;
  std::string stop_reason;
  double seconds_start = 0;  ///< until all nodes had joined; 0 embedded
  double seconds_load = 0;
  double seconds_solve = 0;
  double seconds_check = 0;  ///< of recomputing what the run says about its solutions
};

/// One run from options to files. Every step returns early with the failure's status; the log tells the same story.
/// Shared, since on a cluster the data are loaded by a thread that may outlive an interrupted run.
class LassoRun : public std::enable_shared_from_this<LassoRun> {
 public:
  /// `command`: "lasso fit". `options`: settled.
  LassoRun(std::string command, FitOptions options, const OptionTable& table);
  virtual ~LassoRun() = default;
  LassoRun(const LassoRun&) = delete;
  LassoRun& operator=(const LassoRun&) = delete;

  Status run();

 protected:
  /// Names of the files that the run is going to write, its summary left out.
  [[nodiscard]] virtual std::vector<std::string> own_files() const = 0;
  /// One data set, or one for each trait. On a cluster called on another thread.
  virtual Result<std::vector<std::shared_ptr<const Dataset>>> read_data();
  /// From facts().data. On a cluster called on another thread.
  virtual Result<std::shared_ptr<Model>> make_model() = 0;
  /// For log and trace.
  virtual void note_event(const ProgressEvent& event, double seconds) = 0;
  /// The rows of trace.csv.
  [[nodiscard]] virtual Trace& trace() = 0;
  /// What a line of progress says; empty: rounds, objective, gap, nonzeros.
  [[nodiscard]] virtual ProgressPrinter::Line progress_line() { return {}; }
  /// The run has ended in order: results, files, closing lines.
  virtual Status conclude() = 0;
  /// Where the facts are kept.
  [[nodiscard]] virtual RunFacts& facts() = 0;

  /// Note in the log and on stderr.
  void note(const std::string& text);
  /// Which covariates are used and which are not, where there are any. `whose`: "trait: " of one of several.
  void note_covariates(const LassoData& data, const std::string& whose);
  /// Why a run, or a part of it, ended that says `stop_reason`: of a limit, which one.
  [[nodiscard]] std::string reason_of_end(const std::string& stop_reason);
  void log_barrier(const ProgressEvent& event);
  /// On a cluster no role runs in this process, so nobody has looked at these columns here.
  void look_at(std::span<const VarId> variables);
  /// Counts the coefficients of a solution that double precision cannot hold in units of the data.
  void count_unrepresented(const LassoSolution& solution, const OriginalScale& original);
  /// Says how many there were, once all solutions that are written were counted.
  void note_unrepresented();
  /// Recomputes, from the data alone, what the messages say about solutions that are about to be written: of one path
  /// or fit that ended with `end`. Errors: as SolutionCheck::compare().
  Status check(const LassoData& data, const RunEnd& end, std::span<const SolutionClaim> claims);

  /// trace.csv, log.txt and summary.json, after the other files.
  Status finish_files(const Summary& summary);

  FitOptions options_;
  RunDirectory directory_;
  Log log_;
  std::shared_ptr<const Dataset> dataset_;                ///< the first of those that were read
  std::vector<std::shared_ptr<const Dataset>> datasets_;  ///< all
  Stopwatch solving_;

 private:
  Status open_directory();
  Status load_solve_write();
  Status load();
  void note_what_was_read();
  Result<std::shared_ptr<Model>> prepare();
  Status embedded();
  Status on_cluster();
  [[nodiscard]] bool should_finish() const;
  void note_lost(std::span<const VarId> variables);
  bool observe(const ProgressEvent& event, ProgressPrinter& progress);

  std::string command_;
  std::shared_ptr<LiveFiles> live_;  ///< log and trace while the run goes on
  std::string covariates_noted_;     ///< the last line about them
  std::string config_;
  std::string config_for_nodes_;
  std::optional<ProgressPrinter> checking_;  ///< of all checks of the run: it counts their seconds together
  std::uint64_t unrepresented_ = 0;
  bool lost_is_noted_ = false;  ///< said once
  // On a cluster the data are loaded on another thread.
  std::atomic<bool> is_loading_{false};  ///< that thread may be at work
  std::atomic<bool> is_solving_{false};  ///< `solving_` may be read
};

}  // namespace strads::lasso
