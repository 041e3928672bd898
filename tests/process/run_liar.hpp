// A node of a run that is stradsd, but for what its model says.
#pragma once

#include <sys/wait.h>

#include <functional>
#include <memory>
#include <span>

#include "run_daemons.hpp"
#include "strads/daemon/daemon.hpp"
#include "strads/program/run_cluster.hpp"

namespace strads::test {

class LiarFixture : public DaemonFixture {
 protected:
  /// How a driver ends whose only node is such a one.
  ///   make_liar: of the honest model that the node has loaded
  Ended ended_with(const std::vector<std::string>& driver, const DaemonModel& honest,
                   const std::function<std::shared_ptr<Model>(std::shared_ptr<Model>)>& make_liar) {
    std::filesystem::remove(folder_.path("endpoint"));
    listen(driver, "1");
    const pid_t liar = ::fork();
    if (liar == 0) run_liar(honest, make_liar);
    Ended ended = driver_->wait();
    int status = 0;
    ::waitpid(liar, &status, 0);
    return ended;
  }

 private:
  [[noreturn]] void run_liar(const DaemonModel& honest,
                             const std::function<std::shared_ptr<Model>(std::shared_ptr<Model>)>& make_liar) const {
    std::vector<std::string> words = {"stradsd", "--join", endpoint_, "--threads", "1", "--quiet"};
    words.insert(words.end(), keys_.begin(), keys_.end());
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    DaemonModel liar = honest;
    liar.load = [&](const std::string& config, const PathRule& path, KeptData& kept) -> Result<LoadedModel> {
      auto loaded = honest.load(config, path, kept);
      if (loaded.ok()) loaded.value().model = make_liar(loaded.value().model);
      return loaded;
    };
    ::_exit(run_daemon(static_cast<int>(arguments.size()), arguments.data(), std::span(&liar, 1)));
  }
};

}  // namespace strads::test
