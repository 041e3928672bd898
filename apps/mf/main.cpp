// The program `mf`: its subcommands.
#include <cstdio>
#include <string>
#include <vector>

#include "mf/commands/cv_command.hpp"
#include "mf/commands/fit_command.hpp"
#include "mf/commands/fold_in_command.hpp"
#include "mf/commands/predict_command.hpp"
#include "mf/commands/recommend_command.hpp"
#include "strads/program/run.hpp"

namespace {

constexpr const char* kUsage =
    "usage: mf fit        fit a model: mf fit --help\n"
    "       mf cv         which rank and lambda predict best: mf cv --help\n"
    "       mf predict    predict pairs of user and item: mf predict --help\n"
    "       mf recommend  the best items of each user: mf recommend --help\n"
    "       mf fold-in    factors of new users: mf fold-in --help\n"
    "       mf --version\n";

strads::Status dispatch(const std::vector<std::string>& arguments) {
  const std::vector<std::string> commands = {"fit", "cv", "predict", "recommend", "fold-in"};
  if (arguments.empty()) return strads::Status::usage(std::string("no command given\n") + kUsage);
  const std::string& command = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (command == "fit") return strads::mf::run_fit(rest);
  if (command == "cv") return strads::mf::run_cv(rest);
  if (command == "predict") return strads::mf::run_predict(rest);
  if (command == "recommend") return strads::mf::run_recommend(rest);
  if (command == "fold-in") return strads::mf::run_fold_in(rest);
  if (command == "--help" || command == "-h" || command == "--help-all" || command == "help") {
    std::fputs(kUsage, stdout);
    return {};
  }
  if (command == "--version") {
    std::printf("mf %s (build %s)\n", std::string(strads::version()).c_str(), strads::build_id().c_str());
    return {};
  }
  const auto near = strads::nearest_name(command, commands);
  return strads::Status::usage("unknown command '" + command + "'" +
                               (near.empty() ? "" : "; did you mean " + near + "?") +
                               " (commands: fit, cv, predict, recommend, fold-in)");
}

}  // namespace

int main(int argc, char** argv) {
  return strads::run_program("mf", [&] { return dispatch({argv + 1, argv + argc}); });
}
