#include "lasso/run/planned_work.hpp"

#include <algorithm>
#include <cmath>

#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

// What fits and paths on real and made-up genotypes have shown; bench/RESULTS.md, "Paths before the start", has them.
constexpr double kPhasesPerDecade = 10.5;     // of a single fit, to a relative gap of 1e-6
constexpr double kDecadesOfTolerance = 6;     // to which that belongs
constexpr double kPhasesPerLambda = 1.25;     // of a path
constexpr double kPassesPerPhase = 1.5;       // bounds leave most columns out, several blocks a round read more
constexpr double kScanPasses = 8;             // statistics and products with y, all of it touched for the first time
constexpr double kPairsPerSquare = 1.5;       // products of pairs, by nonzeros squared, one dot product each
constexpr double kProductsOfClasses = 7;      // as many of the binomial family: weights change them,
constexpr double kWeightedProduct = 0.6;      // and decoded columns are multiplied; of a local flop
constexpr double kSolveFlopsPerSquare = 130;  // of a phase, by nonzeros squared
constexpr double kSweepFlopsPerSquare = 400;  // with less than ...
constexpr double kSweepsBelow = 200;          // ... nonzeros blocks are solved by sweeps
constexpr double kRefitShare = 0.6;           // nonzeros of the best solution, by those where the path stops
constexpr double kStopRatio = 1.0 / 16;       // lambda / lambda_max where a path is at its best for others
constexpr double kCheckShare = 0.7;   // a solution's check, in passes over all columns; most have none of their own
constexpr double kSerialShare = 0.3;  // of solving that one thread does alone
// Of ridge: conjugate gradients to a relative gap of 1e-6 take sqrt(1 + J / (1200 lambda / lambda_max)) steps a lambda,
// as if the largest eigenvalue of X'X were J / 4 and the steepest column 0.3.
constexpr double kRidgeScale = 1200;
constexpr double kRidgeDecades = 8;    // of the gap, to which that belongs
constexpr double kRidgeFirst = 2;      // digits of it that the start lacks
constexpr double kRidgeColdStart = 2;  // a single lambda begins with zeros
constexpr double kRidgeOfClasses = 2;  // Newton steps
constexpr double kRidgeStep = 3;       // passes that a step costs: adding up columns takes twice as long as products

/// Lambdas that a path comes to.
double planned_lambdas(const WorkSizes& sizes) {
  const auto all = static_cast<double>(sizes.lambdas);
  if (sizes.stop_after == 0 || sizes.lambdas < 2) return all;
  const double least = std::min(sizes.last_ratio, kStopRatio);
  const double share = std::log(kStopRatio) / std::log(std::clamp(least, 1e-12, 0.999));
  const double stopped = std::ceil(1 + (all - 1) * share) + static_cast<double>(sizes.stop_after);
  return std::min(all, std::max(stopped, static_cast<double>(sizes.stop_from)));
}

/// Where that is, of lambda_max, but for the lambdas that it waits.
double planned_stop_ratio(const WorkSizes& sizes) {
  if (sizes.lambdas < 2 || sizes.stop_from == 0) return kStopRatio;
  const double share = static_cast<double>(sizes.stop_from - 1) / static_cast<double>(sizes.lambdas - 1);
  return std::min(kStopRatio, std::pow(sizes.last_ratio, std::min(1.0, share)));
}

double planned_phases(const WorkSizes& sizes, double lambdas) {
  if (sizes.lambdas > 1) return kPhasesPerLambda * lambdas;
  const double decades = std::max(0.2, -std::log10(sizes.last_ratio));
  const double tolerance = -std::log10(sizes.tolerance) / kDecadesOfTolerance;
  return std::max(2.0, std::ceil(kPhasesPerDecade * decades * tolerance));
}

/// Adds a path that ends with this many nonzeros.
void add_path(const WorkSizes& sizes, const sim::CostConstants& prices, double lambdas, double nonzeros,
              PlannedWork& work) {
  const double phases = planned_phases(sizes, lambdas);
  const double pass = 2 * static_cast<double>(sizes.entries);
  const double squared = nonzeros * nonzeros;
  work.solutions += lambdas;
  work.phases += phases;
  work.passes += kScanPasses + kPassesPerPhase * phases;
  work.seconds_passes +=
      pass * (kScanPasses * prices.streamed_flop +
              kPassesPerPhase * phases * (sizes.bytes ? prices.quantised_flop : prices.streamed_flop));
  const double column =
      static_cast<double>(sizes.entries) / static_cast<double>(std::max<std::uint64_t>(1, sizes.columns));
  if (!sizes.sparse) {
    const double price =
        sizes.newton_steps ? kProductsOfClasses * kWeightedProduct * prices.local_flop : prices.tiled_flop;
    work.seconds_pairs += 2 * column * kPairsPerSquare * squared * price;
  }
  work.seconds_solving +=
      phases * (nonzeros < kSweepsBelow ? kSweepFlopsPerSquare : kSolveFlopsPerSquare) * squared * prices.local_flop;
  work.seconds_check += kCheckShare * lambdas * pass * prices.streamed_flop;
}

/// A path of ridge: two passes a step of conjugate gradients, and no products of pairs.
void add_ridge_path(const WorkSizes& sizes, const sim::CostConstants& prices, double lambdas, PlannedWork& work) {
  const auto columns = static_cast<double>(sizes.columns);
  double steps = 0;
  const auto grid = static_cast<double>(sizes.lambdas);  // whose first ones are solved
  for (double k = 1; k <= lambdas; ++k) {
    const double ratio = grid > 1 ? std::pow(sizes.last_ratio, (k - 1) / (grid - 1)) : sizes.last_ratio;
    steps += std::sqrt(1 + columns / (kRidgeScale * ratio));
  }
  steps *= (kRidgeFirst - std::log10(sizes.tolerance)) / kRidgeDecades;
  if (lambdas == 1) steps *= kRidgeColdStart;
  if (sizes.newton_steps) steps *= kRidgeOfClasses;
  const double pass = 2 * static_cast<double>(sizes.entries);
  work.solutions += lambdas;
  work.phases += lambdas;
  work.passes += kScanPasses + lambdas + 2 * steps;
  work.seconds_passes += pass * (kScanPasses + lambdas) * prices.streamed_flop;
  work.seconds_solving += pass * kRidgeStep * steps * prices.streamed_flop;
  work.seconds_check += kCheckShare * lambdas * pass * prices.streamed_flop;
}

std::string whole_text(double count) {
  return short_text(std::ceil(count), 9);
}

std::string assumed_text(const WorkSizes& sizes, const PlannedWork& work) {
  if (sizes.all_ridge()) {
    return "assumed  ridge: all " + whole_text(work.nonzeros) +
           " variables in every solution; how many steps of conjugate gradients a lambda takes is guessed";
  }
  return "assumed  " + whole_text(work.nonzeros) + " nonzeros at the last lambda, " +
         (sizes.nonzeros > 0
              ? "as given"
              : "guessed from the shape: between 1 and " + std::to_string(std::min(sizes.samples, sizes.columns)) +
                    ", the data decide; --expected-nonzeros K plans for K") +
         (sizes.ridge_paths > 0 ? "; all variables where --l1-ratio is 0" : "");
}

std::string minutes_text(double seconds) {
  return seconds < 100 ? short_text(seconds, 2) + " s" : short_text(seconds / 60, 2) + " min";
}

}  // namespace

double guessed_nonzeros(const WorkSizes& sizes) {
  const auto samples = static_cast<double>(std::max<std::uint64_t>(1, sizes.samples));
  const auto columns = static_cast<double>(std::max<std::uint64_t>(1, sizes.columns));
  const double smaller = std::min(samples, columns);
  constexpr double kTraitCorrelation = 0.12, kNoise = 0.7, kIndependent = 4;
  constexpr double kSignals = 0.03, kFirstSignals = 0.001, kSignalsExponent = 1.5;
  if (sizes.stop_after > 0) return std::max(1.0, std::min({18 * std::sqrt(samples), samples / 5, columns}));
  const double largest = std::max(std::sqrt(2 * std::log(columns) / samples), kTraitCorrelation);
  const double ratio = std::clamp(sizes.last_ratio, 1e-6, 1.0);
  const double t = ratio * largest * std::sqrt(samples) / kNoise;
  const double beyond = columns / kIndependent * std::erfc(t / std::sqrt(2.0));
  const double noise = samples * (1 - std::exp(-beyond / samples));
  const double signals = smaller * std::min(kSignals, kFirstSignals * std::pow(ratio, -kSignalsExponent));
  return std::clamp(noise + signals, 1.0, smaller);
}

double planned_nonzeros(const WorkSizes& sizes) {
  if (sizes.all_ridge()) return static_cast<double>(sizes.columns);
  return sizes.nonzeros > 0 ? static_cast<double>(sizes.nonzeros) : std::ceil(guessed_nonzeros(sizes));
}

double PlannedWork::seconds_on(unsigned threads) const {
  const double serial = kSerialShare * seconds_solving;
  return serial + (seconds() - serial) / std::max(1U, threads);
}

PlannedWork planned_work(const WorkSizes& sizes, const sim::CostConstants& prices) {
  PlannedWork work;
  work.nonzeros = planned_nonzeros(sizes);
  const double lambdas = planned_lambdas(sizes);
  for (std::uint64_t k = 0; k < std::max<std::uint64_t>(1, sizes.paths) - sizes.ridge_paths; ++k) {
    add_path(sizes, prices, lambdas, work.nonzeros, work);
  }
  for (std::uint64_t k = 0; k < sizes.ridge_paths; ++k) add_ridge_path(sizes, prices, lambdas, work);
  for (std::uint64_t k = 0; k < sizes.refits; ++k) {
    WorkSizes refit = sizes;  // a fit of one lambda, where the path was at its best
    refit.lambdas = 1;
    if (sizes.stop_after > 0) refit.last_ratio = std::max(sizes.last_ratio, kStopRatio);
    if (sizes.all_ridge()) {
      add_ridge_path(refit, prices, 1, work);
    } else {
      add_path(refit, prices, 1, kRefitShare * work.nonzeros, work);
    }
  }
  return work;
}

std::string work_lines(const WorkSizes& sizes, const PlannedWork& work, unsigned threads,
                       const std::string& prices_from) {
  std::string text = "work     " + std::string(sizes.stop_after > 0 ? "about " : "") + whole_text(work.solutions) +
                     (work.solutions == 1 ? " solution" : " solutions") + " for " + std::to_string(sizes.samples) +
                     " samples, about " + whole_text(work.phases) + " phases and " + whole_text(work.passes) +
                     " passes over the columns besides the check of the solutions\n";
  text += assumed_text(sizes, work);
  if (sizes.stop_after > 0) text += "; the path stops at lambda_max / " + short_text(1 / planned_stop_ratio(sizes), 3);
  text += "\ntime     about " + minutes_text(work.seconds()) + " of processor time: passes " +
          minutes_text(work.seconds_passes) + ", products of pairs " + minutes_text(work.seconds_pairs) + ", solving " +
          minutes_text(work.seconds_solving) + ", check " + minutes_text(work.seconds_check);
  if (threads > 1) {
    text += "; " + minutes_text(work.seconds_on(threads)) + " on " + std::to_string(threads) +
            " threads that nobody else uses";
  }
  return text + "\n         " + prices_from + "; reading from the disk is not counted\n";
}

}  // namespace strads::lasso
