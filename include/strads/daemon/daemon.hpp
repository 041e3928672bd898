// The program stradsd, but for the models that it offers. Layer: daemon.
#pragma once

#include <span>
#include <string>

#include "strads/program/daemon_model.hpp"
#include "strads/program/option_facts.hpp"

namespace strads {

/// The whole program stradsd: options, signals, joining, working, leaving. Returns the exit code: 0 done, 2 usage,
/// 4 input, 5 cluster.
[[nodiscard]] int run_daemon(int argc, char** argv, std::span<const DaemonModel> models);
/// Shows its option table, with the defaults.
void visit_daemon_table(const TableVisit& visit);
/// Its options, for docs/OPTIONS.md.
[[nodiscard]] std::string daemon_options_markdown();

}  // namespace strads
