// What `mf fit` writes and shows. Formats: docs/OUTPUT.md.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "mf/factors/factor_quality.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/output/run_facts.hpp"
#include "mf/problem/mf.hpp"
#include "strads/program/progress_line.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/summary.hpp"
#include "strads/program/trace.hpp"

namespace strads::mf {

/// Everything about a finished fit.
struct FitResult : RunFacts {
  std::shared_ptr<MfData> data;
  MfSolution solution;  ///< its factors and biases have moved to `model`
  FactorModel model;
  Quality test;  ///< of the factors that are written, strangers of --test included
  std::string model_hash;
};

/// "12.3 s  sweep 4  objective 5.1e+04  train 0.71  validation 0.87  test 0.88  3.1e+07 ratings/s": all of it about the
/// last finished sweep. `sgd`: "objective met" and "met". `swept_seconds`: when it ended.
/// `stop`: what validation pairs are looked at by, in place of errors.
/// `sweeps`: how many at the most, and whether fewer may do.
[[nodiscard]] ProgressLine progress_line(const ProgressEvent& event, double seconds, double swept_seconds,
                                         std::uint64_t ratings, const RankedBy& stop = {}, ProgressCount sweeps = {});
/// At most so many sweeps; fewer, where the fit may converge or stop early before.
[[nodiscard]] ProgressCount sweeps_of(const MfOptions& options, std::uint64_t validation);
/// "sweep 4", "sweep 4 of 18", "sweep 4 and a part of the next": whose factors are kept.
[[nodiscard]] std::string kept_text(const MfSolution& solution);
/// "objective 5.1e+04, train RMSE 0.71, validation RMSE 0.87, test RMSE 0.88, MAE 0.7": of the factors that are kept.
[[nodiscard]] std::string errors_text(const MfSolution& solution, const Quality& test);
/// trace.csv: one row a sweep.
[[nodiscard]] Trace::Columns trace_columns();

[[nodiscard]] Summary summary_of(const FitOptions& options, const FitResult& result);

/// Five lines: what was fitted, quality, size, time, where the files are.
[[nodiscard]] std::string closing_lines(const FitOptions& options, const FitResult& result,
                                        const RunDirectory& directory);

}  // namespace strads::mf
