// A driver and nodes that are started by hand and talk over tcp.
#pragma once

#include <gmock/gmock.h>

#include <memory>

#include "run_cluster.hpp"

namespace strads::test {

/// A driver that listens at a free port and writes its endpoint into a file.
class DaemonFixture : public ClusterFixture {
 protected:
  void listen(std::vector<std::string> command, const std::string& nodes) {
    command.insert(command.end(),
                   {"--listen", "tcp://127.0.0.1:0", "--nodes", nodes, "--endpoint-file", folder_.path("endpoint")});
    command.insert(command.end(), keys_.begin(), keys_.end());
    driver_ = std::make_unique<Process>(command);
    ASSERT_TRUE(soon([this] { return folder_.has("endpoint"); }));
    endpoint_ = folder_.read("endpoint");
    ASSERT_THAT(endpoint_, testing::MatchesRegex("tcp://127.0.0.1:[1-9][0-9]*\n"));
    endpoint_.pop_back();
  }
  std::unique_ptr<Process> join(const std::string& name, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"--join", endpoint_, "--name", name, "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), keys_.begin(), keys_.end());
    return std::make_unique<Process>(stradsd_command(arguments));
  }
  std::string summary_field(const std::string& name) const {
    return json_field(folder_.read("run/summary.json"), name);
  }

  std::vector<std::string> keys_ = key();
  std::unique_ptr<Process> driver_;
  std::string endpoint_;
};

}  // namespace strads::test
