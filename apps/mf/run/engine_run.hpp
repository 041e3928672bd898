// What `mf fit` and `mf cv` do alike: run directory, log, the run embedded or on a cluster, interruption.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mf/output/run_facts.hpp"
#include "strads/program/run.hpp"
#include "strads/transport/embedded.hpp"

namespace strads::mf {

/// One run from options to files. Every step returns early with the failure's status; the log tells the same story.
/// Shared, since on a cluster the ratings are loaded by a thread that may outlive an interrupted run.
class EngineRun : public std::enable_shared_from_this<EngineRun> {
 public:
  /// `command`: "mf fit". `options`: settled.
  EngineRun(std::string command, FitOptions options, const OptionTable& table);
  virtual ~EngineRun() = default;
  EngineRun(const EngineRun&) = delete;
  EngineRun& operator=(const EngineRun&) = delete;

  Status run();

 protected:
  using Progress = std::function<void(double share)>;

  /// Names of the files that the run is going to write, its summary left out.
  [[nodiscard]] virtual std::vector<std::string> own_files() const = 0;
  /// Reads the ratings. On a cluster called on another thread.
  virtual Status load(const Progress& progress) = 0;
  /// From what load() has read. `on_driver`: no role runs here, ratings may go.
  virtual Result<std::shared_ptr<Model>> make_model(bool on_driver) = 0;
  [[nodiscard]] virtual std::string progress_text(const ProgressEvent& event, double seconds) const = 0;
  /// For log and trace.
  virtual void note_event(const ProgressEvent& event, double seconds) = 0;
  /// The rows of trace.csv; null: the run has none.
  [[nodiscard]] virtual Trace* trace() = 0;
  /// The run has ended in order: results, files, closing lines.
  virtual Status conclude() = 0;
  /// Where the facts are kept.
  [[nodiscard]] virtual RunFacts& facts() = 0;

  /// Note in the log and on stderr.
  void note(const std::string& text);
  /// The notes about what was read.
  void note_input(std::uint64_t duplicates, const std::vector<std::string>& unended,
                  const std::vector<std::string>& notes);
  /// Whether the run finished, and what stopped it: a signal, a limit, or what its end says.
  void judge_end();
  /// After judge_end(): notes what to do about a fit that has failed.
  void note_failure();
  /// trace.csv, log.txt and summary.json, after the other files.
  Status finish_files(const Summary& summary);
  /// For conclude(): shows the lines; stopped, if a limit or a signal ended the run.
  Status closed(const std::string& lines);

  FitOptions options_;
  std::shared_ptr<Chunks> threads_;
  RunDirectory directory_;
  Log log_;
  Stopwatch solving_;

 private:
  Status open_directory();
  Status load_solve_write();
  Result<std::shared_ptr<Model>> prepare(const Progress& progress, bool on_driver);
  [[nodiscard]] ProgressPrinter printer();
  Status embedded();
  Status on_cluster();
  [[nodiscard]] bool should_finish() const;
  bool observe(const ProgressEvent& event, ProgressPrinter& progress);

  std::string command_;
  std::shared_ptr<LiveFiles> live_;  ///< log and trace while the run goes on
  std::string config_;
  std::string config_for_nodes_;
  // On a cluster the ratings are loaded on another thread.
  std::atomic<bool> is_loading_{false};  ///< that thread may be at work
  std::atomic<bool> is_solving_{false};  ///< `solving_` may be read
};

}  // namespace strads::mf
