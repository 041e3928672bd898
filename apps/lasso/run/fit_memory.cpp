#include "lasso/run/fit_memory.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "lasso/problem/lasso.hpp"
#include "lasso/problem/payloads.hpp"
#include "lasso/problem/solution.hpp"
#include "lasso/run/planned_work.hpp"
#include "strads/policies/phases.hpp"
#include "strads/program/calibrate.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/transport/threads.hpp"

namespace strads::lasso {
namespace {

// Bytes for each column. They are counted from the members of StandardizedColumns, SliceView, SliceGradients and
// SlicePositions, and compared with fits (bench/RESULTS.md, "Memory before the start").
constexpr std::uint64_t kStatistics = 16 + 1;  ///< mean and norm; state
constexpr std::uint64_t kSquaredNorm = 8;
constexpr std::uint64_t kSlice = 2 * 4 + 8 + 8 + 1 + 4 + 2;  ///< ids twice, beta, gradient, its version; a pass; marks
constexpr std::uint64_t kLength = 8;                   ///< of columns that are not all about as long as each other
constexpr std::uint64_t kLengthOfCalls = kLength / 2;  ///< they are where none is missing, which nobody knows before
constexpr std::uint64_t kPosition = 4;
constexpr std::uint64_t kWeight = 20;  ///< p(j), a tree over whole numbers, what the policy remembers
/// More slices than this search for positions instead.
constexpr std::uint32_t kTablesUpTo = 64;
/// Vectors of the length of a column: residuals that gradients belong to, the replica, the response, directions.
constexpr std::uint64_t kVectors = 17;
/// Of losses of the predictor besides: predictor, slope and curvature of every replica and of the block that is solved.
constexpr std::uint64_t kVectorsOfPredictor = 16;
/// Of ridge, for each variable: messages with all of them, and the vectors of conjugate gradients.
constexpr std::uint64_t kRidgeVectors = 250;
/// And for each variable and lambda: what a solution is kept in, with the number and value of the message that brought
/// it, and what files are made from.
constexpr std::uint64_t kRidgeKept = Solution::kBytesOfNonzero + 12, kRidgeWritten = 120;
/// Nonzeros that are planned for, of columns that are not genotypes or where one lambda is solved, at the most: their
/// fits were looked at with these (bench/RESULTS.md).
constexpr double kPlannedNonzerosMax = 500;
constexpr double kFactorFrom = 200;     ///< nonzeros, from which on blocks are solved by pivots
constexpr double kGramWidthMax = 6000;  ///< variables of a Gram matrix (apps/lasso/solver/nested_block.cpp)

/// Variables of a block's Gram matrix that are not nonzero, and columns of as many entries that are on their way to it.
struct Beside {
  double zeros = 0, on_their_way = 0;
  bool is_nested = false;  ///< the block is one of many products
};

/// Zeros that a working set takes with few nonzeros.
double zeros_beside_few(double columns) {
  return static_cast<double>(new_variables_min(columns));
}

/// As many zeros as a working set takes with few nonzeros; more of them pass the strong rule where many columns are
/// alike, that is with many more columns than samples. Blocks of many products (apps/lasso/solver/nested_block.cpp)
/// take in fewer.
Beside beside_nonzeros(double nonzeros, double rows, double columns) {
  constexpr double kNestedProducts = 2e10;  // pairs x rows, from which on
  constexpr double kNestedShare = 0.2;
  const double zeros = std::max(zeros_beside_few(columns), (0.2 + 0.05 * std::min(6.0, columns / rows)) * nonzeros);
  if (rows * zeros * (nonzeros + zeros) < kNestedProducts) return {zeros, zeros / 2};
  return {kNestedShare * nonzeros, kNestedShare * nonzeros / 2, true};
}

/// Four bit planes, a byte a sample, of `lefts` and `rights` columns whose products are computed, in strips
/// (src/numerics/columns/columns_gram.cpp).
double planes(const FitSizes& sizes, double lefts, double rights) {
  constexpr double kStrip = 32.0 * (1 << 20);
  if (sizes.data.storage != Storage::genotype_2bit) return 0;
  const auto rows = static_cast<double>(sizes.data.rows);
  return std::min(kStrip, rows * lefts) + std::min(kStrip, rows * rights);
}

/// Products of a working set: the matrix; then rows on their way to it and bit planes; and, when these are there, the
/// factor of the pivots. Rows that come in small pieces lie in memory that is not given back before there is a factor.
/// At large lambda fewer variables can be nonzero: noise alone gives N (1 - sqrt(lambda / lambda_max)) at the most.
/// Joint blocks are solved where the schedulers are; published policies have none.
std::uint64_t products(const FitSizes& sizes) {
  if (sizes.draws_all || sizes.schedulers_here == 0) return 0;
  const auto columns = static_cast<double>(sizes.data.columns), rows = static_cast<double>(sizes.data.rows);
  const double most = 1 + std::min(rows, columns) * (1 - std::sqrt(std::clamp(sizes.lambda_ratio, 0.0, 1.0)));
  const double nonzeros = std::min(sizes.nonzeros, kGramWidthMax);
  const double few = zeros_beside_few(columns);
  const Beside beside = sizes.is_path ? beside_nonzeros(nonzeros, rows, columns) : Beside{few, few};
  const double width = std::min({columns, nonzeros + beside.zeros, std::floor(4 * most), kGramWidthMax});
  const double places = nonzeros < kFactorFrom || nonzeros > width ? 0 : 9 * nonzeros / 8 + 64;
  const double fresh = std::min(width, beside.on_their_way), rows_on_their_way = 8 * width * fresh;
  const double factor = 8 * places * places + (beside.is_nested ? 0 : rows_on_their_way);
  const double besides = std::max(rows_on_their_way + planes(sizes, fresh, width), factor);
  return static_cast<std::uint64_t>(8 * width * width + besides);
}

std::uint64_t slices(const FitSizes& sizes) {
  const std::uint64_t columns = sizes.data.columns;
  const std::uint64_t own = columns * sizes.schedulers_here / sizes.schedulers;
  const bool has_tables = sizes.schedulers > 1 && sizes.schedulers <= kTablesUpTo;
  const Storage storage = sizes.data.storage;
  const bool has_calls = storage == Storage::genotype_2bit || storage == Storage::dosage_u16;
  const std::uint64_t length = !sizes.is_scaled ? kLength : has_calls ? kLengthOfCalls : 0;
  return own * (kSlice + length + (sizes.draws_all ? kWeight : 0)) +
         (has_tables ? kPosition * columns * sizes.schedulers_here : 0);
}

/// lambda / lambda_max of the last lambda, where it is known; a path goes down to small ones, and what other scales
/// mean is known when the data were read.
double planned_last_ratio(const LassoOptions& lasso, double samples, double columns) {
  const PathOptions& path = lasso.path;
  constexpr double kUnknownRatio = 0.1;
  if (!path.wanted()) return lasso.lambda_scale == LambdaScale::ratio ? lasso.lambda : kUnknownRatio;
  if (path.given.empty()) return path.min_ratio > 0 ? path.min_ratio : default_min_ratio(samples, columns);
  if (lasso.lambda_scale == LambdaScale::ratio) return path.given.back();
  return std::min(kUnknownRatio, path.given.back() / path.given.front());
}

std::uint64_t ridge_problems(const FitOptions& options, const ProblemCount& count) {
  if (count.ridge > 0) return count.ridge;
  return options.lasso.l1_ratio == 0 ? count.problems : 0;
}

/// Of these, paths: a refit belongs to each of them, or to none.
std::uint64_t ridge_paths_of(const FitOptions& options, const ProblemCount& count) {
  return ridge_problems(options, count) * (count.problems - count.refits) / count.problems;
}

/// Lambdas of a path, or 1.
std::uint64_t count_lambdas(const PathOptions& path) {
  return !path.wanted() ? 1 : path.given.empty() ? path.count : path.given.size();
}

std::uint64_t bytes_of_solutions(std::uint64_t columns, std::uint64_t lambdas, std::uint64_t kept,
                                 std::uint64_t written) {
  return columns * lambdas * (kRidgeKept * kept + kRidgeWritten * written);
}

/// `people`: who takes part, where somebody has looked.
WorkSizes work_sizes(const FitOptions& options, const ProblemCount& count, const DataShape& shape,
                     const std::optional<PeopleShape>& people) {
  WorkSizes work;
  work.rows = shape.rows;
  work.samples = !people ? shape.rows : people->train > 0 ? people->train : people->samples;
  work.columns = shape.columns;
  work.sparse = shape.storage == Storage::sparse_f32 || shape.storage == Storage::sparse_f64;
  work.entries = work.sparse ? shape.entries : shape.rows * shape.columns;
  work.bytes = shape.storage == Storage::genotype_2bit || is_bytes(shape.storage);
  work.newton_steps = !options.lasso.family->is_squares();
  const PathOptions& path = options.lasso.path;
  work.lambdas = count_lambdas(path);
  work.last_ratio =
      planned_last_ratio(options.lasso, static_cast<double>(work.samples), static_cast<double>(work.columns));
  work.tolerance = options.lasso.tolerance;
  work.stop_after = count.stop_after;
  work.stop_from = count.stop_from;
  work.refits = count.refits;
  work.paths = count.problems - count.refits;
  work.nonzeros = options.expected_nonzeros;
  work.ridge_paths = ridge_paths_of(options, count);
  return work;
}

FitSizes sizes_of(const FitOptions& options, const ProblemCount& count, const DataShape& shape,
                  const std::optional<PeopleShape>& people) {
  FitSizes sizes;
  sizes.data = shape;
  const bool covariates = !options.input.response.covar.empty() || !options.input.response.covar_names.empty();
  const std::uint64_t named = std::max<std::size_t>(1, options.input.response.covar_names.size());
  sizes.extra_vectors =
      (covariates ? 2 * (people ? people->covariates : named) : 0) + (options.input.response.weights.empty() ? 0 : 3) +
      (options.input.response.offset.empty() ? 0 : 2) + (options.lasso.family->is_squares() ? 0 : kVectorsOfPredictor);
  sizes.problems = count.problems;
  sizes.at_once = std::min(count.at_once, count.problems);
  sizes.schedulers = sizes.schedulers_here = options.engine.schedulers;
  sizes.is_scaled = options.lasso.scale;
  const WorkSizes work = work_sizes(options, count, shape, people);
  const bool many = options.lasso.path.wanted() && work.bytes;
  sizes.lambda_ratio = std::min(work.last_ratio, options.lasso.path.wanted() ? 0.1 : 1.0);
  sizes.nonzeros = planned_nonzeros(work);
  sizes.is_path = options.lasso.path.wanted();
  // Whose tasks begin first goes first, so that others are behind; where the errors of all of them end the paths, they
  // go down the lambdas side by side.
  constexpr double kOfAnother = 0.35;
  const auto others = static_cast<double>(sizes.at_once - 1);
  sizes.at_largest = 1 + (count.side_by_side ? 1.0 : kOfAnother) * others;
  if (!many && work.nonzeros == 0) sizes.nonzeros = std::min(sizes.nonzeros, kPlannedNonzerosMax);
  sizes.draws_all = options.lasso.policy != Policy::automatic;
  sizes.ridge_problems = ridge_problems(options, count);
  sizes.ridge_kept = work.ridge_paths;
  sizes.ridge_written = count.ridge > 0 ? count.ridge_written : sizes.ridge_kept;
  sizes.lambdas = work.lambdas;
  return sizes;
}

/// How long it takes, in lines for people. Of a cluster `strads_sim plan` says it.
Result<std::string> time_lines(const FitOptions& options, const ProblemCount& count, const DataShape& shape,
                               const PeopleShape& people) {
  if (options.cluster.wanted()) return std::string("time     on a cluster: strads_sim plan says it\n");
  if (options.lasso.policy != Policy::automatic)
    return std::string("time     of a published policy is not estimated\n");
  Calibration prices;
  std::string from = "prices of " + options.cost_model;
  if (options.cost_model.empty()) {
    const Stopwatch watch;
    prices = calibrate_shortly(shape.rows, storage_name(shape.storage));
    from = "prices of this machine, measured in " + short_text(watch.seconds(), 2) + " s";
  } else {
    STRADS_ASSIGN_OR_RETURN(prices, read_calibration(options.cost_model));
  }
  const WorkSizes sizes = work_sizes(options, count, shape, people);
  const unsigned threads = options.machine.threads;
  return work_lines(sizes, planned_work(sizes, costs_for(prices, storage_name(shape.storage))), threads_wanted(threads),
                    from);
}

std::string people_text(const PeopleShape& people) {
  if (people.train == 0) return {};
  return "people   " + std::to_string(people.train) + " train, " + std::to_string(people.validate) + " validate, " +
         std::to_string(people.test) + " test\n";
}

}  // namespace

ProcessMemory fit_memory(const FitSizes& sizes) {
  const DataShape& data = sizes.data;
  ProcessMemory memory;
  memory.reading = data.reading_bytes;
  memory.parts.push_back({"columns", data.mapped_bytes, data.held_bytes});
  memory.parts.push_back({"names of variables and samples", 0, data.names_bytes});
  const std::uint64_t statistics = data.columns * (kStatistics + (sizes.is_scaled ? 0 : kSquaredNorm));
  memory.parts.push_back({"statistics of the columns", 0, sizes.problems * statistics});
  const std::uint64_t vectors =
      (sizes.computes ? kVectors * sizes.at_once : 4) + sizes.extra_vectors + 2 * sizes.problems;
  memory.parts.push_back({"residuals and responses", 0, 8 * data.rows * vectors});
  if (sizes.ridge_kept > 0) {
    memory.parts.push_back(
        {"coefficients of all variables, for " + with_unit(sizes.lambdas, "lambda", "lambdas") + " of ridge", 0,
         bytes_of_solutions(data.columns, sizes.lambdas, sizes.ridge_kept, sizes.ridge_written)});
  }
  if (!sizes.computes) {
    memory.parts.push_back({"check of what was found", 0, statistics});
    return memory;
  }
  memory.parts.push_back({"slices and their gradients", 0, sizes.at_once * slices(sizes)});
  if (sizes.ridge_problems > 0) {
    const std::uint64_t at_once = std::min(sizes.at_once, sizes.ridge_problems);
    memory.parts.push_back({"vectors over all variables, for ridge", 0, at_once * kRidgeVectors * data.columns});
  }
  if (sizes.ridge_problems >= sizes.problems) return memory;
  memory.guessed = static_cast<std::uint64_t>(sizes.at_largest * static_cast<double>(products(sizes)));
  memory.parts.push_back({"products of pairs, for " + short_text(sizes.nonzeros, 9) + " nonzeros", 0, memory.guessed});
  return memory;
}

std::string ridge_text(const FitOptions& options, const ProblemCount& count, std::uint64_t columns) {
  const std::uint64_t problems = ridge_paths_of(options, count);
  if (problems == 0) return {};
  const std::uint64_t lambdas = count_lambdas(options.lasso.path);
  const double bytes = static_cast<double>(
      bytes_of_solutions(columns, lambdas, problems, count.ridge > 0 ? count.ridge_written : problems));
  const std::string how =
      options.lasso.policy == Policy::automatic
          ? "; each is solved by conjugate gradients, two passes over the columns a step, without products of pairs"
          : "";
  return "--l1-ratio 0, ridge: of " + with_unit(columns, "variable", "variables") +
         " all that are not constant take part in " + with_unit(lambdas, "solution", "solutions") +
         (problems > 1 ? " of each of " + std::to_string(problems) + " paths" : std::string()) +
         ", whose coefficients take up to " + std::to_string(std::lround(std::ceil(bytes / (1 << 20)))) + " MiB" + how;
}

Result<MemoryPlan> plan_fit(const FitOptions& options, const ProblemCount& count, Look look) {
  STRADS_ASSIGN_OR_RETURN(const DataShape data, look_at_dataset(options.input, look));
  MemoryPlan plan;
  plan.shape = std::to_string(data.rows) + " samples x " + std::to_string(data.columns) + " variables, " +
               storage_name(data.storage) +
               (data.entries > 0 ? ", " + std::to_string(data.entries) + " entries" : std::string());
  std::optional<PeopleShape> people;
  if (look == Look::thorough) {
    STRADS_ASSIGN_OR_RETURN(auto seen, look_at_people(options.input, data));
    STRADS_ASSIGN_OR_RETURN(auto lines, time_lines(options, count, data, seen));
    people = seen;
    plan.work = people_text(*people) + lines;
  }
  FitSizes sizes = sizes_of(options, count, data, people);
  const unsigned threads = options.machine.threads;
  if (!options.cluster.wanted()) {
    plan.add(fit_memory(sizes), "this process", 1, true, threads);
    return plan;
  }
  const bool local = options.cluster.processes > 0;
  const std::uint64_t nodes = local ? options.cluster.processes : options.cluster.nodes;
  const std::uint64_t with_schedulers = std::min<std::uint64_t>(nodes, sizes.schedulers);
  sizes.schedulers_here = static_cast<std::uint32_t>((sizes.schedulers + nodes - 1) / nodes);
  sizes.at_once = std::min(sizes.problems, sizes.at_once + 1);    // one that has ended goes when the next one is there
  const std::uint64_t kept = std::exchange(sizes.ridge_kept, 0);  // the driver has what is found
  plan.add(fit_memory(sizes), "node with schedulers", with_schedulers, local, threads);
  sizes.schedulers_here = 0;
  if (nodes > with_schedulers) plan.add(fit_memory(sizes), "node without", nodes - with_schedulers, local, threads);
  sizes.computes = false;
  sizes.ridge_kept = kept;
  plan.add(fit_memory(sizes), "driver", 1, true, threads);
  return plan;
}

Status check_node_memory(const FitOptions& options, const ProblemCount& count) {
  if (!options.memory_check) return {};
  const auto shape = look_at_dataset(options.input, Look::quick);
  if (!shape.ok()) return {};  // the reader says what is wrong
  FitSizes sizes = sizes_of(options, count, shape.value(), std::nullopt);
  sizes.schedulers_here = 0;  // a node hears later which it has
  sizes.at_once = 1;
  sizes.ridge_kept = 0;
  MemoryPlan plan;
  plan.add(fit_memory(sizes), "this node", 1, true, 1);
  return check_memory(plan, true);
}

}  // namespace strads::lasso
