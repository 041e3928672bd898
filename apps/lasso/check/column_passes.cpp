#include "lasso/check/column_passes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace strads::lasso {
namespace {

constexpr std::size_t kPieceRows = 4096;         ///< of a residual
constexpr std::uint64_t kPieceBytes = 1U << 18;  ///< of columns
constexpr std::uint64_t kPieceColumns = 8;       ///< at least: they share the residuals in the cache
constexpr std::uint64_t kAheadBytes = 8U << 20;  ///< of columns that are on their way from the disk in a pass
constexpr std::size_t kWindow = 256;             ///< pieces between two words about progress
/// x ||x~_j|| ||y~||: a product that may be rounding of 0, somewhat more than the solver takes for it; of losses of
/// the predictor, whose fit without variables has rounding of its own.
constexpr double kNoPull = 4e-14, kNoPullFit = 4e-13;
constexpr double kNoPullOfMean = 4e-15;  ///< x ||mu_j / s_j|| ||y~||

std::size_t width_of(std::size_t count) {
  std::size_t width = 1;
  while (width < count) width *= 2;
  return width;
}

}  // namespace

/// -X b of every solution, centred like the columns are.
void ColumnPasses::subtract_fits(Batch& batch) const {
  const std::span<const Solution> claims = batch.claims;
  std::map<VarId, std::array<double, kBatch>> coefficients;
  for (std::size_t k = 0; k < claims.size(); ++k) {
    for (std::size_t i = 0; i < claims[k].variables.size(); ++i) {
      coefficients.try_emplace(claims[k].variables[i]).first->second[k] = claims[k].standardized[i];
    }
  }
  const std::size_t rows = columns_.rows(), width = batch.width, count = claims.size();
  chunks_.for_each((rows + kPieceRows - 1) / kPieceRows, [&](std::size_t piece) {
    const std::size_t begin = piece * kPieceRows, end = std::min(rows, begin + kPieceRows);
    std::vector<double> x(end - begin);
    for (const auto& [j, of_solutions] : coefficients) {
      const PlainColumns::Facts& facts = problem_.facts()[j];
      if (columns_.is_sparse()) {
        columns_.for_each_entry(j, facts, begin, end, [&, &by_place = of_solutions](std::size_t row, double value) {
          for (std::size_t k = 0; k < count; ++k) batch.residuals[row * width + k] -= by_place[k] * value;
        });
        continue;
      }
      columns_.decode(j, facts, begin, end, x.data());
      columns_.subtract(x, begin, std::span(of_solutions).first(width), batch.residuals);
    }
  });
  if (!columns_.is_sparse()) return;
  // Sparse columns are centred all at once: every row moves by the same.
  for (std::size_t k = 0; k < count; ++k) {
    double level = 0;
    for (const auto& [j, of_solutions] : coefficients) level += of_solutions[k] * columns_.level(problem_.facts()[j]);
    for (std::size_t i = 0; i < rows; ++i) batch.residuals[i * width + k] += level * columns_.roots()[i];
  }
}

void ColumnPasses::load(Batch& batch, std::span<const Solution> claims) {
  batch.claims = claims;
  batch.response = claims.size();
  const std::size_t filled = claims.size() + (batch.with_response ? 1 : 0);
  batch.width = width_of(filled);
  std::vector<VarId> needed;
  for (const Solution& claim : claims) needed.insert(needed.end(), claim.variables.begin(), claim.variables.end());
  expect(needed);
  problem_.learn(needed, chunks_);
  batch.residuals.assign(columns_.places(batch.width), 0.0);
  subtract_fits(batch);
  for (std::size_t k = 0; k < filled; ++k)
    batch.penalties[k] = problem_.penalty(k < claims.size() ? claims[k].lambda : 0);
  fit(batch, filled);
}

/// From -X~ b of the places to what is left of the response.
void ColumnPasses::fit(Batch& batch, std::size_t filled) const {
  const std::size_t rows = columns_.rows(), lanes = columns_.lanes();
  chunks_.for_each(filled, [&](std::size_t k) {
    const auto for_each_row = [&](const auto& look_at) {
      double* values = batch.residuals.data() + columns_.place(0, k, batch.width);
      for (std::size_t begin = 0; begin < rows; begin += lanes, values += lanes * batch.width) {
        const std::size_t count = std::min(lanes, rows - begin);
        for (std::size_t lane = 0; lane < count; ++lane) look_at(begin + lane, values[lane]);
      }
    };
    FamilyCheck::Fit own;
    if (k < batch.claims.size()) {
      std::vector<double> fitted(rows);
      for_each_row([&](std::size_t i, double& value) { fitted[i] = -value; });
      own = problem_.family().fit(std::move(fitted));
    }
    const FamilyCheck::Fit& fit = k < batch.claims.size() ? own : problem_.family().null_fit();
    double squared = 0, total = 0;
    for_each_row([&](std::size_t i, double& value) {
      const double r = fit.residual[i];
      squared += r * r;
      total += value = columns_.roots()[i] * r;
    });
    batch.points[k] = fit.point;
    batch.squared[k] = squared;
    batch.totals[k] = total;
  });
}

/// Returns the sums of add_products().
ColumnPasses::ByPlace ColumnPasses::pass_piece(const Batch& batch, VarId begin, VarId end, Steepest& steepest,
                                               Between* between) {
  std::array<std::size_t, kBatch> next{};  // where each solution's first variable from `begin` on is
  for (std::size_t k = 0; k < batch.claims.size(); ++k) {
    const auto& variables = batch.claims[k].variables;
    next[k] = static_cast<std::size_t>(std::lower_bound(variables.begin(), variables.end(), begin) - variables.begin());
  }
  problem_.learn(begin, end);
  std::vector<double> products(std::size_t{end - begin} * batch.width);
  columns_.products(begin, end, problem_.facts().subspan(begin, end - begin),
                    {batch.width, batch.residuals.data(), batch.totals.data()}, products.data());
  if (between != nullptr) look_between(*between, begin, end, products);
  ByPlace sums{};
  if (problem_.is_ridge()) add_products(batch, begin, end, products, sums);
  if (batch.with_response) look_for_pull(batch, begin, end, products);
  ByPlace highest = steepest.values();
  for (VarId j = begin; j < end; ++j) {
    if (!problem_.takes_part(j)) continue;
    const double f = problem_.factor(j);
    double* const h = products.data() + std::size_t{j - begin} * batch.width;
    for (std::size_t k = 0; k < batch.width; ++k) {
      if (k < batch.claims.size()) {
        const Solution& claim = batch.claims[k];
        if (next[k] < claim.variables.size() && claim.variables[next[k]] == j) {
          h[k] -= batch.penalties[k].l2 * f * claim.standardized[next[k]++];
        }
      }
      const double steepness = batch.penalties[k].pull(h[k]) / f;
      // Whether it is collinear is asked only of a column that would matter.
      if (steepness > highest[k] && !problem_.is_collinear(j)) highest[k] = steepness;
    }
  }
  steepest.raise_to(highest);
  return sums;
}

/// Single columns of a file that memory cannot hold, which will be read soon.
void ColumnPasses::expect(std::span<const VarId> variables) const {
  const ColumnsView& view = columns_.view();
  if (view.read_ahead == nullptr || columns_.is_sparse()) return;
  for (const VarId j : variables) {
    view.read_ahead->expect(j * view.column_stride, (std::uint64_t{j} + 1) * view.column_stride);
  }
}

void ColumnPasses::pass(Batch& batch, Between* between) {
  const ColumnsView& view = columns_.view();
  const std::uint64_t bytes = columns_.is_sparse()
                                  ? view.row_numbers.size() * 12 / std::max<std::uint64_t>(1, view.columns)
                                  : view.column_stride;
  const std::uint64_t size = std::max(kPieceColumns, kPieceBytes / std::max<std::uint64_t>(1, bytes));
  const std::size_t pieces = static_cast<std::size_t>((view.columns + size - 1) / size);
  Steepest steepest(batch.steepest);
  const std::uint64_t ahead = 1 + kAheadBytes / std::max<std::uint64_t>(1, size * bytes);
  const auto ask = [&](std::uint64_t from, std::uint64_t to) {
    if (view.read_ahead == nullptr) return;
    const std::uint64_t last = view.columns;
    view.read_ahead->expect(std::min(last, from * size) * bytes, std::min(last, to * size) * bytes);
  };
  const auto look_at = [&](std::size_t piece) {
    const auto begin = static_cast<VarId>(piece * size);
    const auto end = static_cast<VarId>(std::min<std::uint64_t>(view.columns, (piece + 1) * size));
    ask(piece + ahead, piece + ahead + 1);
    const ByPlace sums = pass_piece(batch, begin, end, steepest, between);
    if (release_) problem_.dataset().release_columns(begin, end);
    return sums;
  };
  ask(0, ahead);
  for (std::size_t begin = 0; begin < pieces; begin += kWindow) {
    const std::size_t count = std::min(kWindow, pieces - begin);
    std::vector<ByPlace> sums(count);
    chunks_.for_each(count, [&](std::size_t k) { sums[k] = look_at(begin + k); });
    for (const ByPlace& of_piece : sums) {
      for (std::size_t k = 0; k < of_piece.size(); ++k) batch.products[k] += of_piece[k];
    }
    if (progress_) progress_(passes_done_ + static_cast<double>(begin + count) / static_cast<double>(pieces), passes_);
  }
  passes_done_ += 1;
  batch.steepest = steepest.values();
}

/// Looks whether one of these columns explains any of the response.
void ColumnPasses::look_for_pull(const Batch& batch, VarId begin, VarId end, std::span<const double> products) {
  const std::size_t place = batch.response;
  const double length = std::max(std::sqrt(batch.squared[place]), batch.points[place].reach.terms),
               share = problem_.is_squares() ? kNoPull : kNoPullFit, root = std::sqrt(columns_.weight());
  for (VarId j = begin; j < end && !pulls(); ++j) {
    if (!problem_.takes_part(j)) continue;
    double own = 1;
    if (!problem_.is_unit()) {
      own = 0;
      for (const double value : problem_.column(j, problem_.facts()[j])) own += value * value;
      own = std::sqrt(own);
    }
    const double mean = root * std::abs(columns_.level(problem_.facts()[j]));
    const double pulled = batch.penalties[place].pull(products[std::size_t{j - begin} * batch.width + place]);
    if (pulled <= (share * own + kNoPullOfMean * mean) * length || problem_.is_collinear(j)) continue;
    pulls_.store(true, std::memory_order_relaxed);
  }
}

/// Of ridge: g_j^2 / f_j of every column, which the conjugate of its penalty is made of.
void ColumnPasses::add_products(const Batch& batch, VarId begin, VarId end, std::span<const double> products,
                                ByPlace& sums) {
  for (VarId j = begin; j < end; ++j) {
    if (!problem_.takes_part(j)) continue;
    const auto g = products.subspan(std::size_t{j - begin} * batch.width, batch.width);
    if (problem_.may_be_collinear(g, batch.squared) && problem_.is_collinear(j)) continue;
    for (std::size_t k = 0; k < batch.width; ++k) sums[k] += g[k] * g[k] / problem_.factor(j);
  }
}

/// Of zeros, where no column pulls, what is computed of gradients is rounding.
FamilyCheck::Figures ColumnPasses::figures_of(const Batch& batch, std::size_t place, const Solution& claim) const {
  PlainSums sums = problem_.sums(claim);
  if (sums.norm != 0 || pulls()) {
    sums.steepest = batch.steepest[place];
    sums.products = batch.products[place];
  }
  std::vector<double> u(problem_.is_squares() ? 0 : columns_.rows());  // the dual of least squares needs sums alone
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = batch.residuals[columns_.place(i, place, batch.width)];
  return problem_.family().certificate(batch.points[place], u, batch.penalties[place], sums);
}

std::vector<FamilyCheck::Figures> ColumnPasses::figures(std::span<const Solution> claims) {
  std::vector<FamilyCheck::Figures> figures;
  passes_done_ = 0;
  passes_ = 1;
  for (std::size_t done = stretch_length(true); done < claims.size(); done += stretch_length(false)) passes_ += 1;
  bool first = true;
  while (first || !claims.empty()) {
    Batch batch;
    batch.with_response = first;
    const auto stretch = claims.first(std::min(claims.size(), stretch_length(first)));
    if (stretch.size() > references_of(first)) {
      check_stretch(batch, stretch, figures);
    } else {
      load(batch, stretch);
      pass(batch, nullptr);
      for (std::size_t k = 0; k < stretch.size(); ++k) figures.push_back(figures_of(batch, k, stretch[k]));
    }
    if (first) {
      lambda_max_ = problem_.lambda_max(batch.steepest[batch.response]);
      problem_.note_facts();
    }
    claims = claims.subspan(stretch.size());
    first = false;
  }
  return figures;
}

}  // namespace strads::lasso
