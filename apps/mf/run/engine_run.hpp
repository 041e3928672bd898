// What `mf fit` and `mf cv` do alike besides what every program does: reading ratings, notes, the end.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mf/output/run_facts.hpp"
#include "mf/run/mf_memory.hpp"
#include "mf/run/slim_memory.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::mf {

class EngineRun : public ProgramRun {
 public:
  /// `command`: "mf fit". `options`: settled.
  EngineRun(std::string command, FitOptions options, const OptionTable& table);

 protected:
  using Progress = std::function<void(double share)>;

  /// Reads the ratings. On a cluster called on another thread.
  virtual Status load(const Progress& progress) = 0;
  /// From what load() has read. `on_driver`: no role runs here, ratings may go.
  virtual Result<RunList> make_runs(bool on_driver) = 0;
  [[nodiscard]] virtual ProgressLine progress_text(const ProgressEvent& event, double seconds) const = 0;
  /// Of a grid with folds.
  [[nodiscard]] virtual GridSizes grid_sizes() const { return {}; }
  /// Where the facts are kept.
  [[nodiscard]] virtual RunFacts& facts() = 0;
  [[nodiscard]] RunRecord& record() final { return facts(); }
  [[nodiscard]] Result<MemoryPlan> plan_memory(Look look) const final {
    return options_.is_slim() ? plan_slim(options_, grid_sizes(), look)
                              : plan_factorization(options_, grid_sizes(), look);
  }

  /// The notes about what was read.
  void note_input(std::uint64_t duplicates, const std::vector<std::string>& unended,
                  const std::vector<std::string>& notes);
  /// Whether the run finished, and what stopped it: a signal, a limit, or what its end says.
  void judge_end();
  /// After judge_end(): notes what to do about a fit that has failed.
  void note_failure();
  /// For conclude(): shows the lines. Errors: stopped, if a limit or a signal ended the run; input, where `unread`: a
  /// fit has ended with kStopUnread.
  Status closed(const std::string& lines, bool unread, const std::function<Summary()>& summary);

  FitOptions options_;
  std::shared_ptr<Chunks> threads_;

 private:
  Result<RunList> prepare(bool on_driver) final;
  [[nodiscard]] ProgressPrinter::Line progress_formatter() final;
};

}  // namespace strads::mf
