// Prints the option tables of all programs as JSON: packaging/ writes manual pages and completion from them. Not
// installed.
#include <cstdio>
#include <vector>

#include "lasso/options/fit_options.hpp"
#include "lda/options/fit_options.hpp"
#include "mf/options/fit_options.hpp"
#include "strads/daemon/daemon.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/summary.hpp"
#include "strads_sim/commands.hpp"
#include "sumstats/options/path_options.hpp"
#include "svm/options/fit_options.hpp"

int main() {
  return strads::run_program("strads_option_tables", [] {
    std::vector<strads::Summary> commands;
    const auto keep = [&commands](const strads::OptionTable& table) { commands.push_back(strads::facts_of(table)); };
    strads::lasso::visit_option_tables(keep);
    strads::sumstats::visit_option_tables(keep);
    strads::mf::visit_option_tables(keep);
    strads::lda::visit_option_tables(keep);
    strads::svm::visit_option_tables(keep);
    strads::visit_daemon_table(keep);
    strads::simulator::visit_option_tables(keep);
    strads::Summary all;
    all.add("commands", commands);
    std::fputs(all.json().c_str(), stdout);
    return strads::Status();
  });
}
