// The program `lda`: its subcommands.
#include <algorithm>
#include <string>
#include <vector>

#include "lda/commands/commands.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"

namespace {

constexpr const char* kUsage =
    "usage: lda fit       fit a topic model: lda fit --help\n"
    "       lda infer     topics of unseen documents: lda infer --help\n"
    "       lda evaluate  perplexity and coherence of a model: lda evaluate --help\n"
    "       lda --version [--verbose]\n";

constexpr strads::Subcommand kCommands[] = {
    {"fit", strads::lda::run_fit}, {"infer", strads::lda::run_infer}, {"evaluate", strads::lda::run_evaluate}};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  return strads::run_program("lda", [&] { return strads::run_subcommand("lda", kUsage, kCommands, arguments); });
}
