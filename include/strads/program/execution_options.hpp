// Options that say who executes a run, and how: they never change the bits, except --simd.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/engine/options.hpp"
#include "strads/program/option_table.hpp"

namespace strads {

/// Options of the machine that executes a run: they never change the bits, except --simd.
struct MachineOptions {
  std::uint32_t threads = 0;  ///< 0: as many as it may use
  std::string simd = "auto";
  bool encode_messages = false;
};
/// --schedulers, --workers, --depth, --seed, --max-rounds and --threads, --simd, --encode-messages.
void add_engine_options(OptionTable& table, EngineOptions& engine, MachineOptions& machine);
/// Errors: usage, when D > S.
[[nodiscard]] Status check_engine_options(const EngineOptions& engine);

/// How the endpoints of a run are protected, for drivers and stradsd alike.
struct KeyOptions {
  std::string key;        ///< file of the run's key; "-": it comes on stdin
  bool insecure = false;  ///< no key, and that is meant
};
/// --key and --insecure. `section`: of a config file.
void add_key_options(OptionTable& table, KeyOptions& options, const std::string& section);

/// Options of a run on several processes: they say who executes and never change the bits.
struct ClusterOptions {
  std::uint32_t processes = 0;      ///< start so many local stradsd; 0: embedded, unless `listen` is given
  std::string listen;               ///< tcp://ADDRESS:PORT or ipc://PATH
  std::uint32_t nodes = 1;          ///< with `listen`: so many must join
  std::vector<std::string> expect;  ///< names of the nodes, to say who is missing
  double start_seconds = 60;
  double lease_seconds = 15;
  std::string endpoint_file;  ///< the endpoint is written there once the driver listens
  std::string stradsd;        ///< program of the local processes; "": beside this program
  KeyOptions keys;            ///< of `listen`

  /// False: the run is embedded.
  [[nodiscard]] bool wanted() const { return processes > 0 || !listen.empty(); }
};
/// Section [cluster]: --processes, --listen, --nodes, --expect, --key, --insecure, --start-seconds, --lease,
/// --endpoint-file, --stradsd.
void add_cluster_options(OptionTable& table, ClusterOptions& options);
/// Errors: usage: an endpoint of no known form, an option that goes with another one, more names than nodes.
[[nodiscard]] Status check_cluster_options(const OptionTable& table, const ClusterOptions& options);
/// How others see what a program does while it runs.
struct StatusOptions {
  std::string address;       ///< PORT or ADDRESS:PORT of a page; "": none
  std::string metrics_file;  ///< "": none
};
/// --status and --metrics-file, for drivers and stradsd alike. `section`: of a config file.
void add_status_options(OptionTable& table, StatusOptions& options, const std::string& section);

/// The sections of a program's options that say how and where it is executed and written: nodes are not told.
inline constexpr std::string_view kExecutionSections[] = {"machine", "cluster", "output", "checkpoint", "status"};

/// Applies --simd to this process. Errors: usage, when the CPU lacks it.
[[nodiscard]] Status use_simd(const std::string& name);

/// The option table of a program, with what its rows write to: for a program that adds rows of its own.
struct ProgramOptions {
  std::shared_ptr<OptionTable> table;
  const CommonOptions* common = nullptr;
  const MachineOptions* machine = nullptr;
  const ClusterOptions* cluster = nullptr;
  /// After parse(): checks what concerns several options at once and fills in what was left open, so that the table's
  /// config() is what a fit would write. May be empty.
  std::function<Status()> settle = {};
};

}  // namespace strads
