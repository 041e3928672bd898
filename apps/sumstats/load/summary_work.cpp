#include "sumstats/load/summary_work.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "strads/program/calibrate.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/transport/threads.hpp"
#include "sumstats/model/summary_model.hpp"
#include "sumstats/solver/block_work.hpp"

namespace strads::sumstats {
namespace {

/// A flop of the check, which looks at eight solutions at a time, by one of a pass over genotypes.
constexpr double kCheckFlop = 1.8;

std::string duration_text(double seconds) {
  return seconds < 100 ? short_text(seconds, 2) + " s" : short_text(seconds / 60, 2) + " min";
}

}  // namespace

double SummaryWork::seconds_on(unsigned threads) const {
  const double solving = (seconds_products + seconds_sweeps) / std::max(1U, threads);
  return std::max(solving, seconds_largest) + seconds_check / std::max(1U, threads);
}

SummaryWork planned_summary_work(const SummaryProblem& problem, const Grid& grid, const sim::CostConstants& prices) {
  SummaryWork work;
  const double sweep_flop = kSweepSlower * prices.local_flop;
  for (std::uint32_t block = 0; block < problem.blocks(); ++block) {
    const BlockWork own = work_of_block(problem, grid, block);
    if (own.weight() == 0) continue;
    ++work.visited;
    work.variants += problem.size_of(block);
    work.largest = std::max<std::uint64_t>(work.largest, problem.size_of(block));
    const double products = static_cast<double>(own.products) * prices.tiled_flop;
    const double sweeps = static_cast<double>(own.sweeps) * sweep_flop;
    work.seconds_products += products;
    work.seconds_sweeps += sweeps;
    work.seconds_largest = std::max(work.seconds_largest, products + sweeps);
  }
  work.seconds_check = 2 * static_cast<double>(problem.columns->rows()) * static_cast<double>(work.variants) *
                       static_cast<double>(grid.size()) * kCheckFlop * prices.streamed_flop;
  return work;
}

Result<std::string> summary_work_lines(const PathOptions& options) {
  if (options.cluster.wanted()) return std::string("time     on a cluster: strads_sim run sumstats says it\n");
  if (Status fixed = use_simd(options.machine.simd); !fixed.ok()) return fixed;
  const Stopwatch reading;
  STRADS_ASSIGN_OR_RETURN(const auto loaded, load_summary(options, *make_threads(options.machine.threads)));
  const double read = reading.seconds();
  const SummaryProblem& problem = *loaded->problem;
  const Grid grid = grid_of(options, loaded->lambda_max);
  const Stopwatch measuring;
  const Calibration prices = calibrate_shortly(problem.columns->rows(), "genotypes");
  const double measured = measuring.seconds();
  const SummaryWork work = planned_summary_work(problem, grid, costs_for(prices, "genotypes"));
  std::string text = "work     " + with_unit(grid.size(), "solution", "solutions") + " for " +
                     with_unit(problem.variants.size(), "variant", "variants") + " in " +
                     with_unit(problem.blocks(), "block", "blocks") + "; " + std::to_string(work.visited) +
                     " of them are visited, the largest has " + with_unit(work.largest, "variant", "variants") +
                     "\nassumed  sweeps by how many correlations exceed each lambda: several times as many, or a part "
                     "of them, may be needed\ntime     about " +
                     duration_text(work.seconds()) + " of processor time: Gram matrices " +
                     duration_text(work.seconds_products) + ", sweeps " + duration_text(work.seconds_sweeps) +
                     ", check " + duration_text(work.seconds_check);
  const unsigned threads = threads_wanted(options.machine.threads);
  if (threads > 1) {
    text += "; " + duration_text(work.seconds_on(threads)) + " on " + std::to_string(threads) +
            " threads that nobody else uses";
  }
  return text + "\n         prices of this machine, measured in " + short_text(measured, 2) +
         " s; not counted: reading (" + short_text(read, 2) + " s just now), the choice and writing\n";
}

}  // namespace strads::sumstats
