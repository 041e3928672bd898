#include "daemon/standing_node.hpp"

#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "strads/program/execution_options.hpp"
#include "strads/program/kept_data.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads {
namespace {

constexpr std::chrono::milliseconds kLooksEvery{50};    ///< for requests to leave, during a pause
constexpr std::chrono::milliseconds kLooksAtSocket{2};  ///< a driver on this machine may be followed at once

using Words = std::function<void(const std::string& line)>;

/// The socket of a driver on this machine; nothing: there is none, or drivers are reached over tcp.
std::optional<FileIdentity> socket_of(const std::string& endpoint) {
  constexpr std::string_view kIpc = "ipc://";
  struct stat facts {};
  if (!endpoint.starts_with(kIpc) || ::stat(endpoint.c_str() + kIpc.size(), &facts) != 0) return std::nullopt;
  return FileIdentity{facts.st_dev, facts.st_ino, 0, 0, facts.st_ctim.tv_sec * 1'000'000'000 + facts.st_ctim.tv_nsec};
}

class StandingNode {
 public:
  StandingNode(const NodeOptions& node, const NodeHooks& hooks, const Words& say, const Words& complain)
      : node_(node), hooks_(hooks), say_(say), complain_(complain) {}

  Status serve() {
    for (;;) {
      const Status outcome = join();
      if (hooks_.leave_requested().has_value()) return served_ && !outcome.ok() ? outcome : left();
      if (served_) {
        wait_for_its_end(after_run(outcome));
      } else {
        pause(after_failure(outcome), kLooksEvery);
      }
      if (hooks_.leave_requested().has_value()) return left();
    }
  }

 private:
  Status join() {
    served_ = waits_ = false;
    // HELLO says what this processor can do, not what the run before has chosen.
    if (Status best = use_simd("auto"); !best.ok()) return best;
    NodeHooks own = hooks_;
    own.load = [this](const RunDescription& run) {
      socket_ = socket_of(node_.join);
      served_ = true;
      return hooks_.load(run);
    };
    // Each attempt would begin with the same words.
    own.say = [this](const std::string& line) {
      if (std::exchange(said_, line) != line) hooks_.say(line);
    };
    own.cannot_wait = [this](const Status& outcome) {
      if (hooks_.leave_requested().has_value() && hooks_.cannot_wait) hooks_.cannot_wait(outcome);
      if (!std::exchange(waits_, true)) say_("waits until a computation of the run ends, which cannot be stopped");
    };
    return run_node(node_, own);
  }

  double after_run(const Status& outcome) {
    said_.clear();
    complained_.clear();
    if (outcome.ok()) {
      say_("the run has ended");
    } else {
      complain_("the run has ended: " + outcome.message());
    }
    return pauses_.after_run();
  }

  double after_failure(const Status& outcome) {
    if (std::exchange(complained_, outcome.message()) != outcome.message()) {
      complain_(outcome.message() + "; it is tried again");
    }
    return pauses_.after_failure();
  }

  Status left() {
    say_("leaves: " + hooks_.leave_requested()->reason);
    return {};
  }

  /// The driver whose run has ended still listens for some moments. Of one on this machine the end can be seen.
  void wait_for_its_end(double seconds) const {
    const bool seen = socket_.has_value();
    pause(seconds, seen ? kLooksAtSocket : kLooksEvery, [&] { return seen && socket_of(node_.join) != socket_; });
  }

  void pause(double seconds, std::chrono::milliseconds every, const std::function<bool()>& over = {}) const {
    const Stopwatch watch;
    while (watch.seconds() < seconds && !hooks_.leave_requested().has_value() && !(over && over())) {
      std::this_thread::sleep_for(every);
    }
  }

  const NodeOptions& node_;
  const NodeHooks& hooks_;
  const Words& say_;
  const Words& complain_;
  std::optional<FileIdentity> socket_;  ///< of the driver whose run is served; set before `served_`
  std::atomic<bool> served_{false};     ///< the roles were dealt; set by the thread that reads the data
  bool waits_ = false;
  std::string said_, complained_;  ///< last
  JoinPauses pauses_;
};

}  // namespace

Status serve_drivers(const NodeOptions& node, const NodeHooks& hooks,
                     const std::function<void(const std::string& line)>& say,
                     const std::function<void(const std::string& line)>& complain) {
  return StandingNode(node, hooks, say, complain).serve();
}

}  // namespace strads
