// What `lda fit` writes and shows. Formats: docs/OUTPUT.md.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "lda/options/fit_options.hpp"
#include "lda/problem/lda.hpp"
#include "lda/run/fit_data.hpp"
#include "lda/topics/completion.hpp"
#include "lda/topics/topic_model.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_line.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"

namespace strads::lda {

/// Everything about a finished fit.
struct FitResult : RunRecord {
  FitData input;
  LdaSolution solution;
  TopicModel model;
  std::vector<float> theta;  ///< documents x topics
  Completion held_out;       ///< of the documents that were held out, by the model; no tokens: none were
  std::string model_hash;
  bool finished = false;  ///< neither a limit nor a signal ended it

  [[nodiscard]] double log_joint_per_token() const;
  [[nodiscard]] std::uint64_t held_out_documents() const;
  [[nodiscard]] double tokens_per_second() const;
};

/// The name of its file; "documents" where they lie in memory.
[[nodiscard]] std::string name_of_corpus(const FitOptions& options);

/// "12.3 s  sweep 40 of 200  log joint/token -7.1234  about 40 s left  3.1e+07 tokens/s". `sweeps`: of the run.
[[nodiscard]] ProgressLine progress_line(const ProgressEvent& event, double seconds, std::uint32_t sweeps);
/// trace.csv: one row a sweep; of the last of `sweeps` only last_row(). Without it each sweep has its row as it ends.
[[nodiscard]] Trace::Columns trace_columns(std::uint32_t sweeps = std::numeric_limits<std::uint32_t>::max());
/// What the end of a run says of its last sweep: the log joint that was recomputed, and the perplexity of what is
/// written.
[[nodiscard]] ProgressEvent last_row(const RunEnd& end, const Completion& held_out);

/// The model of a solution: phi, counts of words, names.
[[nodiscard]] TopicModel topic_model_of(const LdaData& data, const LdaSolution& solution);

[[nodiscard]] Summary summary_of(const FitOptions& options, const FitResult& result);

/// What was fitted, quality, size, time, where the files are: five lines.
[[nodiscard]] std::string closing_lines(const FitOptions& options, const FitResult& result,
                                        const RunDirectory& directory);

}  // namespace strads::lda
