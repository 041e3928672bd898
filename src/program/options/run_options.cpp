// The options of every command that runs the engine.
#include "program/process/deadline.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"

namespace strads {
namespace {

void add_memory_options(OptionTable& table, RunOptions& options) {
  table.section("limits").on_off("memory-check",
                                 "refuse the run where its memory cannot be had, here and on every host of a cluster, "
                                 "instead of being killed by the kernel",
                                 &options.memory_check);
  table.section("").flag("dry-run", "show what memory each process would take and what this host has, and exit",
                         &options.dry_run);
}

}  // namespace

void add_run_options(OptionTable& table, RunOptions& options) {
  table.section("limits").common().unit("seconds").number(
      "max-seconds", "S", "stop after so many seconds of solving, 0 = no limit; results are written, exit code 3",
      &options.max_seconds, {});
  add_memory_options(table, options);
  add_engine_options(table, options.engine, options.machine);
  add_cluster_options(table, options.cluster);
  table.section("output").text("trace-times", "FILE",
                               "write there when every task ran and every message travelled, on each process: "
                               "strads-report draws the rounds of a phase from it",
                               &options.trace_times);
  add_status_options(table, options.status, "status");
  add_common_options(table, options.common, "DIR",
                     "run directory for the results; without it only the summary is shown", true);
}

void add_checkpoint_options(OptionTable& table, RunOptions& options) {
  const OptionSection checkpoint_rows = table.section("checkpoint");
  checkpoint_rows.unit("seconds").number(
      "checkpoint-seconds", "S",
      "every so many seconds what it takes to go on is written into --out, at the next "
      "barrier; 0 = not by time; removed when the run has converged",
      &options.checkpoints.seconds, {});
  checkpoint_rows.count("checkpoint-rounds", "N", "the same every so many rounds; 0 = not by rounds",
                        &options.checkpoints.rounds, {});
  const OptionSection arguments_rows = table.section("");
  arguments_rows.text("deadline", "TIME",
                      "end with a checkpoint before TIME, with exit code 3 and without results; 2026-11-24T18:00 is "
                      "local time, seconds and an offset may follow; +2h30m counts from now, @SECONDS since 1970; in a "
                      "job of Slurm: --deadline $(squeue -h -j $SLURM_JOB_ID -o %e)",
                      &options.checkpoints.deadline);
  arguments_rows.text("resume", "DIR",
                      "go on from the checkpoint in run directory DIR, with its options and the same bits; only "
                      "limits, machine, cluster and checkpoints may be given anew",
                      &options.checkpoints.resume);
}

Status check_run_options(const OptionTable& table, const RunOptions& options) {
  if (Status engine = check_engine_options(options.engine); !engine.ok()) return engine;
  if (Status cluster = check_cluster_options(table, options.cluster); !cluster.ok()) return cluster;
  const CheckpointOptions& checkpoints = options.checkpoints;
  if (checkpoints.wanted() && options.common.out.empty()) {
    return Status::usage("--checkpoint-seconds, --checkpoint-rounds and --deadline need --out DIR");
  }
  if (!checkpoints.deadline.empty()) {
    if (const auto at = parse_deadline(checkpoints.deadline, wall_seconds()); !at.ok()) return at.status();
  }
  return options.common.force && options.common.out.empty() ? Status::usage("--force needs --out DIR") : Status();
}

}  // namespace strads
