// What events, waking up and messages cost here.
#include "strads/program/calibrate.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"

#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <thread>

#include "engine/rounds/effects.hpp"
#include "program/calibrate/calibrate_parts.hpp"
#include "program/calibrate/idle_model.hpp"
#include "program/cluster/local_processes.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/transport/cluster.hpp"
#include "strads/transport/embedded.hpp"
#include "strads/transport/run_key.hpp"
#include "transport/mailbox.hpp"
#include "transport/sockets/sockets.hpp"
#include "transport/thread_pool.hpp"

namespace strads {
namespace calibration {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

double task_call() {
  constexpr int kTasks = 20'000;
  double counted = 0;
  const double seconds = typical_seconds(5, [&] {
    engine::Effects effects;
    for (int i = 0; i < kTasks; ++i) {
      engine::Task task{engine::TaskKind::push, [i](Chunks&) { return Cost{.flops = static_cast<std::uint64_t>(i)}; },
                        [&counted](engine::Effects&) { counted += 1; }, 1};
      SerialChunks serial;
      counted += static_cast<double>(task.run(serial).flops);
      task.done(effects);
    }
  });
  return seconds / kTasks;
}

/// An event of the engine: a run that computes nothing, divided by its messages and ends of tasks.
double engine_event(double task_seconds) {
  constexpr std::uint32_t kBlocks = 8;
  constexpr std::uint64_t kRounds = 2000;
  const EngineOptions engine{.seed = 1, .schedulers = 2, .workers = kBlocks, .depth = 1, .rounds_max = kRounds};
  double messages = 1;
  const double seconds = typical_seconds(5, [&] {
    const auto run = run_embedded(std::make_shared<IdleModel>(2000, kBlocks), engine, {.threads = 1}, {}, {});
    messages = static_cast<double>(run.traffic.messages);
  });
  constexpr double kTasks = kRounds * (kBlocks + 3.0);  // pushes, plan, pull, apply
  return std::max(1e-8, (seconds - kTasks * task_seconds) / (messages + kTasks));
}

/// From submitting to hearing of the end: to a thread that looks for work, and to one that sleeps; the mean.
double hand_over() {
  transport::ThreadPool pool(1);
  transport::Mailbox<int> ended;
  const auto once = [&] {
    pool.submit([&ended](Chunks&) { ended.push(1); });
    while (ended.pop_all(1s).empty()) {
    }
  };
  once();
  const double awake = typical_seconds(301, once);
  std::vector<double> asleep;
  for (int repeat = 0; repeat < 101; ++repeat) {
    std::this_thread::sleep_for(200us);
    const Stopwatch watch;
    once();
    asleep.push_back(watch.seconds());
  }
  return (awake + typical_of(asleep)) / 2;
}

wire::Message deltas_of(std::size_t entries) {
  wire::Deltas message;
  message.deltas.ids.assign(entries, 7);
  message.deltas.values.assign(entries, 0.5);
  return message;
}

/// Answers every message with itself, in a thread of its own, decoding and encoding as a node does.
class Echo {
 public:
  Status start(const std::string& endpoint) {
    STRADS_ASSIGN_OR_RETURN(listener_, sockets_.listen(endpoint));
    endpoint_ = listener_->endpoint();
    thread_ = std::thread([this] { serve(); });
    return {};
  }
  ~Echo() {
    stop_ = true;
    wake_.wake();
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }

 private:
  void serve() {
    wire::Decoder decoder;
    while (!stop_) {
      sockets_.wait(wake_, 50ms);
      while (auto incoming = listener_->receive()) {
        auto decoded = decoder.feed(std::span<const wire::Frame>(incoming->frames));
        if (!decoded.ok() || !decoded.value().has_value()) continue;
        for (const auto& chunk : wire::encode(*decoded.value(), {})) listener_->send(incoming->from, chunk);
      }
    }
  }

  transport::Wake wake_;
  transport::Sockets sockets_;
  std::shared_ptr<transport::Sockets::Listener> listener_;
  std::string endpoint_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Sends messages and waits until they have come back.
class Caller {
 public:
  explicit Caller(const std::string& endpoint) {
    auto connected = sockets_.connect(endpoint);
    if (connected.ok()) connection_ = std::move(connected).value();
  }
  void send(const wire::Message& message) {
    for (const auto& chunk : wire::encode(message, {})) connection_->send(chunk);
  }
  /// How many have come back, after waiting for one at most `limit`.
  int receive(std::chrono::milliseconds limit) {
    int count = 0;
    const auto deadline = Clock::now() + limit;
    while (count == 0 && Clock::now() < deadline) {
      sockets_.wait(wake_, 50ms);
      count += count_received();
    }
    return count;
  }
  int count_received() {
    int count = 0;
    while (auto frames = connection_->receive()) {
      auto decoded = decoder_.feed(std::span<const wire::Frame>(*frames));
      if (decoded.ok() && decoded.value().has_value()) ++count;
    }
    return count;
  }
  bool round_trip(const wire::Message& message) {
    send(message);
    return receive(2s) == 1;
  }

 private:
  transport::Wake wake_;
  transport::Sockets sockets_;
  std::shared_ptr<transport::Sockets::Connection> connection_;
  wire::Decoder decoder_;
};

Status no_answer(const std::string& endpoint) {
  return Status::internal("calibration: a message to " + endpoint + " did not come back within 2 s");
}

/// What a byte more costs at one end.
Result<double> byte_cost(const std::string& endpoint) {
  constexpr std::size_t kLarge = 100'000;
  constexpr std::size_t kEntryBytes = sizeof(VarId) + sizeof(double);
  Echo echo;
  if (Status started = echo.start(endpoint); !started.ok()) return started;
  Caller caller(echo.endpoint());
  const auto small = deltas_of(1);
  const auto large = deltas_of(kLarge);
  for (int warm = 0; warm < 20; ++warm) {
    if (!caller.round_trip(small)) return no_answer(endpoint);
  }
  const double trip = typical_seconds(101, [&] { (void)caller.round_trip(small); });
  const double long_trip = typical_seconds(15, [&] { (void)caller.round_trip(large); });
  constexpr double kEnds = 4;  // there and back
  return std::max(1e-11, (long_trip - trip) / kEnds / static_cast<double>(kLarge * kEntryBytes));
}

struct IdleRound {
  double seconds = 0;
  double processor_seconds = 0;  ///< of all threads: loops, ZeroMQ's, the kernel for them
};

/// A round between two nodes that computes nothing: one schedules, the other one works, so that a round is
/// a way there and a way back, with driver, beats and sockets as they are in a run.
Result<IdleRound> idle_round(const std::string& endpoint) {
  constexpr std::uint64_t kRounds = 1500;
  const EngineOptions engine{.seed = 1, .schedulers = 1, .workers = 1, .depth = 1, .rounds_max = kRounds};
  DriverOptions driver;
  driver.endpoint = endpoint;
  driver.build = build_id();
  driver.simd = std::string(simd_name());
  driver.program = "idle";
  driver.start_seconds = 5;
  if (endpoint.starts_with("tcp://")) {  // as in a run
    STRADS_ASSIGN_OR_RETURN(driver.key, make_run_key());
  }
  std::vector<std::thread> nodes;
  const auto node = [&engine, &driver](const std::string& join, AcceptedRoles roles) {
    NodeOptions options;
    options.join = join;
    options.roles = roles;
    options.threads = 1;
    options.build = build_id();
    options.start_seconds = 5;
    options.key = driver.key;
    NodeHooks hooks;
    hooks.load = [&engine](const RunDescription&) -> Result<LoadedModel> {
      return LoadedModel{std::make_shared<IdleModel>(2000, 1), engine, {}};
    };
    (void)run_node(options, hooks);  // the driver says what went wrong
  };
  DriverHooks hooks;
  hooks.listening = [&](const std::string& resolved) -> Status {
    nodes.emplace_back(node, resolved, AcceptedRoles{true, false});
    nodes.emplace_back(node, resolved, AcceptedRoles{false, true});
    return {};
  };
  std::vector<IdleRound> moments;
  const Stopwatch watch;
  hooks.observe = [&](const ProgressEvent& event) {
    if (event.kind != ProgressEvent::Kind::commit) return false;
    moments.push_back({watch.seconds(), static_cast<double>(std::clock()) / CLOCKS_PER_SEC});
    return false;
  };
  const auto run = run_driver(
      []() -> Result<std::shared_ptr<Model>> { return std::shared_ptr<Model>(std::make_shared<IdleModel>(2000, 1)); },
      engine, driver, hooks);
  for (auto& thread : nodes) thread.join();
  if (!run.end.status.ok()) return run.end.status;
  if (moments.size() < 2) return Status::internal("calibration: the idle run had no rounds");
  const auto rounds = static_cast<double>(moments.size() - 1);
  return IdleRound{(moments.back().seconds - moments.front().seconds) / rounds,
                   (moments.back().processor_seconds - moments.front().processor_seconds) / rounds};
}

struct Way {
  double message = 0;  ///< processor time of one end
  double latency = 0;  ///< one way, beyond what both ends do
};

/// From rounds of a way there and a way back. What threads of the transport do counts as work of the ends: where cores
/// are scarce it is what bounds the number of messages.
Way way_of(const IdleRound& round, double handler) {
  constexpr double kEnds = 8;    // Assign, Deltas, Commit to the worker's node and to the driver
  constexpr double kEvents = 8;  // of the engine: those messages, plan, push, pull and applying
  Way way;
  way.message = std::max(1e-7, (round.processor_seconds - kEvents * handler) / kEnds);
  way.latency = std::max(1e-6, (round.seconds - kEvents * handler) / 2 - 2 * way.message);
  return way;
}

}  // namespace

void measure_events(Calibration& out, const Say& say) {
  out.costs.task = task_call();
  say("calling a task", out.costs.task, "each");
  out.costs.handler = engine_event(out.costs.task);
  say("an event of the engine", out.costs.handler, "each");
  out.costs.hand_over = hand_over();
  say("handing a task over", out.costs.hand_over, "each");
}

Status measure_messages(Calibration& out, const Say& say) {
  LocalProcesses folder;
  if (Status made = folder.make_folder(); !made.ok()) return made;
  const auto byte = byte_cost("ipc://" + folder.folder() + "/calibrate");
  const auto ipc_round = idle_round("ipc://" + folder.folder() + "/driver");
  folder.end(true);
  if (!byte.ok()) return byte.status();
  if (!ipc_round.ok()) return ipc_round.status();
  const Way ipc = way_of(ipc_round.value(), out.costs.handler);
  out.costs.message = ipc.message;
  out.costs.message_byte = byte.value();
  out.network.local_latency = ipc.latency;
  say("a message over ipc, at each end", out.costs.message, "each");
  say("and on its way", out.network.local_latency, "each");
  say("and for its length", out.costs.message_byte, "a byte, at each end");
  STRADS_ASSIGN_OR_RETURN(const auto tcp_round, idle_round("tcp://127.0.0.1:0"));
  const Way tcp = way_of(tcp_round, out.costs.handler);
  out.message_tcp = tcp.message;
  out.local_latency_tcp = tcp.latency;
  say("a message over tcp, at each end", out.message_tcp, "each");
  say("and on its way", out.local_latency_tcp, "each");
  return {};
}

}  // namespace calibration

Calibration calibrate_shortly(std::uint64_t rows, std::string_view storage) {
  Calibration out;
  calibration::measure_work_shortly(rows, storage, out);
  return out;
}

Result<Calibration> calibrate(const CalibrationOptions& options,
                              const std::function<void(const std::string& line)>& say) {
  const auto tell = [&say](const std::string& what, double seconds, const char* each) {
    if (say) say(what + ": " + short_text(seconds * 1e9, 4) + " ns " + each);
  };
  Calibration out;
  calibration::measure_work(options, out, tell);
  calibration::measure_events(out, tell);
  if (Status measured = calibration::measure_messages(out, tell); !measured.ok()) return measured;
  out.flop_seconds = out.costs.streamed_flop;
  // A block goes out, its deltas come back, the commit goes on; each message is handled at both ends.
  out.round_seconds = 2 * (2 * out.costs.message + out.network.local_latency) + 6 * out.costs.handler;
  out.block_seconds = 2 * out.costs.message;  // at its scheduler: the block out, its deltas in
  return out;
}

}  // namespace strads
