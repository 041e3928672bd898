#include "mf/check/recount.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "mf/check/all_pairs.hpp"
#include "mf/check/double_products.hpp"
#include "mf/factors/factor_quality.hpp"
#include "mf/problem/rating_mark.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {
namespace {

__extension__ using Wide = unsigned __int128;

/// A sum of squares that does not depend on their order: in whole units.
class SquareSum {
 public:
  explicit SquareSum(double unit) : unit_(unit), per_unit_(1 / unit) {}
  void add(double error) {
    const double units = error * error * per_unit_;
    // 2^32 of these still fit; also false for what is no number.
    constexpr double kMost = 0x1p94, kNarrow = 0x1p62;
    if (units < kNarrow) {
      sum_ += static_cast<std::uint64_t>(static_cast<std::int64_t>(units));
    } else if (units < kMost) {
      sum_ += static_cast<Wide>(units);
    } else {
      overflows_ = true;
    }
  }
  void add(const SquareSum& more) {
    sum_ += more.sum_;
    overflows_ = overflows_ || more.overflows_;
  }
  [[nodiscard]] bool overflows() const { return overflows_; }
  [[nodiscard]] double value() const { return static_cast<double>(sum_) * unit_; }

 private:
  double unit_, per_unit_;  ///< a power of 2 and its inverse
  Wide sum_ = 0;
  bool overflows_ = false;
};

/// 2^-60 of `whole`.
double unit_of(double whole) {
  constexpr int kBits = 60, kLeast = -900;  // the inverse is to be a number, too
  return whole > 0 ? std::ldexp(1.0, std::max(std::ilogb(whole) - kBits, kLeast)) : 1.0;
}

/// ||w_i|| of each row of a side, the largest of them and of the biases, and the penalty without lambda.
struct SideReach {
  std::vector<float> lengths;
  double longest = 0, bias = 0, penalty = 0;
};

/// How often the penalty of a row counts.
double times_of(const MfModel& model, Side side, std::size_t row) {
  const double count = model.data().counts[mf::index_of(side)][row];
  const MfOptions& options = model.options();
  if (options.implicit) return std::pow(count + options.alpha0 * model.data().size(other(side)), options.nu);
  return options.weighted ? count : 1;
}

SideReach reach_of(const MfModel& model, const FactorModel& factors, Side side, Chunks& chunks) {
  constexpr std::size_t kPiece = 4096;
  const std::size_t rows = factors.size(side), s = mf::index_of(side);
  SideReach reach;
  reach.lengths.resize(rows);
  std::vector<SideReach> of_piece((rows + kPiece - 1) / kPiece);
  chunks.for_each(of_piece.size(), [&](std::size_t piece) {
    SideReach& own = of_piece[piece];
    for (std::size_t row = piece * kPiece; row < std::min(rows, (piece + 1) * kPiece); ++row) {
      const float* const record = factors.row(side, static_cast<std::uint32_t>(row));
      const double bias = double{factors.biases[s][row]};
      double squares = 0;
      for (std::uint32_t k = 0; k < factors.rank; ++k) squares += double{record[k]} * double{record[k]};
      const double length = std::sqrt(squares);
      reach.lengths[row] = static_cast<float>(length);
      own.longest = std::max(own.longest, length);
      own.bias = std::max(own.bias, std::abs(bias));
      squares = model.data().unit * squares + bias * bias;
      own.penalty += times_of(model, side, row) * squares;
    }
  });
  for (const SideReach& more : of_piece) {
    reach.longest = std::max(reach.longest, more.longest);
    reach.bias = std::max(reach.bias, more.bias);
    reach.penalty += more.penalty;
  }
  return reach;
}

/// Sums over some ratings.
struct PieceSums {
  explicit PieceSums(double unit) : squared(unit), scores(unit) {}
  [[nodiscard]] bool overflows() const { return squared.overflows() || scores.overflows(); }

  SquareSum squared;
  SquareSum scores;  ///< of Hu's objective: what the sum over all pairs has too much
  double reach = 0;
  std::uint64_t count = 0, marks = 0;
};

/// What the ratings are looked at with.
struct Looking {
  const FactorModel& factors;
  SideReach reach[kSides];
  double rating_unit = 1;  ///< MfData::unit: factors are in the user's unit, ratings are divided by this
  double unit = 1;         ///< of the sum of squares
  bool implicit = false;   ///< values are confidences of ones
  double alpha = 1;        ///< by what confidences are multiplied
  double ones = 0;         ///< Hu's objective: alpha0, which weighs (score - 1)^2 of a chosen pair; else 0
  bool evaluates = false;  ///< ratings that the run evaluates: its products of records have those of the biases in them
};

/// Takes ratings one by one, and looks at some at a time, whose records are fetched meanwhile.
class PieceLook {
 public:
  explicit PieceLook(const Looking& with) : with_(with), products_(double_products()), sums_(with.unit) {}
  void add(std::uint32_t user, std::uint32_t item, float value) {
    const FactorModel& factors = with_.factors;
    const bool is_same_user = held_ > 0 && users_[held_ - 1] == user;
    records_[0][held_] = is_same_user ? records_[0][held_ - 1] : fetched(factors.row(Side::users, user));
    records_[1][held_] = fetched(factors.row(Side::items, item));
    users_[held_] = user;
    items_[held_] = item;
    values_[held_] = value;
    if (++held_ == kHeld) look();
  }
  [[nodiscard]] PieceSums end() {
    look();
    return sums_;
  }

 private:
  static constexpr std::size_t kHeld = 64, kLine = 16;  ///< floats of a cache line

  const float* fetched(const float* record) const {
    for (std::size_t k = 0; k < with_.factors.rank; k += kLine) __builtin_prefetch(record + k);
    return record;
  }
  void look() {
    const FactorModel& factors = with_.factors;
    const double mean = double{factors.mean};
    products_(records_[0].data(), records_[1].data(), held_, factors.rank, dots_.data());
    for (std::size_t r = 0; r < held_; ++r) {
      const std::uint32_t user = users_[r], item = items_[r];
      if (with_.implicit) {
        look_at_pair(user, item, values_[r], dots_[r]);
        continue;
      }
      const double of_user = double{factors.biases[0][user]}, of_item = double{factors.biases[1][item]};
      const double centred = double{values_[r]} * with_.rating_unit - mean;
      sums_.squared.add(centred - of_user - of_item - dots_[r]);
      const double reach = std::abs(centred) + std::abs(of_user) + std::abs(of_item) +
                           double{with_.reach[0].lengths[user]} * double{with_.reach[1].lengths[item]} +
                           (with_.evaluates ? std::abs(of_user * of_item) : 0.0);
      sums_.reach += reach * reach;
      sums_.marks += rating_mark(user, item, values_[r]);
    }
    sums_.count += held_;
    held_ = 0;
  }

  /// A pair that was chosen: alpha x confidence x (score - 1)^2. Hu's objective wants 1 of it among all pairs, too:
  /// these have its score^2 in place of (score - 1)^2.
  void look_at_pair(std::uint32_t user, std::uint32_t item, float confidence, double score) {
    const double weight = with_.alpha * double{confidence} + with_.ones;
    sums_.squared.add(std::sqrt(weight) * (1 - score));
    if (with_.ones > 0) sums_.scores.add(std::sqrt(with_.ones) * score);
    const double reach = 1 + double{with_.reach[0].lengths[user]} * double{with_.reach[1].lengths[item]};
    sums_.reach += (weight + with_.ones) * reach * reach;
    sums_.marks += rating_mark(user, item, confidence);
  }

  const Looking& with_;
  DoubleProducts products_;
  PieceSums sums_;
  std::size_t held_ = 0;
  std::array<const float*, kHeld> records_[kSides]{};
  std::array<std::uint32_t, kHeld> users_{}, items_{};
  std::array<float, kHeld> values_{};
  std::array<double, kHeld> dots_{};
};

/// Pieces that are looked at side by side; their sums are added in order.
template <class Look>
PieceSums look_at(const Looking& with, std::size_t pieces, Chunks& chunks, Look&& look) {
  std::vector<PieceSums> of_piece(pieces, PieceSums(with.unit));
  chunks.for_each(pieces, [&](std::size_t piece) {
    PieceLook own(with);
    look(piece, own);
    of_piece[piece] = own.end();
  });
  PieceSums sum(with.unit);
  for (const PieceSums& more : of_piece) {
    sum.squared.add(more.squared);
    sum.scores.add(more.scores);
    sum.reach += more.reach;
    sum.count += more.count;
    sum.marks += more.marks;
  }
  return sum;
}

/// By worker and cell, as an embedded run of sgd holds them.
PieceSums look_at_grid(const MfModel& model, const GridRatings& grid, const Looking& with, Chunks& chunks) {
  const auto& levels = model.data().ratings->levels;
  return look_at(with, model.page_count(Side::users), chunks, [&](std::size_t page, PieceLook& look) {
    const CellRow* const row = grid.find(static_cast<std::uint32_t>(page));
    const auto& users = model.rows_of(Side::users, static_cast<std::uint32_t>(page));
    for (std::uint32_t of_items = 0; row != nullptr && of_items + 1 < row->begins.size(); ++of_items) {
      const CellRatings cell = row->cell(of_items, levels);
      const auto& items = model.rows_of(Side::items, of_items);
      for (std::size_t r = 0; r < cell.rows.size(); ++r) {
        const float value = cell.codes.empty() ? cell.values[r] : levels[cell.codes[r]];
        look.add(users[cell.rows[r]], items[cell.columns[r]], value);
      }
    }
  });
}

/// By user, as an embedded run of the other solvers holds them.
PieceSums look_at_blocks(const MfModel& model, const SideRatings& by_user, const Looking& with, Chunks& chunks) {
  const auto& levels = model.data().ratings->levels;
  const SidePartition &users = model.partition().of(Side::users), &items = model.partition().of(Side::items);
  std::vector<std::uint32_t> item_at(items.pages.size() << items.shift);
  for (std::uint32_t item = 0; item < items.slots.size(); ++item) item_at[items.slots[item]] = item;
  const std::size_t parts = users.workers;
  return look_at(with, users.pages.size() * parts, chunks, [&](std::size_t piece, PieceLook& look) {
    const auto page = static_cast<std::uint32_t>(piece / parts), part = static_cast<std::uint32_t>(piece % parts);
    if (part > 0 && !users.is_split(page)) return;
    const auto found = by_user.find(page, part, levels);
    if (!found) return;
    const RatingRows& rows = *found;
    const auto& own = model.rows_of(Side::users, page);
    rows.slots.visit([&](const auto* slots) {
      for (std::size_t k = 0; k < rows.rows(); ++k) {
        for (std::uint64_t r = rows.begins[k]; r < rows.begins[k + 1]; ++r) {
          look.add(own[k], item_at[slots[r]], rows.codes.empty() ? rows.values[r] : levels[rows.codes[r]]);
        }
      }
    });
  });
}

/// In the order of the file, as a driver holds them.
PieceSums look_at_file(const MfData& data, const Triplets& train, const Looking& with, Chunks& chunks) {
  constexpr std::size_t kPiece = 65536;
  return look_at(with, (train.size() + kPiece - 1) / kPiece, chunks, [&](std::size_t piece, PieceLook& look) {
    const std::size_t end = std::min<std::size_t>(train.size(), (piece + 1) * kPiece);
    for (std::size_t t = piece * kPiece; t < end; ++t) {
      look.add(train.users[t], train.items[t], value_of(train, data.ratings->levels, t));
    }
  });
}

PieceSums look_at_ratings(const MfModel& model, const Looking& with, Chunks& chunks) {
  const MfData& data = model.data();
  const WorkerRatings* const here = model.ratings_here();
  if (here != nullptr && here->training() == kSides * data.train_size) {
    return here->grid.size() > 0 ? look_at_grid(model, here->grid, with, chunks)
                                 : look_at_blocks(model, here->train[mf::index_of(Side::users)], with, chunks);
  }
  const auto train = data.train == nullptr && data.make_train ? data.make_train() : data.train;
  STRADS_CHECK(train != nullptr, "whoever tells of a fit has its ratings");
  return look_at_file(data, *train, with, chunks);
}

/// No error is larger.
double largest_error(const MfData& data, const Looking& with) {
  const double most = std::max(std::abs(double{data.ratings->lowest}), std::abs(double{data.ratings->highest}));
  return most + std::abs(double{with.factors.mean}) + with.reach[0].bias + with.reach[1].bias +
         with.reach[0].longest * with.reach[1].longest;
}

}  // namespace

Recounted recounted(const MfModel& model, const FactorModel& factors, Chunks& chunks) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const MfData& data = model.data();
  Recounted found;
  Looking with{factors,
               {reach_of(model, factors, Side::users, chunks), reach_of(model, factors, Side::items, chunks)},
               data.unit};
  found.penalty = with.reach[0].penalty + with.reach[1].penalty;
  const MfOptions& options = model.options();
  with.implicit = options.implicit;
  with.alpha = options.alpha;
  with.ones = options.hu ? options.alpha0 : 0;
  const double squares = squares_of(data, options);
  const double mean_square = squares / static_cast<double>(data.train_size) * data.unit * data.unit;
  const double largest = largest_error(data, with);
  if (!std::isfinite(largest * largest)) {
    found.squared = found.reach = kNone;
    return found;
  }
  with.unit = unit_of(mean_square > 0 ? mean_square : largest * largest);
  PieceSums sums = look_at_ratings(model, with, chunks);
  if (sums.overflows()) {  // errors of more than 10^5 ratings: rare, and its time does not matter
    with.unit = unit_of(largest * largest);
    sums = look_at_ratings(model, with, chunks);
  }
  found.squared = sums.overflows() ? kNone : sums.squared.value() - sums.scores.value();
  found.reach = sums.reach;
  if (with.implicit) add_all_pairs(factors, options.alpha0, chunks, found);
  with.evaluates = true;
  found.validation_reach = look_at_file(data, data.ratings->validation, with, chunks).reach;
  found.complete = sums.count == data.train_size && sums.marks == data.marks;
  return found;
}

void recount(const Model& model, RunEnd& end, Chunks& chunks) {
  const auto& fit = static_cast<const MfModel&>(model);
  auto& figures = end.certificate.figures;
  if (fit.solver().facts().knows_objective || figures.size() < kFigures || end.statuses.empty()) return;
  MfSolution solution = solution_of(fit.data(), fit.options(), end);
  const FactorModel factors = factor_model(fit.data(), solution, fit.options().clip);
  const Recounted found = recounted(fit, factors, chunks);
  end.certificate.objective = figures[kFigureObjective] = found.objective(fit.options().lambda);
  figures[kFigureTrainRmse] = std::sqrt(found.squared / static_cast<double>(fit.data().train_size));
}

}  // namespace strads::mf
