// `strads_sim plan`: what a fit will need on a cluster that nobody has rented yet.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_files.hpp"
#include "strads_sim/cluster_shape.hpp"
#include "strads_sim/commands.hpp"
#include "strads_sim/commands/plan_rows.hpp"
#include "strads_sim/prediction.hpp"
#include "strads_sim/tables.hpp"
#include "strads_sim/verdict.hpp"

namespace strads::simulator {
namespace {

struct PlanOptions {
  CommonOptions common;
  ClusterShape shape;
  std::string data_shape;
  std::string storage = "auto";
  std::uint64_t nonzeros = 0;
  double host_memory = kHostGibibytes;
  PlannedFit fit;
};

constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();  ///< rows and variables have 32 bits

OptionTable plan_table(PlanOptions& options) {
  OptionTable table(
      "strads_sim plan",
      "strads_sim plan: time, memory and network of a lasso fit (policy auto), before anybody has done it\n"
      "usage: strads_sim plan --data-shape N,J[,NNZ] [--hosts H --cores C --preset NAME]\n");
  const OptionSection rows = table.section("plan");
  rows.common().text("data-shape", "N,J[,NNZ]", "samples, variables, and of sparse data the stored entries",
                     &options.data_shape);
  rows.common().choice("storage", "how the columns lie; auto = sparse with NNZ, else dense-f32", &options.storage,
                       {"auto", "genotypes", "dosages", "bytes", "dense-f32", "dense-f64", "sparse"});
  rows.common().number("lambda-ratio", "R", "lambda / lambda_max; smaller needs more of everything",
                       &options.fit.lambda_ratio, {.min = 0, .max = 1, .min_open = true});
  rows.common().number("tolerance", "T", "relative gap", &options.fit.tolerance,
                       {.min = 0, .max = 1, .min_open = true, .max_open = true});
  rows.common().count("nonzeros", "K",
                      "nonzero coefficients of the solution, if you have an idea; 0 = a line for each of three",
                      &options.nonzeros, {});
  add_host_memory(rows, options.host_memory);
  add_shape_options(table, options.shape);
  add_common_options(table, options.common, "FILE", "where the plan goes; without it: stdout", false);
  return table;
}

Status read_shape(PlanOptions& options) {
  const std::string& text = options.data_shape;
  STRADS_ASSIGN_OR_RETURN(const auto numbers,
                          numbers_of_shape(text, "N,J or N,J,NNZ in digits, each at least 1, for instance 463,508999"));
  PlannedFit& fit = options.fit;
  fit.rows = numbers[0];
  fit.columns = numbers[1];
  if (fit.rows > kMost || fit.columns > kMost)
    return bad_data_shape(text, "at most " + std::to_string(kMost) + " of each");
  const bool counted = numbers.size() == 3;
  fit.entries = counted ? numbers[2] : fit.rows * fit.columns;
  if (fit.entries > fit.rows * fit.columns) {
    return bad_data_shape(text, "at most N x J = " + std::to_string(fit.rows * fit.columns) + " stored entries");
  }
  const std::string chosen = options.storage == "auto" ? (counted ? "sparse" : "dense-f32") : options.storage;
  fit.storage = chosen == "bytes"       ? "dense u8"
                : chosen == "dense-f32" ? "dense f32"
                : chosen == "dense-f64" ? "dense f64"
                                        : chosen;
  if (counted && chosen != "sparse") return Status::usage("NNZ in --data-shape goes with --storage sparse");
  if (!counted && chosen == "sparse") return bad_data_shape(text, "N,J,NNZ, with the stored entries of sparse data");
  if (options.nonzeros > fit.columns) {
    return Status::usage("--nonzeros: found " + std::to_string(options.nonzeros) + ", expected at most the " +
                         std::to_string(fit.columns) + " variables");
  }
  return {};
}

std::string row_of(const PlannedFit& fit, const Prediction& p) {
  const auto number = [](double value) { return short_text(value, 3); };
  return plan_row({short_text(fit.nonzeros, 9), number(p.seconds()), number(p.seconds_passes), number(p.seconds_pairs),
                   number(p.seconds_solving), number(p.seconds_network), bytes_text(p.memory()), bytes_text(p.bytes),
                   short_text(p.messages, 9)});
}

/// How many nonzeros to plan for.
std::vector<double> supports(const PlanOptions& options) {
  if (options.nonzeros > 0) return {static_cast<double>(options.nonzeros)};
  const double most = most_nonzeros(options.fit);
  std::vector<double> counts;
  for (const double share : {0.01, 0.1, 1.0}) {
    const double count = std::ceil(share * most);
    if (counts.empty() || count > counts.back()) counts.push_back(count);
  }
  return counts;
}

std::string plan_text(const PlanOptions& options, const sim::SimulationOptions& cluster) {
  PlannedFit fit = options.fit;
  std::string text =
      "plan      " + std::to_string(fit.rows) + " samples x " + std::to_string(fit.columns) + " variables, " +
      fit.storage + ", lambda / lambda_max " + short_text(fit.lambda_ratio, 3) + ", tolerance " +
      short_text(fit.tolerance, 3) + ", policy auto; " + shape_text(options.shape, cluster) + "\n" +
      plan_row({"nonzeros", "time, s", "passes", "pairs", "solving", "network", "memory", "traffic", "messages"});
  Prediction p;
  for (const double count : supports(options)) {
    fit.nonzeros = count;
    p = predict(fit, cluster);
    text += row_of(fit, p);
  }
  text +=
      "time      = passes + pairs + solving + network, within a factor of 3 if the nonzeros are right and one worker " +
      std::string(
          "solves each working set;\n          less where workers share pairs and solving (many small rounds a ") +
      "phase),\n          a tenth where columns are little alike and samples many\n";
  text += "besides   start " + short_text(p.seconds_start, 3) + " s, load " + short_text(p.seconds_load, 3) +
          " s (names; the columns lie in memory), check " + short_text(p.seconds_check, 3) + " s\n";
  text += "counted   " + short_text(p.phases, 3) + " phases of one round, " + short_text(p.passes, 3) +
          " passes over the data\n";
  text += "memory    of a host, traffic of the busiest one; columns: " + bytes_text(p.mapped_bytes) + " of " +
          bytes_text(p.file_bytes) + " mapped, their names and statistics " + bytes_text(p.statistics) + "\n";
  if (options.nonzeros == 0) {
    text += "nonzeros  from data with few causes to about the most at this lambda; --nonzeros K plans for K\n";
  }
  return text;
}

/// How long a fit takes on other numbers of hosts. Where nobody said how many nonzeros there are, for those of the row
/// in the middle.
std::string judged_hosts(const PlanOptions& options, const std::vector<sim::SimulationOptions>& clusters) {
  constexpr double kErrorOfTimes = 3;  // as plan_text() says
  PlannedFit fit = options.fit;
  const auto counts = supports(options);
  fit.nonzeros = counts[counts.size() / 2];
  std::vector<HostsPlan> plans;
  std::string hours;
  for (const sim::SimulationOptions& cluster : clusters) {
    const Prediction p = predict(fit, cluster);
    const auto hosts = static_cast<std::uint32_t>(cluster.hosts.size());
    plans.push_back({hosts, p.seconds_in_all(), core_hours(p.seconds_in_all(), cluster), p.memory()});
    hours += (hours.empty() ? "" : ", ") + short_text(plans.back().core_hours, 2) + " on " + std::to_string(hosts);
  }
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  return "core-hours with " + short_text(fit.nonzeros, 9) + " nonzeros, all in all: " + hours +
         (plans.size() > 1 ? " hosts\n" : " host\n") +
         verdict_text(plans, options.host_memory * kGibibyte, kErrorOfTimes);
}

}  // namespace

Status run_plan(std::span<const std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "mf") return run_plan_mf(arguments.subspan(1));
  if (!arguments.empty() && arguments.front() == "lasso") arguments = arguments.subspan(1);
  PlanOptions options;
  OptionTable table = plan_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "strads_sim")) return {};
  if (Status read = read_shape(options); !read.ok()) return read;
  if (Status known = check_hosts(options.shape); !known.ok()) return known;
  STRADS_ASSIGN_OR_RETURN(const auto cluster, cluster_of(options.shape, options.fit.storage));
  STRADS_ASSIGN_OR_RETURN(const auto clusters, clusters_of(options.shape, options.fit.storage));
  const std::string text = plan_text(options, cluster) + judged_hosts(options, clusters);
  return write_result(options.common.out, text);
}

void visit_plan_table(const TableVisit& visit) {
  PlanOptions options;
  visit(plan_table(options));
}

}  // namespace strads::simulator
