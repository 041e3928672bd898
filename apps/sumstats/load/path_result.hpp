// Everything about a finished run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "regression/model_file.hpp"
#include "regression/scoring/score_statistics.hpp"
#include "strads/program/program_run.hpp"
#include "sumstats/load/summary_load.hpp"
#include "sumstats/problem/sumstats.hpp"

namespace strads::sumstats {

/// Which point of the grid is best, and by what.
struct Choice {
  std::size_t point = 0;
  bool is_given = false;         ///< it is the only one, of a fit; nothing is measured
  bool by_people = false;        ///< else by pseudo-validation
  std::string measure;           ///< "r2", "auc", "pseudo_correlation"
  std::vector<double> measured;  ///< by point; NaN: of an empty solution
  // By people alone.
  std::string response;
  std::uint64_t people = 0;
  std::uint64_t in_panel = 0;               ///< of them, by their ids
  std::uint64_t matched = 0, variants = 0;  ///< of the variants that any solution has
  lasso::ScoreStatistics statistics;        ///< of the chosen score: optimistic, since these people chose it
};

/// Who chose, in files.
[[nodiscard]] inline const char* chooser_of(const Choice& choice) {
  if (choice.is_given) return "given";
  return choice.by_people ? "validation" : "pseudo-validation";
}

struct PathResult : RunRecord {
  std::shared_ptr<const LoadedSummary> loaded;
  Grid grid;
  SummarySolution solution;
  std::optional<Choice> choice;  ///< nothing: every solution is empty
  std::string model_hash;
  std::uint64_t certified = 0;  ///< points at which every block is
};

}  // namespace strads::sumstats
