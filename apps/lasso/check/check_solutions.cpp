#include "lasso/check/check_solutions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "lasso/check/check_batch.hpp"
#include "lasso/problem/penalty.hpp"

namespace strads::lasso {
namespace {

constexpr PlainColumns::Facts kUnknown{0, -1};
constexpr double kDependent = 1e-10;             ///< of the length of a covariate: less gives no direction of its own
constexpr std::size_t kPieceRows = 4096;         ///< of a residual
constexpr std::uint64_t kPieceBytes = 1U << 18;  ///< of columns
constexpr std::uint64_t kPieceColumns = 8;       ///< at least: they share the residuals in the cache
constexpr std::uint64_t kAheadBytes = 8U << 20;  ///< of columns that are on their way from the disk in a pass
constexpr std::size_t kWindow = 256;             ///< pieces between two words about progress

double squared(std::span<const double> v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return sum;
}

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::size_t width_of(std::size_t count) {
  std::size_t width = 1;
  while (width < count) width *= 2;
  return width;
}

}  // namespace

SolutionCheck::SolutionCheck(std::shared_ptr<const Dataset> dataset, const LassoOptions& options, Chunks& chunks,
                             bool release)
    : dataset_(std::move(dataset)),
      columns_(dataset_->columns(), options.center, options.scale),
      chunks_(chunks),
      release_(release),
      l1_ratio_(options.l1_ratio),
      nonnegative_(options.nonnegative),
      center_(options.center),
      unit_(options.scale),
      center_y_(options.center_y),
      scale_y_(options.scale_y),
      beside_(!options.family->is_squares()),
      intercept_(options.intercept),
      factors_(dataset_->penalty_factors().begin(), dataset_->penalty_factors().end()),
      facts_(dataset_->columns().columns, kUnknown),
      collinear_(facts_.size(), Collinear::unknown) {
  find_unpenalised(dataset_->covariates());
  if (beside_) {
    prepare_predictor(options.family);
  } else {
    standardise_response();
  }
}

/// Everything that has no penalty: covariates, variables with a penalty factor of 0 and, of losses of the predictor,
/// the intercept.
void SolutionCheck::find_unpenalised(std::span<const std::vector<double>> covariates) {
  if (beside_ && intercept_) {
    const auto roots = columns_.roots();
    add_direction({roots.begin(), roots.end()}, std::sqrt(columns_.weight()));
  }
  for (const std::vector<double>& covariate : covariates) {
    std::vector<double> v = covariate;
    double largest = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      if (columns_.roots()[i] != 0) largest = std::max(largest, std::abs(v[i]));
    }
    if (largest > 0) {
      for (double& value : v) value = std::ldexp(value, -std::ilogb(largest));
    }
    const PlainColumns::Mean mean = beside_ && !intercept_ ? PlainColumns::Mean{} : columns_.mean_of(v);
    double raw = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double root = columns_.roots()[i];
      raw += root == 0 ? 0.0 : root * v[i] * root * v[i];
      v[i] = root == 0 ? 0.0 : root * mean.off(v[i]);
    }
    add_direction(std::move(v), std::sqrt(raw));
  }
  for (VarId j = 0; j < factors_.size(); ++j) {
    if (factors_[j] != 0 || columns_.is_excluded(j)) continue;
    const PlainColumns::Facts facts = columns_.facts_of(j);
    if (!facts.takes_part()) continue;
    projected_.resize(facts_.size(), 0);
    projected_[j] = 1;
    std::vector<double> v = column(j, facts);
    const double length = std::sqrt(squared(v));
    add_direction(std::move(v), length);
  }
}

/// sqrt(w) o x~_j, not projected.
std::vector<double> SolutionCheck::column(VarId j, const PlainColumns::Facts& facts) const {
  std::vector<double> x(columns_.rows(), 0.0);
  if (!columns_.is_sparse()) {
    columns_.decode(j, facts, 0, x.size(), x.data());
    return x;
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = -columns_.roots()[i] * columns_.level(facts);
  columns_.for_each_entry(j, facts, 0, x.size(), [&x](std::size_t row, double value) { x[row] += value; });
  return x;
}

/// By Gram-Schmidt; nothing where earlier ones leave less than rounding.
void SolutionCheck::add_direction(std::vector<double> vector, double length_before) {
  for (int twice = 0; twice < 2; ++twice) {
    for (const auto& q : basis_) {
      const double share = product(q, vector);
      for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= share * q[i];
    }
  }
  const double length = std::sqrt(squared(vector));
  if (!(length > kDependent * length_before)) return;
  flattest_ = std::max(flattest_, length_before / length);
  for (double& value : vector) value /= length;
  basis_.push_back(std::move(vector));
}

/// What the solver sees of column j.
PlainColumns::Facts SolutionCheck::facts_in_solver(VarId j) const {
  const bool out = columns_.is_excluded(j) || (!projected_.empty() && projected_[j] != 0);
  return out ? PlainColumns::Facts{} : columns_.facts_of(j);
}

/// Facts of variables that nobody has asked for yet.
void SolutionCheck::learn(std::span<const VarId> variables) {
  std::vector<VarId> unknown;
  for (const VarId j : variables) {
    if (facts_[j].divisor == kUnknown.divisor) unknown.push_back(j);
  }
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  chunks_.for_each(unknown.size(), [&](std::size_t k) { facts_[unknown[k]] = facts_in_solver(unknown[k]); });
}

/// The covariates leave nothing of it. Nothing is projected out of columns beside losses of the predictor.
bool SolutionCheck::is_collinear(VarId j) const {
  if (beside_ || basis_.empty()) return false;
  const std::vector<double> x = column(j, facts_[j]);
  const double before = squared(x);
  double shares = 0;
  for (const auto& q : basis_) shares += std::pow(product(q, x), 2);
  return before - shares < kCollinear * before;
}

/// The same, found out once. Thread-safe for different columns.
bool SolutionCheck::is_known_collinear(VarId j) {
  if (collinear_[j] == Collinear::unknown) collinear_[j] = is_collinear(j) ? Collinear::yes : Collinear::no;
  return collinear_[j] == Collinear::yes;
}

/// -X b of every solution, centred like the columns are.
void SolutionCheck::subtract_fits(Batch& batch, std::span<const Solution> claims) const {
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
      const PlainColumns::Facts& facts = facts_[j];
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
    for (const auto& [j, of_solutions] : coefficients) level += of_solutions[k] * columns_.level(facts_[j]);
    for (std::size_t i = 0; i < rows; ++i) batch.residuals[i * width + k] += level * columns_.roots()[i];
  }
}

/// Removes from every residual what is projected out: the constant, then the covariates.
void SolutionCheck::project(Batch& batch) const {
  const std::size_t width = batch.width;
  const auto remove = [&](std::span<const double> direction, double squared_length) {
    for (std::size_t k = 0; k < batch.claims.size(); ++k) {
      double share = 0;
      const auto at = [&](std::size_t i) -> double& { return batch.residuals[columns_.place(i, k, width)]; };
      for (std::size_t i = 0; i < direction.size(); ++i) share += direction[i] * at(i);
      share /= squared_length;
      for (std::size_t i = 0; i < direction.size(); ++i) at(i) -= share * direction[i];
    }
  };
  if (center_) remove(columns_.roots(), columns_.weight());
  for (const auto& q : basis_) remove(q, 1);
}

void SolutionCheck::load(Batch& batch, std::span<const Solution> claims) {
  batch.claims = claims;
  batch.response = claims.size();
  const std::size_t count = claims.size(), width = batch.width = width_of(count + (batch.with_response ? 1 : 0));
  std::vector<VarId> needed;
  for (const Solution& claim : claims) needed.insert(needed.end(), claim.variables.begin(), claim.variables.end());
  expect(needed);
  learn(needed);
  batch.residuals.assign(columns_.places(width), 0.0);
  subtract_fits(batch, claims);
  for (std::size_t k = 0; k < count; ++k) batch.l2[k] = l2_of(claims[k].lambda);
  const std::size_t filled = count + (batch.with_response ? 1 : 0);
  if (beside_) return fit_predictor(batch, filled);
  project(batch);
  add_response(batch, filled);
}

/// y~ - X~ b of the first `filled` places: what the certificate needs of them, then times sqrt(w), for the columns.
void SolutionCheck::add_response(Batch& batch, std::size_t filled) const {
  for (std::size_t i = 0; i < columns_.rows(); ++i) {
    const double root = columns_.roots()[i];
    for (std::size_t k = 0; k < filled; ++k) {
      double& r = batch.residuals[columns_.place(i, k, batch.width)];
      r += response_[i];
      batch.squared[k] += r * r;
      batch.with_y[k] += r * response_[i];
      r *= root;
      batch.totals[k] += r;
    }
  }
}

/// Returns the sums of add_products().
SolutionCheck::ByPlace SolutionCheck::pass_piece(const Batch& batch, VarId begin, VarId end, Steepest& steepest,
                                                 Between* between) {
  std::array<std::size_t, kBatch> next{};  // where each solution's first variable from `begin` on is
  for (std::size_t k = 0; k < batch.claims.size(); ++k) {
    const auto& variables = batch.claims[k].variables;
    next[k] = static_cast<std::size_t>(std::lower_bound(variables.begin(), variables.end(), begin) - variables.begin());
  }
  for (VarId j = begin; j < end; ++j) {
    if (facts_[j].divisor == kUnknown.divisor) facts_[j] = facts_in_solver(j);
  }
  std::vector<double> products(std::size_t{end - begin} * batch.width);
  columns_.products(begin, end, std::span(facts_).subspan(begin, end - begin),
                    {batch.width, batch.residuals.data(), batch.totals.data()}, products.data());
  if (between != nullptr) look_between(*between, begin, end, products);
  ByPlace sums{};
  if (is_ridge()) add_products(batch, begin, end, products, sums);
  if (batch.with_response) look_for_pull(batch, begin, end, products);
  Steepest::Values highest = steepest.values();
  for (VarId j = begin; j < end; ++j) {
    if (!takes_part(j)) continue;
    double* const h = products.data() + std::size_t{j - begin} * batch.width;
    for (std::size_t k = 0; k < batch.width; ++k) {
      if (k < batch.claims.size()) {
        const Solution& claim = batch.claims[k];
        if (next[k] < claim.variables.size() && claim.variables[next[k]] == j) {
          h[k] -= batch.l2[k] * factor(j) * claim.standardized[next[k]++];
        }
      }
      const double steepness = pull(h[k]) / factor(j);
      // Whether it is collinear is asked only of a column that would matter.
      if (steepness > highest[k] && !is_known_collinear(j)) highest[k] = steepness;
    }
  }
  steepest.raise_to(highest);
  return sums;
}

/// Single columns of a file that memory cannot hold, which will be read soon.
void SolutionCheck::expect(std::span<const VarId> variables) const {
  const ColumnsView& view = columns_.view();
  if (view.read_ahead == nullptr || columns_.is_sparse()) return;
  for (const VarId j : variables) {
    view.read_ahead->expect(j * view.column_stride, (std::uint64_t{j} + 1) * view.column_stride);
  }
}

void SolutionCheck::pass(Batch& batch, Between* between) {
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
    if (release_) dataset_->release_columns(begin, end);
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

SolutionCheck::PenaltySums SolutionCheck::penalty_sums(const Solution& claim) const {
  PenaltySums sums;
  for (std::size_t i = 0; i < claim.variables.size(); ++i) {
    const double b = claim.standardized[i];
    sums.l1 += factor(claim.variables[i]) * std::abs(b);
    sums.squares += factor(claim.variables[i]) * b * b;
  }
  return sums;
}

SolutionCheck::Figures SolutionCheck::figures_of(const Batch& batch, std::size_t place, const Solution& claim) const {
  const PenaltySums sums = penalty_sums(claim);
  return beside_ ? predictor_figures(batch, place, claim.lambda, sums)
                 : squares_figures(batch, place, claim.lambda, sums);
}

/// F(b) - D(s u): the elastic net is the Lasso of the columns (x_j, sqrt(E_j) e_j), u its residual, and s the best
/// multiple that the dual allows. Of ridge s = 1, and the conjugate of the penalty is sum g_j^2 / (2 E_j).
SolutionCheck::Figures SolutionCheck::squares_figures(const Batch& batch, std::size_t place, double lambda,
                                                      const PenaltySums& sums) const {
  const double with_response = batch.with_y[place];
  const double length = batch.squared[place] + batch.l2[place] * sums.squares;
  const double steepest = steepest_of(batch, place, sums), l1 = lambda * l1_ratio_;
  double s = length > 0 ? with_response / length : 0.0;
  if (steepest > 0) s = std::clamp(s, -l1 / steepest, l1 / steepest);
  if (nonnegative_) s = std::max(s, 0.0);
  Figures figures;
  figures.objective = 0.5 * length + l1 * sums.l1;
  figures.loss = 0.5 * batch.squared[place];
  if (is_ridge()) {
    figures.gap =
        std::max(0.0, figures.objective - (with_response - 0.5 * batch.squared[place] - conjugate(batch, place, sums)));
    return figures;
  }
  figures.gap = std::max(0.0, figures.objective - (s * with_response - 0.5 * s * s * length));
  return figures;
}

/// What was learned of the columns on the way.
void SolutionCheck::note_facts() {
  const double root = std::sqrt(columns_.weight());
  for (VarId j = 0; j < facts_.size(); ++j) {
    if (facts_[j].lost()) lost_.push_back(j);
    if (takes_part(j)) level_ = std::max(level_, root * std::abs(columns_.level(facts_[j])));
    // The mean is subtracted from a sum over the entries, whose rounding it does not know.
    if (columns_.is_sparse() && takes_part(j))
      flattest_ = std::max(flattest_, root * std::abs(columns_.level(facts_[j])));
  }
}

std::vector<SolutionCheck::Figures> SolutionCheck::recompute(std::span<const Solution> claims) {
  std::vector<Figures> figures;
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
      lambda_max_ = batch.steepest[batch.response] /
                    LambdaUnits(l1_ratio_, !beside_, unit_, std::sqrt(columns_.weight())).max_ratio;
      note_facts();
    }
    claims = claims.subspan(stretch.size());
    first = false;
  }
  return figures;
}

/// The coefficients are numbers of variables that take part, in order.
Status SolutionCheck::acceptable(const Solution& claim) const {
  for (std::size_t k = 0; k < claim.variables.size(); ++k) {
    const VarId j = claim.variables[k];
    const double b = claim.standardized[k];
    const bool known = j < facts_.size() && (k == 0 || claim.variables[k - 1] < j) && takes_part(j);
    if (known && std::isfinite(b) && !(nonnegative_ && b < 0)) continue;
    return Status::internal("check of the solutions: " + name_of(claim) + " has a coefficient of " + exact_digits(b) +
                            " for variable " + std::to_string(std::uint64_t{j} + 1) +
                            ", which cannot be: this is a bug or a forged message; nothing was written. " + kWhatToDo);
  }
  return {};
}

Result<std::vector<SolutionCheck::Finding>> SolutionCheck::examine(const ProblemClaim& problem,
                                                                   std::span<const Solution> claims) {
  std::vector<Finding> findings(claims.size());
  std::vector<Solution> sound;  // whose figures can be recomputed
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < claims.size(); ++k) {
    std::vector<VarId> there;
    std::copy_if(claims[k].variables.begin(), claims[k].variables.end(), std::back_inserter(there),
                 [this](VarId j) { return j < facts_.size(); });
    learn(there);
    findings[k].status = acceptable(claims[k]);
    if (!findings[k].status.ok()) continue;
    sound.push_back(claims[k]);
    places.push_back(k);
  }
  const std::vector<Figures> own = recompute(sound);
  const double allowed = std::max(kAllowed, kRounding * flattest_);
  const double rounding = beside_ ? rounding_of_loss(predictor_->null_fit().reach, columns_.weight()) : 0.0,
               of_null = std::abs(problem.response_squared - response_squared_);
  if (!(of_null <= std::max(allowed * std::abs(response_squared_), rounding))) {
    return refused(beside_ ? "2 F(0)" : "y'y", problem.response_squared, response_squared_);
  }
  if (is_other_lambda_max(problem.lambda_max, allowed)) return refused("lambda_max", problem.lambda_max, lambda_max_);
  for (std::size_t k = 0; k < sound.size(); ++k) findings[places[k]] = compared(sound[k], own[k]);
  return findings;
}

Status SolutionCheck::compare(const ProblemClaim& problem, std::span<const Solution> claims) {
  auto findings = examine(problem, claims);
  if (!findings.ok()) return findings.status();
  for (Finding& finding : findings.value()) {
    if (!finding.status.ok()) return std::move(finding.status);
  }
  return {};
}

}  // namespace strads::lasso
