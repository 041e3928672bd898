// Options that all programs share, each written once.
#include <unistd.h>

#include <cstdio>
#include <iterator>

#include "program/process/event_log.hpp"
#include "strads/numerics/columns.hpp"
#include "strads/program/build_facts.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"

namespace strads {

void add_engine_options(OptionTable& table, EngineOptions& engine, MachineOptions& machine) {
  constexpr Range kRoles{.min = 1, .max = 65536};
  const OptionSection engine_rows = table.section("engine");
  engine_rows.common().count("seed", "N", "same data, options and seed: the same bits", &engine.seed, {});
  const OptionSection machine_rows = table.section("machine");
  machine_rows.common().count("threads", "N",
                              "threads that execute, 0 = all cores that it may use; with --processes each has so many, "
                              "0 = its share of them; never changes the result",
                              &machine.threads, {.min = 0, .max = 4096});
  engine_rows.count("schedulers", "S",
                    "schedulers that take turns, each owning a slice of the variables; part of what fixes the bits",
                    &engine.schedulers, kRoles);
  engine_rows.count("workers", "P",
                    "blocks a round at most; logical: part of what fixes the bits, whatever the number of threads",
                    &engine.workers, kRoles);
  engine_rows.count("depth", "D",
                    "rounds that may be dispatched and not yet committed, at most S; S >= 2 D hides the planning, "
                    "larger D works on staler residuals",
                    &engine.depth, kRoles);
  table.section("limits").count("max-rounds", "N",
                                "stop after so many rounds, 0 = no limit; results are written, exit code 3",
                                &engine.rounds_max, {});
  machine_rows.choice(
      "simd",
      "instruction set of the kernels, auto = the best of this CPU (ARM has NEON alone); each one gives its own bits",
      &machine.simd, {"auto", "sse4", "avx2", "avx512"});
  machine_rows.on_off("encode-messages",
                      "test mode: every message between roles is encoded, decoded and compared; slow, same bits; "
                      "between processes all are encoded anyway",
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
  const OptionSection output_rows = table.section("output");
  output_rows.common().text("out", std::move(out_placeholder), std::move(out_effect), &options.out);
  const OptionSection arguments_rows = table.section("");
  if (run_directory) {
    arguments_rows.common().flag("force",
                                 "replace the finished run in --out DIR when the new one is complete; files that no "
                                 "run wrote there, or that were changed since, stay and are refused",
                                 &options.force);
  }
  output_rows.flag("quiet", "no progress and no notes on stderr; errors remain", &options.quiet);
  add_log_option(output_rows, options);
  arguments_rows.common().text("config", "FILE", "read options from an INI file; flags win, unknown keys are refused",
                               &options.config);
  arguments_rows.flag("print-config", "print the effective options as a config file and exit", &options.print_config);
  arguments_rows.flag("help", "the most used options", &options.help);
  arguments_rows.common().flag("help-all", "all options with ranges and defaults", &options.help_all);
  arguments_rows.flag("version", "print version and build id and exit; processes of one run must have the same",
                      &options.version);
}

void add_log_option(const OptionSection& rows, CommonOptions& options) {
  rows.choice("log-format",
              "what stderr gets; json: an object a line for each event, with the fields of docs/OUTPUT.md, also for "
              "errors; stdout stays as it is",
              &options.log_format, {std::begin(kLogFormats), std::end(kLogFormats)});
}

void add_status_options(OptionTable& table, StatusOptions& options, const std::string& section) {
  const OptionSection rows = table.section(section);
  rows.text("status", "ADDR:PORT",
            "a page for the browser that shows the run while it goes on; also /metrics for Prometheus, /healthz and "
            "/readyz; PORT alone: 127.0.0.1, 0: any free port; an address that other hosts reach gets a random token, "
            "which the printed URL has",
            &options.address);
  rows.text(
      "metrics-file", "FILE",
      "the same metrics are written there at the end, whole or not at all; for node_exporter's textfile collector",
      &options.metrics_file);
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
    use_log_format(options.log_format);
    if (!options.quiet) log_start(table.command(), version(), build_id());
    return false;
  }
  std::fwrite(answer.data(), 1, answer.size(), stdout);
  return true;
}

}  // namespace strads
