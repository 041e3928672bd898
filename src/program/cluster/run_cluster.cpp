#include <filesystem>

#include "program/cluster/key_file.hpp"
#include "program/cluster/local_processes.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_cluster.hpp"
#include "strads/transport/threads.hpp"

namespace strads {
namespace {

DriverOptions driver_options(const MachineOptions& machine, const ClusterOptions& options, const ClusterTask& task) {
  DriverOptions driver;
  driver.endpoint = options.listen;
  driver.nodes = options.nodes;
  driver.names = options.expect;
  driver.start_seconds = options.start_seconds;
  driver.lease_seconds = options.lease_seconds;
  driver.build = build_id();
  driver.simd = machine.simd;
  driver.program = task.program;
  driver.config = task.config;
  driver.resumes = task.resumes;
  driver.first = task.first;
  std::error_code error;
  driver.folder = std::filesystem::current_path(error).string();
  return driver;
}

/// Starts all of them; those that run already are ended by `local` when one cannot be started.
Status start_all(LocalProcesses& local, const std::string& program, const std::string& endpoint,
                 const MachineOptions& machine, const ClusterOptions& options) {
  const unsigned threads = threads_wanted(machine.threads, options.processes);
  for (const auto& name : local_names(options.processes)) {
    const std::vector<std::string> arguments = {"--join",           endpoint,
                                                "--name",           name,
                                                "--threads",        std::to_string(threads),
                                                "--start-seconds",  exact_text(options.start_seconds),
                                                "--die-with-parent"};
    if (Status started = local.start(program, arguments, name); !started.ok()) return started;
  }
  return {};
}

ClusterRun failed(Status status) {
  ClusterRun run;
  run.end.status = std::move(status);
  return run;
}

}  // namespace

ClusterRun run_cluster(const std::function<Result<std::shared_ptr<Model>>()>& make_model, const EngineOptions& engine,
                       const MachineOptions& machine, const ClusterOptions& options, const ClusterTask& task,
                       DriverHooks hooks) {
  STRADS_CHECK(options.wanted(), "the caller has asked for processes or an endpoint");
  DriverOptions driver = driver_options(machine, options, task);
  LocalProcesses local;
  const std::string program = options.stradsd.empty() ? neighbour_program("stradsd") : options.stradsd;
  if (options.processes > 0) {
    if (Status found = check_program(program); !found.ok()) return failed(std::move(found));
    if (Status made = local.make_folder(); !made.ok()) return failed(std::move(made));
    driver.endpoint = "ipc://" + local.folder() + "/driver";
    driver.nodes = options.processes;
    driver.names = local_names(options.processes);
    hooks.ended_processes = [&local] { return local.ended(); };
  }
  auto key = key_of_run(options.keys, driver.endpoint, KeyHolder::driver);
  if (!key.ok()) return failed(key.status());
  driver.key = std::move(key).value();
  if (options.keys.insecure) {
    if (task.prints) {  // also when the user wants it quiet
      print_note(task.program.substr(0, task.program.find(' ')), kInsecureWarning);
    }
    if (hooks.say) hooks.say(kInsecureWarning, !task.prints);
  }
  hooks.listening = [&](const std::string& endpoint) -> Status {
    if (!options.endpoint_file.empty()) {
      if (Status written = write_file(options.endpoint_file, endpoint + "\n"); !written.ok()) return written;
    }
    return options.processes > 0 ? start_all(local, program, endpoint, machine, options) : Status();
  };
  ClusterRun run = run_driver(make_model, engine, driver, hooks);
  local.end(run.end.status.ok());
  if (hooks.say) {
    for (const auto& line : local.output()) hooks.say(line, false);
  }
  return run;
}

}  // namespace strads
