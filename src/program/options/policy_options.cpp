#include "strads/program/policy_options.hpp"

#include "strads/policies/policies.hpp"
#include "strads/program/calibrate.hpp"

namespace strads {

void add_policy_choice(OptionTable& table, std::string* name) {
  table.section("policy").choice(
      "policy",
      "who chooses the variables of a round; auto = working sets by predicted decrease, the others are for comparison: "
      "uniform = Shotgun, static and paper = STRADS as published, theorem1 = the paper's Theorem 1 taken at its word, "
      "block-greedy = the best variable of each of P static blocks",
      name, policy_names());
}

void add_policy_numbers(OptionTable& table, PolicyOptions* options) {
  OptionSection rows = table.section("policy");
  rows.number("rho", "R", "couplings above it conflict (static, paper, theorem1); smaller drops more of what was drawn",
              &options->rho, {.min = 0, .max = 1});
  rows.number(
      "eta", "E",
      "importance that a variable keeps without a change (paper; squared in theorem1); too small starves variables",
      &options->eta, {.min = 0, .min_open = true});
  rows.number("candidates", "F", "P' / P, variables drawn per block (static, paper, theorem1)", &options->candidates,
              {.min = 1, .max = 1e6});
  rows.unit("updates").count(
      "check-interval", "N",
      "updates between certificates of the published policies, 0 = one per variable; each costs a pass over the data",
      &options->check_interval, {});
}

void add_cost_model(OptionTable& table, std::string* path) {
  table.section("policy").text(
      "cost-model", "FILE",
      "INI file with measured constants (flop-seconds, round-seconds, block-seconds; of strads_sim calibrate) instead "
      "of the fixed ones; they decide how many blocks a round has, so they are part of what fixes the bits",
      path);
}

void settle_policy(const std::string& name, const EngineOptions& engine, PolicyOptions& options) {
  options.policy = policy_named(name).value_or(Policy::automatic);
  options.workers = engine.workers;
  options.schedulers = engine.schedulers;
}

void set_costs(const Calibration& calibration, CostModel& cost) {
  cost.flop_seconds = calibration.flop_seconds;
  cost.round_seconds = calibration.round_seconds;
  cost.block_seconds = calibration.block_seconds;
}

Status read_cost_model(const std::string& path, CostModel& cost) {
  if (path.empty()) return {};
  Calibration calibration;
  calibration.flop_seconds = cost.flop_seconds;
  calibration.round_seconds = cost.round_seconds;
  calibration.block_seconds = cost.block_seconds;
  if (Status read = calibration_table(calibration).parse_config(path); !read.ok()) return read;
  set_costs(calibration, cost);
  return {};
}

}  // namespace strads
