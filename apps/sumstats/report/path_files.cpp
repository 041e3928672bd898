#include "sumstats/report/path_files.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "regression/match_variables.hpp"
#include "regression/scoring/score_files.hpp"
#include "regression/texts.hpp"
#include "strads/program/program.hpp"
#include "strads/program/reports.hpp"
#include "sumstats/choose/fitted_scores.hpp"

namespace strads::sumstats {
namespace {

constexpr const char* kCurveFile = "path.tsv";
constexpr const char* kDroppedFile = "dropped.tsv";
constexpr const char* kPathModel = "path.bin";
constexpr const char* kCoefficients = "coefficients.tsv";
constexpr const char* kChosenModel = "model.bin";
constexpr const char* kScoreFile = "score.txt";

std::string folder_of(double shrink) {
  return "s_" + exact_text(shrink);
}

std::string measured_text(double value) {
  return std::isfinite(value) ? exact_text(value) : "NA";
}

std::string curve_table(const PathResult& result) {
  std::string out =
      "index\ts\tdelta\tlambda\tlambda_ratio\tnonzeros\tobjective\tgap\trelative_gap\tblocks_certified\t" +
      (result.choice.has_value() ? result.choice->measure : std::string("measure")) + "\tchoice\n";
  for (std::size_t k = 0; k < result.grid.size(); ++k) {
    const GridSolution& point = result.solution.points[k];
    out += std::to_string(k + 1) + "\t" + exact_text(point.shrink) + "\t" +
           (point.shrink < 1 ? exact_text(point.shrink / (1 - point.shrink)) : "inf") + "\t" +
           exact_text(point.lambda) + "\t" + measured_text(point.lambda / result.loaded->lambda_max) + "\t" +
           std::to_string(point.nonzeros) + "\t" + exact_text(point.objective) + "\t" + exact_text(point.gap) + "\t" +
           exact_text(point.worst) + "\t" + std::to_string(point.certified) + "\t" +
           (result.choice.has_value() ? measured_text(result.choice->measured[k]) : "NA") +
           (result.choice.has_value() && result.choice->point == k ? "\tchosen\n" : "\t\n");
  }
  return out;
}

/// b by variant of the problem, of one point.
std::vector<std::pair<std::size_t, double>> standardized_of(const PathResult& result, std::size_t k) {
  const SummaryProblem& problem = *result.loaded->problem;
  std::vector<std::pair<std::size_t, double>> out;
  for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
    if (result.solution.blocks[block].empty()) continue;
    const BlockSolution& own = result.solution.blocks[block][k];
    for (std::size_t i = 0; i < own.places.size(); ++i) {
      out.emplace_back(problem.begins[block] + own.places[i], own.values[i]);
    }
  }
  std::ranges::sort(out, {}, [&](const auto& entry) { return problem.variants[entry.first]; });
  return out;
}

std::string chosen_table(const PathResult& result, const lasso::FittedModel& model) {
  const auto standardized = standardized_of(result, result.choice->point);
  std::string out = lasso::variable_columns(model) + "\tr\tn\tstandardized\tcoefficient\tcolumn\n";
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    const lasso::FittedVariable& variable = model.variables[i];
    const std::size_t v = standardized[i].first;
    out += lasso::variable_fields(model, variable) + "\t" + exact_text(result.loaded->problem->r[v]) + "\t" +
           exact_text(result.loaded->n[v]) + "\t" + exact_text(standardized[i].second) + "\t" +
           exact_text(lasso::per_copy(variable)) + "\t" + std::to_string(std::uint64_t{variable.column} + 1) + "\n";
  }
  return out;
}

/// In a header of the form KEY=VALUE.
std::string one_line(std::string text) {
  for (char& letter : text) {
    if (letter == '=' || letter == '\n' || letter == '\r' || letter == '\t') letter = '_';
  }
  return text;
}

/// The PGS Catalog's form, and in its header what the score was made from.
std::string score_text(const PathOptions& options, const PathResult& result, lasso::FittedModel& model) {
  const SummaryData& study = *result.loaded->study;
  // Only says what weights are: log odds. A model of classes it is not.
  const std::string family = std::exchange(model.family, study.has_odds ? lasso::kBinomial : model.family);
  std::string text = lasso::pgs_file(
      model, {.name = "", .trait = one_line(study.trait), .genome_build = study.build.empty() ? "NR" : study.build});
  model.family = family;
  const GridSolution& point = result.solution.points[result.choice->point];
  std::string files;
  for (const std::string& file : options.summary.files) files += (files.empty() ? "" : ",") + lasso::base_name(file);
  const std::string more = "#summary_statistics=" + one_line(files) + "\n#n_max=" + exact_text(study.n_max) +
                           "\n#panel=" + one_line(lasso::base_name(options.panel.source.prefix())) +
                           "\n#panel_people=" + std::to_string(result.loaded->problem->panel->columns().samples()) +
                           "\n#s=" + exact_text(point.shrink) + "\n#lambda=" + exact_text(point.lambda) +
                           "\n#chosen_by=" + chooser_of(*result.choice) +
                           "\n#weights=" + one_line(text_of(result.loaded->scale)) + "\n";
  const std::string before = "rsID\t";
  return text.insert(text.find("\n" + before) + 1, more);
}

/// The solutions of each shrinkage.
Status write_solutions(RunDirectory& directory, const PathResult& result) {
  const std::size_t lambdas = result.grid.lambdas.size();
  for (std::size_t i = 0; i < result.grid.shrinks.size(); ++i) {
    const std::string name = folder_of(result.grid.shrinks[i]) + "/" + kPathModel;
    const std::string path = directory.path_of(name);
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    if (error) return Status::input(path + ": its folder cannot be made: " + error.message());
    const Scores scores(*result.loaded, result.grid, result.solution, i * lambdas, (i + 1) * lambdas);
    if (Status done = lasso::write_path(path, scores.in_pieces()); !done.ok()) return done;
    directory.note_file(name);
  }
  return {};
}

}  // namespace

std::vector<std::string> files_of_path(const PathOptions& options) {
  std::vector<std::string> files{kDroppedFile, kCoefficients, kChosenModel, kScoreFile};
  if (options.single) return files;
  files.insert(files.begin(), kCurveFile);
  for (const double shrink : options.shrinks) files.push_back(folder_of(shrink) + "/" + kPathModel);
  return files;
}

Status write_path_files(RunDirectory& directory, const PathOptions& options, const PathResult& result) {
  if (!options.single) {
    if (Status done = directory.write(kCurveFile, curve_table(result)); !done.ok()) return done;
  }
  if (Status done = directory.write(kDroppedFile, result.loaded->study->dropped); !done.ok()) return done;
  if (!options.single) {
    if (Status done = write_solutions(directory, result); !done.ok()) return done;
  }
  if (!result.choice.has_value()) return {};
  const std::size_t k = result.choice->point;
  lasso::FittedModel model = fitted_score(*result.loaded, result.grid, result.solution, k);
  if (Status done = directory.write(kCoefficients, chosen_table(result, model)); !done.ok()) return done;
  if (Status done = directory.write(kScoreFile, score_text(options, result, model)); !done.ok()) return done;
  if (Status done = lasso::write_model(directory.path_of(kChosenModel), model); !done.ok()) return done;
  directory.note_file(kChosenModel);
  return {};
}

}  // namespace strads::sumstats
