// The options of `lda fit`, `lda infer` and `lda evaluate`, each written once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lda/options/corpus_options.hpp"
#include "lda/problem/lda.hpp"
#include "strads/program/option_facts.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program_run.hpp"

namespace strads::lda {

/// What is written besides the model.
struct ExportOptions {
  std::uint32_t top = 20;  ///< words of a topic in tables
  bool state = false, doc_topics = false, pyldavis = false;
};

/// `lda fit` as the user gave it. `corpus` and `lda` are complete after settle_fit_options().
struct FitOptions : RunOptions {
  CorpusOptions corpus;
  std::shared_ptr<const Documents> in_memory;  ///< instead of a corpus: documents of another program
  double held_out = 0;                         ///< share of the documents that is kept for measuring
  std::string test;                            ///< instead of them: a file of documents; "": none
  LdaOptions lda;
  double alpha = 0;  ///< of each topic; 0: 50 / topics
  std::string sampler = "delayed";
  ExportOptions exports;
};

/// `options` outlives the table.
[[nodiscard]] OptionTable fit_option_table(FitOptions& options);
/// The same options for another command (`strads_sim run`).
[[nodiscard]] OptionTable fit_option_table(FitOptions& options, std::string command, std::string usage);

/// The options that name files: a node looks for them where its own rule says.
[[nodiscard]] std::vector<std::string*> paths_of(FitOptions& options);

/// How the documents of --test are read: as the corpus is.
[[nodiscard]] DocumentsInput test_input(const FitOptions& options);

/// Checks what concerns several options at once and fills options.lda. Errors: usage.
[[nodiscard]] Status settle_fit_options(FitOptions& options, const OptionTable& table);

/// What `lda infer` and `lda evaluate` have alike.
struct ModelOptions {
  CommonOptions common;
  std::string model;  ///< run directory of a fit
  CorpusOptions corpus;
  std::uint64_t seed = 1;
  std::uint32_t sweeps = kInferSweeps;
  std::uint32_t threads = 0;
};

struct InferOptions : ModelOptions {
  bool doc_topics = false;
};
[[nodiscard]] OptionTable infer_option_table(InferOptions& options);
/// Errors: usage.
[[nodiscard]] Status settle_infer_options(InferOptions& options);

struct EvaluateOptions : ModelOptions {
  std::uint32_t top = 10;  ///< words of a topic that coherence looks at
};
[[nodiscard]] OptionTable evaluate_option_table(EvaluateOptions& options);
/// Errors: usage.
[[nodiscard]] Status settle_evaluate_options(EvaluateOptions& options);

/// Shows the table of every command of `lda`, with the defaults.
void visit_option_tables(const TableVisit& visit);
/// The part of docs/OPTIONS.md that is about `lda`.
[[nodiscard]] std::string options_document();

}  // namespace strads::lda
