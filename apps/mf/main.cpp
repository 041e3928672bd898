// The program `mf`: its subcommands.
#include <algorithm>
#include <string>
#include <vector>

#include "mf/commands/commands.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"

namespace {

constexpr const char* kUsage =
    "usage: mf fit        fit a model: mf fit --help\n"
    "       mf cv         which rank and lambda predict best: mf cv --help\n"
    "       mf predict    predict pairs of user and item: mf predict --help\n"
    "       mf recommend  the best items of each user: mf recommend --help\n"
    "       mf similar    items like given ones: mf similar --help\n"
    "       mf evaluate   how good such lists are: mf evaluate --help\n"
    "       mf split      ratings to learn from and to judge by: mf split --help\n"
    "       mf fold-in    factors of new users or items: mf fold-in --help\n"
    "       mf refit      the same model for more ratings: mf refit --help\n"
    "       mf export     vectors for serving: mf export --help\n"
    "       mf --version [--verbose]\n";

constexpr strads::Subcommand kCommands[] = {
    {"fit", strads::mf::run_fit},         {"cv", strads::mf::run_cv},
    {"predict", strads::mf::run_predict}, {"recommend", strads::mf::run_recommend},
    {"similar", strads::mf::run_similar}, {"evaluate", strads::mf::run_evaluate},
    {"split", strads::mf::run_split},     {"fold-in", strads::mf::run_fold_in},
    {"refit", strads::mf::run_refit},     {"export", strads::mf::run_export}};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  return strads::run_program("mf", [&] { return strads::run_subcommand("mf", kUsage, kCommands, arguments); });
}
