// The option tables of the commands, with the defaults, and as documents.
#pragma once

#include <string>

#include "strads/program/option_facts.hpp"

namespace strads::simulator {

void visit_seeds_tables(const TableVisit& visit);  ///< one seed, a batch of them
void visit_run_tables(const TableVisit& visit);    ///< one for each model, with all options of its fit
void visit_calibrate_table(const TableVisit& visit);
void visit_plan_table(const TableVisit& visit);
void visit_plan_mf_table(const TableVisit& visit);

/// The options of `strads_sim run` alone, and where the others are.
[[nodiscard]] std::string run_markdown();

}  // namespace strads::simulator
