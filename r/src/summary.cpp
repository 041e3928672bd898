#include "summary.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "host.hpp"
#include "results.hpp"
#include "strads/data/study_in_memory.hpp"
#include "sumstats/library/sumstats_library.hpp"

namespace strads::r {
namespace {

using Path = sumstats::SummaryPathCall;

std::span<const double> statistics_named(const cpp11::list& study, const char* name) {
  SEXP given = study[name];
  if (given == R_NilValue) return {};
  const cpp11::doubles numbers(given);
  return {REAL(numbers.data()), static_cast<std::size_t>(numbers.size())};
}

/// Views of R's vectors, which live as long as the call.
std::shared_ptr<const StudyInMemory> study_from(const cpp11::list& given) {
  auto study = std::make_shared<StudyInMemory>();
  study->r = statistics_named(given, "r");
  study->beta = statistics_named(given, "beta");
  study->se = statistics_named(given, "se");
  study->p = statistics_named(given, "p");
  study->n = statistics_named(given, "n");
  study->frequency = statistics_named(given, "frequency");
  if (SEXP blocks = given["blocks"]; blocks != R_NilValue) {
    const cpp11::integers numbers(blocks);
    const auto own = std::make_shared<const std::vector<std::uint32_t>>(numbers.begin(), numbers.end());
    study->blocks = *own;
    study->owners.push_back(own);
  }
  return study;
}

std::vector<double> of_points(const Path& path, double (*figure)(const sumstats::GridSolution&)) {
  std::vector<double> out;
  out.reserve(path.points.size());
  for (const sumstats::GridSolution& point : path.points) out.push_back(figure(point));
  return out;
}

/// The slots of two dgCMatrices of one pattern, a column for each point: standardised, and for a copy.
void push_solutions(cpp11::writable::list& out, const Path& path) {
  using cpp11::literals::operator""_nm;
  if (path.variables.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw std::length_error("the path has more nonzeros than a dgCMatrix can have; ask for fewer lambdas");
  }
  const std::vector<int> starts(path.starts.begin(), path.starts.end());
  const std::vector<int> rows(path.variables.begin(), path.variables.end());
  cpp11::writable::list standardized{"p"_nm = starts, "i"_nm = rows, "x"_nm = path.standardized};
  cpp11::writable::list coefficients{"p"_nm = starts, "i"_nm = rows, "x"_nm = path.coefficients};
  out.push_back("standardized"_nm = standardized);
  out.push_back("beta"_nm = coefficients);
}

/// The variants that take part: column of the panel and number of the block (both from 1), r, mean.
cpp11::writable::list variants_of(const Path& path) {
  using cpp11::literals::operator""_nm;
  const sumstats::SummaryVariants& own = path.variants;
  std::vector<double> columns, blocks;
  std::size_t block = 0;
  for (std::size_t v = 0; v < own.columns.size(); ++v) {
    while (own.begins[block + 1] <= v) ++block;
    columns.push_back(static_cast<double>(own.columns[v]) + 1);
    blocks.push_back(static_cast<double>(block) + 1);
  }
  return {"column"_nm = columns, "block"_nm = blocks, "r"_nm = own.r, "mean"_nm = own.means};
}

void push_dropped(cpp11::writable::list& out, const Path& path) {
  using cpp11::literals::operator""_nm;
  std::vector<std::string> reasons;
  std::vector<double> counts;
  for (const auto& dropped : path.variants.dropped) {
    reasons.push_back(dropped.first);
    counts.push_back(static_cast<double>(dropped.second));
  }
  out.push_back("reasons"_nm = reasons);
  out.push_back("dropped"_nm = counts);
}

void push_choice(cpp11::writable::list& out, const Path& path) {
  using cpp11::literals::operator""_nm;
  if (!path.choice) return;
  cpp11::writable::list choice{"point"_nm = static_cast<double>(path.choice->point) + 1,
                               "by"_nm = path.choice->by_people ? "validation" : "pseudo-validation",
                               "measure"_nm = path.choice->measure,
                               "people"_nm = static_cast<double>(path.choice->people)};
  out.push_back("choice"_nm = choice);
  out.push_back("measured"_nm = path.measured);
}

cpp11::writable::list list_of_path(const Path& path) {
  using cpp11::literals::operator""_nm;
  cpp11::writable::list out = list_of_run(path, path.converged, path.samples, path.columns);
  out.push_back("model_hash"_nm = path.model_hash);
  out.push_back("weights"_nm = path.weights);
  out.push_back("lambda_max"_nm = path.lambda_max);
  out.push_back("n_max"_nm = path.n_max);
  out.push_back("frequency_correlation"_nm = path.frequency_correlation);
  out.push_back("shrinks"_nm = path.shrinks);
  out.push_back("lambdas"_nm = path.lambdas);
  out.push_back("objective"_nm = of_points(path, [](const sumstats::GridSolution& point) { return point.objective; }));
  out.push_back("gap"_nm = of_points(path, [](const sumstats::GridSolution& point) { return point.gap; }));
  out.push_back("relative_gap"_nm = of_points(path, [](const sumstats::GridSolution& point) { return point.worst; }));
  push_solutions(out, path);
  out.push_back("variants"_nm = variants_of(path));
  push_dropped(out, path);
  push_choice(out, path);
  return out;
}

}  // namespace

SEXP call_sumstats(const cpp11::strings& options, const cpp11::strings& values, const cpp11::list& panel, SEXP study,
                   SEXP validation, SEXP callback) {
  using cpp11::literals::operator""_nm;
  Host host(callback);
  sumstats::SummaryCall call;
  call.options = options_from(options, values);
  call.host = host.functions();
  if (SEXP x = panel["x"]; x != R_NilValue) call.panel = data_from(panel);
  if (study != R_NilValue) call.study = study_from(cpp11::list(study));
  if (validation != R_NilValue) call.validation = data_from(cpp11::list(validation));
  const auto result = sumstats::call_path(call);
  cpp11::writable::list out = result.ok() ? list_of_path(result.value()) : list_of(result.status(), host.notes);
  out.push_back("interrupted"_nm = host.interrupted);
  out.push_back("condition"_nm = host.condition());
  return out;
}

cpp11::writable::list options_of_sumstats() {
  return list_of(sumstats::options_of_path());
}

}  // namespace strads::r
