// What work, messages and waking up cost on this machine, measured; and the file that keeps it. Layer: program.
// One format for `strads_sim` (all of it) and `lasso fit --cost-model` (flop_seconds, round_seconds, block_seconds).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "strads/program/option_table.hpp"
#include "strads/sim/simulate.hpp"

namespace strads {

/// Constants of one machine, in seconds. docs/SIMULATION.md says how each is measured.
struct Calibration {
  /// What a run's own decisions about parallelism rest on (strads/policies/options.hpp, CostModel).
  double flop_seconds = 2.5e-10;
  double round_seconds = 6.0e-5;
  double block_seconds = 1.4e-5;
  sim::CostConstants costs;  ///< streamed_flop: of 2-bit genotypes
  /// One flop of a pass, by storage.
  double streamed_flop_f32 = 8.9e-11, streamed_flop_f64 = 1.5e-10, streamed_flop_sparse = 5.0e-10;
  sim::NetworkConstants network;      ///< local_latency: over ipc; latency and bandwidth are not measured on one host
  double local_latency_tcp = 1.4e-5;  ///< between two processes of one host over its loopback
  double message_tcp = 8.0e-6;        ///< CostConstants::message over tcp
  double message_more_tcp = 3.5e-6;   ///< CostConstants::message_more over tcp
};

/// Sections [cost] and [network] of a calibration file. `calibration` outlives the table.
[[nodiscard]] OptionTable calibration_table(Calibration& calibration);
/// The file's text: calibration_table().config().
[[nodiscard]] std::string calibration_text(Calibration calibration);
/// Keys that the file lacks keep their defaults. Errors: input: cannot be read; usage: unknown keys, refused values.
[[nodiscard]] Result<Calibration> read_calibration(const std::string& path);
/// Constants for columns that are stored like this ("genotypes", "dense f32", "dense f64", "sparse").
[[nodiscard]] sim::CostConstants costs_for(const Calibration& calibration, std::string_view storage);

struct CalibrationOptions {
  std::uint64_t rows = 500;        ///< length of the columns; short ones cost more a flop
  std::uint64_t columns = 50'000;  ///< so many of them: what does not stay in a cache costs more a flop
};

/// Prices of arithmetic alone, on one core: passes over columns that are stored like this (as for costs_for()),
/// products of pairs, inner solves; the others keep their defaults. `rows`: length of the columns. Cost: some tenths of
/// a second.
[[nodiscard]] Calibration calibrate_shortly(std::uint64_t rows, std::string_view storage);

/// Measures for some seconds, on two cores where it measures messages. `say` gets a line for each thing measured.
/// Errors: cluster: no sockets; internal: a message did not come back.
[[nodiscard]] Result<Calibration> calibrate(const CalibrationOptions& options,
                                            const std::function<void(const std::string& line)>& say);

}  // namespace strads
