// Options that all programs share, each written once.
#include <unistd.h>

#include <cstdio>

#include "strads/numerics/columns.hpp"
#include "strads/program/build_facts.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"

namespace strads {

void add_engine_options(OptionTable& table, EngineOptions& engine, MachineOptions& machine) {
  constexpr Range kRoles{.min = 1, .max = 65536};
  table.count({.name = "seed",
               .placeholder = "N",
               .effect = "same data, options and seed: the same bits",
               .section = "engine",
               .common = true},
              &engine.seed, {});
  table.count(
      {.name = "threads",
       .placeholder = "N",
       .effect = "threads that execute, 0 = all cores that it may use; with --processes each has so many, 0 = its "
                 "share of them; never changes the result",
       .section = "machine",
       .common = true},
      &machine.threads, {.min = 0, .max = 4096});
  table.count(
      {.name = "schedulers",
       .placeholder = "S",
       .effect = "schedulers that take turns, each owning a slice of the variables; part of what fixes the bits",
       .section = "engine"},
      &engine.schedulers, kRoles);
  table.count({.name = "workers",
               .placeholder = "P",
               .effect = "blocks a round at most; logical: part of what fixes the bits, whatever the number of threads",
               .section = "engine"},
              &engine.workers, kRoles);
  table.count({.name = "depth",
               .placeholder = "D",
               .effect = "rounds that may be dispatched and not yet committed, at most S; S >= 2 D hides the planning, "
                         "larger D works on staler residuals",
               .section = "engine"},
              &engine.depth, kRoles);
  table.count({.name = "max-rounds",
               .placeholder = "N",
               .effect = "stop after so many rounds, 0 = no limit; results are written, exit code 3",
               .section = "limits"},
              &engine.rounds_max, {});
  table.choice({.name = "simd",
                .placeholder = "",
                .effect = "instruction set of the kernels, auto = the best of this CPU (ARM has NEON alone); each one "
                          "gives its own bits",
                .section = "machine"},
               &machine.simd, {"auto", "sse4", "avx2", "avx512"});
  table.on_off({.name = "encode-messages",
                .placeholder = "",
                .effect = "test mode: every message between roles is encoded, decoded and compared; slow, same bits; "
                          "between processes all are encoded anyway",
                .section = "machine"},
               &machine.encode_messages);
}

Status check_engine_options(const EngineOptions& engine) {
  if (engine.depth <= engine.schedulers) return {};
  return Status::usage("--depth " + std::to_string(engine.depth) + " exceeds --schedulers " +
                       std::to_string(engine.schedulers) +
                       ", expected D <= S; raise --schedulers (S >= 2 D is best) or lower --depth");
}

void add_common_options(OptionTable& table, CommonOptions& options, std::string out_placeholder, std::string out_effect,
                        bool run_directory) {
  table.text({.name = "out",
              .placeholder = std::move(out_placeholder),
              .effect = std::move(out_effect),
              .section = "output",
              .common = true},
             &options.out);
  if (run_directory) {
    table.flag({.name = "force",
                .placeholder = "",
                .effect = "replace the finished run in --out DIR when the new one is complete; files that no run wrote "
                          "there, or that were changed since, stay and are refused",
                .section = "",
                .common = true},
               &options.force);
  }
  table.flag({.name = "quiet",
              .placeholder = "",
              .effect = "no progress and no notes on stderr; errors remain",
              .section = "output"},
             &options.quiet);
  table.text({.name = "config",
              .placeholder = "FILE",
              .effect = "read options from an INI file; flags win, unknown keys are refused",
              .section = "",
              .common = true},
             &options.config);
  table.flag({.name = "print-config",
              .placeholder = "",
              .effect = "print the effective options as a config file and exit",
              .section = ""},
             &options.print_config);
  table.flag({.name = "help", .placeholder = "", .effect = "the most used options", .section = ""}, &options.help);
  table.flag({.name = "help-all",
              .placeholder = "",
              .effect = "all options with ranges and defaults",
              .section = "",
              .common = true},
             &options.help_all);
  table.flag({.name = "version",
              .placeholder = "",
              .effect = "print version and build id and exit; processes of one run must have the same",
              .section = ""},
             &options.version);
}

Status use_simd(const std::string& name) {
  if (name == "sse4") return choose_simd(Simd::sse4);
  if (name == "avx2") return choose_simd(Simd::avx2);
  if (name == "avx512") return choose_simd(Simd::avx512);
  return choose_simd(Simd::automatic);
}

bool answered(const OptionTable& table, const CommonOptions& options, std::string_view program) {
  std::string answer;
  if (options.help) {
    answer = table.help();
  } else if (options.help_all) {
    answer = table.help_all();
  } else if (options.version) {
    answer = version_line(program);
  } else if (options.print_config) {
    answer = table.config();
  } else {
    return false;
  }
  std::fwrite(answer.data(), 1, answer.size(), stdout);
  return true;
}

}  // namespace strads
