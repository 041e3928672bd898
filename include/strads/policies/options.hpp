// Which policy, and its numbers. Layer: policies. Pure.
#pragma once

#include <cstdint>

namespace strads {

/// Who chooses the variables of a round, and how (docs/DESIGN.md, "Policies").
enum class Policy : std::uint8_t { uniform, fixed_structure, paper, theorem1, block_greedy, automatic };

/// "uniform", "static", "paper", "theorem1", "block-greedy", "auto".
[[nodiscard]] const char* policy_name(Policy policy);

/// One flop of a pass over numbers in memory, on the machine of bench/RESULTS.md.
inline constexpr double kStreamedFlopSeconds = 2.5e-10;

/// Operations cost so much: what decisions about parallelism rest on. Fixed defaults, so that runs are reproducible.
struct CostModel {
  double flop_seconds = 0;        ///< one flop of a pass over columns; 0: the model says it of its storage
  double round_seconds = 6.0e-5;  ///< a round's bookkeeping and its way there and back
  double block_seconds = 1.4e-5;  ///< of each of its blocks: its scheduler sends ASSIGN and receives DELTAS, one by one
};

/// What every model's options hold of policies. The engine's P and S are among them, since how much is drawn depends on
/// the first, and how long a phase lasts on the second.
struct PolicyOptions {
  Policy policy = Policy::automatic;
  double rho = 0.1;                  ///< dependency threshold of the published policies
  double eta = 1e-6;                 ///< added to |delta| by `paper`; squared by `theorem1`
  double candidates = 4;             ///< P' / P of the published policies
  std::uint64_t check_interval = 0;  ///< updates between certificates of the published policies; 0: J
  std::uint32_t workers = 8;         ///< P of the engine
  std::uint32_t schedulers = 1;      ///< S of the engine
  CostModel cost;
};

}  // namespace strads
