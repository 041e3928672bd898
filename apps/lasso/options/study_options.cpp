#include "lasso/options/study_options.hpp"

#include <utility>

namespace strads::lasso {
namespace {

OptionTable table_of(StudyKind kind, CvOptions& options) {
  if (kind == StudyKind::fit) return fit_option_table(options.path.fit);
  return kind == StudyKind::path ? path_option_table(options.path) : cv_option_table(options);
}

}  // namespace

StudyOptions::StudyOptions(StudyKind of) : kind(of), table(table_of(of, all)) {}

StudyOptions::StudyOptions(StudyKind of, std::string command, std::string usage)
    : kind(of),
      table(of == StudyKind::fit    ? fit_option_table(fit(), std::move(command), std::move(usage))
            : of == StudyKind::path ? path_option_table(all.path, std::move(command), std::move(usage))
                                    : cv_option_table(all, std::move(command), std::move(usage))) {}

std::string command_of(StudyKind kind) {
  return kind == StudyKind::fit ? "lasso fit" : kind == StudyKind::path ? "lasso path" : "lasso cv";
}

Status StudyOptions::settle() {
  if (kind == StudyKind::fit) return settle_fit_options(fit(), table);
  return kind == StudyKind::path ? settle_path_options(all.path, table) : settle_cv_options(all, table);
}

std::vector<std::string*> StudyOptions::paths() {
  if (kind == StudyKind::fit) return paths_of(fit());
  return kind == StudyKind::path ? paths_of(all.path) : paths_of(all);
}

StudyDesign design_of(StudyKind kind, const CvOptions& options) {
  const FitOptions& fit = options.path.fit;
  StudyDesign design;
  if (kind == StudyKind::fit) return design;
  design.l1_ratios = options.path.l1_ratios;
  if (kind == StudyKind::path && options.path.splits()) {
    design.kind = StudyDesign::Kind::split;
    design.measure = options.path.error;
    design.refit = options.path.refit;
  }
  if (kind != StudyKind::cv) return design;
  design.kind = StudyDesign::Kind::cv;
  design.folds = options.folds;
  design.seed = fit.engine.seed;
  design.stratify = options.stratify;
  if (fit.input.source.in_memory != nullptr) design.folds_of_rows = fit.input.source.in_memory->folds;
  return design;
}

ProblemCount problem_count_of(StudyKind kind, const CvOptions& options) {
  if (kind == StudyKind::fit) return {};
  return kind == StudyKind::path ? problem_count_of(options.path) : problem_count_of(options);
}

}  // namespace strads::lasso
