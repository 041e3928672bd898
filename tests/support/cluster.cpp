#include "support/cluster.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "strads/random.hpp"
#include "strads/status.hpp"
#include "wire/framing.hpp"
#include "wire/print.hpp"

namespace strads::support {

namespace {

constexpr std::uint64_t kDelayStepsMax = 300;

/// A message on its way, or a task. A task is picked twice: first it runs, later its end is handled.
struct Event {
  std::uint32_t node = 0;  ///< where it happens
  std::int64_t link = -1;  ///< messages: sender and receiver
  std::uint64_t ready_at = 0;
  wire::Envelope envelope;
  std::shared_ptr<engine::Task> task;
  bool task_ran = false;
};

class Cluster {
 public:
  Cluster(const std::function<std::shared_ptr<Model>()>& make_model, const ClusterOptions& options)
      : options_(options), random_(options.seed, Purpose::tests) {
    for (std::uint32_t n = 0; n < options.nodes; ++n) {
      nodes_.push_back(std::make_unique<engine::Node>(n, engine::Roster{options.nodes}, options.engine, make_model()));
    }
  }

  ClusterRun run() {
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      engine::Effects effects;
      nodes_[n]->start(effects);
      if (n == 0 && options_.finish_at == -1) nodes_[0]->request_finish(effects);
      take(n, effects);
    }
    while (!events_.empty() && run_.steps < options_.steps_max) step();
    finish();
    return std::move(run_);
  }

 private:
  void step() {
    ++run_.steps;
    const std::size_t chosen = choose();
    engine::Effects effects;
    const std::uint32_t node = events_[chosen].node;
    if (events_[chosen].task != nullptr && !events_[chosen].task_ran) {
      SerialChunks chunks;
      events_[chosen].task_ran = true;
      events_[chosen].task->run(chunks);
      return;
    }
    Event event = std::move(events_[chosen]);
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(chosen));
    if (event.task != nullptr) {
      event.task->done(effects);
      event.task.reset();
    } else {
      nodes_[node]->on_message(event.envelope.to, event.envelope.message, effects);
    }
    take(node, effects);
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
  void take(std::uint32_t node, engine::Effects& effects) {
    for (ProgressEvent& event : effects.progress) {
      if (event.kind == ProgressEvent::Kind::commit && event.version == options_.finish_at) {
        engine::Effects more;
        nodes_[0]->request_finish(more);
        for (auto& envelope : more.messages) effects.messages.push_back(std::move(envelope));
      }
      run_.progress.push_back(std::move(event));
    }
    for (wire::Envelope& envelope : effects.messages) send(node, std::move(envelope));
    for (engine::Task& task : effects.tasks) {
      Event event;
      event.node = node;
      event.task = std::make_shared<engine::Task>(std::move(task));
      events_.push_back(std::move(event));
    }
    if (effects.end.has_value()) {
      run_.ended = true;
      run_.end = std::move(*effects.end);
    }
  }

  void send(std::uint32_t from, wire::Envelope envelope) {
    if (options_.encode_messages) {
      auto decoded = wire::decode_encode(envelope.message);
      STRADS_CHECK(decoded.ok(), decoded.status().message());
      STRADS_CHECK(decoded.value() == envelope.message, "the codec changes nothing");
      envelope.message = std::move(decoded).value();
    }
    flip(envelope.message);
    if (envelope.to.role != wire::Role::node || envelope.to.index == 0) run_.log.push_back(envelope.message);
    const std::uint32_t to = engine::Roster{options_.nodes}.node_of(envelope.to);
    Event event;
    event.node = to;
    event.link = static_cast<std::int64_t>(from) * options_.nodes + to;
    event.envelope = std::move(envelope);
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
      run_.all_stopped = run_.all_stopped && node->stopped();
      run_.dropped += node->dropped_messages();
      run_.states.push_back(node->replica().current());
    }
  }

  ClusterOptions options_;
  CounterRng random_;
  std::vector<std::unique_ptr<engine::Node>> nodes_;
  std::vector<Event> events_;
  std::int64_t deltas_seen_ = 0;
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
      if (phase.version == version && phase.verdict == 1) model.recompute(*state, chunks);
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
