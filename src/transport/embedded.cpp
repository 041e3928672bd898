#include "strads/transport/embedded.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/rounds/node.hpp"
#include "strads/transport/embedded_rounds.hpp"
#include "strads/transport/embedded_runs.hpp"
#include "strads/transport/threads.hpp"
#include "transport/mailbox.hpp"
#include "transport/thread_pool.hpp"
#include "transport/time_log.hpp"
#include "wire/framing.hpp"
#include "wire/size.hpp"

namespace strads {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRecordsTold = 4096;  ///< of times, at once

/// One run of this process: a node with all roles, and what it asked for.
struct Hosted {
  Hosted(std::size_t place, const RunRequest& request, std::shared_ptr<Model> model)
      : run(place), node(0, engine::Roster::round_robin(1, request.engine), request.engine, std::move(model)) {
    if (request.may_judge) node.wait_for(request.may_judge);
    if (request.resumes != nullptr) node.resume(request.resumes);
  }
  std::size_t run;       ///< its place in the list
  Version offered = -2;  ///< the barrier at which it was last asked whether a checkpoint is due
  engine::Node node;
  engine::Effects effects;
};

/// A task of a run, which stays until its tasks have gone.
struct Ready {
  std::shared_ptr<Hosted> of;
  engine::Task task;
  std::uint64_t begun = 0, ended = 0;  ///< where times are noted
};

/// Tasks that may run now, in the order in which they should: runs that came first come first. Within a run, what ends
/// a round comes before blocks of later rounds: others wait for a commit, and what it replaces goes.
class ReadyTasks {
 public:
  void insert(Ready ready) {
    const bool ends_round = ready.task.kind == engine::TaskKind::combine || ready.task.kind == engine::TaskKind::apply;
    const std::size_t run = ready.of->run;
    auto at = ends_round ? tasks_.begin() : tasks_.end();
    if (ends_round) {
      while (at != tasks_.end() && at->of->run < run) ++at;
    } else {
      while (at != tasks_.begin() && std::prev(at)->of->run > run) --at;
    }
    tasks_.insert(at, std::move(ready));
  }
  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  /// REQUIRES: place < size().
  [[nodiscard]] Ready remove(std::size_t place) {
    const auto at = tasks_.begin() + static_cast<std::ptrdiff_t>(place);
    Ready ready = std::move(*at);
    tasks_.erase(at);
    return ready;
  }
  void drop(const Hosted& of) {
    std::erase_if(tasks_, [&of](const Ready& ready) { return ready.of.get() == &of; });
  }

 private:
  std::deque<Ready> tasks_;
};

/// The loop that drives the nodes, each of which holds all roles of its run. Messages are handled on the caller's
/// thread, in the order in which they were sent; tasks run there or in the pool. Which, changes no bit.
class Loop {
 public:
  Loop(std::span<const RunRequest> requests, std::size_t at_once, const EmbeddedOptions& options,
       const RunsHooks& hooks)
      : requests_(requests), at_once_(at_once), options_(options), hooks_(hooks) {
    const unsigned threads = threads_wanted(options.threads);
    // This thread computes as well, beside the pool's.
    if (threads > 1) pool_ = std::make_unique<transport::ThreadPool>(threads - 1);
    helpers_ = threads - 1;
  }

  EmbeddedRuns run(const std::atomic<bool>* abandon) {
    const auto start = Clock::now();
    while (status_.ok()) {
      begin_runs();
      if (hosted_.empty()) {
        STRADS_CHECK(next_ == requests_.size() || finishing_ || !status_.ok(), "a run waits for those before it alone");
        break;
      }
      if ((abandon != nullptr && abandon->load()) || (hooks_.give_up && hooks_.give_up())) {
        status_ = Status(StatusCode::stopped, "the run was abandoned");
        break;
      }
      tell();
      if (hooks_.finish_requested && hooks_.finish_requested()) finish();
      deliver_messages();
      tell();  // before the next task, so that a listener's clock is right
      if (end_runs()) continue;
      watch_plans();
      take_tasks();
      step();
      tell_times(kRecordsTold);
    }
    wait_for_helpers();
    tell_times(1);
    EmbeddedRuns result;
    result.status = status_;
    result.traffic = traffic_;
    result.begun = next_;
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    result.worker_wait_share = elapsed > 0 ? std::min(1.0, waiting_seconds_ / elapsed) : 0.0;
    return result;
  }

 private:
  void begin_runs() {
    while (hosted_.size() < at_once_ && next_ < requests_.size() && !finishing_ && status_.ok()) {
      const RunRequest& request = requests_[next_];
      if (request.may_begin && !request.may_begin()) return;
      auto model = request.make_model();
      if (!model.ok()) {
        status_ = model.status();
        return;
      }
      hosted_.push_back(std::make_shared<Hosted>(next_++, request, std::move(model).value()));
      if (hooks_.rounds) hosted_.back()->node.trace_rounds();
      if (hooks_.checkpoint_due) hosted_.back()->node.keep_checkpoints();
      hosted_.back()->node.start(hosted_.back()->effects);
    }
  }

  /// Where there are so many.
  void tell_times(std::size_t count) {
    if (hooks_.times && times_.size() >= count) times_.tell(kTimesOfDriver, hooks_.times);
  }

  void finish() {
    finishing_ = true;
    for (const auto& each : hosted_) each->node.request_finish(each->effects);
  }

  void tell() {
    bool ends = false;
    for (const auto& each : hosted_) {
      for (const RoundRecord& round : each->effects.rounds) hooks_.rounds(round);
      each->effects.rounds.clear();
      if (hooks_.observe) {
        for (const ProgressEvent& event : each->effects.progress) ends = hooks_.observe(each->run, event) || ends;
      }
      each->effects.progress.clear();
    }
    if (ends) finish();
  }

  void deliver_messages() {
    for (const auto& each : hosted_) {
      each->node.reconsider(each->effects);
      deliver_messages(*each);
    }
  }

  void deliver_messages(Hosted& run) {
    engine::Effects& effects = run.effects;
    while (!effects.messages.empty() && !effects.end.has_value()) {
      std::vector<wire::Envelope> batch;
      batch.swap(effects.messages);
      for (wire::Envelope& envelope : batch) {
        ++traffic_.messages;
        traffic_.bytes += wire::encoded_size(envelope.message);
        if (options_.encode_messages) {
          auto decoded = wire::decode_encode(envelope.message);
          if (!decoded.ok()) {  // a message did not survive the codec (test mode)
            effects.end = RunEnd{};
            effects.end->status = decoded.status();
            return;
          }
          envelope.message = std::move(decoded).value();
        }
        note(envelope.message, run);
        run.node.on_message(envelope.message, effects);
        if (hooks_.checkpoint_due) offer_checkpoint(run);
      }
    }
  }

  /// Between the verdict of a barrier, which is on its way, and the phase that it begins.
  void offer_checkpoint(Hosted& run) {
    const engine::Node& node = run.node;
    if (!node.at_checkpoint() || node.replica().version() == run.offered) return;
    run.offered = node.replica().version();
    if (hooks_.checkpoint_due(run.run, run.offered)) hooks_.checkpoint(run.run, node.checkpoint());
  }

  /// True: a run has ended, so that others may begin or go on.
  bool end_runs() {
    bool any = false;
    for (std::size_t i = 0; i < hosted_.size();) {
      if (!hosted_[i]->effects.end.has_value()) {
        ++i;
        continue;
      }
      any = true;
      const std::shared_ptr<Hosted> over = hosted_[i];
      hosted_.erase(hosted_.begin() + static_cast<std::ptrdiff_t>(i));
      small_.drop(*over);
      large_.drop(*over);
      RunEnd end = std::move(*over->effects.end);
      if (!end.status.ok() && status_.ok()) status_ = end.status;
      if (hooks_.ended) hooks_.ended(over->run, std::move(end));
    }
    return any;
  }

  void take_tasks() {
    for (const auto& each : hosted_) {
      for (engine::Task& task : each->effects.tasks) {
        ReadyTasks& ready = task.flops < transport::kSmallTaskFlops ? small_ : large_;
        ready.insert({each, std::move(task)});
      }
      each->effects.tasks.clear();
    }
  }

  /// Runs or waits for one thing. Small tasks come first: what they let go on may be work for the helpers.
  void step() {
    if (!small_.empty()) {
      run_here(small_.remove(0));
    } else if (hand_over_some(); !large_.empty()) {
      run_here(large_.remove(0));
    } else if (outstanding_ > 0) {
      collect(done_.pop_all(std::chrono::milliseconds(100)));
      return;
    } else {
      // Whoever came to its barrier last may have let one before it go on.
      for (const auto& each : hosted_) each->node.reconsider(each->effects);
      STRADS_CHECK(std::ranges::any_of(hosted_, [](const auto& each) { return each->effects.asks_for_anything(); }),
                   "a run that has not ended has something to do");
    }
    if (outstanding_ > 0) collect(done_.pop_all(std::chrono::nanoseconds(0)));
  }

  /// The first task stays for this thread. Where there are many, each helper gets a second one: it would stand idle
  /// from the end of its task to the end of ours. In their order: rounds end one after the other, and what they replace
  /// goes.
  void hand_over_some() {
    while (large_.size() > 1 &&
           (outstanding_ < helpers_ || (outstanding_ < 2 * helpers_ && large_.size() > helpers_))) {
      hand_over(large_.remove(1));
    }
  }

  [[nodiscard]] std::uint64_t time() const { return hooks_.times ? times_.time() : 0; }

  void note(const Ready& ready) {
    if (hooks_.times) times_.note(ready.task, static_cast<std::uint32_t>(ready.of->run), ready.begun, ready.ended);
  }

  /// From then on its worker could compute the block.
  void note(const wire::Message& message, const Hosted& run) {
    if (!hooks_.times || !std::holds_alternative<wire::Assign>(message)) return;
    times_.note(transport::Way::taken, message, static_cast<std::uint32_t>(run.run), kTimesOfDriver);
  }

  void run_here(Ready ready) {
    ready.begun = time();
    if (pool_ != nullptr && ready.task.flops >= transport::kSmallTaskFlops) {
      ready.task.run(pool_->chunks());
    } else {
      SerialChunks serial;
      ready.task.run(serial);
    }
    ready.ended = time();
    note(ready);
    ready.task.done(ready.of->effects);
    watch_plans();
  }

  void hand_over(Ready ready) {
    ++outstanding_;
    auto shared = std::make_shared<Ready>(std::move(ready));
    pool_->submit([this, shared](Chunks& chunks) {
      shared->begun = time();
      shared->task.run(chunks);
      shared->ended = time();
      done_.push(shared);
    });
  }

  /// What a task of a run that has ended asks for stays with the run, which nobody asks any more.
  void collect(const std::vector<std::shared_ptr<Ready>>& finished) {
    for (const auto& ready : finished) {
      --outstanding_;
      note(*ready);
      ready->task.done(ready->of->effects);
    }
    watch_plans();
  }

  /// Time in which workers wait for a plan, as this thread sees it. Called where that may begin or end: after messages
  /// were handled (a commit gives the next scheduler its turn) and after the ends of tasks (a plan is made).
  void watch_plans() {
    const bool waiting = std::ranges::any_of(hosted_, [](const auto& each) { return each->node.waiting_for_plan(); });
    if (waiting == waiting_) return;
    waiting_ = waiting;
    const auto now = Clock::now();
    if (waiting) {
      waiting_since_ = now;
    } else {
      waiting_seconds_ += std::chrono::duration<double>(now - waiting_since_).count();
    }
  }

  void wait_for_helpers() {
    while (outstanding_ > 0)
      outstanding_ -= static_cast<unsigned>(done_.pop_all(std::chrono::milliseconds(100)).size());
  }

  std::span<const RunRequest> requests_;
  std::size_t at_once_;
  EmbeddedOptions options_;
  const RunsHooks& hooks_;
  std::size_t next_ = 0;  ///< run to begin
  std::vector<std::shared_ptr<Hosted>> hosted_;
  bool finishing_ = false;
  Status status_;
  ReadyTasks small_, large_;
  unsigned helpers_ = 0;
  unsigned outstanding_ = 0;
  bool waiting_ = false;
  Clock::time_point waiting_since_;
  double waiting_seconds_ = 0;
  MessageTotals traffic_;
  transport::TimeLog times_;
  transport::Mailbox<std::shared_ptr<Ready>> done_;
  std::unique_ptr<transport::ThreadPool> pool_;  // last: its threads end before what they use
};

/// A list of one.
EmbeddedRun run_one(std::shared_ptr<Model> model, const EngineOptions& engine, const EmbeddedOptions& options,
                    const RoundListener& rounds, const std::function<bool(const ProgressEvent&)>& observe,
                    const std::function<bool()>& finish_requested, const std::atomic<bool>* abandon) {
  const RunRequest request{engine, [&model]() -> Result<std::shared_ptr<Model>> { return std::move(model); }};
  EmbeddedRun result;
  RunsHooks hooks;
  if (observe) hooks.observe = [&observe](std::size_t, const ProgressEvent& event) { return observe(event); };
  hooks.ended = [&result](std::size_t, RunEnd end) { result.end = std::move(end); };
  hooks.finish_requested = finish_requested;
  hooks.rounds = rounds;
  const EmbeddedRuns all = Loop(std::span(&request, 1), 1, options, hooks).run(abandon);
  if (!all.status.ok()) result.end.status = all.status;
  result.traffic = all.traffic;
  result.worker_wait_share = all.worker_wait_share;
  return result;
}

}  // namespace

EmbeddedRuns run_embedded(std::span<const RunRequest> requests, std::size_t at_once, const EmbeddedOptions& options,
                          const RunsHooks& hooks) {
  return Loop(requests, at_once, options, hooks).run(nullptr);
}

EmbeddedRun run_embedded(std::shared_ptr<Model> model, const EngineOptions& engine, const EmbeddedOptions& options,
                         const std::function<bool(const ProgressEvent&)>& observe,
                         const std::function<bool()>& finish_requested, const std::atomic<bool>* abandon) {
  return run_one(std::move(model), engine, options, {}, observe, finish_requested, abandon);
}

EmbeddedRun run_embedded(std::shared_ptr<Model> model, const EngineOptions& engine, const EmbeddedOptions& options,
                         const RoundListener& rounds, const std::function<bool(const ProgressEvent&)>& observe,
                         const std::function<bool()>& finish_requested) {
  return run_one(std::move(model), engine, options, rounds, observe, finish_requested, nullptr);
}

}  // namespace strads
