#include "strads/program/standing_processes.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "program/cluster/local_processes.hpp"
#include "strads/transport/threads.hpp"

namespace strads {

StandingProcesses::StandingProcesses(std::string stradsd, unsigned threads)
    : local_(std::make_unique<LocalProcesses>()), stradsd_(std::move(stradsd)), threads_(threads), owner_(::getpid()) {}

StandingProcesses::~StandingProcesses() {
  end();
  if (!is_owner()) static_cast<void>(local_.release());  // they are those of the process that this one was forked from
}

Result<std::unique_ptr<StandingProcesses>> StandingProcesses::start(std::uint32_t processes, const std::string& stradsd,
                                                                    unsigned threads) {
  if (Status found = check_program(stradsd); !found.ok()) return found;
  std::unique_ptr<StandingProcesses> standing(new StandingProcesses(stradsd, threads_wanted(threads, processes)));
  if (Status made = standing->local_->make_folder(); !made.ok()) return made;
  standing->names_ = local_names(processes);
  if (Status started = standing->replace_lost(); !started.ok()) return started;
  return Result<std::unique_ptr<StandingProcesses>>(std::move(standing));
}

bool StandingProcesses::is_owner() const {
  return owner_ == ::getpid();
}

std::string StandingProcesses::endpoint() const {
  return "ipc://" + folder() + "/driver";
}

const std::string& StandingProcesses::folder() const {
  return local_->folder();
}

std::vector<OptionValue> StandingProcesses::options() const {
  std::string names;
  for (const std::string& name : names_) names += (names.empty() ? "" : ",") + name;
  return {{"listen", endpoint()}, {"nodes", std::to_string(names_.size())}, {"expect", names}};
}

Status StandingProcesses::start_one(const std::string& name) {
  const std::vector<std::string> arguments = {
      "--stay", "--join", endpoint(), "--name", name, "--threads", std::to_string(threads_), "--die-with-parent"};
  return local_->start(stradsd_, arguments, name);
}

Status StandingProcesses::replace_lost() {
  static_cast<void>(local_->ended());  // no news to the next run
  const auto running = local_->running();
  for (const std::string& name : names_) {
    const bool is_there = std::ranges::any_of(running, [&](const RunningProcess& one) { return one.name == name; });
    if (Status started = is_there ? Status() : start_one(name); !started.ok()) return started;
  }
  return {};
}

std::vector<EndedProcess> StandingProcesses::ended() {
  return local_->ended();
}

std::vector<std::string> StandingProcesses::output() const {
  return local_->output();
}

std::vector<std::int64_t> StandingProcesses::running() {
  std::vector<std::int64_t> processes;
  for (const RunningProcess& one : local_->running()) processes.push_back(one.process);
  return processes;
}

void StandingProcesses::end() {
  if (is_owner()) local_->end(false);
}

}  // namespace strads
