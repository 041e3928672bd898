// What a run tells its status page; without one it tells nobody. Layer: program.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "program/status/status_page.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/log.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/trace.hpp"
#include "strads/transport/cluster.hpp"

namespace strads {

class RunPage {
 public:
  /// `page`: may be null. It hears what `log` does from now on; both stay together.
  RunPage(std::unique_ptr<StatusPage> page, Log& log) : page_(std::move(page)) {
    if (page_ == nullptr) return;
    log.tell([&board = page_->board()](auto level, auto line) { board.note_message(level, line); });
  }

  void note_stage(const char* stage, bool ready) {
    if (page_ != nullptr) page_->board().note_stage(stage, ready);
  }
  void expect_runs(std::vector<std::string> names) {
    if (page_ != nullptr) page_->board().expect_runs(std::move(names));
  }
  /// An event of one run; `together`: the same of all of them, as the terminal has it.
  void note_event(std::size_t run, const ProgressEvent& event, const ProgressEvent& together, double seconds,
                  const ProgressPrinter& printer, const Trace* trace) {
    if (page_ == nullptr) return;
    StatusBoard& board = page_->board();
    board.note_event(run, event, seconds);
    if (!board.is_due(seconds)) return;
    board.note_line(printer.line(together, seconds).text(), seconds);
    note_figures(trace);
  }
  void note_run_end(std::size_t run, const RunEnd& end) {
    if (page_ != nullptr) page_->board().note_run_end(run, end);
  }
  void add_hooks(DriverHooks& hooks) {
    if (page_ == nullptr) return;
    hooks.nodes_wanted = [&board = page_->board()] { return board.nodes_due(); };
    hooks.nodes = [&board = page_->board()](const std::vector<NodeState>& nodes) { board.note_nodes(nodes); };
  }
  /// Errors: as StatusPage::finish().
  Status end(const Status& outcome, const Trace* trace) {
    if (page_ == nullptr) return {};
    note_figures(trace);
    return page_->finish(outcome);
  }

 private:
  void note_figures(const Trace* trace) {
    if (trace == nullptr) return;
    const auto [header, row] = trace->last_barrier();
    page_->board().note_figures(header, row);
  }

  std::unique_ptr<StatusPage> page_;
};

}  // namespace strads
