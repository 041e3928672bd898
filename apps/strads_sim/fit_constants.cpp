#include "strads_sim/fit_constants.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>  // mkdtemp

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "lasso/lasso_node.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/sim/simulate.hpp"
#include "strads/transport/cluster.hpp"
#include "strads/transport/embedded.hpp"
#include "strads/transport/run_key.hpp"
#include "strads_sim/made_up_data.hpp"

namespace strads::simulator {
namespace {

constexpr int kRepeats = 7;
constexpr int kBisections = 10;  ///< of a bisection: to 1/1,000 of its range

/// Seconds from the first certificate to the end: what is before, a simulation does not know.
class Watch {
 public:
  bool operator()(const ProgressEvent& event, double seconds) {
    if (event.kind == ProgressEvent::Kind::barrier && first_ < 0) first_ = seconds;
    last_ = seconds;
    return false;
  }
  [[nodiscard]] double seconds() const { return last_ - first_; }

 private:
  double first_ = -1, last_ = 0;
};

/// A private folder for sockets, gone with this object.
class SocketFolder {
 public:
  SocketFolder() = default;
  SocketFolder(const SocketFolder&) = delete;
  SocketFolder& operator=(const SocketFolder&) = delete;
  ~SocketFolder() {
    std::error_code ignored;  // what is left of it is an empty folder for temporary files
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] Status make() {
    std::error_code none;
    const auto temporary = std::filesystem::temp_directory_path(none);
    std::string path = (none ? std::filesystem::path("/tmp") : temporary) / "strads-sim-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) return Status::cluster("cannot make a folder for sockets: " + path);
    path_ = path;
    return {};
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Problem {
  std::shared_ptr<const Dataset> dataset;
  std::string config;

  [[nodiscard]] LoadedModel load() const {
    auto loaded = lasso::lasso_on(dataset, config);
    STRADS_CHECK(loaded.ok(), loaded.status().message());
    return std::move(loaded).value();
  }
};

/// Many small rounds: one variable a block, far more columns than the second-level cache holds.
Problem small_rounds(std::uint64_t rounds) {
  return {made_up({.rows = 1000, .columns = 20'000, .seed = 11, .genotypes = true}),
          "[problem]\nlambda-ratio = 0.1\n[policy]\npolicy = paper\n[engine]\nschedulers = 4\nworkers = 4\ndepth = "
          "2\n[limits]\nmax-rounds = " +
              std::to_string(rounds) + "\n"};
}

/// Rounds of 64 blocks: their messages follow each other.
Problem broad_rounds(const Problem& small) {
  return {small.dataset,
          "[problem]\nlambda-ratio = 0.1\n[policy]\npolicy = uniform\n[engine]\nschedulers = 4\nworkers = 64\ndepth = "
          "2\n[limits]\nmax-rounds = 200\n"};
}

/// Blocks of 64 variables, which do little: names and values are passed on.
Problem long_messages(const Problem& small) {
  return {small.dataset,
          "[problem]\nlambda-ratio = 0.1\n[policy]\npolicy = block-greedy\n[engine]\nschedulers = 4\nworkers = "
          "8\ndepth = 2\n[limits]\nmax-rounds = 300\n"};
}

/// Few large ones: joint blocks of some hundred linked variables, most of the time inner solves.
Problem large_blocks() {
  return {
      made_up({.rows = 500, .columns = 3000, .seed = 12, .correlation = 0.5, .genotypes = true}),
      "[problem]\nlambda-ratio = 0.002\n[policy]\npolicy = auto\n[engine]\nschedulers = 4\nworkers = 4\ndepth = 2\n"};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double embedded_seconds(const Problem& problem) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const LoadedModel loaded = problem.load();
    Watch watch;
    const Stopwatch clock;
    (void)run_embedded(loaded.model, loaded.engine, {.threads = 1},
                       [&](const ProgressEvent& event) { return watch(event, clock.seconds()); }, {});
    seconds.push_back(watch.seconds());
  }
  return median(seconds);
}

/// Who schedules and who works on the two nodes of a cluster.
enum class Deal { both_on_both, apart };
constexpr std::array kDeals{Deal::both_on_both, Deal::apart};

AcceptedRoles roles_of(Deal deal, int node) {
  return deal == Deal::both_on_both ? AcceptedRoles{} : AcceptedRoles{node == 0, node == 1};
}

/// A node in a process of its own, as in a run: it hears through a pipe where the driver listens.
class NodeChild {
 public:
  NodeChild(const Problem& problem, AcceptedRoles roles, const std::optional<RunKey>& key) {
    int ends[2];
    STRADS_CHECK(::pipe(ends) == 0, "the system has descriptors for this process");
    child_ = ::fork();
    STRADS_CHECK(child_ >= 0, "the system has room for a process");
    if (child_ > 0) {
      ::close(ends[0]);
      to_child_ = ends[1];
      return;
    }
    ::close(ends[1]);
    std::string endpoint;
    for (char letter = 0; ::read(ends[0], &letter, 1) == 1 && letter != '\n';) endpoint += letter;
    if (!endpoint.empty()) join(problem, roles, endpoint, key);
    ::_exit(0);  // nothing of the parent's is ended twice
  }
  NodeChild(const NodeChild&) = delete;
  NodeChild& operator=(const NodeChild&) = delete;
  ~NodeChild() {
    tell({});
    ::waitpid(child_, nullptr, 0);
  }
  /// Once; empty: there is no driver.
  void tell(const std::string& endpoint) {
    if (to_child_ < 0) return;
    // A line, not the end of the pipe: the other child has a copy of this end.
    const std::string said = endpoint + "\n";
    const auto written = ::write(to_child_, said.data(), said.size());
    static_cast<void>(written);  // a child that hears nothing does not join, and the driver says so
    ::close(std::exchange(to_child_, -1));
  }

 private:
  static void join(const Problem& problem, AcceptedRoles roles, const std::string& endpoint,
                   const std::optional<RunKey>& key) {
    NodeOptions options;
    options.join = endpoint;
    options.roles = roles;
    options.threads = 1;
    options.build = build_id();
    options.key = key;
    NodeHooks hooks;
    hooks.load = [&problem](const RunDescription&) -> Result<LoadedModel> { return problem.load(); };
    (void)run_node(options, hooks);  // the driver says what went wrong
  }

  pid_t child_ = -1;
  int to_child_ = -1;
};

/// Driver and two nodes of one thread each.
Result<double> cluster_seconds(const Problem& problem, const std::string& endpoint, Deal deal) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::optional<RunKey> key;
    if (endpoint.starts_with("tcp://")) {  // as in a run
      STRADS_ASSIGN_OR_RETURN(key, make_run_key());
    }
    NodeChild first(problem, roles_of(deal, 0), key);
    NodeChild second(problem, roles_of(deal, 1), key);
    DriverOptions driver;
    driver.key = key;
    driver.endpoint = endpoint;
    driver.build = build_id();
    driver.simd = std::string(simd_name());
    driver.program = "calibration";
    DriverHooks hooks;
    hooks.listening = [&](const std::string& resolved) -> Status {
      first.tell(resolved);
      second.tell(resolved);
      return {};
    };
    Watch watch;
    const Stopwatch clock;
    hooks.observe = [&](const ProgressEvent& event) { return watch(event, clock.seconds()); };
    const LoadedModel loaded = problem.load();
    const auto run = run_driver([&]() -> Result<std::shared_ptr<Model>> { return loaded.second_model(); },
                                loaded.engine, driver, hooks);
    if (!run.end.status.ok()) return run.end.status;
    seconds.push_back(watch.seconds());
  }
  return median(seconds);
}

/// The same with both ways of dealing roles, one after the other.
Result<double> clusters_seconds(const Problem& problem, const std::string& endpoint) {
  double sum = 0;
  for (const Deal deal : kDeals) {
    STRADS_ASSIGN_OR_RETURN(const auto seconds, cluster_seconds(problem, endpoint, deal));
    sum += seconds;
  }
  return sum;
}

/// `deal`: none: embedded.
double simulated_seconds(const Problem& problem, const sim::CostConstants& costs, double local_latency,
                         std::optional<Deal> deal) {
  const bool embedded = !deal.has_value();
  const LoadedModel loaded = problem.load();
  sim::SimulationOptions options;
  options.engine = loaded.engine;
  options.costs = costs;
  options.network.local_latency = local_latency;
  options.hosts = {{"here", embedded ? 1U : 2U, 1}};
  options.nodes.assign(embedded ? 1 : 2, {0, true, true, 1});
  for (int n = 0; deal.has_value() && n < 2; ++n) {
    const AcceptedRoles roles = roles_of(*deal, n);
    options.nodes[static_cast<std::size_t>(n)].schedules = roles.scheduler;
    options.nodes[static_cast<std::size_t>(n)].works = roles.worker;
  }
  options.embedded = embedded;
  options.watch_liveness = !embedded;
  Watch watch;
  sim::SimulationHooks hooks;
  hooks.observe = [&](const ProgressEvent& event, double now) { return watch(event, now); };
  (void)sim::simulate(loaded.second_model, options, hooks);
  return watch.seconds();
}

double simulated_clusters_seconds(const Problem& problem, const sim::CostConstants& costs, double local_latency) {
  double sum = 0;
  for (const Deal deal : kDeals) sum += simulated_seconds(problem, costs, local_latency, deal);
  return sum;
}

/// The value between the two at which the simulation takes so long; simulated time grows with it.
double solve(double low, double high, double seconds, const std::function<double(double)>& simulated) {
  for (int step = 0; step < kBisections; ++step) {
    const double middle = (low + high) / 2;
    (simulated(middle) < seconds ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::string line(const char* what, double seconds, const char* each) {
  return std::string(what) + ", from fits: " + short_text(seconds * 1e9, 4) + " ns " + each;
}

}  // namespace

Status fit_constants(Calibration& calibration, const std::function<void(const std::string& line)>& say) {
  auto& costs = calibration.costs;
  const Problem large = large_blocks();
  costs.local_flop = solve(1e-11, 1e-9, embedded_seconds(large), [&](double value) {
    sim::CostConstants tried = costs;
    tried.local_flop = value;
    return simulated_seconds(large, tried, 0, {});
  });
  say(line("an inner solve", costs.local_flop, "a flop"));

  const Problem small = small_rounds(3000);
  const Problem long_ones = long_messages(small);
  const double small_seconds = embedded_seconds(small);
  const double long_seconds = embedded_seconds(long_ones);
  for (int pass = 0; pass < 2; ++pass) {  // each depends a little on the other
    costs.task = solve(0, 5e-6, small_seconds, [&](double value) {
      sim::CostConstants tried = costs;
      tried.task = value;
      return simulated_seconds(small, tried, 0, {});
    });
    costs.handler_byte = solve(0, 5e-8, long_seconds, [&](double value) {
      sim::CostConstants tried = costs;
      tried.handler_byte = value;
      return simulated_seconds(long_ones, tried, 0, {});
    });
  }
  say(line("calling a task", costs.task, "each"));
  say(line("a message that is not short", costs.handler_byte, "a byte"));

  SocketFolder folder;
  if (Status made = folder.make(); !made.ok()) return made;
  const Problem rounds = small_rounds(1500);  // so many would take long in the simulator
  const Problem broad = broad_rounds(small);
  const auto fit_messages = [&](const std::string& endpoint, double& message, double& latency, double& more) -> Status {
    STRADS_ASSIGN_OR_RETURN(const auto seconds, clusters_seconds(rounds, endpoint));
    STRADS_ASSIGN_OR_RETURN(const auto broad_seconds, clusters_seconds(broad, endpoint));
    const double message_before = message;
    const double latency_before = latency;
    for (int pass = 0; pass < 2; ++pass) {  // each depends a little on the other
      // Ends and way together: an idle round says how they compare, this run how they add up under traffic.
      const double factor = solve(0.1, 4, seconds, [&](double tried_factor) {
        sim::CostConstants tried = costs;
        tried.message = message_before * tried_factor;
        tried.message_more = more;
        return simulated_clusters_seconds(rounds, tried, latency_before * tried_factor);
      });
      message = message_before * factor;
      latency = latency_before * factor;
      more = solve(1e-8, message, broad_seconds, [&](double value) {
        sim::CostConstants tried = costs;
        tried.message = message;
        tried.message_more = value;
        return simulated_clusters_seconds(broad, tried, latency);
      });
    }
    return {};
  };
  if (Status done = fit_messages("ipc://" + folder.path() + "/fit", costs.message, calibration.network.local_latency,
                                 costs.message_more);
      !done.ok()) {
    return done;
  }
  say(line("a message over ipc, at each end", costs.message, "each"));
  say(line("one that follows another", costs.message_more, "each"));
  say(line("and on its way", calibration.network.local_latency, "each"));
  if (Status done = fit_messages("tcp://127.0.0.1:0", calibration.message_tcp, calibration.local_latency_tcp,
                                 calibration.message_more_tcp);
      !done.ok()) {
    return done;
  }
  say(line("a message over tcp, at each end", calibration.message_tcp, "each"));
  say(line("one that follows another", calibration.message_more_tcp, "each"));
  say(line("and on its way", calibration.local_latency_tcp, "each"));
  return {};
}

}  // namespace strads::simulator
