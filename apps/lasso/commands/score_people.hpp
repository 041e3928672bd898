// Scores of people, how the variants of the model were found among theirs, and what the scores are worth.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lasso/options/score_options.hpp"
#include "regression/match_variables.hpp"
#include "regression/scoring/score_groups.hpp"
#include "regression/scoring/score_statistics.hpp"

namespace strads::lasso {

/// How the variants of a model were found.
struct MatchCounts {
  std::uint64_t variants = 0;             ///< of the model
  std::uint64_t matched = 0;              ///< counted in the scores
  std::uint64_t by_id = 0, by_place = 0;  ///< of the matched
  std::uint64_t swapped = 0;              ///< of the matched: the data count the other allele
  std::uint64_t other_strand = 0;         ///< of the matched: letters of the other strand
  std::uint64_t strand_ambiguous = 0;     ///< of the matched: A/T or C/G, taken as written
  std::uint64_t strand_dropped = 0;       ///< A/T or C/G, left out
  std::uint64_t absent = 0, other_alleles = 0, several = 0;

  /// Share of the variants that count in the scores; 1 of a model without variants.
  [[nodiscard]] double overlap() const;
};

struct PeopleScores {
  FittedModel model;  ///< its variants alone: no intercept, no covariates
  Matching matching;
  MatchCounts counts;
  std::shared_ptr<const Dataset> data;
  std::vector<double> scores;            ///< a number for each row of the data; dropped rows: of no meaning
  bool by_statistics = false;            ///< the model is of a study's statistics: `trained` are people of its panel
  std::optional<std::uint64_t> trained;  ///< how many trained the model; nothing: the model does not say who did
  std::vector<std::uint32_t> missing;    ///< calls that counted as the training mean; the same rows
};

/// Sum of coefficient x copies of the counted allele. A missing call, and a variant that is not there, counts as the
/// training mean. Notes are said where something was decided. Errors: of the files; input: too few variants match.
[[nodiscard]] Result<PeopleScores> score_people(const ScoreOptions& options, FittedModel model);

/// What the scores are worth where the response is known.
struct ScoreWorth {
  std::string response;
  std::uint64_t people = 0;
  std::vector<std::string> covariates;  ///< those used
  ScoreStatistics statistics;
  std::vector<ScoreGroup> groups;  ///< tenths by score
};

/// Nothing where no response is known; a note says where one is and too few people have it. Errors: of the files.
[[nodiscard]] Result<std::optional<ScoreWorth>> worth_of(const ScoreOptions& options, const PeopleScores& people);

}  // namespace strads::lasso
