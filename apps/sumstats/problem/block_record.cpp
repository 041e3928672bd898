#include "sumstats/problem/block_record.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "strads/base/all_finite.hpp"
#include "strads/base/ascending.hpp"
#include "strads/engine/model.hpp"
#include "sumstats/problem/packed_doubles.hpp"

namespace strads::sumstats {

namespace {

bool are_places(std::span<const double> places, std::size_t size) {
  double last = -1;
  for (const double place : places) {
    if (!is_count(place) || place <= last || place >= static_cast<double>(size)) return false;
    last = place;
  }
  return true;
}

std::size_t masks_of(std::size_t places) {
  return (places + kPlacesOfMask - 1) / kPlacesOfMask;
}

/// Whether the masks say `nonzeros` of `places`.
bool are_masks(std::span<const double> masks, std::size_t places, std::uint64_t nonzeros) {
  std::uint64_t set = 0;
  for (std::size_t k = 0; k < masks.size(); ++k) {
    const std::uint64_t bits = std::min<std::uint64_t>(kPlacesOfMask, places - k * kPlacesOfMask);
    if (!is_count(masks[k]) || masks[k] >= std::ldexp(1.0, static_cast<int>(bits))) return false;
    set += static_cast<std::uint64_t>(std::popcount(static_cast<std::uint64_t>(masks[k])));
  }
  return set == nonzeros;
}

/// One point of a record, and what is left behind it. False: it is none.
bool take_point(std::span<const double>& rest, std::size_t places) {
  const auto head = find_fields<PointHead>(rest);
  if (!head.has_value() || !(head->gap >= 0)) return false;
  rest = rest.subspan(kFields<PointHead>);
  const std::size_t masks = masks_of(places);
  if (masks > rest.size() || head->nonzeros > rest.size() - masks) return false;
  if (!are_masks(rest.first(masks), places, head->nonzeros)) return false;
  rest = rest.subspan(masks + head->nonzeros);
  return true;
}

bool is_record(const RecordHead& head, const SharedFloats& floats, const SummaryProblem& problem, const Grid& grid) {
  if (head.block >= problem.blocks() || head.certified > grid.size()) return false;
  // An array of so many floats has no more doubles: what is said of their number cannot overflow.
  if (head.length > floats.size() || floats.size() != packed_size(head.length)) return false;
  const std::vector<double> values = unpacked(floats.view(), head.length);
  if (!all_finite(values)) return false;
  std::span<const double> record(values);
  const std::size_t size = problem.size_of(static_cast<std::uint32_t>(head.block));
  if (head.places > record.size() || !are_places(record.first(head.places), size)) return false;
  record = record.subspan(head.places);
  for (std::size_t k = 0; k < grid.size(); ++k) {
    if (!take_point(record, head.places)) return false;
  }
  if (record.size() != head.going) return false;
  return record.empty() || find_progress(record, size, grid.size()).has_value();
}

bool are_records(std::span<const double> heads, std::span<const SharedFloats> arrays, const SummaryProblem& problem,
                 const Grid& grid) {
  if (heads.size() != arrays.size() * kFields<RecordHead>) return false;
  for (const SharedFloats& floats : arrays) {
    const auto head = find_fields<RecordHead>(heads);
    if (!head.has_value() || !is_record(*head, floats, problem, grid)) return false;
    heads = heads.subspan(kFields<RecordHead>);
  }
  return true;
}

StoredRecord record_with(std::uint32_t block, std::span<const BlockSolution> solutions, const Grid& grid,
                         std::span<const double> going) {
  RecordHead head{.block = block};
  std::vector<std::uint32_t> places;
  for (const BlockSolution& solution : solutions) {
    std::vector<std::uint32_t> all;
    std::ranges::set_union(places, solution.places, std::back_inserter(all));
    places.swap(all);
  }
  const std::size_t masks = masks_of(places.size());
  head.places = head.length = places.size();
  for (std::size_t k = 0; k < solutions.size(); ++k) {
    const BlockSolution& solution = solutions[k];
    head.length += kFields<PointHead> + masks + solution.places.size();
    head.objective += solution.objective;
    head.gap += solution.gap;
    head.nonzeros += solution.places.size();
    if (is_certified(solution.objective, solution.gap, grid.tolerance, grid.rounding(k))) ++head.certified;
    if (solution.gap > grid.rounding(k) && solution.objective != 0) {
      head.worst = std::max(head.worst, solution.gap / std::abs(solution.objective));
    }
  }
  std::vector<double> values;
  values.reserve(head.length);
  values.insert(values.end(), places.begin(), places.end());
  std::vector<std::uint64_t> bits(masks);
  for (const BlockSolution& solution : solutions) {
    append_fields(PointHead{.objective = solution.objective, .gap = solution.gap, .nonzeros = solution.places.size()},
                  values);
    std::ranges::fill(bits, 0U);
    auto found = places.begin();
    for (const std::uint32_t place : solution.places) {
      found = std::lower_bound(found, places.end(), place);
      const auto k = static_cast<std::uint64_t>(found - places.begin());
      bits[k / kPlacesOfMask] |= std::uint64_t{1} << (k % kPlacesOfMask);
    }
    for (const std::uint64_t mask : bits) values.push_back(static_cast<double>(mask));
    values.insert(values.end(), solution.values.begin(), solution.values.end());
  }
  values.insert(values.end(), going.begin(), going.end());
  head.going = going.size();
  head.length += head.going;
  return {head, packed(values)};
}

}  // namespace

StoredRecord record_of(std::uint32_t block, std::span<const BlockSolution> solutions, const Grid& grid) {
  return record_with(block, solutions, grid, {});
}

StoredRecord record_of(std::uint32_t block, std::span<const BlockSolution> solutions, const Grid& grid,
                       const BlockProgress& progress) {
  std::vector<double> going;
  append_progress(progress, going);
  return record_with(block, solutions, grid, going);
}

void append_record(const StoredRecord& record, Payload& payload) {
  append_fields(record.head, payload.values);
  payload.bulk.push_back(record.packed);
}

void each_record(const Payload& payload, std::size_t before, const std::function<void(const StoredRecord&)>& see) {
  auto heads = std::span(payload.values).subspan(before);
  for (const SharedFloats& floats : payload.bulk) {
    see({read_fields<RecordHead>(heads), floats});
    heads = heads.subspan(kFields<RecordHead>);
  }
}

std::vector<BlockSolution> solutions_of(const StoredRecord& stored, std::size_t points) {
  const std::vector<double> doubles = unpacked(stored.packed.view(), stored.head.length);
  std::span<const double> record(doubles);
  std::vector<BlockSolution> solutions(points);
  const auto places = record.first(stored.head.places);
  const std::size_t masks = masks_of(stored.head.places);
  record = record.subspan(stored.head.places);
  for (BlockSolution& solution : solutions) {
    const auto point = read_fields<PointHead>(record);
    solution.objective = point.objective;
    solution.gap = point.gap;
    solution.places.reserve(point.nonzeros);
    for (std::size_t k = 0; k < masks; ++k) {
      for (auto mask = static_cast<std::uint64_t>(record[kFields<PointHead> + k]); mask != 0; mask &= mask - 1) {
        const std::size_t place = k * kPlacesOfMask + static_cast<std::size_t>(std::countr_zero(mask));
        solution.places.push_back(static_cast<std::uint32_t>(places[place]));
      }
    }
    const auto values = record.subspan(kFields<PointHead> + masks, point.nonzeros);
    solution.values.assign(values.begin(), values.end());
    record = record.subspan(kFields<PointHead> + masks + point.nonzeros);
  }
  return solutions;
}

BlockProgress progress_of(const StoredRecord& stored, const SummaryProblem& problem, std::size_t points) {
  const std::vector<double> doubles = unpacked(stored.packed.view(), stored.head.length);
  const std::size_t size = problem.size_of(static_cast<std::uint32_t>(stored.head.block));
  return find_progress(std::span<const double>(doubles).last(stored.head.going), size, points).value();
}

bool well_formed(PayloadKind kind, const Payload& payload, const SummaryProblem& problem, const Grid& grid) {
  if (!all_finite(payload.values)) return false;
  const std::span<const double> values(payload.values);
  const bool names_none = payload.ids.empty(), has_no_arrays = payload.bulk.empty();
  switch (kind) {
    case PayloadKind::ready:
    case PayloadKind::start:
      return names_none && values.empty() && has_no_arrays;
    case PayloadKind::block:
      return !names_none && ascending_below(payload.ids, problem.blocks()) && values.empty() && has_no_arrays;
    case PayloadKind::deltas:
    case PayloadKind::changes:
      return names_none && are_records(values, payload.bulk, problem, grid);
    case PayloadKind::status:
      return names_none && find_fields<SliceReport>(values).has_value() &&
             are_records(values.subspan(kFields<SliceReport>), payload.bulk, problem, grid);
    case PayloadKind::phase:
      return names_none && has_no_arrays &&
             (values.empty() || (values.size() == kFields<PhaseTurn> && find_fields<PhaseTurn>(values).has_value()));
  }
  return false;
}

bool well_formed_content(const Payload& payload, const SummaryProblem& problem, const Grid& grid) {
  const std::span<const double> values(payload.values);
  return payload.ids.empty() && all_finite(values) && values.size() >= kContentHead &&
         (values[0] == 0 || values[0] == 1) && are_records(values.subspan(kContentHead), payload.bulk, problem, grid);
}

}  // namespace strads::sumstats
