// The options of `svm fit` and `svm predict`, each written once; those of `svm cv` are in cv_options.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/data/dataset.hpp"
#include "strads/program/option_facts.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"
#include "svm/problem/svm.hpp"

namespace strads::svm {

/// `svm fit` as the user gave it. `input` and `svm` are complete after settle_fit_options().
struct FitOptions : RunOptions {
  InputOptions input;
  SvmOptions svm;
  std::string missing = "error";
  std::string loss = "hinge";
  std::string policy = "auto";
  std::string cost_model;                  ///< INI file; "" = the fixed defaults
  std::vector<std::string> class_weights;  ///< "balanced", or NAME=W of some classes; empty: all are 1
};

/// `options` outlives the table.
[[nodiscard]] OptionTable fit_option_table(FitOptions& options);
/// The same options for another command (`strads_sim run`).
[[nodiscard]] OptionTable fit_option_table(FitOptions& options, std::string command, std::string usage);

// Parts of that table, for `svm cv`: what is read; the problem without its cost; who chooses the variables.
void add_data_options(OptionTable& table, FitOptions& options);
void add_problem_options(OptionTable& table, FitOptions& options);
void add_policy_options(OptionTable& table, FitOptions& options);

/// The options that name files (and --bfile's prefix): a node looks for them where its own rule says.
[[nodiscard]] std::vector<std::string*> paths_of(FitOptions& options);

/// Checks what concerns several options at once and fills options.input and options.svm. Errors: usage; input when the
/// cost model cannot be read.
[[nodiscard]] Status settle_fit_options(FitOptions& options, const OptionTable& table);

struct PredictOptions {
  CommonOptions common;
  InputOptions input;
  std::string model;  ///< run directory of svm fit or svm cv
};
[[nodiscard]] OptionTable predict_option_table(PredictOptions& options);
[[nodiscard]] Status check_predict_options(const PredictOptions& options);

/// Shows the table of every command of `svm`, with the defaults.
void visit_option_tables(const TableVisit& visit);
/// The part of docs/OPTIONS.md that is about `svm`.
[[nodiscard]] std::string options_document();

}  // namespace strads::svm
