#include "lasso/commands/study_files.hpp"

#include "lasso/held_out/fold_predictions.hpp"
#include "lasso/held_out/split_output.hpp"
#include "lasso/output/chosen_models.hpp"
#include "lasso/output/cv_ratios.hpp"
#include "lasso/output/cv_traits.hpp"
#include "lasso/output/output.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {
namespace {

std::vector<std::string> files_of_result(StudyKind kind, const CvOptions& options) {
  if (kind == StudyKind::path) {
    std::vector<std::string> files = files_of_path();
    if (!options.path.splits()) return files;
    files.emplace_back(kValidationPicture);
    for (const char* folder : {kChosenFolder, kRefitFolder}) {
      for (std::string& file : files_of_model_folder(folder, options.path.fit.input.source.prefix())) {
        files.push_back(std::move(file));
      }
    }
    return files;
  }
  std::vector<std::string> files = files_of_chosen_models(options.path.fit.input.source.prefix());
  for (std::string& file : files_of_path()) files.push_back(std::move(file));
  files.insert(files.end(), {kCvFile, kCvPathsFile, kFoldsFile, kFoldPredictionsFile, kCvPicture});
  return files;
}

/// Of one trait: with several ratios those of the best, and a folder for each.
std::vector<std::string> files_of_trait(StudyKind kind, const CvOptions& options) {
  std::vector<std::string> files = files_of_result(kind, options);
  if (!options.path.has_several_ratios()) return files;
  files.emplace_back(kRatiosFile);
  for (const double ratio : options.path.l1_ratios) {
    const std::string folder = ratio_folder(ratio) + "/";
    for (const std::string& file : files_of_result(kind, options)) files.push_back(folder + file);
    files.push_back(folder + kSummaryFile);
  }
  return files;
}

Status write_path_file(const std::string& name, const FittedPath& model, RunDirectory& own) {
  if (Status done = write_path(own.path_of(name), model); !done.ok()) return done;
  own.note_file(name);
  return {};
}

/// `picture`: cv.svg.
Status write_curve(const CvOptions& options, const PathResult& result, const std::string& picture, RunDirectory& own) {
  const auto put = [&](const char* name, const std::string& text) { return own.write(name, text); };
  FittedPath model = fitted_path(*result.data, result.steps);
  model.least = result.curve.least + 1;
  model.simplest = result.curve.simplest + 1;
  if (Status done = put(kCvFile, cv_table(result)); !done.ok()) return done;
  if (Status done = put(kCvPathsFile, cv_paths_table(result)); !done.ok()) return done;
  if (Status done = put(kCvPicture, picture); !done.ok()) return done;
  if (Status done = put(kFoldPredictionsFile, fold_predictions_table(result)); !done.ok()) return done;
  const std::string& prefix = options.path.fit.input.source.prefix();
  if (Status done = write_path_files(result, model, prefix, own); !done.ok()) return done;
  if (Status done = write_chosen_models(options, result, model, own); !done.ok()) return done;
  for (std::size_t f = 0; f < result.followers.size(); ++f) {
    const FittedPath fold = fitted_path(*result.group.paths[f + 1].data, result.followers[f]);
    if (Status done = write_path_file(fold_model_file(f), fold, own); !done.ok()) return done;
  }
  return {};
}

/// Of a path, with --split or without.
Status write_one_path(const CvOptions& options, const PathResult& result, RunDirectory& own) {
  const bool splits = options.path.splits();
  if (result.steps.empty() || (splits && !result.has_choice())) return {};
  FittedPath model = fitted_path(*result.data, result.steps);
  if (splits) model.least = result.curve.least + 1;
  Status done = write_path_files(result, model, options.path.fit.input.source.prefix(), own);
  if (!done.ok() || !splits) return done;
  if (done = own.write(kValidationPicture, validation_picture(result)); !done.ok()) return done;
  return write_split_models(options.path, result, model, own);
}

/// What a run of one trait at one ratio writes, but for configuration, trace, log and summary.
Status write_result_files(const CvOptions& options, const PathResult& result, const std::string& picture,
                          RunDirectory& own) {
  if (!result.is_cross_validated()) return write_one_path(options, result, own);
  if (Status done = own.write(kFoldsFile, folds_table(*result.group.dataset, result.group.folds)); !done.ok())
    return done;
  if (!result.curve.mean.empty()) return write_curve(options, result, picture, own);
  if (result.steps.empty()) return {};
  return write_path_files(result, fitted_path(*result.data, result.steps), options.path.fit.input.source.prefix(), own);
}

std::string picture_of(const PathResult& result) {
  return result.is_cross_validated() && result.has_choice() ? cv_picture(result) : "";
}

/// The last files of a part, whose files the whole lists as its own.
Status finish_part(const std::string& name, const std::string& config, const Summary& summary, RunDirectory& part,
                   RunDirectory& whole) {
  if (Status done = part.write(kConfigFile, config); !done.ok()) return done;
  if (Status done = part.finish(summary); !done.ok()) return done;
  for (const std::string& file : part.files()) whole.note_file(name + "/" + file);
  return {};
}

/// Where the files of a trait go.
struct TraitFolder {
  RunDirectory& own;
  RunDirectory& whole;
  std::string name;  ///< of the folder in the whole; "": the whole itself

  [[nodiscard]] std::string in_whole(const std::string& file) const { return name.empty() ? file : name + "/" + file; }
};

/// `run`: as cv_summary().
Summary summary_of_result(const CvOptions& options, const PathResult& result, const RunFacts* run,
                          std::span<const PathResult> all = {}) {
  if (result.is_cross_validated()) return cv_summary(options, result, run, all);
  return options.path.splits() ? split_summary(options.path, result, run, all)
                               : path_summary(options.path, result, run, all);
}

Status write_ratio(const CvOptions& options, const PathResult& result, const std::string& config, TraitFolder& trait) {
  const CvOptions alone = options_at(options, result);
  const std::string folder = ratio_folder(result.group.l1_ratio);
  RunDirectory part = trait.whole.part(trait.in_whole(folder));
  if (Status done = write_result_files(alone, result, picture_of(result), part); !done.ok()) return done;
  return finish_part(folder, config, summary_of_result(alone, result, nullptr), part, trait.own);
}

/// `configs`: by ratio.
Status write_trait(const CvOptions& options, std::span<const PathResult> ratios, std::span<const std::string> configs,
                   TraitFolder& trait) {
  const PathResult& best = ratios[best_ratio(ratios)];
  const bool has_curves = ratios.size() > 1 && best.is_cross_validated() && best.has_choice();
  const std::string picture = has_curves ? ratios_picture(ratios) : picture_of(best);
  // Of several ratios that nobody has compared none is the best.
  if (ratios.size() == 1 || is_watched(best)) {
    if (Status done = write_result_files(options_at(options, best), best, picture, trait.own); !done.ok()) return done;
  }
  if (ratios.size() == 1) return {};
  if (Status done = trait.own.write(kRatiosFile, ratios_table(ratios)); !done.ok()) return done;
  for (std::size_t r = 0; r < ratios.size(); ++r) {
    if (Status done = write_ratio(options, ratios[r], configs[r], trait); !done.ok()) return done;
  }
  return {};
}

/// Of one trait; `run`: as cv_summary().
Summary summary_of_trait(const CvOptions& options, std::span<const PathResult> ratios, const RunFacts* run) {
  const PathResult& best = ratios[best_ratio(ratios)];
  if (ratios.size() == 1) return summary_of_result(options, best, run);
  if (!is_watched(best)) return paths_summary(options, ratios, run);
  Summary summary = summary_of_result(options_at(options, best), best, run, ratios);
  add_ratios(summary, ratios);
  return summary;
}

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
    for (const std::string& file : files_of_trait(kind, options)) files.push_back(trait + "/" + file);
    files.push_back(trait + "/" + kSummaryFile);
  }
  return files;
}

Result<Summary> write_study(const CvOptions& options, const StudyResults& results, const StudyConfigs& configs,
                            RunDirectory& directory) {
  for (std::size_t t = 0; t < results.traits(); ++t) {
    const auto ratios = results.of_trait(t);
    const std::size_t first = configs.ratios.empty() ? 0 : t * results.ratios;
    const auto own_configs = std::span(configs.ratios).subspan(first, configs.ratios.empty() ? 0 : results.ratios);
    if (options.path.traits.empty()) {
      TraitFolder whole{directory, directory, ""};
      if (Status done = write_trait(options, ratios, own_configs, whole); !done.ok()) return done;
      return summary_of_trait(options, ratios, &results.run);
    }
    RunDirectory part = directory.part(options.path.traits[t]);
    TraitFolder trait{part, directory, options.path.traits[t]};
    if (Status done = write_trait(options, ratios, own_configs, trait); !done.ok()) return done;
    const Summary summary = summary_of_trait(options, ratios, nullptr);
    Status done = finish_part(options.path.traits[t], configs.traits[t], summary, part, directory);
    if (!done.ok()) return done;
  }
  if (Status done = directory.write(kTraitsFile, traits_table(results)); !done.ok()) return done;
  return traits_summary(options, results);
}

}  // namespace strads::lasso
