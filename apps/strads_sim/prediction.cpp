#include "strads_sim/prediction.hpp"

#include <algorithm>
#include <cmath>

namespace strads::simulator {
namespace {

// What fits on real data have shown; docs/SIMULATION.md has the runs.
constexpr double kPhasesPerDecade = 10.5;    // of lambda, to a relative gap of 1e-6
constexpr double kDecadesOfTolerance = 6;    // to which that belongs
constexpr double kWorkingSetPerNonzero = 2;  // working sets grow by doubling the support
constexpr double kSweepsOfSupport = 20;      // of a phase's inner solve at lambda_max / 10, 2 flops a pair
constexpr double kSweepsExponent = 1.3;      // by which they grow as lambda falls ...
constexpr double kSweepsMax = 300;           // ... until Newton steps are cheaper
constexpr double kSolvesPerFit = 3;          // that factorise a system as large as the support
constexpr double kScanPasses = 8;            // statistics and products with y, all of it touched for the first time
constexpr double kPassOverhead = 1.5;        // candidates and certificate parts beside the products of a pass
constexpr double kVerifyPasses = 2;          // the verdict is computed anew from the data
constexpr double kStatisticsBytes = 125;     // a column: name, mean, norm, state, gradient, candidate
constexpr double kProcessBytes = 9.0 * (1 << 20);
constexpr double kGramVariables = 6000;   // a larger block is solved on the residual (apps/lasso/solver/lasso_push.cpp)
constexpr double kNestedNonzeros = 5900;  // ... unless its nonzeros have room in one: then those that move are solved
constexpr double kNestedWidth = 1.25;     // in one of so many variables a nonzero (apps/lasso/solver/nested_block.cpp),
constexpr double kNestedSteps = 3;        // with passes over the block's columns between
constexpr double kCachedProducts = 134e6;  // bytes: 4096 x 4096 of them are kept (apps/lasso/solver/gram_cache.cpp)
constexpr double kSampledRows = 2048;      // copied of each working column, to rank pairs
constexpr double kEntryBytes = 12;         // of a payload: id and value
constexpr double kWaysPerPhase = 4;        // in a row: status, phase, block and deltas, commit
constexpr double kMessagesPerPhase = 2;    // of the busiest host, and one to each host
constexpr double kPayloads = 1.5;          // of the busiest host, each as long as the support: blocks and deltas ...
constexpr double kPayloadsPerHost = 0.25;  // ... and what only some hosts get, or get in parts

constexpr double kLoadName = 1.2e-7;  // of a variable's or a sample's line
constexpr double kPlainFlop = 1e-10;  // of plain loops over all columns

double bytes_of_entry(const std::string& storage) {
  if (storage == "genotypes") return 0.25;
  if (storage == "dense i8" || storage == "dense u8") return 1;
  if (storage == "dosages") return 2;
  if (storage == "dense f32") return 4;
  if (storage == "dense f64") return 8;
  return 12;  // row number and double
}

void assume(const PlannedFit& fit, Prediction& out) {
  const double decades = std::max(0.2, std::log10(1 / fit.lambda_ratio));
  out.phases = std::max(2.0, std::ceil(kPhasesPerDecade * decades * -std::log10(fit.tolerance) / kDecadesOfTolerance));
  out.working_set = std::min(static_cast<double>(fit.columns), kWorkingSetPerNonzero * fit.nonzeros);
  out.passes = kScanPasses + out.phases + kVerifyPasses;
}

/// Its Gram matrix has only the variables that move.
bool is_nested(const PlannedFit& fit, const Prediction& out) {
  return out.working_set > kGramVariables && fit.nonzeros <= kNestedNonzeros && fit.storage != "sparse";
}

/// Variables of the Gram matrix of the last block.
double gram_width(const PlannedFit& fit, const Prediction& out) {
  return is_nested(fit, out) ? std::min(kGramVariables, kNestedWidth * fit.nonzeros) : out.working_set;
}

void count_time(const PlannedFit& fit, const sim::SimulationOptions& cluster, Prediction& out) {
  const auto& host = cluster.hosts.front();
  const double cores = host.cores;
  const double all_cores = cores * static_cast<double>(cluster.hosts.size());
  const double n = static_cast<double>(fit.rows);
  const double w = gram_width(fit, out);
  const double pass_flops = 2 * static_cast<double>(fit.entries);
  out.seconds_passes =
      kPassOverhead * out.passes * pass_flops * cluster.costs.streamed_flop * host.slowdown / all_cores;
  const double sweeps = std::min(kSweepsMax, kSweepsOfSupport * std::pow(0.1 / fit.lambda_ratio, kSweepsExponent));
  if (w > kGramVariables) {
    // No products of pairs: every sweep goes over the columns of the working set.
    out.seconds_solving = out.phases * sweeps * 2 * n * w * cluster.costs.streamed_flop * host.slowdown;
    return;
  }
  // One worker holds the working set: its host's cores share the products, its solver is serial.
  out.seconds_pairs = n * w * w * cluster.costs.tiled_flop * host.slowdown / cores;
  if (is_nested(fit, out)) {
    out.seconds_pairs +=
        out.phases * kNestedSteps * 2 * n * out.working_set * cluster.costs.streamed_flop * host.slowdown / cores;
  }
  const double k = fit.nonzeros;
  const double solving = out.phases * sweeps * 2 * k * k + kSolvesPerFit * k * k * k / 3;
  out.seconds_solving = solving * cluster.costs.local_flop * host.slowdown;
}

void count_network(const PlannedFit& fit, const sim::SimulationOptions& cluster, Prediction& out) {
  const double hosts = static_cast<double>(cluster.hosts.size());
  out.messages = out.phases * (kMessagesPerPhase + hosts);
  out.bytes = out.phases * kEntryBytes * fit.nonzeros * (kPayloads + kPayloadsPerHost * hosts);
  if (hosts < 2) return;
  const double way = cluster.network.latency + 2 * cluster.costs.message * cluster.hosts.front().slowdown;
  out.seconds_network = out.phases * kWaysPerPhase * way + out.bytes / cluster.network.bandwidth;
}

void count_memory(const PlannedFit& fit, const sim::SimulationOptions& cluster, Prediction& out) {
  const double hosts = static_cast<double>(cluster.hosts.size());
  const double n = static_cast<double>(fit.rows);
  out.file_bytes = static_cast<double>(fit.entries) * bytes_of_entry(fit.storage);
  const double working_columns = out.working_set / static_cast<double>(fit.columns);
  out.mapped_bytes = out.file_bytes * std::min(1.0, 1 / hosts + working_columns);
  out.statistics = kStatisticsBytes * static_cast<double>(fit.columns);
  out.replica = 3 * 8 * n + kEntryBytes * fit.nonzeros;  // residual, response, direction
  const double w = gram_width(fit, out);
  const double products = w > kGramVariables ? kCachedProducts : 2 * 8 * w * w;
  out.working_bytes = products + 8 * w * std::min(n, kSampledRows);
  out.process = kProcessBytes;
}

void count_besides(const PlannedFit& fit, const sim::SimulationOptions& cluster, Prediction& out) {
  const auto& host = cluster.hosts.front();
  out.seconds_start = (kStartSeconds + (cluster.hosts.size() > 1 ? kStartOfClusterSeconds : 0)) * host.slowdown;
  out.seconds_load = kLoadName * static_cast<double>(fit.rows + fit.columns) * host.slowdown;
  out.seconds_check = 2 * static_cast<double>(fit.entries) * kPlainFlop * host.slowdown / host.cores;
}

}  // namespace

double most_nonzeros(const PlannedFit& fit) {
  const auto smaller = static_cast<double>(std::min(fit.rows, fit.columns));
  return std::max(1.0, std::ceil(smaller * (1 - std::sqrt(fit.lambda_ratio))));
}

Prediction predict(const PlannedFit& fit, const sim::SimulationOptions& cluster) {
  Prediction out;
  assume(fit, out);
  count_time(fit, cluster, out);
  count_network(fit, cluster, out);
  count_memory(fit, cluster, out);
  count_besides(fit, cluster, out);
  return out;
}

}  // namespace strads::simulator
