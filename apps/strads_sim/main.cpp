// The program `strads_sim`: its subcommands.
#include <cstdio>
#include <string>
#include <vector>

#include "strads/program/run.hpp"
#include "strads_sim/commands.hpp"

namespace {

using strads::Status;
using Arguments = std::vector<std::string>;

constexpr const char* kUsage =
    "usage: strads_sim [--seed N] [--trace]   one small cluster with faults drawn from the seed\n"
    "       strads_sim batch --seeds A..B     many of them, and what they met\n"
    "       strads_sim run --config FILE      a lasso fit on a cluster that you describe, in virtual time\n"
    "       strads_sim run mf --config FILE   a matrix factorization on it\n"
    "       strads_sim calibrate              measure the constants of this machine\n"
    "       strads_sim plan --data-shape N,J  time, memory and network of a fit before anybody has done it\n"
    "       strads_sim COMMAND --help         the options of a command\n";

Status dispatch(const Arguments& arguments) {
  const Arguments commands = {"batch", "run", "calibrate", "plan"};
  if (arguments.empty() || (arguments.front().starts_with("--") && arguments.front() != "--version")) {
    if (!arguments.empty() && arguments.front() == "--help") std::fputs(kUsage, stdout), std::fputs("\n", stdout);
    return strads::simulator::run_one_seed(arguments);
  }
  const std::string& command = arguments.front();
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (command == "batch") return strads::simulator::run_batch(rest);
  if (command == "run") return strads::simulator::run_fit(rest);
  if (command == "calibrate") return strads::simulator::run_calibrate(rest);
  if (command == "plan") return strads::simulator::run_plan(rest);
  if (command == "help" || command == "-h") {
    std::fputs(kUsage, stdout);
    return {};
  }
  if (command == "--version") {
    std::printf("strads_sim %s (build %s)\n", std::string(strads::version()).c_str(), strads::build_id().c_str());
    return {};
  }
  const auto near = strads::nearest_name(command, commands);
  return Status::usage("unknown command '" + command + "'" + (near.empty() ? "" : "; did you mean " + near + "?") +
                       " (commands: batch, run, calibrate, plan)");
}

}  // namespace

int main(int argc, char** argv) {
  return strads::run_program("strads_sim", [&] { return dispatch({argv + 1, argv + argc}); });
}
