// The program `strads_sim`: its subcommands.
#include <cstdio>
#include <string>
#include <vector>

#include "strads/program/event_log.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads_sim/commands.hpp"

namespace {

using strads::Status;

constexpr const char* kUsage =
    "usage: strads_sim [--seed N] [--trace]   one small cluster with faults drawn from the seed\n"
    "       strads_sim batch --seeds A..B     many of them, and what they met\n"
    "       strads_sim run --config FILE      a lasso fit on a cluster that you describe, in virtual time\n"
    "       strads_sim run mf|svm|lda|sumstats --config FILE   another model's fit on it\n"
    "       strads_sim calibrate              measure the constants of this machine\n"
    "       strads_sim plan --data-shape N,J  time, memory and network of a fit that nobody has done yet\n"
    "       strads_sim plan mf --data-shape USERS,ITEMS,RATINGS   the same of a factorization\n"
    "       strads_sim COMMAND --help         the options of a command\n";

constexpr strads::Subcommand kCommands[] = {{"batch", strads::simulator::run_batch},
                                            {"run", strads::simulator::run_fit},
                                            {"calibrate", strads::simulator::run_calibrate},
                                            {"plan", strads::simulator::run_plan}};

/// Without a command it is one seed.
Status dispatch(const std::vector<std::string>& arguments) {
  strads::choose_log_format(arguments);
  const std::string first = arguments.empty() ? "--seed" : arguments.front();
  if (!first.starts_with("--") || first == "--version" || first == "--verbose") {
    return strads::run_subcommand("strads_sim", kUsage, kCommands, arguments);
  }
  if (first == "--help") std::fputs(kUsage, stdout), std::fputs("\n", stdout);
  return strads::simulator::run_one_seed(arguments);
}

}  // namespace

int main(int argc, char** argv) {
  return strads::run_program("strads_sim", [&] { return dispatch({argv + 1, argv + argc}); });
}
