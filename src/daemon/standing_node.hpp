// A node that serves one driver after the other (stradsd --stay). Layer: daemon.
#pragma once

#include <functional>
#include <string>

#include "strads/transport/cluster.hpp"

namespace strads {

/// How long a node that stays waits before it joins again, in seconds.
class JoinPauses {
 public:
  static constexpr double kFirst = 0.5;  ///< the driver whose run has ended still listens for some moments
  static constexpr double kMost = 5;

  /// A run has come to its end.
  [[nodiscard]] double after_run() {
    next_ = kFirst;
    return kFirst;
  }
  /// There was none: this node was refused, or its driver went away before.
  [[nodiscard]] double after_failure() {
    const double pause = next_;
    next_ = next_ * 2 < kMost ? next_ * 2 : kMost;
    return pause;
  }

 private:
  double next_ = kFirst;
};

/// run_node() again and again, each time as a new process of the cluster: with keys and endpoints of its own. What goes
/// wrong is said once and ends nothing. Returns when hooks.leave_requested() is set: ok where no run was under way,
/// else what run_node() says. `say`: of runs that have ended. `complain`: of those that failed, and of drivers that
/// refuse this node.
/// REQUIRES: hooks.load, say and leave_requested are there; node.stays.
[[nodiscard]] Status serve_drivers(const NodeOptions& node, const NodeHooks& hooks,
                                   const std::function<void(const std::string& line)>& say,
                                   const std::function<void(const std::string& line)>& complain);

}  // namespace strads
