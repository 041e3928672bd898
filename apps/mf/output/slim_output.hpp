// What `mf fit --solver slim` writes and shows. Formats: docs/OUTPUT.md.
#pragma once

#include <memory>
#include <string>

#include "mf/options/fit_options.hpp"
#include "mf/output/run_facts.hpp"
#include "mf/slim/slim.hpp"
#include "strads/data/ratings.hpp"
#include "strads/program/progress_line.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"

namespace strads::mf {

/// Everything about a finished fit.
struct SlimResult : RunFacts {
  std::shared_ptr<const Ratings> ratings;
  std::shared_ptr<const SlimData> data;
  SlimSolution solution;
  std::string model_hash;
};

/// "12.3 s  1200 of 40981 items  1200 certified  31400 weights": of the last barrier.
[[nodiscard]] ProgressLine slim_progress(const ProgressEvent& event, double seconds);
/// trace.csv: one row a barrier.
[[nodiscard]] Trace::Columns slim_trace_columns();
/// "all 40981 items certified, worst gap / objective 9.9e-07".
[[nodiscard]] std::string certified_text(const SlimResult& result);
[[nodiscard]] Summary slim_summary(const FitOptions& options, const SlimResult& result);
/// Five lines: what was fitted, certificate, size, time, where the files are.
[[nodiscard]] std::string slim_closing_lines(const FitOptions& options, const SlimResult& result,
                                             const RunDirectory& directory);

}  // namespace strads::mf
