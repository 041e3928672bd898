// ColumnPasses: a stretch of a path with one pass over the columns. Of its solutions some are references, whose
// products with every column are computed. Along a path the residual is nearly linear in lambda, so that what lies
// between two references is known to ||r - (1 - t) r_a - t r_b|| times ||x_j|| = 1: where that rules a column out it
// is not the steepest one, and nothing else of it matters. The others are read again, for the solutions that they may
// matter to. No figure depends on which columns those are.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "lasso/check/column_passes.hpp"

namespace strads::lasso {
namespace {

constexpr std::size_t kSpacing = 8;      ///< solutions from one reference to the next, at most
constexpr double kBoundSlack = 1e-9;     ///< bounds are computed in double precision: far less than this is lost
constexpr double kProductError = 1e-15;  ///< of a product, relative to rows ||x_j|| ||r||
/// Residuals of a stretch may take so many bytes, or this share of the columns where that is more.
constexpr std::uint64_t kResidualBytes = 64U << 20, kResidualShare = 32;
constexpr std::size_t kReadsAhead = 512;  ///< columns that are on their way from the disk before they are read again
constexpr std::size_t kPieceReads = 8;    ///< columns that one thread reads again at a time

}  // namespace

/// The solutions of a stretch that are no references.
struct ColumnPasses::Between {
  /// Where one of them lies between two references, whose places are `from` and from + 1.
  struct Place {
    std::size_t from = 0;
    double t = 0;         ///< r is about (1 - t) r_from + t r_(from + 1)
    double distance = 0;  ///< length of what that is off by
    double floor = 0;     ///< max pull(h_j) / f_j is at least this, of what is known
  };
  std::vector<Solution> claims;
  std::vector<Batch> groups;        ///< kBatch of `claims` each
  std::vector<Place> places;        ///< of `claims`
  std::vector<std::uint8_t> known;  ///< by variable: its products were computed for all of them
  std::size_t width = 0;            ///< of the references

  std::mutex mutex;
  std::vector<std::vector<VarId>> open;  ///< by group: columns that bounds do not rule out
};

/// So many solutions have one pass together. Of ridge every column counts for each of them: no bound leaves one out.
std::size_t ColumnPasses::stretch_length(bool with_response) const {
  const std::size_t references = references_of(with_response), stretch = (references - 1) * kSpacing + 1;
  const ColumnsView& view = columns_.view();
  const std::uint64_t allowed =
      std::max(kResidualBytes, std::uint64_t{view.columns} * view.column_stride / kResidualShare);
  const bool fits = stretch * columns_.rows() * sizeof(double) <= allowed;
  return problem_.is_unit() && !problem_.is_ridge() && !columns_.is_sparse() && fits ? stretch : references;
}

/// Where the residuals of a group lie, as batches have them: times sqrt(w).
void ColumnPasses::place_between(Between& between, const Batch& references) const {
  for (std::size_t m = 0; m < between.claims.size(); ++m) {
    Between::Place& place = between.places[m];
    const Batch& group = between.groups[m / kBatch];
    double squares = 0;
    for (std::size_t i = 0; i < columns_.rows(); ++i) {
      const double root = columns_.roots()[i];
      if (root == 0) continue;
      const auto of = [&](const Batch& batch, std::size_t k) {
        return batch.residuals[columns_.place(i, k, batch.width)] / root;
      };
      const double about = (1 - place.t) * of(references, place.from) + place.t * of(references, place.from + 1);
      const double off = of(group, m % kBatch) - about;
      squares += off * off;
    }
    const double rounding = kProductError * static_cast<double>(columns_.rows()) * std::sqrt(group.squared[m % kBatch]);
    place.distance = std::sqrt(squares) * (1 + kBoundSlack) + rounding;
  }
}

/// Products of some columns with the residuals of a group: what the steepest of them are at least.
void ColumnPasses::raise(Between& between, std::size_t group, std::span<const VarId> variables) {
  Batch& batch = between.groups[group];
  const std::size_t pieces = (variables.size() + kPieceReads - 1) / kPieceReads;
  Steepest steepest(batch.steepest);
  const auto part = [&](std::size_t begin, std::size_t end) {
    begin = std::min(begin, variables.size());
    return variables.subspan(begin, std::min(end, variables.size()) - begin);
  };
  expect(part(0, kReadsAhead));
  chunks_.for_each(pieces, [&](std::size_t piece) {
    const std::size_t begin = piece * kPieceReads, end = std::min(variables.size(), begin + kPieceReads);
    expect(part(begin + kReadsAhead, begin + kReadsAhead + kPieceReads));
    for (std::size_t i = begin; i < end; ++i) {
      pass_piece(batch, variables[i], variables[i] + 1, steepest, nullptr);
    }
  });
  batch.steepest = steepest.values();
}

/// Notes the columns of a piece that may be the steepest of a solution between two references. Thread-safe.
void ColumnPasses::look_between(Between& between, VarId begin, VarId end, std::span<const double> products) const {
  std::vector<std::vector<VarId>> open(between.groups.size());
  for (VarId j = begin; j < end; ++j) {
    if (!problem_.takes_part(j) || between.known[j] != 0) continue;
    const double* const h = products.data() + std::size_t{j - begin} * between.width;
    std::uint64_t groups = 0;
    for (std::size_t m = 0; m < between.places.size(); ++m) {
      const Between::Place& place = between.places[m];
      const double about = (1 - place.t) * h[place.from] + place.t * h[place.from + 1];
      const bool may_matter = std::abs(about) + place.distance >= place.floor;
      groups |= std::uint64_t{may_matter} << (m / kBatch);
    }
    for (std::size_t g = 0; groups != 0; ++g, groups >>= 1) {
      if ((groups & 1) != 0) open[g].push_back(j);
    }
  }
  const std::lock_guard lock(between.mutex);
  for (std::size_t g = 0; g < open.size(); ++g) {
    between.open[g].insert(between.open[g].end(), open[g].begin(), open[g].end());
  }
}

/// `references`: empty but for with_response; with its steepest products on return.
void ColumnPasses::check_stretch(Batch& references, std::span<const Solution> claims,
                                 std::vector<FamilyCheck::Figures>& figures) {
  const std::size_t most = references_of(references.with_response);
  const std::size_t spacing = (claims.size() - 1 + most - 2) / (most - 1);
  std::vector<Solution> chosen;
  Between between;
  for (std::size_t k = 0; k < claims.size(); ++k) {
    const bool is_reference = k % spacing == 0 || k + 1 == claims.size();
    if (is_reference) {
      chosen.push_back(claims[k]);
      continue;
    }
    const std::size_t from = k / spacing * spacing, to = std::min(from + spacing, claims.size() - 1);
    const double range = claims[from].lambda - claims[to].lambda;
    const double t = range > 0 ? (claims[from].lambda - claims[k].lambda) / range : 0.5;
    between.claims.push_back(claims[k]);
    between.places.push_back({.from = k / spacing, .t = t});
  }
  load(references, chosen);
  between.width = references.width;
  between.known.assign(problem_.facts().size(), 0);
  std::vector<VarId> nonzero;
  for (const Solution& claim : between.claims) {
    for (const VarId j : claim.variables) {
      if (std::exchange(between.known[j], 1) == 0) nonzero.push_back(j);
    }
  }
  std::sort(nonzero.begin(), nonzero.end());
  for (std::size_t m = 0; m < between.claims.size(); m += kBatch) {
    Batch& group = between.groups.emplace_back();
    load(group, std::span(between.claims).subspan(m, std::min(kBatch, between.claims.size() - m)));
    raise(between, between.groups.size() - 1, nonzero);
  }
  between.open.resize(between.groups.size());
  place_between(between, references);
  const double factor = problem_.least_factor();
  for (std::size_t m = 0; m < between.places.size(); ++m) {
    between.places[m].floor = between.groups[m / kBatch].steepest[m % kBatch] * factor * (1 - kBoundSlack);
  }
  pass(references, &between);
  for (std::size_t g = 0; g < between.groups.size(); ++g) raise(between, g, between.open[g]);
  std::size_t next_reference = 0, next_between = 0;
  for (std::size_t k = 0; k < claims.size(); ++k) {
    const bool is_reference = k % spacing == 0 || k + 1 == claims.size();
    const Batch& batch = is_reference ? references : between.groups[next_between / kBatch];
    const std::size_t place = is_reference ? next_reference++ : next_between++ % kBatch;
    figures.push_back(figures_of(batch, place, claims[k]));
  }
  references.claims = {};  // `chosen` goes
}

}  // namespace strads::lasso
