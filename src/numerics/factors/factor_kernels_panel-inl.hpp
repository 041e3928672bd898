// Panels: records in, coordinates side by side, records out; compiled once per target by factor_kernels.cpp.
#if defined(STRADS_FACTOR_KERNELS_PANEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef STRADS_FACTOR_KERNELS_PANEL_INL
#undef STRADS_FACTOR_KERNELS_PANEL_INL
#else
#define STRADS_FACTOR_KERNELS_PANEL_INL
#endif

#include <cstddef>

#include "hwy/highway.h"
#include "numerics/factors/factor_kernels.hpp"
#include "numerics/factors/factor_kernels_blocks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace strads::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

/// v[i] = entry k + i of each lane's record.
HWY_INLINE HWY_ATTR void load_entries(const float* const* records, std::size_t k, Floats (&v)[4]) {
  for (std::size_t i = 0; i < 4; ++i) v[i] = hn::LoadU(FloatTag(), records[0] + k + i);
}

HWY_INLINE HWY_ATTR void load_entries(const float* const* records, std::size_t k, Floats (&v)[8]) {
  for (std::size_t i = 0; i < 8; ++i) v[i] = hn::LoadU(FloatTag(), records[0] + k + i);
}

/// The opposite.
HWY_INLINE HWY_ATTR void store_entries(Floats (&v)[4], std::size_t k, float* const* records) {
  for (std::size_t i = 0; i < 4; ++i) hn::StoreU(v[i], FloatTag(), records[0] + k + i);
}

#else

/// Four floats from entry k on of every fourth record, as one vector.
HWY_INLINE HWY_ATTR Floats load_quads(const float* const* records, std::size_t k) {
  const hn::FixedTag<float, 4> quad;
#if HWY_MAX_BYTES == 64
  const hn::FixedTag<float, 8> half;
  const auto low = hn::Combine(half, hn::LoadU(quad, records[4] + k), hn::LoadU(quad, records[0] + k));
  const auto high = hn::Combine(half, hn::LoadU(quad, records[12] + k), hn::LoadU(quad, records[8] + k));
  return hn::Combine(FloatTag(), high, low);
#elif HWY_MAX_BYTES == 32
  return hn::Combine(FloatTag(), hn::LoadU(quad, records[4] + k), hn::LoadU(quad, records[0] + k));
#else
  return hn::LoadU(quad, records[0] + k);
#endif
}

/// Transposes the 4 x 4 floats of each 128-bit block.
HWY_INLINE HWY_ATTR void transpose_quads(Floats (&v)[4]) {
  const FloatTag d;
  const hn::RepartitionToWide<FloatTag> wide;
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, v[0], v[1]));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, v[2], v[3]));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, v[0], v[1]));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, v[2], v[3]));
  v[0] = hn::BitCast(d, hn::InterleaveLower(wide, low01, low23));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23));
  v[2] = hn::BitCast(d, hn::InterleaveLower(wide, high01, high23));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23));
}

/// v[i] = entry k + i of each lane's record.
HWY_INLINE HWY_ATTR void load_entries(const float* const* records, std::size_t k, Floats (&v)[4]) {
  for (std::size_t i = 0; i < 4; ++i) v[i] = load_quads(records + i, k);
  transpose_quads(v);
}

/// The same for eight entries: half the loads.
HWY_INLINE HWY_ATTR void load_entries(const float* const* records, std::size_t k, Floats (&v)[8]) {
#if HWY_MAX_BYTES >= 32
  const hn::FixedTag<float, 8> octet;
  Floats low[4], high[4];  // blocks: entries k and k + 4 of records 0-3 (low) or 4-7 (high), then of those 8 behind
  for (std::size_t i = 0; i < 4; ++i) {
#if HWY_MAX_BYTES == 64
    const FloatTag d;
    low[i] = hn::Combine(d, hn::LoadU(octet, records[8 + i] + k), hn::LoadU(octet, records[i] + k));
    high[i] = hn::Combine(d, hn::LoadU(octet, records[12 + i] + k), hn::LoadU(octet, records[4 + i] + k));
#else
    low[i] = hn::LoadU(octet, records[i] + k);
    high[i] = hn::LoadU(octet, records[4 + i] + k);
#endif
  }
  transpose_quads(low);
  transpose_quads(high);
  for (std::size_t i = 0; i < 4; ++i) {
    v[i] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(high[i]), low[i]);
    v[4 + i] = hn::OddEvenBlocks(high[i], hn::SwapAdjacentBlocks(low[i]));
  }
#else
  Floats quad[4];
  for (std::size_t half = 0; half < 8; half += 4) {
    load_entries(records, k + half, quad);
    for (std::size_t i = 0; i < 4; ++i) v[half + i] = quad[i];
  }
#endif
}

/// The opposite.
HWY_INLINE HWY_ATTR void store_entries(Floats (&v)[4], std::size_t k, float* const* records) {
  transpose_quads(v);
  const hn::FixedTag<float, 4> quad;
  HWY_ALIGN float lanes[kFloatLanes];
  for (std::size_t i = 0; i < 4; ++i) {
    hn::Store(v[i], FloatTag(), lanes);
    for (std::size_t block = 0; block < kFloatLanes; block += 4) {
      hn::StoreU(hn::Load(quad, lanes + block), quad, records[block + i] + k);
    }
  }
}

#endif

/// Where the vectors of a coordinate lie in FactorPanel::coordinates.
struct Place {
  float* first;
  std::size_t step;  ///< floats from group to group
};

HWY_INLINE HWY_ATTR Place place_of(const FactorShape& shape, const FactorPanel& panel, std::size_t coordinate) {
  const std::size_t block = coordinate / shape.width * shape.width;
  const std::size_t left = shape.coordinates - block, width = left < shape.width ? left : shape.width;
  return {panel.coordinates + (panel.groups * block + coordinate - block) * kFloatLanes, width * kFloatLanes};
}

HWY_INLINE HWY_ATTR void store_coordinate(const FactorShape& shape, const FactorPanel& panel, std::size_t coordinate,
                                          std::size_t group, Floats v) {
  const Place place = place_of(shape, panel, coordinate);
  hn::Store(v, FloatTag(), place.first + group * place.step);
}

/// Lanes of group t that hold a rating.
struct Occupied {
  Floats counts, places, split;
  HWY_INLINE HWY_ATTR explicit Occupied(const FactorPanel& panel) {
    HWY_ALIGN float own[kFloatLanes];
    for (std::size_t lane = 0; lane < kFloatLanes; ++lane) own[lane] = static_cast<float>(lane % panel.split);
    counts = hn::Load(FloatTag(), panel.counts);
    places = hn::Load(FloatTag(), own);
    split = hn::Set(FloatTag(), static_cast<float>(panel.split));
  }
  HWY_INLINE HWY_ATTR auto at(std::size_t group) const {
    const Floats first = hn::Mul(hn::Set(FloatTag(), static_cast<float>(group)), split);
    return hn::Lt(hn::Add(first, places), counts);
  }
};

/// factors <- the rows' records, transposed.
HWY_INLINE HWY_ATTR void load_factors(const FactorShape& shape, const FactorPanel& panel) {
  for (std::size_t k = 0; k < shape.stride; k += 4) {
    Floats v[4];
    load_entries(panel.starts, k, v);
    for (std::size_t i = 0; i < 4; ++i) hn::Store(v[i], FloatTag(), panel.factors + (k + i) * kFloatLanes);
  }
}

HWY_INLINE HWY_ATTR void store_factors(const FactorShape& shape, const FactorPanel& panel) {
  for (std::size_t k = 0; k < shape.stride; k += 4) {
    Floats v[4];
    for (std::size_t i = 0; i < 4; ++i) v[i] = hn::Load(FloatTag(), panel.factors + (k + i) * kFloatLanes);
    store_entries(v, k, panel.results);
  }
}

/// The predictions of a group, in four sums.
struct Predicted {
  Floats sums[4];
  HWY_INLINE HWY_ATTR void add(std::size_t i, Floats coordinates, const float* w) {
    sums[i % 4] = hn::MulAdd(coordinates, load_lanes(w), sums[i % 4]);
  }
  HWY_INLINE HWY_ATTR Floats sum() const { return hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])); }
};

/// Factors k ... k + Count - 1 of a group to `to`.
template <std::size_t Count>
HWY_INLINE HWY_ATTR void load_factors_of(const float* const* records, std::size_t k, const float* factors, float* to,
                                         Predicted& predicted) {
  Floats v[Count];
  load_entries(records, k, v);
  for (std::size_t i = 0; i < Count; ++i) {
    predicted.add(i, v[i], factors + (k + i) * kFloatLanes);
    hn::Store(v[i], FloatTag(), to + i * kFloatLanes);
  }
}

/// Loads the factors of a group but for the last rank mod 4.
HWY_INLINE HWY_ATTR void load_group(const FactorShape& shape, const FactorPanel& panel, std::size_t group,
                                    Predicted& predicted, Fetch& fetch) {
  const float* const* const records = panel.records + group * kFloatLanes;
  const std::size_t end = shape.rank / 4 * 4;
  if (shape.width % 4 != 0 && shape.width < shape.coordinates) {  // blocks begin anywhere: one by one
    for (std::size_t k = 0; k < end; k += 4) {
      Floats v[4];
      load_entries(records, k, v);
      for (std::size_t i = 0; i < 4; ++i) {
        predicted.add(i, v[i], panel.factors + (k + i) * kFloatLanes);
        store_coordinate(shape, panel, k + i, group, v[i]);
      }
    }
    return;
  }
  for (std::size_t first = 0; first < end; first += shape.width) {
    const std::size_t left = shape.coordinates - first, width = left < shape.width ? left : shape.width;
    const std::size_t last = first + width < end ? first + width : end;
    float* to = panel.coordinates + (panel.groups * first + group * width) * kFloatLanes;
    std::size_t k = first;
    for (; k + 8 <= last; k += 8, to += 8 * kFloatLanes) {
      fetch.visit();
      load_factors_of<8>(records, k, panel.factors, to, predicted);
    }
    if (k + 4 <= last) load_factors_of<4>(records, k, panel.factors, to, predicted);
  }
}

/// The last quad of a record: up to three factors, then the column's bias, whose place in `coordinates` belongs to the
/// rows' bias: ones where there are ratings.
template <class Mask>
HWY_INLINE HWY_ATTR void load_last_quad(const FactorShape& shape, const FactorPanel& panel, std::size_t group,
                                        Mask occupied, Predicted& predicted) {
  const std::size_t first = shape.rank / 4 * 4;
  Floats v[4];
  load_entries(panel.records + group * kFloatLanes, first, v);
  for (std::size_t i = 0; i < 4 && first + i < shape.rank; ++i) {
    store_coordinate(shape, panel, first + i, group, v[i]);
    predicted.add(i, v[i], panel.factors + (first + i) * kFloatLanes);
  }
  if (shape.bias()) {
    const Floats ones = hn::IfThenElseZero(occupied, hn::Set(FloatTag(), 1.0F));
    store_coordinate(shape, panel, shape.rank, group, ones);
  }
  predicted.sums[0] = hn::Add(predicted.sums[0], v[shape.rank - first]);
}

/// coordinates <- the ratings' records, transposed; residual <- value - mean - b_i - b_j - w_i'h_j, 0 where there is
/// no rating. Returns the sum of its squares.
HWY_INLINE HWY_ATTR double load_panel(const FactorShape& shape, const FactorPanel& panel, Fetch& fetch) {
  const FloatTag d;
  const Occupied occupied(panel);
  const Floats base = hn::Add(hn::Set(d, shape.mean), load_lanes(panel.factors + shape.rank * kFloatLanes));
  SquareSum squares;
  for (std::size_t t = 0; t < panel.groups; ++t) {
    fetch.visit(Fetch::kFirstVisits);
    if (t + 1 < panel.groups) fetch_near(panel.records + (t + 1) * kFloatLanes, shape.stride);
    Predicted predicted{{base, hn::Zero(d), hn::Zero(d), hn::Zero(d)}};
    load_group(shape, panel, t, predicted, fetch);
    const auto here = occupied.at(t);
    load_last_quad(shape, panel, t, here, predicted);
    float* const residual = panel.residual + t * kFloatLanes;
    const Floats error = hn::IfThenElseZero(here, hn::Sub(load_lanes(residual), predicted.sum()));
    hn::Store(error, d, residual);
    squares.add(error);
  }
  return squares.sum();
}

}  // namespace

HWY_ATTR PanelErrors update_panel(const FactorShape& shape, const FactorPanel& panel, FactorAhead ahead) {
  PanelErrors errors;
  Fetch fetch(shape, ahead);
  load_factors(shape, panel);
  errors.before = load_panel(shape, panel, fetch);
  errors.after = descend(shape, panel, fetch);
  store_factors(shape, panel);
  fetch.rest();
  return errors;
}

HWY_ATTR double add_panel_equations(const FactorShape& shape, const FactorPanel& panel, FactorAhead ahead) {
  Fetch fetch(shape, ahead);
  load_factors(shape, panel);
  const double squares = load_panel(shape, panel, fetch);
  add_equations(panel, panel.coordinates, shape.coordinates, fetch);
  fetch.rest();
  return squares;
}

HWY_ATTR void sum_equation_lanes(const float* equations, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t lane = 0; lane < kFloatLanes; ++lane) {
      sum += static_cast<double>(equations[i * kFloatLanes + lane]);
    }
    out[i] = sum;
  }
}

HWY_ATTR void record_dots(const float* const* left, const float* const* right, std::size_t count, std::size_t stride,
                          float* out) {
  const FloatTag d;
  for (std::size_t i = 0; i < count; ++i) {
    Floats sum = hn::Mul(hn::LoadU(d, left[i]), hn::LoadU(d, right[i]));
    for (std::size_t k = kFloatLanes; k < stride; k += kFloatLanes) {
      sum = hn::MulAdd(hn::LoadU(d, left[i] + k), hn::LoadU(d, right[i] + k), sum);
    }
    out[i] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

}  // namespace strads::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
