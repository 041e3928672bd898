#include "lasso/report/study_files.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "lasso/report/model_files.hpp"
#include "lasso/report/path_facts.hpp"
#include "lasso/report/pictures.hpp"
#include "lasso/report/study_summary.hpp"
#include "lasso/report/tables.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

const std::string& prefix_of(const CvOptions& options) {
  return options.path.fit.input.source.prefix();
}

/// How many models of folds there may be: of a file's folds nobody knows before it is read.
std::uint64_t folds_at_most(const CvOptions& options) {
  constexpr std::uint64_t kFoldsOfFile = 100, kLooked = 1000;
  return std::min(fold_count_of(options).value_or(kFoldsOfFile), kLooked);
}

/// "l1_ratio_0.5".
std::string ratio_folder(double l1_ratio) {
  return "l1_ratio_" + exact_text(l1_ratio);
}

/// Adds `more`, each in a folder of that name; "": in none.
void append(std::vector<std::string>& files, const std::string& folder, const std::vector<std::string>& more) {
  for (const std::string& file : more) files.push_back(folder.empty() ? file : folder + "/" + file);
}

/// Of one trait at one ratio.
std::vector<std::string> files_of_result(StudyKind kind, const CvOptions& options) {
  const std::vector<std::string> of_model = files_of_model(prefix_of(options));
  const bool is_cv = kind == StudyKind::cv;
  std::vector<std::string> files = kind == StudyKind::fit ? of_model : files_of_path_models(prefix_of(options));
  append(files, "", {kTraceFile, kConfigFile, kLogFile});
  if (is_cv) append(files, "", {kCvFile, kCvPathsFile, kFoldsFile, kFoldPredictionsFile, kCvPicture});
  for (std::uint64_t fold = 0; is_cv && fold < folds_at_most(options); ++fold) files.push_back(fold_model_file(fold));
  const bool splits = kind == StudyKind::path && options.path.splits();
  if (splits) files.emplace_back(kValidationPicture);
  if (!is_cv && !splits) return files;
  for (const char* const folder : folders_of_choices(is_cv)) {
    append(files, folder, of_model);
    append(files, folder, {kSummaryFile});
  }
  return files;
}

/// Of one trait: with several ratios those of the best, and a folder for each.
std::vector<std::string> files_of_trait(StudyKind kind, const CvOptions& options) {
  const std::vector<std::string> of_ratio = files_of_result(kind, options);
  std::vector<std::string> files = of_ratio;
  if (!options.path.has_several_ratios()) return files;
  files.emplace_back(kRatiosFile);
  for (const double ratio : options.path.l1_ratios) {
    append(files, ratio_folder(ratio), of_ratio);
    append(files, ratio_folder(ratio), {kSummaryFile});
  }
  return files;
}

/// Writes a study down. The options are those of the whole.
class StudyWriter {
 public:
  StudyWriter(StudyKind kind, const CvOptions& options, RunDirectory& whole)
      : kind_(kind), options_(options), whole_(whole) {}

  /// Into `own`, the whole or a folder of it. `ratios`: of one trait; `configs`: of these.
  Status write_trait(std::span<const PathResult> ratios, std::span<const std::string> configs, RunDirectory& own,
                     const std::string& folder) {
    const PathResult& best = ratios[best_ratio(ratios)];
    if (has_best(ratios)) {
      const bool has_curves = ratios.size() > 1 && best.is_cross_validated() && best.has_choice();
      if (Status done = write_result(best, has_curves ? ratios : std::span(&best, 1), own); !done.ok()) return done;
    }
    if (ratios.size() == 1) return {};
    if (Status done = own.write(kRatiosFile, ratios_table(ratios)); !done.ok()) return done;
    for (std::size_t r = 0; r < ratios.size(); ++r) {
      const std::span one = ratios.subspan(r, 1);
      const std::string name = ratio_folder(one.front().group.l1_ratio);
      RunDirectory part = whole_.part(folder.empty() ? name : folder + "/" + name);
      if (Status done = write_result(one.front(), one, part); !done.ok()) return done;
      if (Status done = finish_part(name, configs[r], one, part, own); !done.ok()) return done;
    }
    return {};
  }

  /// The last files of a part, whose files `all` lists as its own.
  Status finish_part(const std::string& name, const std::string& config, std::span<const PathResult> ratios,
                     RunDirectory& part, RunDirectory& all) {
    if (Status done = part.write(kConfigFile, config); !done.ok()) return done;
    if (Status done = part.finish(summary_of(kind_, options_, ratios, nullptr)); !done.ok()) return done;
    for (const std::string& file : part.files()) all.note_file(name + "/" + file);
    return {};
  }

 private:
  /// Of one trait at one ratio, but for configuration, trace, log and summary. `curves`: those of the picture.
  Status write_result(const PathResult& result, std::span<const PathResult> curves, RunDirectory& own) {
    ModelWriter files(own, prefix_of(options_));
    if (kind_ == StudyKind::fit) {
      files.model("", result.steps.front(), *result.data);
      return files.outcome();
    }
    const bool splits = kind_ == StudyKind::path && options_.path.splits();
    if (kind_ == StudyKind::cv) files.text(kFoldsFile, folds_table(*result.group.dataset, result.group.folds));
    if (result.steps.empty() || (splits && !result.has_choice())) return files.outcome();
    const bool has_folds = kind_ == StudyKind::cv && result.has_choice();
    if (has_folds) {
      files.text(kCvFile, cv_table(result));
      files.text(kCvPathsFile, cv_paths_table(result));
      files.text(kCvPicture, curves.size() > 1 ? ratios_picture(curves) : curve_picture(result));
      files.text(kFoldPredictionsFile, fold_predictions_table(result));
    }
    files.first_path(result);
    if (splits) files.text(kValidationPicture, curve_picture(result));
    for (const ChosenModel& model : chosen_models(result)) {
      files.model(model.folder, model.solution, model.data);
      const std::string summary = std::string(model.folder) + "/" + kSummaryFile;
      files.text(summary, summary_of_model(kind_, options_, result, model).json());
    }
    for (std::size_t f = 0; has_folds && f < result.followers.size(); ++f) {
      files.path(fold_model_file(f), fitted_path(*result.group.paths[f + 1].data, result.followers[f]));
    }
    return files.outcome();
  }

  const StudyKind kind_;
  const CvOptions& options_;
  RunDirectory& whole_;
};

}  // namespace

StudyConfigs configs_of_study(StudyOptions& all) {
  PathCommandOptions& options = all.all.path;
  const OptionTable& table = all.table;
  FitOptions& fit = options.fit;
  std::string& name = fit.input.response.column(fit.input.source.is_plink());
  const std::string names = name;
  const std::string out = fit.common.out;
  const std::vector<std::string> texts = options.l1_ratio_texts;
  StudyConfigs configs;
  for (std::size_t t = 0; t < std::max<std::size_t>(1, options.traits.size()); ++t) {
    if (!options.traits.empty()) {
      name = options.traits[t];
      fit.common.out = out + "/" + name;
      configs.traits.push_back(table.config());
    }
    if (!options.has_several_ratios()) continue;
    const std::string folder = fit.common.out;
    for (const double ratio : options.l1_ratios) {
      options.l1_ratio_texts = {exact_text(ratio)};
      fit.common.out = folder + "/" + ratio_folder(ratio);
      configs.ratios.push_back(table.config());
    }
    options.l1_ratio_texts = texts;
  }
  name = names;
  fit.common.out = out;
  return configs;
}

std::vector<std::string> files_of_study(StudyKind kind, const CvOptions& options) {
  if (options.path.traits.empty()) return files_of_trait(kind, options);
  std::vector<std::string> files = files_of_traits();
  for (const std::string& trait : options.path.traits) {
    append(files, trait, files_of_trait(kind, options));
    append(files, trait, {kSummaryFile});
  }
  return files;
}

Result<Summary> write_study(StudyKind kind, const CvOptions& options, const StudyResults& results,
                            const StudyConfigs& configs, RunDirectory& directory) {
  StudyWriter writer(kind, options, directory);
  const std::vector<std::string>& traits = options.path.traits;
  for (std::size_t t = 0; t < results.traits(); ++t) {
    const auto ratios = results.of_trait(t);
    const std::size_t each = configs.ratios.empty() ? 0 : results.ratios;
    const auto own = std::span(configs.ratios).subspan(t * each, each);
    if (traits.empty()) {
      if (Status done = writer.write_trait(ratios, own, directory, ""); !done.ok()) return done;
      return summary_of_study(kind, options, results);
    }
    RunDirectory part = directory.part(traits[t]);
    if (Status done = writer.write_trait(ratios, own, part, traits[t]); !done.ok()) return done;
    Status done = writer.finish_part(traits[t], configs.traits[t], ratios, part, directory);
    if (!done.ok()) return done;
  }
  if (Status done = directory.write(kTraitsFile, traits_table(results)); !done.ok()) return done;
  return summary_of_study(kind, options, results);
}

}  // namespace strads::lasso
