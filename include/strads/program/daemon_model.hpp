// What a daemon needs to know of a model. Layer: program.
#pragma once

#include <functional>
#include <string>

#include "strads/program/execution_options.hpp"
#include "strads/program/kept_data.hpp"
#include "strads/program/run_cluster.hpp"

namespace strads {

/// A model that a daemon can hold.
struct DaemonModel {
  std::string program;  ///< as in ClusterTask
  /// From the driver's options to a model that is ready to be scanned. Called once a run, on a thread of its own.
  /// `kept`: what it gives need not be read again for the next run, where this node stays.
  std::function<Result<LoadedModel>(const std::string& config, const PathRule& path, KeptData& kept)> load;
  /// The program's options under another command's name and usage. May be empty.
  std::function<ProgramOptions(std::string command, std::string usage)> options = {};
};

}  // namespace strads
