// The program `lasso`: its subcommands.
#include <cstdio>
#include <string>
#include <vector>

#include "lasso/commands/cv_command.hpp"
#include "lasso/commands/fit_command.hpp"
#include "lasso/commands/path_command.hpp"
#include "lasso/commands/predict_command.hpp"
#include "strads/program/run.hpp"

namespace {

constexpr const char* kUsage =
    "usage: lasso fit      fit a model: lasso fit --help\n"
    "       lasso path     fit it at many lambdas: lasso path --help\n"
    "       lasso cv       choose lambda by cross-validation: lasso cv --help\n"
    "       lasso predict  apply a fitted model: lasso predict --help\n"
    "       lasso --version\n";

strads::Status dispatch(const std::vector<std::string>& arguments) {
  const std::vector<std::string> commands = {"fit", "path", "cv", "predict"};
  if (arguments.empty()) return strads::Status::usage(std::string("no command given\n") + kUsage);
  const std::string& command = arguments.front();
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (command == "fit") return strads::lasso::run_fit(rest);
  if (command == "path") return strads::lasso::run_path(rest);
  if (command == "cv") return strads::lasso::run_cv(rest);
  if (command == "predict") return strads::lasso::run_predict(rest);
  if (command == "--help" || command == "-h" || command == "--help-all" || command == "help") {
    std::fputs(kUsage, stdout);
    return {};
  }
  if (command == "--version") {
    std::printf("lasso %s (build %s)\n", std::string(strads::version()).c_str(), strads::build_id().c_str());
    return {};
  }
  const auto near = strads::nearest_name(command, commands);
  return strads::Status::usage("unknown command '" + command + "'" +
                               (near.empty() ? "" : "; did you mean " + near + "?") +
                               " (commands: fit, path, cv, predict)");
}

}  // namespace

int main(int argc, char** argv) {
  return strads::run_program("lasso", [&] { return dispatch({argv + 1, argv + argc}); });
}
