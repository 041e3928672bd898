// Block coordinate descent on panels (factor_kernels.hpp), compiled once per target by factor_kernels.cpp.
// Every lane computes on its own but for one step: lanes that share a row add their normal equations up.
#if defined(STRADS_FACTOR_KERNELS_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_FACTOR_KERNELS_BLOCKS_INL
#undef STRADS_FACTOR_KERNELS_BLOCKS_INL
#else
#define STRADS_FACTOR_KERNELS_BLOCKS_INL
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "numerics/factors/factor_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, kFactorLanesMax>;
using Floats = hn::Vec<FloatTag>;
constexpr std::size_t kFloatLanes = hn::MaxLanes(FloatTag());
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr std::size_t kVectorRegisters = 32;
#else
constexpr std::size_t kVectorRegisters = 16;
#endif

/// Floats of a cache line.
constexpr std::size_t kLineFloats = 16;

/// Wider blocks keep their equations in memory.
constexpr std::size_t kCompiledWidth = 8;

HWY_INLINE HWY_ATTR Floats load_lanes(const float* p) {
  return hn::Load(FloatTag(), p);
}

/// Sum of squares in double: rows may have many ratings, and errors are compared to a millionth.
class SquareSum {
 public:
#if HWY_TARGET == HWY_SCALAR
  HWY_INLINE HWY_ATTR void add(Floats v) {
    const double value = static_cast<double>(hn::GetLane(v));
    sum_ += value * value;
  }
  HWY_INLINE HWY_ATTR double sum() const {
    return sum_;
  }

 private:
  double sum_ = 0;
#else
  HWY_INLINE HWY_ATTR SquareSum() : low_(hn::Zero(Doubles())), high_(hn::Zero(Doubles())) {}
  HWY_INLINE HWY_ATTR void add(Floats v) {
    const hn::Rebind<float, Doubles> half;
    const auto low = hn::PromoteTo(Doubles(), hn::LowerHalf(half, v));
    const auto high = hn::PromoteTo(Doubles(), hn::UpperHalf(half, v));
    low_ = hn::MulAdd(low, low, low_);
    high_ = hn::MulAdd(high, high, high_);
  }
  HWY_INLINE HWY_ATTR double sum() const {
    return hn::GetLane(hn::SumOfLanes(Doubles(), hn::Add(low_, high_)));
  }

 private:
  using Doubles = hn::RepartitionToWide<FloatTag>;
  hn::Vec<Doubles> low_, high_;
#endif
};

/// Each lane becomes the sum over its row's `split` neighbours.
HWY_INLINE HWY_ATTR Floats sum_row_lanes(Floats v, [[maybe_unused]] std::size_t split) {
#if HWY_TARGET != HWY_SCALAR
  if (split >= 2) v = hn::Add(v, hn::Shuffle2301(v));
  if (split >= 4) v = hn::Add(v, hn::Shuffle1032(v));
#endif
#if HWY_MAX_BYTES >= 32
  if (split >= 8) v = hn::Add(v, hn::SwapAdjacentBlocks(v));
#endif
#if HWY_MAX_BYTES >= 64
  if (split >= 16) v = hn::Add(v, hn::ConcatLowerUpper(FloatTag(), v, v));
#endif
  return v;
}

/// Asks for all lines of a record: into L1 (kNear = 3) or L2 (2).
template <int kNear>
HWY_INLINE HWY_ATTR void fetch_record(const float* record, std::size_t stride) {
  __builtin_prefetch(record, 0, kNear);
  if (stride == 3 * kLineFloats) {  // ranks 32 to 47, unrolled
    __builtin_prefetch(record + kLineFloats, 0, kNear);
    __builtin_prefetch(record + 2 * kLineFloats, 0, kNear);
    return;
  }
  for (std::size_t k = kLineFloats; k < stride; k += kLineFloats) __builtin_prefetch(record + k, 0, kNear);
}

/// Fetches the next panel's records into L2, a few at each visit of a group: evenly, since lines asked for all at once
/// wait for one another and hold up everything else.
class Fetch {
 public:
  HWY_INLINE HWY_ATTR Fetch(const FactorShape& shape, FactorAhead ahead)
      : next_(ahead.records), end_(ahead.records + ahead.count), stride_(shape.stride) {
    // Three visits a block of compiled width; loading takes as long as three such blocks.
    const std::size_t blocks = (shape.coordinates + shape.width - 1) / shape.width;
    const std::size_t block_visits = kBlockVisits + (shape.width > kCompiledWidth ? shape.width / 3 : 0);
    const std::size_t visits = kLoadVisits + blocks * block_visits;
    record_lines_ = stride_ / kLineFloats;
    lines_ = (record_lines_ * kFloatLanes + visits - 1) / visits;
    block_lines_ = lines_ * block_visits;
  }
  /// As many lines as fall to `visits` visits.
  HWY_INLINE HWY_ATTR void visit(std::size_t visits = 1) { lines(visits * lines_); }
  /// Lines of a group that fall to one block.
  HWY_INLINE HWY_ATTR std::size_t block_lines() const { return block_lines_; }
  /// Whole records: what is left over waits for the next visit.
  HWY_INLINE HWY_ATTR void lines(std::size_t count) {
    due_ += count;
    while (due_ >= record_lines_) {
      due_ -= record_lines_;
      if (next_ != end_) fetch_record<2>(*next_++, stride_);
    }
  }
  HWY_INLINE HWY_ATTR void rest() {
    while (next_ != end_) fetch_record<2>(*next_++, stride_);
  }

  /// Visits of a group while it is loaded, and of those how many before its factors.
  static constexpr std::size_t kLoadVisits = 9, kFirstVisits = 4;
  static constexpr std::size_t kBlockVisits = 3;

 private:
  const float* const* next_;
  const float* const* end_;
  std::size_t stride_, record_lines_, lines_, block_lines_;
  std::size_t due_ = 0;
};

/// Fetches a group's records into L1.
HWY_INLINE HWY_ATTR void fetch_near(const float* const* records, std::size_t stride) {
  for (std::size_t lane = 0; lane < kFloatLanes; ++lane) fetch_record<3>(records[lane], stride);
}

constexpr std::size_t triangle(std::size_t i) {
  return i * (i + 1) / 2;
}

/// Rows of a triangle from `first` on whose accumulators stay in registers, beside the operands.
constexpr std::size_t rows_in_registers(std::size_t width, std::size_t first) {
  std::size_t last = first + 1;
  while (last < width && triangle(last + 1) - triangle(first) + 2 * (last + 1 - first) + 2 <= kVectorRegisters) ++last;
  return last;
}

/// Rows First ... Last - 1 of x'x and of x'e: x is groups x Width vectors.
template <std::size_t Width, std::size_t First, std::size_t Last>
HWY_INLINE HWY_ATTR void equation_rows(const float* x, const float* residual, std::size_t groups, Floats* matrix,
                                       Floats* right, Fetch& fetch) {
  constexpr std::size_t kBefore = triangle(First), kEntries = triangle(Last) - kBefore, kRows = Last - First;
  const FloatTag d;
  Floats sums[kEntries], products[kRows];
  for (std::size_t i = 0; i < kEntries; ++i) sums[i] = hn::Zero(d);
  for (std::size_t i = 0; i < kRows; ++i) products[i] = hn::Zero(d);
  for (std::size_t t = 0; t < groups; ++t, x += Width * kFloatLanes, residual += kFloatLanes) {
    fetch.visit();
    const Floats error = load_lanes(residual);
    Floats row[kRows];
    for (std::size_t i = 0; i < kRows; ++i) row[i] = load_lanes(x + (First + i) * kFloatLanes);
    for (std::size_t i = 0; i < kRows; ++i) products[i] = hn::MulAdd(row[i], error, products[i]);
    for (std::size_t j = 0; j < First; ++j) {
      const Floats column = load_lanes(x + j * kFloatLanes);
      for (std::size_t i = 0; i < kRows; ++i) {
        Floats& sum = sums[triangle(First + i) + j - kBefore];
        sum = hn::MulAdd(row[i], column, sum);
      }
    }
    for (std::size_t j = 0; j < kRows; ++j) {
      for (std::size_t i = j; i < kRows; ++i) {
        Floats& sum = sums[triangle(First + i) + First + j - kBefore];
        sum = hn::MulAdd(row[i], row[j], sum);
      }
    }
  }
  for (std::size_t i = 0; i < kEntries; ++i) matrix[kBefore + i] = sums[i];
  for (std::size_t i = 0; i < kRows; ++i) right[First + i] = products[i];
}

template <std::size_t Width, std::size_t First = 0>
HWY_INLINE HWY_ATTR void equations_of(const float* x, const float* residual, std::size_t groups, Floats* matrix,
                                      Floats* right, Fetch& fetch) {
  constexpr std::size_t kLast = rows_in_registers(Width, First);
  equation_rows<Width, First, kLast>(x, residual, groups, matrix, right, fetch);
  if constexpr (kLast < Width) equations_of<Width, kLast>(x, residual, groups, matrix, right, fetch);
}

/// 1 / pivot, or 0 where the coordinate stays.
HWY_INLINE HWY_ATTR Floats inverse_pivot(Floats pivot, Floats diagonal) {
  const FloatTag d;
  const auto moves = hn::Gt(pivot, hn::Mul(hn::Set(d, kPivotMin), diagonal));
  return hn::IfThenElseZero(moves, hn::Div(hn::Set(d, 1.0F), pivot));
}

/// right <- (matrix + penalties)^-1 (right - penalties w) by L D L'. Lane by lane; `matrix` is destroyed.
template <std::size_t Width>
HWY_INLINE HWY_ATTR void solve(Floats* matrix, Floats* right, const float* weights, Floats penalty, const float* w) {
  const FloatTag d;
  Floats inverse[Width];
  for (std::size_t i = 0; i < Width; ++i) {
    const Floats own = hn::Mul(penalty, hn::Set(d, weights[i]));
    matrix[triangle(i) + i] = hn::Add(matrix[triangle(i) + i], own);
    right[i] = hn::NegMulAdd(own, load_lanes(w + i * kFloatLanes), right[i]);
  }
  Floats diagonal[Width];
  for (std::size_t i = 0; i < Width; ++i) diagonal[i] = matrix[triangle(i) + i];
  for (std::size_t j = 0; j < Width; ++j) {
    inverse[j] = inverse_pivot(matrix[triangle(j) + j], diagonal[j]);
    for (std::size_t i = j + 1; i < Width; ++i) {
      const Floats scaled = hn::Mul(matrix[triangle(i) + j], inverse[j]);
      right[i] = hn::NegMulAdd(scaled, right[j], right[i]);
      for (std::size_t k = j + 1; k <= i; ++k) {
        matrix[triangle(i) + k] = hn::NegMulAdd(scaled, matrix[triangle(k) + j], matrix[triangle(i) + k]);
      }
    }
  }
  for (std::size_t i = Width; i-- > 0;) {
    for (std::size_t k = i + 1; k < Width; ++k) {
      right[i] = hn::NegMulAdd(matrix[triangle(k) + i], right[k], right[i]);
    }
    right[i] = hn::Mul(right[i], inverse[i]);
  }
}

/// residual -= x delta.
template <std::size_t Width>
HWY_INLINE HWY_ATTR void move(const float* x, const Floats* delta, std::size_t groups, float* residual, Fetch& fetch) {
  for (std::size_t t = 0; t < groups; ++t, x += Width * kFloatLanes, residual += kFloatLanes) {
    fetch.visit();
    Floats error = load_lanes(residual);
    for (std::size_t i = 0; i < Width; ++i) error = hn::NegMulAdd(load_lanes(x + i * kFloatLanes), delta[i], error);
    hn::Store(error, FloatTag(), residual);
  }
}

/// Solves one block of a compiled width.
template <std::size_t Width>
HWY_ATTR void descend_block(const FactorShape& shape, const FactorPanel& panel, std::size_t first, Fetch& fetch) {
  const float* const x = panel.coordinates + panel.groups * first * kFloatLanes;
  float* const w = panel.factors + first * kFloatLanes;
  Floats matrix[triangle(Width)], right[Width];
  equations_of<Width>(x, panel.residual, panel.groups, matrix, right, fetch);
  if (panel.split > 1) {
    for (std::size_t i = 0; i < triangle(Width); ++i) matrix[i] = sum_row_lanes(matrix[i], panel.split);
    for (std::size_t i = 0; i < Width; ++i) right[i] = sum_row_lanes(right[i], panel.split);
  }
  solve<Width>(matrix, right, shape.weights + first, load_lanes(panel.penalties), w);
  const Floats relaxation = hn::Set(FloatTag(), shape.relaxation);
  for (std::size_t i = 0; i < Width; ++i) {
    right[i] = hn::Mul(relaxation, right[i]);
    hn::Store(hn::Add(load_lanes(w + i * kFloatLanes), right[i]), FloatTag(), w + i * kFloatLanes);
  }
  move<Width>(x, right, panel.groups, panel.residual, fetch);
}

// --- blocks of any width: the equations lie in memory ---

/// Groups between two visits of an entry of the equations: a tile's coordinates stay in L1.
constexpr std::size_t kTileGroups = 32;
/// Up to here small tiles are better, since fewer entries outside of the triangle are computed; beyond, reading the
/// coordinates from L2 is what takes the time, and larger tiles read less.
constexpr std::size_t kNarrow = 64;

/// Adds Rows x Columns entries from (i, j) on; what lies outside of the triangle is computed from repeated columns and
/// dropped.
template <std::size_t Rows, std::size_t Columns>
HWY_INLINE HWY_ATTR void add_tile(const float* x, std::size_t width, std::size_t groups, std::size_t i, std::size_t j,
                                  float* equations) {
  const FloatTag d;
  std::size_t rows[Rows], columns[Columns];
  Floats sums[Rows][Columns];
  for (std::size_t t = 0; t < Columns; ++t) columns[t] = (j + t < width ? j + t : width - 1) * kFloatLanes;
  for (std::size_t s = 0; s < Rows; ++s) {
    rows[s] = (i + s < width ? i + s : width - 1) * kFloatLanes;
    for (std::size_t t = 0; t < Columns; ++t) sums[s][t] = hn::Zero(d);
  }
  for (std::size_t group = 0; group < groups; ++group, x += width * kFloatLanes) {
    Floats right[Columns];
    for (std::size_t t = 0; t < Columns; ++t) right[t] = load_lanes(x + columns[t]);
    for (std::size_t s = 0; s < Rows; ++s) {
      const Floats left = load_lanes(x + rows[s]);
      for (std::size_t t = 0; t < Columns; ++t) sums[s][t] = hn::MulAdd(left, right[t], sums[s][t]);
    }
  }
  for (std::size_t s = 0; s < Rows && i + s < width; ++s) {
    for (std::size_t t = 0; t < Columns && j + t <= i + s; ++t) {
      float* const entry = equations + (triangle(i + s) + j + t) * kFloatLanes;
      hn::Store(hn::Add(load_lanes(entry), sums[s][t]), d, entry);
    }
  }
}

/// The triangle tile by tile.
template <std::size_t Rows, std::size_t Columns>
HWY_INLINE HWY_ATTR void add_tiles(const float* x, std::size_t width, std::size_t groups, float* equations,
                                   Fetch& fetch) {
  const std::size_t tiles = (width + Rows - 1) / Rows * ((width + Columns - 1) / Columns + 1) / 2;
  const std::size_t lines = (groups * fetch.block_lines() + tiles - 1) / tiles;
  for (std::size_t i = 0; i < width; i += Rows) {
    for (std::size_t j = 0; j < width && j < i + Rows; j += Columns) {
      fetch.lines(lines);
      add_tile<Rows, Columns>(x, width, groups, i, j, equations);
    }
  }
}

HWY_INLINE HWY_ATTR void add_right(const float* x, std::size_t width, std::size_t groups, const float* residual,
                                   float* right) {
  for (std::size_t group = 0; group < groups; ++group, x += width * kFloatLanes) {
    const Floats error = load_lanes(residual + group * kFloatLanes);
    for (std::size_t i = 0; i < width; ++i) {
      float* const entry = right + i * kFloatLanes;
      hn::Store(hn::MulAdd(load_lanes(x + i * kFloatLanes), error, load_lanes(entry)), FloatTag(), entry);
    }
  }
}

/// equations += those of `width` coordinates, lane by lane.
HWY_ATTR void add_equations(const FactorPanel& panel, const float* x, std::size_t width, Fetch& fetch) {
  float* const right = panel.equations + triangle(width) * kFloatLanes;
  for (std::size_t group = 0; group < panel.groups; group += kTileGroups) {
    const std::size_t left = panel.groups - group, groups = left < kTileGroups ? left : kTileGroups;
    const float* const here = x + group * width * kFloatLanes;
    if (kVectorRegisters < 32) {
      add_tiles<2, 4>(here, width, groups, panel.equations, fetch);
    } else if (width <= kNarrow) {
      add_tiles<4, 4>(here, width, groups, panel.equations, fetch);
    } else {
      add_tiles<6, 4>(here, width, groups, panel.equations, fetch);
    }
    add_right(here, width, groups, panel.residual + group * kFloatLanes, right);
  }
}

/// As solve<Width>(), on vectors in memory; `inverse` has `width` vectors.
HWY_INLINE HWY_ATTR void solve_wide(float* equations, std::size_t width, const float* weights, Floats penalty,
                                    const float* w, float* inverse) {
  const FloatTag d;
  float* const right = equations + triangle(width) * kFloatLanes;
  const auto at = [equations](std::size_t i, std::size_t j)
                      HWY_ATTR { return equations + (triangle(i) + j) * kFloatLanes; };
  // Up-looking, row by row: what a row reads lies behind one another. The diagonal entry is kept until its pivot.
  for (std::size_t i = 0; i < width; ++i) {
    const Floats own = hn::Mul(penalty, hn::Set(d, weights[i]));
    const Floats diagonal = hn::Add(load_lanes(at(i, i)), own);
    Floats pivot = diagonal;
    Floats y = hn::NegMulAdd(own, load_lanes(w + i * kFloatLanes), load_lanes(right + i * kFloatLanes));
    for (std::size_t j = 0; j < i; ++j) {
      Floats entry = load_lanes(at(i, j));
      for (std::size_t k = 0; k < j; ++k) {
        entry = hn::NegMulAdd(load_lanes(at(i, k)), load_lanes(at(j, k)), entry);
      }
      hn::Store(entry, d, at(i, j));
    }
    // Until here row i holds L D; from here on L.
    for (std::size_t j = 0; j < i; ++j) {
      const Floats entry = load_lanes(at(i, j));
      const Floats scaled = hn::Mul(entry, load_lanes(inverse + j * kFloatLanes));
      pivot = hn::NegMulAdd(entry, scaled, pivot);
      y = hn::NegMulAdd(scaled, load_lanes(right + j * kFloatLanes), y);
      hn::Store(scaled, d, at(i, j));
    }
    hn::Store(inverse_pivot(pivot, diagonal), d, inverse + i * kFloatLanes);
    hn::Store(y, d, right + i * kFloatLanes);
  }
  for (std::size_t i = width; i-- > 0;) {
    Floats delta = hn::Mul(load_lanes(right + i * kFloatLanes), load_lanes(inverse + i * kFloatLanes));
    for (std::size_t k = i + 1; k < width; ++k) {
      delta = hn::NegMulAdd(load_lanes(at(k, i)), load_lanes(right + k * kFloatLanes), delta);
    }
    hn::Store(delta, d, right + i * kFloatLanes);
  }
}

HWY_ATTR void descend_wide(const FactorShape& shape, const FactorPanel& panel, std::size_t first, std::size_t width,
                           Fetch& fetch) {
  const FloatTag d;
  const float* x = panel.coordinates + panel.groups * first * kFloatLanes;
  float* const w = panel.factors + first * kFloatLanes;
  const std::size_t vectors = equation_vectors(width);
  for (std::size_t i = 0; i < vectors; ++i) hn::Store(hn::Zero(d), d, panel.equations + i * kFloatLanes);
  add_equations(panel, x, width, fetch);
  for (std::size_t i = 0; i < vectors && panel.split > 1; ++i) {
    float* const entry = panel.equations + i * kFloatLanes;
    hn::Store(sum_row_lanes(load_lanes(entry), panel.split), d, entry);
  }
  solve_wide(panel.equations, width, shape.weights + first, load_lanes(panel.penalties), w,
             panel.equations + vectors * kFloatLanes);
  float* const delta = panel.equations + triangle(width) * kFloatLanes;
  const Floats relaxation = hn::Set(d, shape.relaxation);
  for (std::size_t i = 0; i < width * kFloatLanes; i += kFloatLanes) {
    hn::Store(hn::Mul(relaxation, load_lanes(delta + i)), d, delta + i);
    hn::Store(hn::Add(load_lanes(w + i), load_lanes(delta + i)), d, w + i);
  }
  for (std::size_t t = 0; t < panel.groups; ++t, x += width * kFloatLanes) {
    Floats error = load_lanes(panel.residual + t * kFloatLanes);
    for (std::size_t i = 0; i < width * kFloatLanes; i += kFloatLanes) {
      error = hn::NegMulAdd(load_lanes(x + i), load_lanes(delta + i), error);
    }
    hn::Store(error, d, panel.residual + t * kFloatLanes);
  }
}

/// All blocks in turn. Returns the sum of the squared residuals afterwards.
HWY_INLINE HWY_ATTR double descend(const FactorShape& shape, const FactorPanel& panel, Fetch& fetch) {
  using Descend = void (*)(const FactorShape&, const FactorPanel&, std::size_t, Fetch&);
  constexpr Descend kCompiled[] = {
      &descend_block<1>, &descend_block<2>, &descend_block<3>, &descend_block<4>,
      &descend_block<5>, &descend_block<6>, &descend_block<7>, &descend_block<8>,
  };
  for (std::size_t first = 0; first < shape.coordinates; first += shape.width) {
    const std::size_t left = shape.coordinates - first, width = left < shape.width ? left : shape.width;
    if (width <= kCompiledWidth) {
      kCompiled[width - 1](shape, panel, first, fetch);
    } else {
      descend_wide(shape, panel, first, width, fetch);
    }
  }
  SquareSum squares;
  for (std::size_t t = 0; t < panel.groups; ++t) squares.add(load_lanes(panel.residual + t * kFloatLanes));
  return squares.sum();
}

}  // namespace
}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
