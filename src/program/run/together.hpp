// The runs of a list, as one. Layer: program.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "program/run/run_checkpoints.hpp"
#include "program/run/run_page.hpp"
#include "strads/program/program_run.hpp"

namespace strads {

/// What the runs of a list come to together. A list of one is that run. Runs that had ended before the program was
/// resumed are among them from the beginning, and are not carried out.
class ProgramRun::Together {
 public:
  Together(ProgramRun& program, const RunList& list) : program_(program), list_(list), last_(list.runs.size()) {
    program_.record().run.end = RunEnd{};
    std::vector<std::string> names;
    for (const RunRequest& request : list.runs) names.push_back(request.name);
    program_.page_->expect_runs(std::move(names));
    for (std::size_t run = 0; run < list.runs.size(); ++run) {
      if (program_.has_ended_before(run)) {
        add_resumed(run, program_.resumed_[run].end);
      } else {
        to_do_.push_back(run);
      }
    }
    if (!several()) return;
    program_.log_.info(std::to_string(list.runs.size()) + " runs, " + std::to_string(list.at_once) + " at a time" +
                       (ended_ == 0 ? "" : ", " + std::to_string(ended_) + " of them had ended before"));
  }
  [[nodiscard]] bool several() const { return last_.size() > 1; }
  /// The places of the runs that are carried out, in their order.
  [[nodiscard]] const std::vector<std::size_t>& to_do() const { return to_do_; }

  /// An event of one of them, with the totals of all.
  [[nodiscard]] ProgressEvent of(std::size_t run, const ProgressEvent& event) {
    const bool begins = event.kind == ProgressEvent::Kind::started;
    if (begins && program_.checkpoints_ != nullptr) program_.checkpoints_->note_begin(run);
    if (!several()) return event;
    if (begins) program_.note_begin(run);
    last_[run] = event;
    ProgressEvent together = event;
    together.totals = {};
    together.phase = 0;
    for (const ProgressEvent& each : last_) {
      together.totals += each.totals;
      together.phase += each.phase;
    }
    return together;
  }
  void note_end(std::size_t run, RunEnd ended) {
    program_.page_->note_run_end(run, ended);
    RunEnd& end = program_.record().run.end;
    if (!several()) {
      ++ended_;
      end = std::move(ended);
      return;
    }
    add(ended);
    program_.note_end(run, ended);
    tell_checkpoints(run, ended);
  }
  /// None comes any more. `status`: of all of them.
  void end(const Status& status) {
    RunEnd& end = program_.record().run.end;
    if (!status.ok()) end.status = status;
    if (!several()) return;
    whole_ = whole_ && ended_ == last_.size();
    end.stop_reason = whole_ ? "every run has ended" : kStopLimit;
    end.certificate.converged = whole_ && converged_;
  }
  [[nodiscard]] std::size_t ended() const { return ended_; }

 private:
  void add(const RunEnd& ended) {
    ++ended_;
    program_.record().run.end.totals += ended.totals;
    whole_ = whole_ && ended.stop_reason != kStopLimit;
    converged_ = converged_ && ended.certificate.converged;
  }
  void add_resumed(std::size_t run, const RunEnd& ended) {
    program_.page_->note_run_end(run, ended);
    last_[run].totals = ended.totals;
    last_[run].phase = static_cast<std::uint32_t>(ended.totals.phases);
    add(ended);
  }

  /// One that a limit or a request cut off goes on when the program is resumed, and so do those that wait for it: what
  /// they do without it they might not do with it.
  void tell_checkpoints(std::size_t run, const RunEnd& ended) {
    RunCheckpoints* const checkpoints = program_.checkpoints_.get();
    if (checkpoints == nullptr) return;
    if (auto kept = program_.kept_of(run); kept.has_value() && !program_.was_cut_off(ended)) {
      checkpoints->note_end(run, ended, std::move(*kept));
      return;
    }
    checkpoints->leave(run);
    for (std::size_t other = 0; other < list_.runs.size(); ++other) {
      if (list_.runs[other].may_judge) checkpoints->leave(other);
    }
  }

  ProgramRun& program_;
  const RunList& list_;
  std::vector<std::size_t> to_do_;
  std::vector<ProgressEvent> last_;  ///< by run
  std::size_t ended_ = 0;
  bool whole_ = true, converged_ = true;
};

}  // namespace strads
