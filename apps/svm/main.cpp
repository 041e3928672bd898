// The program `svm`: its subcommands.
#include <algorithm>
#include <string>
#include <vector>

#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "svm/commands/commands.hpp"

namespace {

constexpr const char* kUsage =
    "usage: svm fit      fit a model: svm fit --help\n"
    "       svm cv       choose the cost by cross-validation: svm cv --help\n"
    "       svm predict  classes of other samples: svm predict --help\n"
    "       svm --version [--verbose]\n";

constexpr strads::Subcommand kCommands[] = {
    {"fit", strads::svm::run_fit}, {"cv", strads::svm::run_cv}, {"predict", strads::svm::run_predict}};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  return strads::run_program("svm", [&] { return strads::run_subcommand("svm", kUsage, kCommands, arguments); });
}
