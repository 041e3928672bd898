// Starts the real program, feeds it files, and looks at what it leaves.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.hpp"

namespace strads::test {

using Folder = TemporaryFolder;

struct Ended {
  int code = -1;  ///< exit code; 128 + signal when killed
  std::string out;
  std::string err;
};

/// A running process; stdout and stderr are pipes.
class Process {
 public:
  explicit Process(std::vector<std::string> command) {
    int out[2];
    int err[2];
    if (::pipe(out) != 0 || ::pipe(err) != 0) std::abort();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(err[1], STDERR_FILENO);
      for (const int end : {out[0], out[1], err[0], err[1]}) ::close(end);
      std::vector<char*> arguments;
      for (auto& word : command) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      (void)wait();
    }
  }

  /// Reads stderr until `text` has appeared. False: the process ended before.
  bool stderr_shows(const std::string& text) {
    char buffer[4096];
    while (ended_.err.find(text) == std::string::npos) {
      const auto count = ::read(err_, buffer, sizeof buffer);
      if (count <= 0) return false;
      ended_.err.append(buffer, static_cast<std::size_t>(count));
    }
    return true;
  }

  void signal(int number) const { ::kill(pid_, number); }
  [[nodiscard]] pid_t id() const { return pid_; }
  /// Whether it has a handler for the signal, as /proc tells: before that it would end.
  [[nodiscard]] bool catches(int number) const {
    std::ifstream lines("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("SigCgt:")) return (std::stoull(line.substr(7), nullptr, 16) >> (number - 1) & 1) != 0;
    }
    return false;
  }

  Ended wait() {
    std::thread reader([this] { drain(err_, ended_.err); });
    drain(out_, ended_.out);
    reader.join();
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    ended_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended_;
  }

 private:
  static void drain(int end, std::string& text) {
    char buffer[4096];
    for (;;) {
      const auto count = ::read(end, buffer, sizeof buffer);
      if (count <= 0) break;
      text.append(buffer, static_cast<std::size_t>(count));
    }
    ::close(end);
  }

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  Ended ended_;
};

/// A command with further arguments.
inline std::vector<std::string> with(std::vector<std::string> command, const std::vector<std::string>& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

inline std::vector<std::string> lasso_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(STRADS_BIN_DIR) + "/lasso");
  return arguments;
}

/// Runs `lasso` to its end.
inline Ended lasso(std::vector<std::string> arguments) {
  return Process(lasso_command(std::move(arguments))).wait();
}

inline Ended simulator(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(STRADS_BIN_DIR) + "/strads_sim");
  return Process(std::move(arguments)).wait();
}

/// The text after "name": in a JSON file, up to the comma or line end; strings with their quotes.
inline std::string json_field(const std::string& json, const std::string& name) {
  const auto key = "\"" + name + "\": ";
  const auto at = json.find(key);
  if (at == std::string::npos) return "absent";
  const auto begin = at + key.size();
  return json.substr(begin, json.find_first_of(",\n", begin) - begin);
}

inline double json_number(const std::string& json, const std::string& name) {
  return std::strtod(json_field(json, name).c_str(), nullptr);
}

/// Lines of a text, each split at tabs.
inline std::vector<std::vector<std::string>> rows_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\t');) fields.push_back(part);
    rows.push_back(std::move(fields));
  }
  return rows;
}

}  // namespace strads::test
