#include "mf/run/recount.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mf/model/mf_model.hpp"
#include "mf/output/output.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {
namespace {

__extension__ using Wide = unsigned __int128;

/// A sum of squares that does not depend on their order: in whole units, 2^-60 of the mean squared rating.
class SquareSum {
 public:
  explicit SquareSum(double unit) : unit_(unit) {}
  void add(double error) {
    const double units = error * error / unit_;
    // 2^32 of these still fit; also false for what is no number.
    constexpr double kMost = 0x1p94;
    if (units < kMost) {
      sum_ += static_cast<Wide>(units);
    } else {
      overflows_ = true;
    }
  }
  void add(const SquareSum& more) {
    sum_ += more.sum_;
    overflows_ = overflows_ || more.overflows_;
  }
  [[nodiscard]] double value() const {
    return overflows_ ? std::numeric_limits<double>::infinity() : static_cast<double>(sum_) * unit_;
  }

 private:
  double unit_;
  Wide sum_ = 0;
  bool overflows_ = false;
};

double unit_of(const MfData& data) {
  const double mean = data.squares / static_cast<double>(data.train_size);
  return mean > 0 ? std::ldexp(1.0, std::ilogb(mean) - 60) : 1.0;
}

double error_of(const FactorModel& factors, std::uint32_t user, std::uint32_t item, float value) {
  return double{value} - double{score(factors, user, item)};
}

/// By worker and cell, as an embedded run holds them.
SquareSum squares_in_grid(const MfModel& model, const GridRatings& grid, const FactorModel& factors, Chunks& chunks) {
  const double unit = unit_of(model.data());
  const auto& levels = model.data().ratings->levels;
  std::vector<SquareSum> of_page(model.page_count(Side::users), SquareSum(unit));
  chunks.for_each(of_page.size(), [&](std::size_t page) {
    const CellRow* const row = grid.find(static_cast<std::uint32_t>(page));
    const auto& users = model.rows_of(Side::users, static_cast<std::uint32_t>(page));
    for (std::uint32_t of_items = 0; row != nullptr && of_items + 1 < row->begins.size(); ++of_items) {
      const CellRatings cell = row->cell(of_items, levels);
      const auto& items = model.rows_of(Side::items, of_items);
      for (std::size_t r = 0; r < cell.rows.size(); ++r) {
        const float value = cell.codes.empty() ? cell.values[r] : levels[cell.codes[r]];
        of_page[page].add(error_of(factors, users[cell.rows[r]], items[cell.columns[r]], value));
      }
    }
  });
  SquareSum sum(unit);
  for (const SquareSum& more : of_page) sum.add(more);
  return sum;
}

/// In the order of the file, as a driver holds them.
SquareSum squares_in(const MfData& data, const Triplets& train, const FactorModel& factors, Chunks& chunks) {
  constexpr std::size_t kPiece = 65536;
  std::vector<SquareSum> of_piece((train.size() + kPiece - 1) / kPiece, SquareSum(unit_of(data)));
  chunks.for_each(of_piece.size(), [&](std::size_t piece) {
    const std::size_t end = std::min<std::size_t>(train.size(), (piece + 1) * kPiece);
    for (std::size_t t = piece * kPiece; t < end; ++t) {
      of_piece[piece].add(error_of(factors, train.users[t], train.items[t], value_of(train, data.ratings->levels, t)));
    }
  });
  SquareSum sum(unit_of(data));
  for (const SquareSum& more : of_piece) sum.add(more);
  return sum;
}

SquareSum squares_of(const MfModel& model, const FactorModel& factors, Chunks& chunks) {
  const MfData& data = model.data();
  const GridRatings* const grid = model.grid();
  if (grid != nullptr && grid->size() == data.train_size) return squares_in_grid(model, *grid, factors, chunks);
  const auto train = data.train == nullptr && data.make_train ? data.make_train() : data.train;
  STRADS_CHECK(train != nullptr, "whoever tells of a fit has its ratings");
  return squares_in(data, *train, factors, chunks);
}

double penalty_of(const MfData& data, const MfOptions& options, const FactorModel& factors) {
  double sum = 0;
  for (const Side side : {Side::users, Side::items}) {
    const std::size_t s = mf::index_of(side);
    for (std::uint32_t row = 0; row < factors.size(side); ++row) {
      double squares = std::pow(double{factors.biases[s][row]}, 2);
      const float* const own = factors.row(side, row);
      for (std::uint32_t k = 0; k < factors.rank; ++k) squares += double{own[k]} * double{own[k]};
      sum += options.weighted ? data.counts[s][row] * squares : squares;
    }
  }
  return sum;
}

}  // namespace

void recount(const Model& model, const FactorModel& factors, MfSolution& solution, Chunks& chunks) {
  const auto& fit = static_cast<const MfModel&>(model);
  if (fit.solver().facts().knows_objective) return;
  const double squared = squares_of(fit, factors, chunks).value();
  solution.objective = squared + fit.options().lambda * penalty_of(fit.data(), fit.options(), factors);
  solution.train.rmse = std::sqrt(squared / static_cast<double>(fit.data().train_size));
}

void recount(const Model& model, RunEnd& end, Chunks& chunks) {
  const auto& fit = static_cast<const MfModel&>(model);
  auto& figures = end.certificate.figures;
  if (fit.solver().facts().knows_objective || figures.size() < kFigures || end.statuses.empty()) return;
  MfSolution solution = solution_of(fit.data(), fit.options(), end);
  const FactorModel factors = factor_model(fit.data(), solution, fit.options().clip);
  recount(model, factors, solution, chunks);
  end.certificate.objective = figures[kFigureObjective] = solution.objective;
  figures[kFigureTrainRmse] = solution.train.rmse;
}

}  // namespace strads::mf
