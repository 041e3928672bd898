#include "strads_sim/commands.hpp"
#include "strads_sim/tables.hpp"

namespace strads::simulator {

void visit_option_tables(const TableVisit& visit) {
  visit_seeds_tables(visit);
  visit_run_tables(visit);
  visit_calibrate_table(visit);
  visit_plan_table(visit);
  visit_plan_mf_table(visit);
}

std::string options_document() {
  return markdown_of(visit_seeds_tables) + "\n" + run_markdown() + "\n" + markdown_of(visit_calibrate_table) + "\n" +
         markdown_of(visit_plan_table) + "\n" + markdown_of(visit_plan_mf_table);
}

}  // namespace strads::simulator
