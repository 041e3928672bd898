#include "mf/solvers/cell_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "strads/base/all_finite.hpp"

namespace strads::mf {
namespace {

/// Rows whose records are copied at a time.
constexpr std::size_t kCopiedRows = 1024;

SharedFloats copy_of(const SharedFloats& page) {
  SharedFloats copy(page.size());
  std::copy(page.data(), page.data() + page.size(), copy.writable().begin());
  return copy;
}

}  // namespace

CellSolver::CellSolver(const MfOptions& options)
    : MfSolver(options, {.form = {.work = Work::cell, .entry = entry_size(Work::cell, options.rank), .arrays = 2},
                         .stride = sgd_stride(options.rank),
                         .bias = sgd_bias(options.rank),
                         .knows_objective = false}) {}

std::vector<Step> CellSolver::steps(std::uint32_t schedulers, std::uint32_t workers) const {
  std::vector<Step> steps;
  for (std::uint32_t q = 0; q < schedulers * workers; ++q) steps.push_back({Work::cell, Side::users, q});
  return steps;
}

std::uint32_t CellSolver::strata() const {
  const SidePartition& items = partition().of(Side::items);
  return items.schedulers * items.workers;
}

void CellSolver::placed() {
  for (const Side side : {Side::users, Side::items}) {
    const std::size_t s = mf::index_of(side);
    for (const auto& page : partition().of(side).pages) {
      auto& multipliers = multipliers_[s].emplace_back();
      if (options().weighted) continue;
      for (const std::uint32_t row : page) multipliers.push_back(1.0F / static_cast<float>(data().counts[s][row]));
    }
  }
}

void CellSolver::sort_ratings(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks,
                              Triplets* spent, WorkerRatings& to) const {
  to.grid = GridRatings::sorted(train, data().ratings->levels, partition(), workers, data().seed, chunks, spent);
}

// --- replicas ---

void CellSolver::start(MfState& state, Side side, Chunks& chunks) const {
  Pages& pages = state.of(side);
  pages.resize(page_count(side));
  chunks.for_each(page_count(side), [&](std::size_t page) {
    SharedFloats records = drawn_page(side, page, options().mean ? 0.5 : 1.0);
    const auto out = records.writable();
    for (std::size_t k = 0; k < rows_of(side, page).size(); ++k) {
      for (std::size_t a = facts().bias + 1; a < stride(); ++a) out[k * stride() + a] = 1.0F;
    }
    state.set_penalties(side, page, penalties_of_page(side, page, records.view()));
    pages.set(page, std::move(records));
  });
  state.so_far.penalties[mf::index_of(side)] = state.penalties[mf::index_of(side)];
}

std::vector<double> CellSolver::penalties_of_page(Side side, std::size_t page, std::span<const float> records) const {
  const auto& rows = rows_of(side, page);
  const auto& counts = data().counts[mf::index_of(side)];
  const std::size_t rank = options().rank, bias = facts().bias, floats = stride();
  std::vector<double> sums(rank + 1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double weight = options().weighted ? counts[rows[k]] : 1.0;
    const float* const record = records.data() + k * floats;
    for (std::size_t f = 0; f <= rank; ++f) {
      const double value = static_cast<double>(record[f < rank ? f : bias]);
      sums[f] += weight * value * value;
    }
  }
  return sums;
}

SharedFloats CellSolver::row_major(const MfState& state, Side side, std::uint32_t page) const {
  const std::size_t plain = record_stride(options().rank);
  const std::size_t rows = rows_of(side, page).size();
  if (rows == 0) return {};  // and no floats to point at
  if (state.verified) {      // finish() was here
    if (SharedFloats whole = state.of(side).held[page]->floats(); whole.size() == rows * plain) return whole;
  }
  const SharedFloats held = records(state, side, page);
  SharedFloats own(rows * plain);
  const auto out = own.writable();
  std::fill(out.begin(), out.end(), 0.0F);
  for (std::size_t k = 0; k < rows; ++k) {
    const float* const record = held.data() + k * stride();
    std::copy_n(record, options().rank, out.begin() + static_cast<std::ptrdiff_t>(k * plain));
    out[k * plain + options().rank] = record[facts().bias];
  }
  return own;
}

/// Without the accumulators, which follow the bias.
void CellSolver::each_evaluated(const RatingRows& rows, const SharedFloats& records, const EvaluateRows& act) const {
  const std::size_t used = facts().bias + 1;
  std::vector<float> clean(std::min(rows.rows(), kCopiedRows) * stride());
  for (std::size_t first = 0; first < rows.rows(); first += kCopiedRows) {
    const std::size_t count = std::min(kCopiedRows, rows.rows() - first);
    for (std::size_t k = 0; k < count; ++k) {
      std::copy_n(records.data() + (first + k) * stride(), used,
                  clean.begin() + static_cast<std::ptrdiff_t>(k * stride()));
    }
    RatingRows some = rows;
    some.begins = rows.begins.subspan(first, count + 1);
    act(some, clean.data());
  }
}

/// Page after page, so that no side is there twice.
void CellSolver::finish(MfState& replica) const {
  for (const Side side : {Side::users, Side::items}) {
    for (std::uint32_t page = 0; page < page_count(side); ++page) {
      SharedFloats plain = row_major(replica, side, page);
      replica.of(side).replace(page, std::move(plain), Replaced::released);
    }
  }
}

// --- workers ---

SgdProblem CellSolver::problem_of(std::uint32_t users_page, std::uint32_t of_items, bool first_sweep) const {
  SgdProblem problem{.rank = options().rank,
                     .bias = options().bias,
                     .mean = static_cast<float>(mean()),
                     .rate = static_cast<float>(options().rate),
                     .slow_only = first_sweep};
  problem.lambda_row = problem.lambda_column = static_cast<float>(options().lambda);
  if (!options().weighted) {
    problem.row_multipliers = multipliers_[0][users_page];
    problem.column_multipliers = multipliers_[1][of_items];
  }
  return problem;
}

/// Pages without users have no cell.
bool CellSolver::is_last_visit(std::uint32_t of_items, std::uint32_t stratum) const {
  for (std::uint32_t later = stratum + 1; later < strata(); ++later) {
    if (!rows_of(Side::users, (of_items + strata() - later) % strata()).empty()) return false;
  }
  return true;
}

Push CellSolver::push(const MfState& base, std::span<const double> plan, std::uint32_t page,
                      const WorkerRatings& ratings) const {
  const auto stratum = static_cast<std::uint32_t>(plan_of(plan).index);
  const std::uint32_t of_items = items_page(plan, page);
  SharedFloats users_records = copy_of(records(base, Side::users, page));
  SharedFloats items_records = copy_of(records(base, Side::items, of_items));
  const CellRatings cell = ratings.grid.find(page)->cell(of_items, data().ratings->levels);
  const double errors = sgd_cell(cell, problem_of(page, of_items, plan_of(plan).sweep == 0),
                                 users_records.writable().data(), items_records.writable().data());
  Push push;
  auto& values = push.deltas.values;
  values = values_of_entry(plan, page, of_items, {.error_before = errors, .error_after = errors});
  // The objective is looked at between sweeps: on the way penalties stay those of the sweep before.
  const auto add_penalties = [&](Side side, std::uint32_t of_page, const SharedFloats& records, bool is_last) {
    if (is_last) {
      const auto sums = penalties_of_page(side, of_page, records.view());
      values.insert(values.end(), sums.begin(), sums.end());
    } else {
      const auto before = base.penalties_of_page(side, of_page);
      values.insert(values.end(), before.begin(), before.end());
    }
  };
  add_penalties(Side::users, page, users_records, stratum + 1 == strata());
  add_penalties(Side::items, of_items, items_records, is_last_visit(of_items, stratum));
  push.deltas.bulk.push_back(std::move(users_records));
  push.deltas.bulk.push_back(std::move(items_records));
  push.cost.flops = push.cost.tiled = cell.rows.size() * 8 * options().rank;
  push.cost.bytes = push.cost.gathered = cell.rows.size() * 2 * stride() * sizeof(float);
  push.cost.updates = cell.rows.size();
  return push;
}

std::uint32_t CellSolver::items_page(std::span<const double> plan, std::uint32_t page) const {
  return (page + static_cast<std::uint32_t>(plan_of(plan).index)) % strata();
}

bool CellSolver::is_finite(const Payload& deltas) const {
  return strads::all_finite(deltas.values) &&
         std::all_of(deltas.bulk.begin(), deltas.bulk.end(),
                     [this](const SharedFloats& records) { return sgd_stays_finite(records.view(), options().rank); });
}

std::vector<std::size_t> CellSolver::arrays(std::span<const double>, std::uint32_t page, std::uint32_t of_items) const {
  return {rows_of(Side::users, page).size() * stride(), rows_of(Side::items, of_items).size() * stride()};
}

// --- commits ---

void CellSolver::begin_sweep(MfState& state) const {
  state.so_far = {.error = 0, .cells = 0, .penalties = {state.penalties[0], state.penalties[1]}};
}

/// F is that of the sweep before until every rating of this one was met.
void CellSolver::fold(MfState& state, std::span<const double>, std::span<const double> entry,
                      std::span<const SharedFloats> arrays, Replaced replaced) const {
  if (const Fault fault = marked(entry); fault != Fault::none) {
    state.fault = graver(state.fault, fault);
    return;
  }
  const PageEntry met = entry_of(entry);
  const auto sums = sums_of(entry);
  SweepSoFar& sweep = state.so_far;
  const std::size_t width = state.sums();
  const auto replace_page = [&](Side side, std::size_t page, const SharedFloats& records,
                                std::span<const double> penalties) {
    state.of(side).replace(page, records, replaced);
    std::copy(penalties.begin(), penalties.end(),
              sweep.penalties[mf::index_of(side)].begin() + static_cast<std::ptrdiff_t>(page * width));
  };
  replace_page(Side::users, met.page, arrays[0], sums.first(width));
  replace_page(Side::items, met.other, arrays[1], sums.subspan(width));
  sweep.error += met.after;
  const std::uint64_t cells = partition().of(Side::users).full_pages * strata();
  if (++sweep.cells == cells && state.fault == Fault::none) end_sweep(state);
}

void CellSolver::end_sweep(MfState& state) const {
  const auto exchange = [&] {
    std::swap(state.error, state.so_far.error);
    for (std::size_t side = 0; side < kSides; ++side) std::swap(state.penalties[side], state.so_far.penalties[side]);
  };
  exchange();
  const double objective = state.objective(options().lambda);
  if (!std::isfinite(objective)) {
    state.fault = Fault::not_finite;
  } else if (state.swept >= 0 && has_risen(state.swept, objective, rise_allowed(options().tolerance), data().squares)) {
    state.fault = Fault::rose;
  }
  if (state.fault != Fault::none) return exchange();
  state.swept = objective;
  if (data().decides_by_validation()) return;
  state.is_best = true;
  state.kept.reset();
}

}  // namespace strads::mf
