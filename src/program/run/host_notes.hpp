// Notes for the program that a run is a part of. Layer: program.
#pragma once

#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "strads/program/run_host.hpp"

namespace strads {

/// Data of a cluster's driver are read on a thread of their own, and the host is told on its own one: that which has
/// made this.
class HostNotes {
 public:
  void add(const RunHost& host, const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      notes_.push_back(text);
    }
    if (std::this_thread::get_id() == caller_) tell(host);
  }
  /// Those that it has not heard yet.
  void tell(const RunHost& host) {
    std::vector<std::string> notes;
    {
      const std::lock_guard lock(mutex_);
      notes = std::exchange(notes_, {});
    }
    for (const std::string& text : notes) {
      if (host.note) host.note(text);
    }
  }

 private:
  const std::thread::id caller_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

}  // namespace strads
