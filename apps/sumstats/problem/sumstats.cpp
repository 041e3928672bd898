#include "sumstats/problem/sumstats.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "strads/base/hash.hpp"
#include "strads/engine/progress.hpp"
#include "sumstats/problem/block_record.hpp"

namespace strads::sumstats {

void release_block(const SummaryProblem& problem, std::uint32_t block) {
  if (problem.size_of(block) == 0) return;
  const auto [first, last] =
      std::ranges::minmax(std::span(problem.variants).subspan(problem.begins[block], problem.size_of(block)));
  problem.panel->release_columns(first, last + 1);
}

double lambda_max_of(const SummaryProblem& problem) {
  double largest = 0;
  for (std::size_t j = 0; j < problem.r.size(); ++j) {
    largest = std::max(largest, std::abs(problem.r[j]) / problem.weights[j]);
  }
  return largest;
}

namespace {

/// By lambda: sum_j (|r_j| - lambda w_j)_+^2.
std::vector<double> squares_beyond(const SummaryProblem& problem, const Grid& grid, std::uint32_t block) {
  std::vector<double> of_lambdas(grid.lambdas.size(), 0.0);
  for (std::size_t j = problem.begins[block]; j < problem.begins[block + 1]; ++j) {
    for (std::size_t l = grid.lambdas.size(); l-- > 0;) {
      const double over = std::abs(problem.r[j]) - grid.lambdas[l] * problem.weights[j];
      if (over <= 0) break;
      of_lambdas[l] += over * over;
    }
  }
  return of_lambdas;
}

}  // namespace

double gap_at_zero(const SummaryProblem& problem, const Grid& grid, std::uint32_t block) {
  const std::vector<double> of_lambdas = squares_beyond(problem, grid, block);
  double gap = 0;
  for (const double shrink : grid.shrinks) {
    for (const double squares : of_lambdas) gap += squares / (2 * shrink);
  }
  return gap;
}

std::vector<double> gaps_at_zero(const SummaryProblem& problem, const Grid& grid, std::uint32_t block) {
  std::vector<double> gaps;
  const std::vector<double> of_lambdas = squares_beyond(problem, grid, block);
  for (const double shrink : grid.shrinks) {
    for (const double squares : of_lambdas) gaps.push_back(squares / (2 * shrink));
  }
  return gaps;
}

std::uint64_t SummarySolution::solved_count() const {
  return static_cast<std::uint64_t>(std::count(solved.begin(), solved.end(), true));
}

namespace {

SummarySolution nothing_solved(const SummaryProblem& problem, const Grid& grid) {
  SummarySolution solution;
  solution.blocks.resize(problem.blocks());
  solution.solved.assign(problem.blocks(), false);
  for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
    solution.solved[block] = gap_at_zero(problem, grid, block) == 0;
  }
  return solution;
}

void take_record(const StoredRecord& record, const Grid& grid, SummarySolution& solution) {
  solution.blocks[record.head.block] = solutions_of(record, grid.size());
  solution.solved[record.head.block] = record.head.going == 0;
}

}  // namespace

SummarySolution summary_solution_of(const SummaryProblem& problem, const Grid& grid, const RunEnd& end) {
  SummarySolution solution = nothing_solved(problem, grid);
  for (const Payload& status : end.statuses) {
    each_record(status, kFields<SliceReport>, [&](const StoredRecord& record) { take_record(record, grid, solution); });
  }
  return solution;
}

SummarySolution take_solution(const SummaryProblem& problem, const Grid& grid, RunEnd& end) {
  SummarySolution solution = nothing_solved(problem, grid);
  for (Payload& status : end.statuses) {
    auto heads = std::span<const double>(status.values).subspan(kFields<SliceReport>);
    for (SharedFloats& floats : status.bulk) {
      take_record({read_fields<RecordHead>(heads), std::exchange(floats, {})}, grid, solution);
      heads = heads.subspan(kFields<RecordHead>);
    }
  }
  end.statuses.clear();
  return solution;
}

std::string solution_hash(const SummaryProblem& problem, const Grid& grid, const SummarySolution& solution) {
  Hash64 hash;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
      if (solution.blocks[block].empty()) continue;
      const BlockSolution& own = solution.blocks[block][k];
      hash.update_u64(own.places.size());
      for (const std::uint32_t place : own.places) hash.update_u64(problem.variants[problem.begins[block] + place]);
      for (const double value : own.values) hash.update_f64(value);
    }
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  std::uint64_t rest = hash.digest();
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, rest >>= 4U) *digit = kDigits[rest & 15U];
  return text;
}

}  // namespace strads::sumstats
