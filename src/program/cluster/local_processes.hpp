// Processes that this program starts on its own machine and never leaves behind. Layer: program.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "program/cluster/process_end.hpp"
#include "strads/base/status.hpp"
#include "strads/transport/cluster.hpp"

namespace strads {

/// Names of the folders that LocalProcesses makes; stradsd removes such a folder when the driver could not.
inline constexpr const char* kFolderPrefix = "strads-run-";
inline constexpr std::size_t kFolderRandom = 6;  ///< characters after the prefix

struct RunningProcess {
  pid_t process = -1;
  std::string name;
};

/// A private folder for sockets, and the processes that talk through it. Everything ends with this object: folder and
/// processes. Should this process be killed, the started ones see to both (stradsd --die-with-parent).
class LocalProcesses {
 public:
  LocalProcesses() = default;
  ~LocalProcesses();
  LocalProcesses(const LocalProcesses&) = delete;
  LocalProcesses& operator=(const LocalProcesses&) = delete;

  /// Makes the folder (mode 0700) in the folder for temporary files. Takes away those that were left there by runs of
  /// this user that were killed before, or together with, all their processes. Errors: cluster.
  [[nodiscard]] Status make_folder();
  [[nodiscard]] const std::string& folder() const { return folder_; }

  /// Starts `program` with `arguments` in a process group of its own, stdin empty, stdout and stderr kept in memory.
  /// `name`: for people. Errors: cluster: with the path and what to do.
  [[nodiscard]] Status start(const std::string& program, const std::vector<std::string>& arguments,
                             const std::string& name);

  /// Those that have ended since the last call: exit code or signal, whether the kernel killed them for lack of memory,
  /// and the last line that they wrote.
  [[nodiscard]] std::vector<EndedProcess> ended();
  /// Those that have not ended.
  [[nodiscard]] std::vector<RunningProcess> running();
  /// All lines written so far, after the process's name where it is not in them. Stays after end().
  [[nodiscard]] std::vector<std::string> output() const;

  /// Ends all that still run: with `in_order` they may take 2 s to end by themselves, then SIGTERM, after 2 s more
  /// SIGKILL. Removes the folder. May be called twice.
  void end(bool in_order);

 private:
  struct Child {
    pid_t process = -1;
    std::string name;
    int output = -1;  ///< a file in memory
    bool running = true;
    bool told = false;
    ProcessEnd end;
  };
  void collect();
  [[nodiscard]] bool all_ended_within(double seconds);
  void signal_running(int number) const;

  std::string folder_;
  int lock_ = -1;  ///< of the folder: it says that this process lives
  std::vector<Child> children_;
  KilledForMemory killed_;
};

/// True iff a program can be started from this path. Errors: cluster: with the path and what to do.
[[nodiscard]] Status check_program(const std::string& path);

/// "HOST/1" ... "HOST/N": local processes have the host in common.
[[nodiscard]] std::vector<std::string> local_names(std::uint32_t count);

/// stradsd beside the running program.
[[nodiscard]] std::string neighbour_program(const std::string& name);

/// Removes the folder of `endpoint` and the sockets in it, if it is an ipc endpoint in a folder that LocalProcesses
/// made: for a process that outlives the driver. Other files keep the folder alive.
void remove_abandoned_folder(const std::string& endpoint);

/// Those in `parent` that LocalProcesses of this user made, whose process is gone, and in which nothing has happened
/// for `seconds`.
void remove_abandoned_folders(const std::string& parent, double seconds);

}  // namespace strads
