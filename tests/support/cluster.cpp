#include "support/cluster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "strads/base/random.hpp"
#include "strads/base/status.hpp"
#include "wire/framing.hpp"
#include "wire/print.hpp"

namespace strads::support {

namespace {

constexpr std::uint64_t kDelayStepsMax = 300;
constexpr std::uint64_t kRosterStepsMax = 300;   // until a node hears that another one has died
constexpr std::uint64_t kForgetEverySteps = 64;  // as a driver's beats do
constexpr int kFruitlessMax = 50;
constexpr std::uint64_t kLookEverySteps = 64;

/// A message on its way, a new roster, or a task. A task is picked twice: first it runs, later its end is handled.
struct Event {
  std::uint32_t process = 0;  ///< where it happens
  std::int64_t link = -1;     ///< messages: sender and receiver
  std::uint64_t ready_at = 0;
  wire::Envelope envelope;
  std::shared_ptr<engine::Task> task;
  bool task_ran = false;
};

engine::Roster roster_of(const ClusterOptions& options) {
  auto roster = engine::Roster::round_robin(options.nodes, options.engine);
  if (options.coordinator_apart) roster.coordinator = options.nodes;
  if (options.workers_apart && options.nodes > 1) {
    const std::uint32_t first = options.nodes / 2;
    for (std::uint32_t& node : roster.schedulers) node %= first;
    for (std::uint32_t w = 0; w < roster.workers.size(); ++w) roster.workers[w] = first + w % (options.nodes - first);
  }
  return roster;
}

class Cluster {
 public:
  Cluster(const std::function<std::shared_ptr<Model>()>& make_model, const ClusterOptions& options)
      : options_(options), roster_(roster_of(options)), random_(options.seed, Purpose::tests) {
    for (std::uint32_t n = 0; n < options.nodes; ++n) {
      nodes_.push_back(std::make_unique<engine::Node>(n, roster_, options.engine, make_model()));
    }
    rosters_seen_.assign(options.nodes, 0);
    if (!roster_.coordinator_apart()) return;
    driver_model_ = make_model();
    driver_ = std::make_unique<engine::Coordinator>(options.engine, roster_, driver_model_->make_judge());
  }

  ClusterRun run() {
    if (options_.finish_at == -1) request_finish();
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      engine::Effects effects;
      nodes_[n]->start(effects);
      queue_effects(n, effects);
    }
    settle();
    int fruitless = 0;
    while (faulty() && !done() && fruitless < kFruitlessMax && !given_up_) {
      const std::uint64_t before = progress_marks();
      ++run_.quiet_rounds;
      for (std::uint32_t process = 0; process < processes(); ++process) quiet(process);
      settle();
      fruitless = progress_marks() == before ? fruitless + 1 : 0;
    }
    finish();
    return std::move(run_);
  }

 private:
  [[nodiscard]] std::uint32_t processes() const { return options_.nodes + (driver_ != nullptr ? 1 : 0); }
  [[nodiscard]] bool faulty() const { return options_.losses > 0 || options_.kill_workers_every > 0; }
  [[nodiscard]] bool done() const {
    return run_.ended &&
           std::all_of(nodes_.begin(), nodes_.end(), [](const auto& n) { return n == nullptr || n->stopped(); });
  }

  void settle() {
    while (!events_.empty() && !given_up_) {
      step();
      if (++taken_ % kLookEverySteps == 0) look_for_livelock();
    }
  }

  /// Steps that are taken, not run_.steps, which may leap: that is the time.
  void look_for_livelock() {
    const std::uint64_t marks = progress_marks();
    if (marks != marks_) progress_at_ = taken_;
    marks_ = marks;
    const bool stuck = taken_ - progress_at_ >= options_.steps_without_progress_max;
    if (!stuck && taken_ < options_.steps_max) return;
    given_up_ = true;
    ADD_FAILURE() << "seed " << options_.seed << ": "
                  << (stuck ? "a livelock: nobody got on for " + std::to_string(taken_ - progress_at_) + " steps"
                            : "no end after " + std::to_string(taken_) + " steps")
                  << "; " << events_.size() << " messages and tasks are open";
  }

  void step() {
    ++run_.steps;
    if (options_.quiets > 0 && random_.unit() < options_.quiets) {
      quiet(static_cast<std::uint32_t>(random_.below(processes())));
    }
    if ((faulty() || options_.quiets > 0) && run_.steps % kForgetEverySteps == 0) forget();
    if (!events_.empty()) happen(choose());
  }

  void happen(std::size_t chosen) {
    if (events_[chosen].task != nullptr && !events_[chosen].task_ran) {
      SerialChunks chunks;
      events_[chosen].task_ran = true;
      events_[chosen].task->run(chunks);
      return;
    }
    Event event = std::move(events_[chosen]);
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(chosen));
    engine::Effects effects;
    if (event.task != nullptr) {
      event.task->done(effects);
      event.task.reset();
    } else if (const auto* roster = std::get_if<wire::Roster>(&event.envelope.message)) {
      on_roster(event.process, *roster, effects);
    } else if (event.process == options_.nodes) {
      driver_->on_message(event.envelope.message, effects);
    } else {
      nodes_[event.process]->on_message(event.envelope.message, effects);
    }
    queue_effects(event.process, effects);
  }

  /// An older roster is dropped, as the transport does.
  void on_roster(std::uint32_t node, const wire::Roster& roster, engine::Effects& effects) {
    if (roster.number <= rosters_seen_[node]) return;
    rosters_seen_[node] = roster.number;
    nodes_[node]->on_roster(roster.workers, effects);
  }

  void quiet(std::uint32_t process) {
    engine::Effects effects;
    if (process == options_.nodes) {
      driver_->on_quiet(effects);
    } else if (nodes_[process] != nullptr) {
      nodes_[process]->on_quiet(effects);
    }
    queue_effects(process, effects);
  }

  /// What every living process has reached need not be kept by anybody.
  void forget() {
    Version version = driver_ != nullptr ? driver_->counted() : std::numeric_limits<Version>::max();
    std::uint32_t phases = ~std::uint32_t{0};
    for (const auto& node : nodes_) {
      if (node == nullptr) continue;
      version = std::min(version, node->replica().version());
      phases = std::min(phases, node->phases_seen());
    }
    for (const auto& node : nodes_) {
      if (node != nullptr) node->forget(version, phases);
    }
    if (driver_ == nullptr) return;
    run_.kept = std::max(run_.kept, driver_->verdicts_kept());
    driver_->forget(phases);
  }

  [[nodiscard]] std::uint64_t progress_marks() const {
    std::uint64_t marks = driver_ != nullptr ? driver_->progress_mark() : 0;
    for (const auto& node : nodes_) marks += node != nullptr ? node->progress_mark() : 0;
    return marks;
  }

  void request_finish() {
    engine::Effects effects;
    if (driver_ != nullptr) {
      driver_->request_finish(effects);
    } else {
      nodes_[roster_.coordinator]->request_finish(effects);
    }
    queue_effects(roster_.coordinator, effects);
  }

  /// A node that holds no scheduler dies: what happens there and what is on its way to it vanish. What it has sent
  /// still arrives. The others hear of it one by one.
  void kill_a_worker() {
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t n = 0; n < options_.nodes; ++n) {
      if (nodes_[n] != nullptr && n != roster_.coordinator &&
          std::count(roster_.schedulers.begin(), roster_.schedulers.end(), n) == 0)
        candidates.push_back(n);
    }
    if (candidates.size() < 2) return;
    const auto at = static_cast<std::ptrdiff_t>(random_.below(candidates.size()));
    const std::uint32_t victim = candidates[static_cast<std::size_t>(at)];
    candidates.erase(candidates.begin() + at);
    ++run_.killed;
    run_.dropped += nodes_[victim]->dropped_messages();
    run_.repeated += nodes_[victim]->repeated_messages();
    std::erase_if(events_, [victim](const Event& event) { return event.process == victim; });
    nodes_[victim].reset();
    for (std::uint32_t w = 0; w < roster_.workers.size(); ++w) {
      if (roster_.workers[w] == victim) roster_.workers[w] = candidates[w % candidates.size()];
    }
    for (std::uint32_t n = 0; n < options_.nodes; ++n) {
      if (nodes_[n] == nullptr) continue;
      Event event;
      event.process = n;
      event.envelope = {{wire::Role::node, n}, wire::Roster{run_.killed, roster_.workers, {}}};
      event.ready_at = run_.steps + random_.below(kRosterStepsMax);
      events_.push_back(std::move(event));
    }
  }

  /// Which event is next.
  std::size_t choose() {
    if (options_.order == Order::as_sent && options_.delays == 0) return 0;
    std::vector<std::size_t> ready;
    while (ready.empty()) {
      std::uint64_t soonest = ~std::uint64_t{0};
      for (std::size_t i = 0; i < events_.size(); ++i) {
        if (events_[i].ready_at <= run_.steps) ready.push_back(i);
        soonest = std::min(soonest, events_[i].ready_at);
      }
      if (ready.empty()) run_.steps = soonest;  // everything is delayed: time passes
    }
    if (options_.order == Order::as_sent) return ready.front();
    const std::size_t picked = ready[random_.below(ready.size())];
    if (options_.order == Order::any || events_[picked].task != nullptr) return picked;
    for (std::size_t i = 0; i < picked; ++i) {
      if (events_[i].task == nullptr && events_[i].link == events_[picked].link) return i;
    }
    return picked;
  }

  /// What a handler asked for becomes events.
  void queue_effects(std::uint32_t process, engine::Effects& effects) {
    for (wire::Envelope& envelope : effects.messages) send(process, std::move(envelope));
    for (engine::Task& task : effects.tasks) {
      Event event;
      event.process = process;
      event.task = std::make_shared<engine::Task>(std::move(task));
      events_.push_back(std::move(event));
    }
    if (effects.end.has_value()) {
      run_.ended = true;
      run_.end = std::move(*effects.end);
    }
    for (ProgressEvent& event : effects.progress) observe(std::move(event));
  }

  void observe(ProgressEvent event) {
    const bool commit = event.kind == ProgressEvent::Kind::commit;
    const Version version = event.version;
    run_.progress.push_back(std::move(event));
    if (!commit) return;
    if (version == options_.finish_at) request_finish();
    if (options_.kill_workers_every > 0 && (version + 1) % options_.kill_workers_every == 0) kill_a_worker();
  }

  void send(std::uint32_t from, wire::Envelope envelope) {
    if (options_.encode_messages) {
      auto decoded = wire::decode_encode(envelope.message);
      STRADS_CHECK(decoded.ok(), decoded.status().message());
      STRADS_CHECK(decoded.value() == envelope.message, "the codec changes nothing");
      envelope.message = std::move(decoded).value();
    }
    flip(envelope.message);
    write_down(envelope);
    Event event;
    event.process = destination(from, envelope.to);
    event.link = static_cast<std::int64_t>(from) * processes() + event.process;
    event.envelope = std::move(envelope);
    if (event.process < options_.nodes && nodes_[event.process] == nullptr) return;
    if (options_.losses > 0 && !roster_.alone() && random_.unit() < options_.losses) {
      ++run_.lost;
      return;
    }
    if (options_.duplicates > 0 && random_.unit() < options_.duplicates) {
      ++run_.duplicated;
      Event copy = event;
      copy.ready_at = run_.steps + random_.below(kDelayStepsMax);
      events_.push_back(std::move(copy));
    }
    if (options_.delays > 0 && random_.unit() < options_.delays) {
      event.ready_at = run_.steps + random_.below(kDelayStepsMax);
    }
    events_.push_back(std::move(event));
  }

  /// Where the sender believes the role to be.
  [[nodiscard]] std::uint32_t destination(std::uint32_t from, const wire::Address& to) const {
    return from < options_.nodes ? nodes_[from]->roster().node_of(to) : roster_.node_of(to);
  }

  void write_down(const wire::Envelope& envelope) {
    const bool light =
        envelope.to.role == wire::Role::coordinator && std::holds_alternative<wire::Commit>(envelope.message);
    const bool copy = envelope.to.role == wire::Role::node && envelope.to.index != 0;
    if (!light && !copy) run_.log.push_back(envelope.message);
  }

  void flip(wire::Message& message) {
    auto* deltas = std::get_if<wire::Deltas>(&message);
    if (deltas == nullptr || deltas->deltas.values.empty()) return;
    if (deltas_seen_++ != options_.flip_deltas) return;
    constexpr std::uint64_t kBit = std::uint64_t{1} << 40;  // of the mantissa: a relative change of 2^-12
    double& value = deltas->deltas.values.front();
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ kBit);
  }

  void finish() {
    run_.all_stopped = true;
    for (const auto& node : nodes_) {
      if (node == nullptr) continue;
      run_.all_stopped = run_.all_stopped && node->stopped();
      run_.dropped += node->dropped_messages();
      run_.repeated += node->repeated_messages();
      run_.states.push_back(node->replica().current());
    }
    if (driver_ == nullptr) return;
    run_.dropped += driver_->dropped_messages();
    run_.repeated += driver_->repeated_messages();
  }

  ClusterOptions options_;
  engine::Roster roster_;  ///< the newest; a node may know an older one
  CounterRng random_;
  std::vector<std::unique_ptr<engine::Node>> nodes_;  ///< nullptr: dead
  std::vector<std::uint64_t> rosters_seen_;           ///< by node: number of the newest
  std::shared_ptr<Model> driver_model_;
  std::unique_ptr<engine::Coordinator> driver_;
  std::vector<Event> events_;
  std::int64_t deltas_seen_ = 0;
  std::uint64_t taken_ = 0;        ///< steps
  std::uint64_t marks_ = 0;        ///< progress_marks() when it was looked at last
  std::uint64_t progress_at_ = 0;  ///< of taken_: when they were found changed
  bool given_up_ = false;
  ClusterRun run_;
};

}  // namespace

ClusterRun run_cluster(const std::function<std::shared_ptr<Model>()>& make_model, const ClusterOptions& options) {
  return Cluster(make_model, options).run();
}

std::unique_ptr<State> replay(Model& model, const ClusterRun& run,
                              const std::function<void(const wire::Commit&, const State&)>& each) {
  for (const auto& start : run.all<wire::Start>()) model.begin(start.problem);
  std::map<Version, wire::Commit> commits;
  for (const auto& commit : run.all<wire::Commit>()) commits.emplace(commit.version, commit);
  SerialChunks chunks;
  auto state = model.make_state();
  const auto recompute_at = [&](Version version) {
    for (const auto& phase : run.all<wire::Phase>()) {
      Cost cost;
      if (phase.version == version && phase.verdict == 1) model.recompute(*state, chunks, cost);
    }
  };
  recompute_at(-1);
  Version expected = 0;
  for (const auto& [version, commit] : commits) {
    STRADS_CHECK(version == expected++, "commits have no gap");
    Cost cost;
    if (commit.step != 0) model.apply(*state, commit.changes, commit.step, nullptr, chunks, cost);
    each(commit, *state);
    recompute_at(version);
  }
  return state;
}

std::string text_of(const wire::Address& address) {
  static constexpr const char* kRoles[] = {"coordinator", "scheduler", "worker", "node"};
  return std::string(kRoles[static_cast<std::size_t>(address.role)]) + ' ' + std::to_string(address.index);
}

std::vector<std::string> texts_of(const engine::Effects& effects) {
  std::vector<std::string> texts;
  for (const auto& envelope : effects.messages) {
    texts.push_back(text_of(envelope.to) + " <- " + wire::to_text(envelope.message));
  }
  return texts;
}

void run_tasks(engine::Effects& effects) {
  SerialChunks chunks;
  while (!effects.tasks.empty()) {
    std::vector<engine::Task> batch;
    batch.swap(effects.tasks);
    for (engine::Task& task : batch) {
      task.run(chunks);
      task.done(effects);
    }
  }
}

}  // namespace strads::support
