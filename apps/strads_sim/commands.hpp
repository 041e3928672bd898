// The commands of `strads_sim`. Each takes the arguments after its name; the status' code is the exit code.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"
#include "strads/program/option_facts.hpp"

namespace strads::simulator {

/// Exit code 1: a rule of the protocol was broken, or faults were hit too rarely to say that none is.
inline constexpr StatusCode kViolation{1};

/// `strads_sim [--seed N] [--trace]`: one small cluster with faults. Code 1 on a violation.
[[nodiscard]] Status run_one_seed(std::span<const std::string> arguments);
/// `strads_sim batch --seeds A..B`: many of them. Code 1 on a violation, or where faults were hit too rarely.
[[nodiscard]] Status run_batch(std::span<const std::string> arguments);
/// `strads_sim run [lasso|mf|svm|lda|sumstats] --config FILE`: a fit on a cluster that is described.
[[nodiscard]] Status run_fit(std::span<const std::string> arguments);
/// `strads_sim calibrate`: constants of this machine.
[[nodiscard]] Status run_calibrate(std::span<const std::string> arguments);
/// `strads_sim plan`: time, memory and network of a fit that nobody has done yet.
[[nodiscard]] Status run_plan(std::span<const std::string> arguments);

/// Shows the table of every command, with the defaults.
void visit_option_tables(const TableVisit& visit);
/// The options of all of them, for docs/OPTIONS.md.
[[nodiscard]] std::string options_document();

}  // namespace strads::simulator
