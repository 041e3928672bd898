// ProgramRun on several processes or hosts: the runs of its list, one after the other, and their checkpoints.
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "program/output/times_file.hpp"
#include "program/run/run_checkpoints.hpp"
#include "program/run/run_page.hpp"
#include "program/run/together.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_cluster.hpp"

namespace strads {

/// What the driver's hooks read and write, on its thread; the list is made on another one, which may outlive this.
struct ProgramRun::OnCluster {
  std::shared_ptr<RunList> list = std::make_shared<RunList>();
  std::optional<Together> made;
  std::size_t begun = 1;          ///< of the runs that are carried out, the first one among them
  std::set<std::uint32_t> asked;  ///< for their barriers, by their places among these

  Together& together(ProgramRun& program) { return made.has_value() ? *made : made.emplace(program, *list); }
};

/// Of a resumed program: whether a run of its list has not ended. What is wrong with its checkpoint is said later.
bool ProgramRun::anything_is_left() {
  if (settings_.checkpoints.resume.empty()) return true;
  auto found = read_checkpoint(checkpoint_folder());
  if (!found.ok()) return true;
  for (std::size_t run = 0; run < found.value().checkpoint.runs.size(); ++run) {
    const ListedRun& listed = found.value().checkpoint.runs[run];
    if (listed.ended) continue;
    first_left_ = run;
    first_resumes_ = listed.at;
    return true;
  }
  return false;
}

std::vector<FurtherRunRequest> ProgramRun::more_runs(OnCluster& state) {
  const std::vector<std::size_t>& places = state.together(*this).to_do();
  std::vector<FurtherRunRequest> more;
  const std::size_t before = state.list->runs.size() - places.size();  // had ended
  while (!should_finish() && state.begun < places.size() &&
         state.begun - (state.together(*this).ended() - before) < state.list->at_once) {
    const RunRequest& next = state.list->runs[places[state.begun]];
    if (next.may_begin && !next.may_begin()) break;
    FurtherRunRequest request{next.engine, std::to_string(places[state.begun]), next.make_model, {}, next.may_judge};
    if (next.placed_as.has_value()) {
      const auto at = std::find(places.begin(), places.end(), std::size_t{*next.placed_as});
      request.placed_as = static_cast<std::uint32_t>(at - places.begin());
    }
    request.resumes = next.resumes;
    more.push_back(std::move(request));
    ++state.begun;
  }
  return more;
}

/// The driver makes checkpoints for itself, whenever it likes; those that are written are asked for here.
void ProgramRun::add_checkpoint_hooks(OnCluster& state, DriverHooks& hooks) {
  hooks.checkpoint_due = [&](std::uint32_t run, Version version) {
    if (checkpoints_ == nullptr || !checkpoints_->wanted()) return false;
    const bool due = checkpoints_->is_due(state.together(*this).to_do()[run], version);
    if (due) state.asked.insert(run);
    return due;
  };
  hooks.checkpoint = [&](std::uint32_t run, const std::shared_ptr<const RunCheckpoint>& checkpoint) {
    if (state.asked.erase(run) == 0) return;
    checkpoints_->write(state.together(*this).to_do()[run], *checkpoint, solving_.seconds(), log_);
  };
  hooks.give_up = [this] {
    return is_solving_ && checkpoints_ != nullptr && checkpoints_->gives_up(solving_.seconds(), log_);
  };
}

DriverHooks ProgramRun::cluster_hooks(OnCluster& state, ProgressPrinter& progress) {
  DriverHooks hooks;
  hooks.say = [&](const std::string& line, bool important) {
    progress.finish();
    important ? report_note(line) : log_.info(line);
  };
  const auto see = [&](std::uint32_t run, const ProgressEvent& event) {
    Together& together = state.together(*this);
    const std::size_t place = together.to_do()[run];
    return observe(place, event, together.of(place, event), progress);
  };
  hooks.observe = [see](const ProgressEvent& event) { return see(0, event); };
  hooks.observe_run = see;
  hooks.finish_requested = [this] { return should_finish(); };
  hooks.first_may_judge = [this, &state] {
    const auto& runs = state.list->runs;  // made before the first run is
    return !runs[first_left_].may_judge || runs[first_left_].may_judge();
  };
  hooks.more_to_come = [&] { return !should_finish() && state.begun < state.together(*this).to_do().size(); };
  hooks.more_runs = [&] { return more_runs(state); };
  hooks.run_ended = [&](std::uint32_t run, const RunEnd& end) {
    Together& together = state.together(*this);
    together.note_end(together.to_do()[run], end);
  };
  add_checkpoint_hooks(state, hooks);
  if (times_ != nullptr) hooks.times = times_->listener();
  if (settings_.host != nullptr) hooks.ended_processes = settings_.host->ended_processes;
  page_->add_hooks(hooks);
  return hooks;
}

/// The driver's own data serve for what it writes; its nodes load for themselves.
Status ProgramRun::on_cluster() {
  const Stopwatch starting;
  auto progress = progress_printer();
  OnCluster state;
  const auto make = [this, list = state.list, starting]() -> Result<std::shared_ptr<Model>> {
    record().seconds_start = starting.seconds();
    page_->note_stage("reading the data", false);
    STRADS_ASSIGN_OR_RETURN(*list, prepare(true));
    if (Status taken = take_up(*list); !taken.ok()) return taken;
    return list->runs[first_left_].make_model();
  };
  ClusterTask task{command_, config_for_nodes_, first_resumes_};
  if (first_left_ > 0) task.first = std::to_string(first_left_);
  MachineOptions machine = settings_.machine;
  if (settings_.host != nullptr) {
    task.prints = false;
    machine.simd = simd_name();  // the kernels of a host stay as they are: other runs of it may be under way
  }
  auto run = run_cluster(make, settings_.engine, machine, settings_.cluster, task, cluster_hooks(state, progress));
  progress.finish();
  if (checkpoints_ != nullptr && checkpoints_->gave_up()) return end_at_deadline();
  record().run.traffic = run.traffic;
  record().run.worker_wait_share = run.worker_wait_share;
  RunEnd& end = record().run.end;
  const bool any_ended = state.made.has_value() && state.made->ended() > 0;
  if (any_ended) {
    state.made->end(run.end.status);
  } else {
    end = run.end;
  }
  record().cluster = std::move(run);
  if (end.status.ok() && !any_ended) {
    return {StatusCode::stopped, "stopped before the first round: there is nothing to write"};
  }
  return end.status;
}

}  // namespace strads
