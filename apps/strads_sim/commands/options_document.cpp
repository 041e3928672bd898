#include "strads_sim/commands.hpp"
#include "strads_sim/tables.hpp"

namespace strads::simulator {

std::string options_document() {
  return seeds_markdown() + "\n" + run_markdown() + "\n" + calibrate_markdown() + "\n" + plan_markdown();
}

}  // namespace strads::simulator
