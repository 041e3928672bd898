// `strads_sim plan`: what a fit will need on a cluster that nobody has rented yet.
#include <charconv>
#include <cstdio>
#include <vector>

#include "strads_sim/cluster_shape.hpp"
#include "strads_sim/commands.hpp"
#include "strads_sim/prediction.hpp"
#include "strads_sim/tables.hpp"

namespace strads::simulator {
namespace {

struct PlanOptions {
  CommonOptions common;
  ClusterShape shape;
  std::string data_shape;
  std::string storage = "auto";
  PlannedFit fit;
};

OptionTable plan_table(PlanOptions& options) {
  OptionTable table(
      "strads_sim plan",
      "strads_sim plan: time, memory and network of a lasso fit (policy auto), before anybody has done it\n"
      "usage: strads_sim plan --data-shape N,J[,NONZEROS] [--hosts H --cores C --preset NAME]\n");
  table.text({.name = "data-shape",
              .placeholder = "N,J[,NNZ]",
              .effect = "samples, variables, stored entries; without the last: all N J",
              .section = "plan",
              .common = true},
             &options.data_shape);
  table.choice({.name = "storage",
                .placeholder = "",
                .effect = "how the columns lie; auto = sparse with NNZ, else dense-f32",
                .section = "plan",
                .common = true},
               &options.storage, {"auto", "genotypes", "dense-f32", "dense-f64", "sparse"});
  table.number({.name = "lambda-ratio",
                .placeholder = "R",
                .effect = "lambda / lambda_max; smaller needs more of everything",
                .section = "plan",
                .common = true},
               &options.fit.lambda_ratio, {.min = 0, .max = 1, .min_open = true});
  table.number({.name = "tolerance", .placeholder = "T", .effect = "relative gap", .section = "plan", .common = true},
               &options.fit.tolerance, {.min = 0, .max = 1, .min_open = true, .max_open = true});
  table.count({.name = "nonzeros",
               .placeholder = "K",
               .effect = "coefficients of the solution, if known; 0 = an estimate from above",
               .section = "plan",
               .common = true},
              &options.fit.nonzeros, {});
  add_shape_options(table, options.shape);
  add_common_options(table, options.common, "FILE", "where the plan goes; without it: stdout", false);
  return table;
}

Status bad_shape(const std::string& text) {
  return Status::usage("--data-shape: found '" + text + "', expected N,J or N,J,NNZ, for instance 463,508999");
}

Status read_shape(PlanOptions& options) {
  std::vector<std::uint64_t> numbers;
  const std::string& text = options.data_shape;
  if (text.empty()) return Status::usage("no data: give --data-shape N,J or N,J,NNZ");
  for (const char* at = text.data(); at <= text.data() + text.size();) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(at, text.data() + text.size(), number);
    const bool ends = stop == text.data() + text.size();
    if (error != std::errc{} || number == 0 || (!ends && *stop != ',')) return bad_shape(text);
    numbers.push_back(number);
    at = stop + 1;
  }
  if (numbers.size() < 2 || numbers.size() > 3) return bad_shape(text);
  options.fit.rows = numbers[0];
  options.fit.columns = numbers[1];
  const bool counted = numbers.size() == 3;
  options.fit.entries = counted ? numbers[2] : numbers[0] * numbers[1];
  const std::string chosen = options.storage == "auto" ? (counted ? "sparse" : "dense-f32") : options.storage;
  options.fit.storage = chosen == "dense-f32" ? "dense f32" : chosen == "dense-f64" ? "dense f64" : chosen;
  if (counted && chosen != "sparse") return Status::usage("NNZ in --data-shape goes with --storage sparse");
  return {};
}

std::string bytes_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return short_text(bytes, 3) + " " + units[unit];
}

std::string plan_text(const PlanOptions& options, const Prediction& p, const sim::SimulationOptions& cluster) {
  const auto number = [](double value) { return short_text(value, 3); };
  const auto line = [](const std::string& name, const std::string& text) {
    std::string head = name;
    head.resize(9, ' ');
    return head + text + "\n";
  };
  return line("plan", std::to_string(options.fit.rows) + " samples x " + std::to_string(options.fit.columns) +
                          " variables, " + options.fit.storage + ", lambda / lambda_max " +
                          number(options.fit.lambda_ratio) + ", on " + shape_text(options.shape, cluster)) +
         line("time", number(p.seconds()) + " s, within a factor of 3: passes " + number(p.seconds_passes) +
                          ", pairs " + number(p.seconds_pairs) + ", solving " + number(p.seconds_solving) +
                          ", network " + number(p.seconds_network)) +
         line("memory", bytes_text(p.memory()) + " a host: columns mapped " + bytes_text(p.mapped_bytes) + " of " +
                            bytes_text(p.file_bytes) + ", statistics " + bytes_text(p.statistics) + ", replica " +
                            bytes_text(p.replica) + ", working set " + bytes_text(p.working_bytes)) +
         line("network", bytes_text(p.bytes) + " and " + number(p.messages) + " messages on the busiest host") +
         line("assumes", number(p.phases) + " working sets, " + number(p.nonzeros) + " nonzeros" +
                             (options.fit.nonzeros > 0 ? "" : " (from above; --nonzeros K if you know)") +
                             ", the last working set of " + number(p.working_set) + " variables, " + number(p.passes) +
                             " passes over the data; loading is not counted");
}

}  // namespace

Status run_plan(std::span<const std::string> arguments) {
  PlanOptions options;
  OptionTable table = plan_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "strads_sim")) return {};
  if (Status read = read_shape(options); !read.ok()) return read;
  const auto cluster = cluster_of(options.shape, options.fit.storage);
  if (!cluster.ok()) return cluster.status();
  const std::string text = plan_text(options, predict(options.fit, cluster.value()), cluster.value());
  if (!options.common.out.empty()) return write_file(options.common.out, text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

std::string plan_markdown() {
  PlanOptions options;
  return plan_table(options).markdown();
}

}  // namespace strads::simulator
