#include "strads/transport/embedded.hpp"

#include <chrono>
#include <deque>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "engine/rounds/node.hpp"
#include "strads/transport/embedded_rounds.hpp"
#include "transport/mailbox.hpp"
#include "transport/thread_pool.hpp"
#include "wire/framing.hpp"
#include "wire/size.hpp"

namespace strads {

namespace {

using Clock = std::chrono::steady_clock;

/// A task below this is done before another thread has woken up for it (about 20 us of arithmetic).

/// The loop that drives one node which holds all roles. Messages are handled on the caller's thread, in the order in
/// which they were sent; tasks run there or in the pool. Which, changes no bit.
class Loop {
 public:
  Loop(std::shared_ptr<Model> model, const EngineOptions& engine, const EmbeddedOptions& options,
       const RoundListener& rounds)
      : options_(options), rounds_(rounds), node_(0, engine::Roster::round_robin(1, engine), engine, std::move(model)) {
    const unsigned threads = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    // This thread computes as well, beside the pool's.
    if (threads > 1) pool_ = std::make_unique<transport::ThreadPool>(threads - 1);
    helpers_ = threads - 1;
    if (rounds_) node_.trace_rounds();
  }

  EmbeddedRun run(const std::function<bool(const ProgressEvent&)>& observe,
                  const std::function<bool()>& finish_requested, const std::atomic<bool>* abandon) {
    const auto start = Clock::now();
    node_.start(effects_);
    while (!effects_.end.has_value()) {
      if (abandon != nullptr && abandon->load()) {
        effects_.end = RunEnd{};
        effects_.end->status = Status(StatusCode::stopped, "the run was abandoned");
        break;
      }
      tell(observe);
      if (finish_requested && finish_requested()) node_.request_finish(effects_);
      if (!deliver_messages()) break;
      if (effects_.end.has_value()) break;
      tell(observe);  // before the next task, so that a listener's clock is right
      watch_plans();
      take_tasks();
      step();
    }
    tell(observe);
    wait_for_helpers();
    EmbeddedRun result;
    result.end = std::move(*effects_.end);
    result.traffic = traffic_;
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    result.worker_wait_share = elapsed > 0 ? std::min(1.0, waiting_seconds_ / elapsed) : 0.0;
    return result;
  }

 private:
  void tell(const std::function<bool(const ProgressEvent&)>& observe) {
    for (const RoundRecord& round : effects_.rounds) rounds_(round);
    effects_.rounds.clear();
    if (observe) {
      for (const ProgressEvent& event : effects_.progress) {
        if (observe(event)) node_.request_finish(effects_);
      }
    }
    effects_.progress.clear();
  }

  /// False: a message did not survive the codec (test mode), which ends the run.
  bool deliver_messages() {
    while (!effects_.messages.empty() && !effects_.end.has_value()) {
      std::vector<wire::Envelope> batch;
      batch.swap(effects_.messages);
      for (wire::Envelope& envelope : batch) {
        ++traffic_.messages;
        traffic_.bytes += wire::encoded_size(envelope.message);
        if (options_.encode_messages) {
          auto decoded = wire::decode_encode(envelope.message);
          if (!decoded.ok()) {
            effects_.end = RunEnd{};
            effects_.end->status = decoded.status();
            return false;
          }
          envelope.message = std::move(decoded).value();
        }
        node_.on_message(envelope.message, effects_);
      }
    }
    return true;
  }

  void take_tasks() {
    for (engine::Task& task : effects_.tasks) {
      auto& ready = task.flops < transport::kSmallTaskFlops ? small_ : large_;
      ends_round(task) ? ready.push_front(std::move(task)) : ready.push_back(std::move(task));
    }
    effects_.tasks.clear();
  }

  /// These come before blocks of later rounds: others wait for a commit, and what it replaces goes.
  [[nodiscard]] static bool ends_round(const engine::Task& task) {
    return task.kind == engine::TaskKind::combine || task.kind == engine::TaskKind::apply;
  }

  /// Runs or waits for one thing. Small tasks come first: what they let go on may be work for the helpers.
  void step() {
    if (!small_.empty()) {
      run_here(small_);
    } else if (hand_over_some(); !large_.empty()) {
      run_here(large_);
    } else if (outstanding_ > 0) {
      collect(done_.pop_all(std::chrono::milliseconds(100)));
      return;
    } else {
      STRADS_CHECK(!effects_.messages.empty() || effects_.end.has_value(),
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
      const auto next = std::next(large_.begin());
      hand_over(std::move(*next));
      large_.erase(next);
    }
  }

  void run_here(std::deque<engine::Task>& ready) {
    engine::Task task = std::move(ready.front());
    ready.pop_front();
    if (pool_ != nullptr && task.flops >= transport::kSmallTaskFlops) {
      task.run(pool_->chunks());
    } else {
      SerialChunks serial;
      task.run(serial);
    }
    task.done(effects_);
    watch_plans();
  }

  void hand_over(engine::Task task) {
    ++outstanding_;
    auto shared = std::make_shared<engine::Task>(std::move(task));
    pool_->submit([this, shared](Chunks& chunks) {
      shared->run(chunks);
      done_.push(shared);
    });
  }

  void collect(const std::vector<std::shared_ptr<engine::Task>>& finished) {
    for (const auto& task : finished) {
      --outstanding_;
      task->done(effects_);
    }
    watch_plans();
  }

  /// Time in which workers wait for a plan, as this thread sees it. Called where that may begin or end: after messages
  /// were handled (a commit gives the next scheduler its turn) and after the ends of tasks (a plan is made).
  void watch_plans() {
    const bool waiting = node_.waiting_for_plan();
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

  EmbeddedOptions options_;
  RoundListener rounds_;  ///< may be empty
  engine::Node node_;
  engine::Effects effects_;
  std::deque<engine::Task> small_, large_;  ///< that may run now
  unsigned helpers_ = 0;
  unsigned outstanding_ = 0;
  bool waiting_ = false;
  Clock::time_point waiting_since_;
  double waiting_seconds_ = 0;
  MessageTotals traffic_;
  transport::Mailbox<std::shared_ptr<engine::Task>> done_;
  std::unique_ptr<transport::ThreadPool> pool_;  // last: its threads end before what they use
};

}  // namespace

EmbeddedRun run_embedded(std::shared_ptr<Model> model, const EngineOptions& engine, const EmbeddedOptions& options,
                         const std::function<bool(const ProgressEvent&)>& observe,
                         const std::function<bool()>& finish_requested, const std::atomic<bool>* abandon) {
  Loop loop(std::move(model), engine, options, {});
  return loop.run(observe, finish_requested, abandon);
}

EmbeddedRun run_embedded(std::shared_ptr<Model> model, const EngineOptions& engine, const EmbeddedOptions& options,
                         const RoundListener& rounds, const std::function<bool(const ProgressEvent&)>& observe,
                         const std::function<bool()>& finish_requested) {
  Loop loop(std::move(model), engine, options, rounds);
  return loop.run(observe, finish_requested, nullptr);
}

}  // namespace strads
