// Runs on several processes: what they leave in the process table and in the folder for temporary files.
#pragma once

#include <dirent.h>

#include <chrono>
#include <functional>

#include "small_data.hpp"

namespace strads::test {

constexpr std::chrono::seconds kSoon{15};  ///< only a failing test waits so long

/// True once `condition` holds; false if it did not within kSoon.
inline bool soon(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kSoon;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Process ids whose command line has `text` in it, the caller's own left out.
inline std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos || std::stol(name) == ::getpid()) continue;
    std::ostringstream line;
    line << std::ifstream(entry.path() / "cmdline", std::ios::binary).rdbuf();
    if (line.str().find(text) != std::string::npos) found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

inline std::vector<std::string> stradsd_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::string(STRADS_BIN_DIR) + "/stradsd");
  return arguments;
}

/// All numbers "name": N of a JSON text, in order.
inline std::vector<double> json_numbers(const std::string& json, const std::string& name) {
  std::vector<double> numbers;
  const auto key = "\"" + name + "\": ";
  for (auto at = json.find(key); at != std::string::npos; at = json.find(key, at + 1)) {
    numbers.push_back(std::strtod(json.c_str() + at + key.size(), nullptr));
  }
  return numbers;
}

/// A problem of 80 x 30 in x.csv, one that no policy finishes within seconds in long.npy and long.csv, and a folder for
/// temporary files of its own, so that a test sees what is left behind.
class ClusterFixture : public testing::Test {
 protected:
  ClusterFixture() {
    folder_.write("x.csv", Table(80, 30).csv());
    std::filesystem::create_directory(folder_.path("tmp"));
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", folder_.path("tmp").c_str(), 1);
  }
  ~ClusterFixture() override { before_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before_.c_str(), 1); }

  [[nodiscard]] std::vector<std::string> fit(std::vector<std::string> more) const {
    std::vector<std::string> arguments = {"fit", "--x", folder_.path("x.csv"), "--y-name", "y", "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lasso_command(arguments);
  }
  [[nodiscard]] std::vector<std::string> long_fit(std::vector<std::string> more) const {
    const Table table(400, 4000);
    folder_.write("long.npy", table.npy());
    folder_.write("long.csv", table.y_csv());
    std::vector<std::string> arguments = {"fit",
                                          "--x",
                                          folder_.path("long.npy"),
                                          "--y",
                                          folder_.path("long.csv"),
                                          "--threads",
                                          "1",
                                          "--policy",
                                          "uniform",
                                          "--lambda-ratio",
                                          "0.0005",
                                          "--tolerance",
                                          "0",
                                          "--out",
                                          folder_.path("run")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return lasso_command(arguments);
  }
  /// --key FILE, for a driver and its nodes.
  [[nodiscard]] std::vector<std::string> key() const {
    if (!folder_.has("run.key")) {
      EXPECT_EQ(Process(stradsd_command({"--new-key", folder_.path("run.key")})).wait().code, 0);
    }
    return {"--key", folder_.path("run.key")};
  }
  std::string hash_of(std::vector<std::string> more, const std::string& run) {
    more.insert(more.end(), {"--out", folder_.path(run)});
    const auto ended = Process(fit(more)).wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(ended.err.find("lasso: "), std::string::npos) << ended.err;  // a slow machine sees progress
    return json_field(folder_.read(run + "/summary.json"), "beta_hash");
  }
  [[nodiscard]] std::vector<pid_t> nodes() const { return processes_with(folder_.path("tmp") + "/strads-run-"); }
  /// Neither a process nor a folder is left, at once or after a moment.
  void expect_nothing_left() const {
    EXPECT_TRUE(soon([this] { return nodes().empty() && folder_.list("tmp").empty(); }))
        << nodes().size() << " processes, " << folder_.list("tmp").size() << " folders";
  }

  Folder folder_;
  std::string before_;
};

}  // namespace strads::test
