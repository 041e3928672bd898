// What `lasso score` writes and shows. Formats: docs/OUTPUT.md.
#pragma once

#include <optional>
#include <string>

#include "lasso/commands/score_people.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

/// Names of the files besides config.ini and summary.json; the last three where a response is known.
inline constexpr const char* kScoresFile = "scores.tsv";
inline constexpr const char* kMatchesFile = "matches.tsv";
inline constexpr const char* kStatisticsFile = "statistics.tsv";
inline constexpr const char* kDecilesFile = "deciles.tsv";
inline constexpr const char* kDecilesPicture = "deciles.svg";

/// FID IID score missing, a line for each person.
[[nodiscard]] std::string scores_table(const PeopleScores& people);
/// A line for each variant of the model: how it was found, and where.
[[nodiscard]] std::string matches_table(const PeopleScores& people);
/// name estimate lower upper method.
[[nodiscard]] std::string statistics_table(const ScoreWorth& worth);
[[nodiscard]] std::string deciles_table(const ScoreWorth& worth);
/// Mean response by decile of the score, with 95 % of the mean.
[[nodiscard]] std::string deciles_picture(const ScoreWorth& worth, bool two_classes);
[[nodiscard]] Summary summary_of_scores(const ScoreOptions& options, const PeopleScores& people,
                                        const std::optional<ScoreWorth>& worth);
/// Who was scored, how variants matched, what the score is worth, where the files are.
[[nodiscard]] std::string closing_lines_of_scores(const ScoreOptions& options, const PeopleScores& people,
                                                  const std::optional<ScoreWorth>& worth,
                                                  const RunDirectory& directory);

}  // namespace strads::lasso
