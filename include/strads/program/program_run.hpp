// A run of a program from options to files: what `lasso` and `mf` do alike, and any program of another model can.
// Layer: program.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strads/program/checkpoint_file.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/log.hpp"
#include "strads/program/memory_plan.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_cluster.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_host.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"
#include "strads/transport/cluster.hpp"
#include "strads/transport/embedded.hpp"
#include "strads/transport/embedded_runs.hpp"

namespace strads {

class HostNotes;
class RunCheckpoints;
class TimesFile;
class RunPage;

/// How a run went.
struct RunRecord {
  std::optional<ClusterRun> cluster;  ///< of a run on several processes; `run` has its end and traffic too
  EmbeddedRun run;
  std::string stop_reason;
  double seconds_start = 0;  ///< until all nodes had joined; 0 embedded
  double seconds_load = 0;
  double seconds_solve = 0;
  double seconds_check = 0;  ///< of recomputing what the run says of its solution, and of reading what was written
};

/// What a command runs: one run, or several beside each other.
struct RunList {
  std::vector<RunRequest> runs;
  std::size_t at_once = 1;  ///< so many of them at a time
  /// Of the data of all of them, for checkpoints; may be empty where there is one run: that of its model.
  std::optional<std::uint64_t> fingerprint = {};
};
/// Which of `size` runs of a list a driver's request for a further run names. Errors: cluster: none.
[[nodiscard]] Result<std::size_t> place_in_list(const std::string& request, std::size_t size);
/// So many runs that no thread waits for work, and no more, since each takes memory: one more than there are threads.
[[nodiscard]] std::size_t runs_at_once(const MachineOptions& machine, const ClusterOptions& cluster);

/// When a run writes checkpoints, and where it goes on. Never changes the bits.
struct CheckpointOptions {
  double seconds = 0;        ///< 0: not by time
  std::uint64_t rounds = 0;  ///< 0: not by rounds
  std::string deadline;      ///< the program ends with a checkpoint before; "": no
  std::string resume;        ///< run directory; "": the run begins anew

  [[nodiscard]] bool wanted() const { return seconds > 0 || rounds > 0 || !deadline.empty(); }
};

/// The options of every command that runs the engine; a command's own derive from it.
struct RunOptions {
  CommonOptions common;
  EngineOptions engine;
  MachineOptions machine;
  ClusterOptions cluster;
  double max_seconds = 0;    ///< 0: no limit
  bool memory_check = true;  ///< the run does not begin where its memory cannot be had
  bool dry_run = false;      ///< says what memory the run would take, and does not begin it
  CheckpointOptions checkpoints;
  std::string trace_times;  ///< file; "": none
  StatusOptions status;
  std::shared_ptr<const RunHost> host;  ///< null: the run is a program's own
};
/// Limits, engine, machine, cluster, status, output.
void add_run_options(OptionTable& table, RunOptions& options);
/// --checkpoint-seconds, --checkpoint-rounds, --deadline, --resume: of the commands that can go on. Call after
/// add_run_options().
void add_checkpoint_options(OptionTable& table, RunOptions& options);
/// What concerns several of them. Errors: usage.
[[nodiscard]] Status check_run_options(const OptionTable& table, const RunOptions& options);

/// One run from options to files: run directory, log, trace, the run embedded or on a cluster, interruption. Every step
/// returns early with the failure's status; the log tells the same story.
class ProgramRun {
 public:
  /// `command`: "lasso fit". `options` are those of `table`, settled.
  ProgramRun(std::string command, RunOptions options, const OptionTable& table);
  virtual ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  /// Errors: of any step. A failure leaves the log in the run directory's place. Where a run on a cluster ends while
  /// its data are still being read, so does the process.
  Status run();

 protected:
  /// Names of the files that the run is going to write, its summary left out.
  [[nodiscard]] virtual std::vector<std::string> own_files() const = 0;
  /// What the processes of this run are going to take. Errors: the data cannot be looked at, or (the default) nobody
  /// knows.
  [[nodiscard]] virtual Result<MemoryPlan> plan_memory(Look look) const;
  /// Reads the data, calls begin_solving(), says what is to be run: of one model single_run(). `on_driver`: no role
  /// runs in this process, and it is called on another thread. A node makes the model of the first run as it loads, and
  /// that of another one by LoadedModel::further from its place in the list.
  virtual Result<RunList> prepare(bool on_driver) = 0;
  /// One of several has begun: its model is placed wherever it computes.
  virtual void note_begin(std::size_t run) { static_cast<void>(run); }
  /// One of several has ended; record() has the end of them all: their totals, added up.
  virtual void note_end(std::size_t run, const RunEnd& end) { static_cast<void>(run), static_cast<void>(end); }
  /// After note_end(): what checkpoints have to keep so that the run need not be computed again; no value: it must be.
  virtual std::optional<KeptOfRun> kept_of(std::size_t run) { return static_cast<void>(run), std::nullopt; }
  /// Instead of note_begin() and note_end(): the run had ended before the program was resumed, and kept_of() said so.
  /// Errors: input: `kept` is nothing that kept_of() says; without path.
  virtual Status take_back(std::size_t run, const RunEnd& end, const KeptOfRun& kept) {
    static_cast<void>(run), static_cast<void>(end), static_cast<void>(kept);
    return Status::input("it has a run that ended, of a command that keeps none");
  }
  /// For log and trace. Of several runs: totals and phase are those of all together.
  virtual void note_event(const ProgressEvent& event, double seconds) = 0;
  /// The rows of trace.csv; null: the run has none.
  [[nodiscard]] virtual Trace* trace() = 0;
  /// What a line of progress says; empty: rounds, objective, gap, nonzeros.
  [[nodiscard]] virtual ProgressPrinter::Line progress_formatter() { return {}; }
  /// Who hears of each round of an embedded run; empty: nobody. Called before the data are read.
  virtual Result<RoundListener> listen_to_rounds() { return RoundListener(); }
  /// Whether what listens to rounds wants no more of them.
  [[nodiscard]] virtual bool rounds_failed() const { return false; }
  /// The rounds of an embedded run are over.
  virtual Status end_rounds() { return {}; }
  /// The run has ended in order: results, files, closing lines.
  virtual Status conclude() = 0;
  /// Where the facts are kept.
  [[nodiscard]] virtual RunRecord& record() = 0;

  /// A list of one.
  [[nodiscard]] RunList single_run(std::shared_ptr<Model> model) const;
  /// From here on the time counts as seconds_solve.
  void begin_solving();
  /// Note in the log and on stderr, or to the host.
  void report_note(const std::string& text);
  /// The closing lines, on stdout, and in a log of JSON the summary; a host has the results themselves.
  void show(const std::string& lines, const std::function<Summary()>& summary) const;
  /// Why a run, or a part of it, ended that says `stop_reason`: of a limit, which one.
  [[nodiscard]] std::string reason_of_end(const std::string& stop_reason);
  /// trace.csv, log.txt and summary.json, after the other files.
  Status finish_files(const Summary& summary);

  RunDirectory directory_;
  Log log_;
  Stopwatch solving_;

 private:
  Status show_memory() const;
  Status open_directory();
  [[nodiscard]] std::string checkpoint_folder() const;
  Status expect_no_checkpoint();
  Result<std::uint64_t> fingerprint_of(RunList& list);
  Status take_up(RunList& list);
  Status take_back(RunList& list);
  [[nodiscard]] bool has_ended_before(std::size_t run) const;
  Status end_at_deadline();
  Status prepare_solve_write();
  Status embedded();
  void run_list(const RunList& list, const RoundListener& rounds, ProgressPrinter& progress);
  class Together;
  Status on_cluster();
  struct OnCluster;
  [[nodiscard]] bool anything_is_left();
  [[nodiscard]] std::vector<FurtherRunRequest> more_runs(OnCluster& state);
  [[nodiscard]] DriverHooks cluster_hooks(OnCluster& state, ProgressPrinter& progress);
  void add_checkpoint_hooks(OnCluster& state, DriverHooks& hooks);
  [[nodiscard]] bool interrupted() const;
  [[nodiscard]] bool should_finish() const;
  [[nodiscard]] bool was_cut_off(const RunEnd& end) const;
  /// `event`: of the run of this place in the list. `together`: the same, of all of them.
  bool observe(std::size_t run, const ProgressEvent& event, const ProgressEvent& together, ProgressPrinter& progress);
  [[nodiscard]] ProgressPrinter progress_printer();

  std::string command_;
  std::string program_;  ///< its first word
  RunOptions settings_;
  std::optional<double> deadline_;  ///< seconds since 1970
  std::unique_ptr<HostNotes> host_notes_;
  std::unique_ptr<RunPage> page_;  ///< there since the beginning of run()
  std::unique_ptr<RunCheckpoints> checkpoints_;
  std::vector<ListedRun> resumed_;  ///< what the checkpoint to go on from says of each run; empty: there is none
  // On a cluster, as read before anybody joins: the first run of the list that has not ended, and where it goes on.
  std::size_t first_left_ = 0;
  std::shared_ptr<const RunCheckpoint> first_resumes_;
  std::string config_of_result_;     ///< the options that fix the result
  std::shared_ptr<LiveFiles> live_;  ///< log and trace while the run goes on
  std::string config_;
  std::string config_for_nodes_;
  std::shared_ptr<TimesFile> times_;     ///< of --trace-times
  std::atomic<bool> is_solving_{false};  ///< `solving_` may be read: on a cluster another thread reads the data
};

struct Subcommand {
  const char* name;
  Status (*run)(std::span<const std::string> arguments);
};
/// What the first of the arguments says: a subcommand, help or --version. Errors: usage: no such command.
Status run_subcommand(const std::string& program, const char* usage, std::span<const Subcommand> commands,
                      std::span<const std::string> arguments);

/// A command from arguments to its end: parses them, answers --help and the like, settles, runs. `settle`: checks what
/// concerns several options and fills in what was left open. `common`: what `table` writes to.
Status run_command(std::string_view program, OptionTable& table, const CommonOptions& common,
                   std::span<const std::string> arguments, const std::function<Status()>& settle,
                   const std::function<Status()>& run);

/// What a node takes from the driver's options: `names` are the files among them, found by `path`; then `settle`.
Status take_options(OptionTable& table, const std::string& config, std::span<std::string* const> names,
                    const PathRule& path, const std::function<Status()>& settle);

/// How it was run, for summary.json: roles, seed, kernels, version.
void add_engine(Summary& summary, const RunOptions& options);
/// Waiting of the workers, messages and bytes.
void add_traffic(Summary& summary, const RunRecord& record);
/// Transport, seconds, memory.
void add_execution(Summary& summary, const RunOptions& options, const RunRecord& record);
/// The closing line of where the time went. `rate`: said in front of the memory.
[[nodiscard]] std::string time_line(const RunOptions& options, const RunRecord& record, const std::string& rate = "");
/// "cluster" of summary.json, where there was one: `own` adds to a node what only this program knows.
void add_cluster(Summary& summary, const RunRecord& record,
                 const std::function<void(Summary& facts, const NodeReport& node)>& own);
/// "1 round", "2 rounds".
[[nodiscard]] std::string with_unit(std::uint64_t count, const char* one, const char* many);

}  // namespace strads
