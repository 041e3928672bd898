#include "lasso/commands/score_command.hpp"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "lasso/commands/fitted_solutions.hpp"
#include "lasso/commands/score_output.hpp"
#include "lasso/commands/score_people.hpp"
#include "lasso/options/score_options.hpp"
#include "regression/foreign_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"

namespace strads::lasso {
namespace {

struct OwnFile {
  const char* name;
  std::string content;
};

std::vector<OwnFile> files_of(const PeopleScores& people, const std::optional<ScoreWorth>& worth,
                              const OptionTable& table) {
  std::vector<OwnFile> files = {
      {kConfigFile, table.config()}, {kScoresFile, scores_table(people)}, {kMatchesFile, matches_table(people)}};
  if (worth.has_value()) {
    files.push_back({kStatisticsFile, statistics_table(*worth)});
    files.push_back({kDecilesFile, deciles_table(*worth)});
    files.push_back({kDecilesPicture, deciles_picture(*worth, people.model.has_classes())});
  }
  return files;
}

Result<RunDirectory> open_directory(const ScoreOptions& options) {
  if (options.common.out.empty()) return RunDirectory();
  std::error_code none;
  if (std::filesystem::equivalent(options.model, options.common.out, none)) {
    return Status::usage("--out is the folder of the model, " + options.model +
                         "; give another one, so that the model stays");
  }
  const std::vector<std::string> own = {kConfigFile,     kScoresFile,  kMatchesFile,
                                        kStatisticsFile, kDecilesFile, kDecilesPicture};
  return RunDirectory::open(options.common.out, options.common.force, own);
}

Status score(const ScoreOptions& options, const OptionTable& table) {
  std::vector<std::string> notes;
  STRADS_ASSIGN_OR_RETURN(auto model, read_one_fitted(options, notes));
  for (const std::string& text : notes) {
    if (!options.common.quiet) print_note("lasso", text);
  }
  STRADS_ASSIGN_OR_RETURN(auto out, open_directory(options));
  STRADS_ASSIGN_OR_RETURN(auto people, score_people(options, std::move(model)));
  STRADS_ASSIGN_OR_RETURN(const auto worth, worth_of(options, people));
  if (out.exists()) {
    for (const OwnFile& file : files_of(people, worth, table)) {
      if (Status written = out.write(file.name, file.content); !written.ok()) return written;
    }
    if (Status done = out.finish(summary_of_scores(options, people, worth)); !done.ok()) return done;
  }
  const auto lines = closing_lines_of_scores(options, people, worth, out);
  std::fwrite(lines.data(), 1, lines.size(), stdout);
  return {};
}

}  // namespace

Status run_score(std::span<const std::string> arguments) {
  ScoreOptions options;
  OptionTable table = score_option_table(options);
  if (Status own = expect_own_options(arguments); !own.ok()) return own;
  return run_command(
      "lasso", table, options.common, arguments, [&] { return check_score_options(options); },
      [&] { return score(options, table); });
}

}  // namespace strads::lasso
