// The options of every command that runs the engine.
#include "strads/program/program_run.hpp"

namespace strads {

void add_run_options(OptionTable& table, RunOptions& options) {
  table.number({.name = "max-seconds",
                .placeholder = "S",
                .effect = "stop after so many seconds of solving, 0 = no limit; results are written, exit code 3",
                .section = "limits",
                .common = true,
                .unit = "seconds"},
               &options.max_seconds, {});
  add_engine_options(table, options.engine, options.machine);
  add_cluster_options(table, options.cluster);
  add_common_options(table, options.common, "DIR",
                     "run directory for the results; without it only the summary is shown", true);
}

Status check_run_options(const OptionTable& table, const RunOptions& options) {
  if (Status engine = check_engine_options(options.engine); !engine.ok()) return engine;
  if (Status cluster = check_cluster_options(table, options.cluster); !cluster.ok()) return cluster;
  return options.common.force && options.common.out.empty() ? Status::usage("--force needs --out DIR") : Status();
}

}  // namespace strads
