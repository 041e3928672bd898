// The program `lasso`: its subcommands.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "lasso/commands/export_command.hpp"
#include "lasso/commands/predict_command.hpp"
#include "lasso/commands/score_command.hpp"
#include "lasso/commands/study_commands.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "sumstats/options/path_options.hpp"
#include "sumstats/run/path_run.hpp"

namespace {

constexpr const char* kUsage =
    "usage: lasso fit      fit a model: lasso fit --help, lasso fit --sumstats --help\n"
    "       lasso path     fit it at many lambdas: lasso path --help, lasso path --sumstats --help\n"
    "       lasso cv       choose lambda by cross-validation: lasso cv --help\n"
    "       lasso predict  apply a fitted model: lasso predict --help\n"
    "       lasso score    score other people and say what it is worth: lasso score --help\n"
    "       lasso export   hand a fitted model to other programs: lasso export --help\n"
    "       lasso --version [--verbose]\n";

/// On people, or on the results of a study of others: the options tell.
strads::Status run_fit(std::span<const std::string> arguments) {
  const bool has_study = strads::sumstats::asks_for_sumstats(arguments);
  return has_study ? strads::sumstats::run_fit(arguments) : strads::lasso::run_fit(arguments);
}

strads::Status run_path(std::span<const std::string> arguments) {
  const bool has_study = strads::sumstats::asks_for_sumstats(arguments);
  return has_study ? strads::sumstats::run_path(arguments) : strads::lasso::run_path(arguments);
}

strads::Status run_cv(std::span<const std::string> arguments) {
  return strads::sumstats::asks_for_sumstats(arguments) ? strads::sumstats::no_folds()
                                                        : strads::lasso::run_cv(arguments);
}

constexpr strads::Subcommand kCommands[] = {{"fit", run_fit},
                                            {"path", run_path},
                                            {"cv", run_cv},
                                            {"predict", strads::lasso::run_predict},
                                            {"score", strads::lasso::run_score},
                                            {"export", strads::lasso::run_export}};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  return strads::run_program("lasso", [&] { return strads::run_subcommand("lasso", kUsage, kCommands, arguments); });
}
