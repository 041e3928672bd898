// `strads_sim calibrate`: measures this machine and writes what it found.
#include <cstdio>

#include "strads/program/calibrate.hpp"
#include "strads/program/event_log.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/run_files.hpp"
#include "strads_sim/commands.hpp"
#include "strads_sim/fit_constants.hpp"
#include "strads_sim/tables.hpp"

namespace strads::simulator {
namespace {

struct Options {
  CommonOptions common;
  CalibrationOptions calibration;
  std::string simd = "auto";
};

OptionTable table_of(Options& options) {
  OptionTable table("strads_sim calibrate",
                    "strads_sim calibrate: measures what work and messages cost here, in some seconds\n"
                    "usage: strads_sim calibrate [--out FILE]; then strads_sim run --constants FILE, or\n"
                    "       lasso fit --cost-model FILE\n");
  const OptionSection rows = table.section("calibration");
  rows.common().count("rows", "N",
                      "length of the columns that are measured; short ones cost more a flop, so give that of the data",
                      &options.calibration.rows, {.min = 8, .max = 10'000'000});
  rows.common().count(
      "columns", "J",
      "so many genotype columns are measured; what no cache holds costs more a flop, so give that of the data",
      &options.calibration.columns, {.min = 512, .max = 100'000'000});
  rows.choice("simd", "instruction set of the kernels, as in a run", &options.simd, {"auto", "sse4", "avx2", "avx512"});
  add_common_options(table, options.common, "FILE", "where the constants go; without it: stdout", false);
  return table;
}

}  // namespace

Status run_calibrate(std::span<const std::string> arguments) {
  Options options;
  OptionTable table = table_of(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "strads_sim")) return {};
  if (Status fixed = use_simd(options.simd); !fixed.ok()) return fixed;
  const auto say = [&options](const std::string& line) {
    if (!options.common.quiet) print_line("strads_sim", line);
  };
  STRADS_ASSIGN_OR_RETURN(auto measured, calibrate(options.calibration, say));
  if (Status fitted = fit_constants(measured, say); !fitted.ok()) return fitted;
  const std::string text = calibration_text(measured);
  return write_result(options.common.out, text);
}

void visit_calibrate_table(const TableVisit& visit) {
  Options options;
  visit(table_of(options));
}

}  // namespace strads::simulator
