#include "strads_sim/mf_prediction.hpp"

#include <algorithm>

#include "strads_sim/prediction.hpp"

namespace strads::simulator {
namespace {

// What runs have shown; docs/SIMULATION.md has them.
constexpr double kLoadRating = 1.0e-7;    // processor seconds of a text's rating, read, sorted and dealt out
constexpr double kCountedFlop = 2.0e-10;  // of the check, which adds in whole units: one of 2 K + 8 for a rating
constexpr double kImbalance = 1.05;       // of the busiest worker in a phase
constexpr double kEventsOfABlock = 4;     // of the engine, for a worker's block and its answer
constexpr double kWaysOfAPhase = 4;       // in a row: verdict, block, answer, commit
constexpr double kReports = 2;            // copies of all factors that go to the driver at the end
constexpr double kCopies = 2;             // a page is read and written where it is replaced

double price_of(const Cost& cost, const sim::CostConstants& costs) {
  return static_cast<double>(cost.tiled) * costs.tiled_flop + static_cast<double>(cost.local) * costs.local_flop +
         static_cast<double>(cost.gathered) * costs.gathered_byte;
}

}  // namespace

MfPrediction predict_factorization(mf::PlannedFactorization fit, std::uint32_t sweeps,
                                   const sim::SimulationOptions& cluster) {
  const auto& host = cluster.hosts.front();
  const auto& costs = cluster.costs;
  MfPrediction out;
  out.hosts = static_cast<double>(cluster.hosts.size());
  const double all_cores = out.hosts * host.cores;
  if (fit.workers == 0) fit.workers = static_cast<std::uint64_t>(all_cores);
  fit.nodes = cluster.hosts.size() > 1 ? cluster.hosts.size() : 0;
  const double workers = static_cast<double>(fit.workers);
  out.cores = std::min(all_cores, workers);
  const mf::PlannedSweep sweep = mf::plan_sweep(fit);
  const double ratings = static_cast<double>(fit.ratings), times = sweeps;
  const double phases = static_cast<double>(sweep.phases);
  // Each phase of sgd replaces all pages of both sides, each one of the others those of one side.
  const bool by_strata = fit.solver == "sgd" && !fit.implicit;
  const double replaced = sweep.factor_bytes * (by_strata ? workers : 1);

  const double computing = price_of(sweep.cost, costs) * kImbalance / out.cores;
  const double copying = kCopies * replaced * costs.message_byte / out.cores;
  const double loop = phases * workers / out.hosts * (kEventsOfABlock * costs.handler + costs.hand_over);
  out.seconds_sweeps = times * (computing + copying + loop) * host.slowdown;
  out.seconds_load = ratings * kLoadRating * host.slowdown;
  const double check = ratings * (2.0 * fit.rank + 8) * kCountedFlop / host.cores;
  out.seconds_end = check * host.slowdown;
  out.seconds_start = kStartSeconds * host.slowdown;

  // One of the hosts has a node and the driver.
  for (const ProcessMemory& process : mf::plan_memory(fit, host.cores).processes) {
    out.memory += static_cast<double>(process.anonymous());
  }
  if (fit.nodes == 0) return out;
  out.seconds_start += kStartOfClusterSeconds * host.slowdown;
  // A scheduler a host: a page goes to the scheduler of its block, and from there to all other hosts.
  const double sent = replaced * (out.hosts - 1) / out.hosts * (1 + 1 / out.hosts);
  const double reported = kReports * sweep.factor_bytes / out.hosts;
  out.bytes = times * sent + reported;
  const double handled = 2 * costs.message_byte * host.slowdown;
  const double ways = phases * kWaysOfAPhase * (cluster.network.latency + 2 * costs.message * host.slowdown);
  const double blocks = phases * workers / out.hosts * out.hosts * costs.message_more * host.slowdown;
  out.seconds_network = times * (sent * (1 / cluster.network.bandwidth + handled) + ways + blocks);
  out.seconds_end += kReports * sweep.factor_bytes * (1 / cluster.network.bandwidth + handled);
  return out;
}

}  // namespace strads::simulator
