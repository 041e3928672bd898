// What `strads_sim plan` of any model has: its shape of data, its rows, its clusters of several sizes, its verdict.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/program/option_table.hpp"
#include "strads_sim/cluster_shape.hpp"
#include "strads_sim/verdict.hpp"

namespace strads::simulator {

inline constexpr double kHostGibibytes = 64;

/// --host-memory.
void add_host_memory(const OptionSection& rows, double& gibibytes);

[[nodiscard]] Status bad_data_shape(const std::string& text, const std::string& expected);
/// Two or three numbers with commas between. Errors: usage: something else, where `expected` is named.
[[nodiscard]] Result<std::vector<std::uint64_t>> numbers_of_shape(const std::string& text, const std::string& expected);

/// A prediction knows hosts that are alike, with one node each. Errors: usage.
[[nodiscard]] Status check_hosts(const ClusterShape& shape);
/// The clusters of numbers_of_hosts(), all else as `shape` says. Errors: as cluster_of().
[[nodiscard]] Result<std::vector<sim::SimulationOptions>> clusters_of(const ClusterShape& shape,
                                                                      const std::string& storage);

/// Cells one below the other, right-aligned.
[[nodiscard]] std::string plan_row(const std::vector<std::string>& cells);
/// Of all cores of these hosts for so long.
[[nodiscard]] double core_hours(double seconds, const sim::SimulationOptions& cluster);

/// `strads_sim plan mf`.
[[nodiscard]] Status run_plan_mf(std::span<const std::string> arguments);

}  // namespace strads::simulator
