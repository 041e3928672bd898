// Nodes on this machine that stay between the runs of the program that has started them. Layer: program.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/program/embedding.hpp"
#include "strads/transport/cluster.hpp"

namespace strads {

class LocalProcesses;

/// `stradsd --stay` so many times, in a folder that only this user can enter. They serve one run after the other, and
/// end with this object, or with the process that has made it. Not thread-safe.
class StandingProcesses {
 public:
  /// `stradsd`: path of the program. `threads`: of each; 0: its share of the cores.
  /// Errors: cluster: the program cannot be started, there is no folder for temporary files.
  [[nodiscard]] static Result<std::unique_ptr<StandingProcesses>> start(std::uint32_t processes,
                                                                        const std::string& stradsd, unsigned threads);
  ~StandingProcesses();
  StandingProcesses(const StandingProcesses&) = delete;
  StandingProcesses& operator=(const StandingProcesses&) = delete;

  /// Which of a command's options send a run to them: --listen, --nodes, --expect.
  [[nodiscard]] std::vector<OptionValue> options() const;
  /// Their folder, for files of the runs: it goes with them.
  [[nodiscard]] const std::string& folder() const;
  /// Starts another one in the place of each that has ended: before a run. Errors: as start().
  [[nodiscard]] Status replace_lost();
  /// As RunHost::ended_processes.
  [[nodiscard]] std::vector<EndedProcess> ended();
  /// What they have written so far, by lines.
  [[nodiscard]] std::vector<std::string> output() const;
  /// Process ids of those that run.
  [[nodiscard]] std::vector<std::int64_t> running();
  /// Ends all of them, and removes the folder. In a fork of the process that has made this it does nothing.
  void end();

 private:
  StandingProcesses(std::string stradsd, unsigned threads);
  Status start_one(const std::string& name);
  [[nodiscard]] std::string endpoint() const;
  [[nodiscard]] bool is_owner() const;

  std::unique_ptr<LocalProcesses> local_;
  std::string stradsd_;
  unsigned threads_;
  std::vector<std::string> names_;
  std::int64_t owner_;
};

}  // namespace strads
