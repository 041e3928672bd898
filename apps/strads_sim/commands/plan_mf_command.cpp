// `strads_sim plan mf`: what a factorization will need on clusters that nobody has rented yet.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/run_files.hpp"
#include "strads_sim/cluster_shape.hpp"
#include "strads_sim/commands/plan_rows.hpp"
#include "strads_sim/mf_prediction.hpp"
#include "strads_sim/tables.hpp"
#include "strads_sim/verdict.hpp"

namespace strads::simulator {
namespace {

/// By which times were off at the most, rounded up: bench/RESULTS.md, "Plans beside runs".
constexpr double kErrorOfMfTimes = 4;

struct PlanMfOptions {
  CommonOptions common;
  ClusterShape shape;
  std::string data_shape;
  std::string feedback = "explicit";
  std::uint64_t workers = 0;
  std::uint32_t sweeps = 30;
  double host_memory = kHostGibibytes;
  mf::PlannedFactorization fit;
};

OptionTable plan_mf_table(PlanMfOptions& options) {
  OptionTable table("strads_sim plan mf",
                    "strads_sim plan mf: time, memory and network of mf fit, before anybody has done it\n"
                    "usage: strads_sim plan mf --data-shape USERS,ITEMS,RATINGS [--hosts H --cores C --preset NAME]\n");
  const OptionSection rows = table.section("plan");
  rows.common().text("data-shape", "USERS,ITEMS,RATINGS", "users, items and ratings; of implicit feedback the pairs",
                     &options.data_shape);
  rows.common().choice("solver", "as of mf fit; ccd, cg and slim are not planned", &options.fit.solver,
                       {"sgd", "cd", "als"});
  rows.common().choice("feedback", "as of mf fit; implicit is planned with als", &options.feedback,
                       {"explicit", "implicit"});
  rows.common().count("rank", "K", "factors of each user and item", &options.fit.rank, {.min = 1, .max = 1024});
  rows.common().count("sweeps", "N", "so many passes over the ratings; early stopping may need fewer", &options.sweeps,
                      {.min = 1});
  rows.common().count("workers", "P", "blocks of users and of items, 0 = the cores of all hosts", &options.workers,
                      {.min = 0, .max = 65536});
  add_host_memory(rows, options.host_memory);
  add_shape_options(table, options.shape);
  add_common_options(table, options.common, "FILE", "where the plan goes; without it: stdout", false);
  return table;
}

Status read_sizes(PlanMfOptions& options) {
  const std::string expected = "USERS,ITEMS,RATINGS in digits, each at least 1, for instance 6040,3706,1000209";
  STRADS_ASSIGN_OR_RETURN(const auto numbers, numbers_of_shape(options.data_shape, expected));
  if (numbers.size() != 3) return bad_data_shape(options.data_shape, expected);
  mf::PlannedFactorization& fit = options.fit;
  fit.users = numbers[0];
  fit.items = numbers[1];
  fit.ratings = numbers[2];
  constexpr std::uint64_t kMostOfASide = std::numeric_limits<std::uint32_t>::max();
  if (fit.users > kMostOfASide || fit.items > kMostOfASide) {
    return bad_data_shape(options.data_shape, "at most " + std::to_string(kMostOfASide) + " users and items");
  }
  if (fit.ratings < std::max(fit.users, fit.items) || fit.ratings > fit.users * fit.items) {
    return bad_data_shape(options.data_shape,
                          "at least a rating of each user and item, and at most one of each pair: between " +
                              std::to_string(std::max(fit.users, fit.items)) + " and " +
                              std::to_string(fit.users * fit.items) + " ratings");
  }
  fit.implicit = options.feedback == "implicit";
  fit.workers = options.workers;
  if (!fit.implicit) return {};
  if (fit.solver != "als") return Status::usage("--feedback implicit is planned with --solver als; give that too");
  fit.held_out = 0;
  return {};
}

std::string plan_text(const PlanMfOptions& options, const std::vector<sim::SimulationOptions>& clusters) {
  const mf::PlannedFactorization& fit = options.fit;
  const std::string prices =
      options.shape.constants.empty() ? options.shape.preset : "constants of " + options.shape.constants;
  std::string text =
      "plan      " + std::to_string(fit.ratings) + (fit.implicit ? " pairs" : " ratings") + " of " +
      std::to_string(fit.users) + " users and " + std::to_string(fit.items) + " items, " +
      (fit.implicit ? "implicit, " : "") + fit.solver + ", rank " + std::to_string(fit.rank) + ", " +
      with_unit(options.sweeps, "sweep", "sweeps") + "; hosts of " +
      with_unit(clusters.front().hosts.front().cores, "core", "cores") + ", " + prices + "\n" +
      plan_row({"hosts", "time, s", "start", "load", "sweeps", "network", "end", "core-hours", "memory", "traffic"});
  const auto number = [](double value) { return short_text(value, 3); };
  std::vector<HostsPlan> plans;
  for (const sim::SimulationOptions& cluster : clusters) {
    const MfPrediction p = predict_factorization(fit, options.sweeps, cluster);
    const double hours = core_hours(p.seconds(), cluster);
    plans.push_back({static_cast<std::uint32_t>(cluster.hosts.size()), p.seconds(), hours, p.memory});
    text += plan_row({short_text(p.hosts), number(p.seconds()), number(p.seconds_start), number(p.seconds_load),
                      number(p.seconds_sweeps), number(p.seconds_network), number(p.seconds_end), number(hours),
                      bytes_text(p.memory), bytes_text(p.bytes)});
  }
  text +=
      "time      = start + load + sweeps + network + end; load: a text, which every host reads whole; end: the check,\n"
      "          and what nodes report; the files of the model are not counted\n"
      "range     a run takes between a quarter of the time, where caches hold the factors, and twice as long\n"
      "memory    anonymous, of the host that needs most, the driver's beside its node; traffic: what it sends\n";
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  return text + verdict_text(plans, options.host_memory * kGiB, kErrorOfMfTimes);
}

}  // namespace

Status run_plan_mf(std::span<const std::string> arguments) {
  PlanMfOptions options;
  OptionTable table = plan_mf_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "strads_sim")) return {};
  if (Status read = read_sizes(options); !read.ok()) return read;
  if (Status known = check_hosts(options.shape); !known.ok()) return known;
  STRADS_ASSIGN_OR_RETURN(const auto clusters, clusters_of(options.shape, "ratings"));
  return write_result(options.common.out, plan_text(options, clusters));
}

void visit_plan_mf_table(const TableVisit& visit) {
  PlanMfOptions options;
  visit(plan_mf_table(options));
}

}  // namespace strads::simulator
