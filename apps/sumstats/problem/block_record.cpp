#include "sumstats/problem/block_record.hpp"

#include <algorithm>
#include <cmath>

#include "strads/base/all_finite.hpp"
#include "strads/base/ascending.hpp"
#include "strads/engine/model.hpp"

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

/// One point of a record, and what is left behind it. False: it is none.
bool take_point(std::span<const double>& rest, std::size_t size) {
  const auto head = find_fields<PointHead>(rest);
  if (!head.has_value() || !(head->gap >= 0)) return false;
  rest = rest.subspan(kFields<PointHead>);
  if (head->nonzeros > size || 2 * head->nonzeros > rest.size()) return false;
  if (!are_places(rest.first(head->nonzeros), size)) return false;
  rest = rest.subspan(2 * head->nonzeros);
  return true;
}

bool are_records(std::span<const double> values, const SummaryProblem& problem, const Grid& grid) {
  while (!values.empty()) {
    const auto head = find_fields<RecordHead>(values);
    if (!head.has_value() || head->block >= problem.blocks()) return false;
    values = values.subspan(kFields<RecordHead>);
    if (head->length > values.size() || head->certified > grid.size()) return false;
    auto record = values.first(head->length);
    const std::size_t size = problem.size_of(static_cast<std::uint32_t>(head->block));
    for (std::size_t k = 0; k < grid.size(); ++k) {
      if (!take_point(record, size)) return false;
    }
    if (!record.empty()) return false;
    values = values.subspan(head->length);
  }
  return true;
}

}  // namespace

void append_record(std::uint32_t block, std::span<const BlockSolution> solutions, const Grid& grid,
                   std::vector<double>& values) {
  RecordHead head{.block = block};
  for (std::size_t k = 0; k < solutions.size(); ++k) {
    const BlockSolution& solution = solutions[k];
    head.length += kFields<PointHead> + 2 * solution.places.size();
    head.objective += solution.objective;
    head.gap += solution.gap;
    head.nonzeros += solution.places.size();
    if (is_certified(solution.objective, solution.gap, grid.tolerance, grid.rounding(k))) ++head.certified;
    if (solution.gap > grid.rounding(k) && solution.objective != 0) {
      head.worst = std::max(head.worst, solution.gap / std::abs(solution.objective));
    }
  }
  values.reserve(values.size() + kFields<RecordHead> + head.length);
  append_fields(head, values);
  for (const BlockSolution& solution : solutions) {
    append_fields(PointHead{.objective = solution.objective, .gap = solution.gap, .nonzeros = solution.places.size()},
                  values);
    values.insert(values.end(), solution.places.begin(), solution.places.end());
    values.insert(values.end(), solution.values.begin(), solution.values.end());
  }
}

void each_record(std::span<const double> values,
                 const std::function<void(const RecordHead& head, std::span<const double> record)>& see) {
  while (!values.empty()) {
    const auto head = read_fields<RecordHead>(values);
    see(head, values.subspan(kFields<RecordHead>, head.length));
    values = values.subspan(kFields<RecordHead> + head.length);
  }
}

std::vector<BlockSolution> solutions_of(std::span<const double> record, std::size_t points) {
  std::vector<BlockSolution> solutions(points);
  for (BlockSolution& solution : solutions) {
    const auto head = read_fields<PointHead>(record);
    const auto places = record.subspan(kFields<PointHead>, head.nonzeros);
    const auto values = record.subspan(kFields<PointHead> + head.nonzeros, head.nonzeros);
    solution.objective = head.objective;
    solution.gap = head.gap;
    solution.places.reserve(places.size());
    for (const double place : places) solution.places.push_back(static_cast<std::uint32_t>(place));
    solution.values.assign(values.begin(), values.end());
    record = record.subspan(kFields<PointHead> + 2 * head.nonzeros);
  }
  return solutions;
}

bool well_formed(PayloadKind kind, const Payload& payload, const SummaryProblem& problem, const Grid& grid) {
  if (!payload.bulk.empty() || !all_finite(payload.values)) return false;
  const std::span<const double> values(payload.values);
  const bool names_none = payload.ids.empty();
  switch (kind) {
    case PayloadKind::ready:
    case PayloadKind::start:
      return names_none && values.empty();
    case PayloadKind::block:
      return !names_none && ascending_below(payload.ids, problem.blocks()) && values.empty();
    case PayloadKind::deltas:
    case PayloadKind::changes:
      return names_none && are_records(values, problem, grid);
    case PayloadKind::status:
      return names_none && find_fields<SliceReport>(values).has_value() &&
             are_records(values.subspan(kFields<SliceReport>), problem, grid);
    case PayloadKind::phase:
      return names_none &&
             (values.empty() || (values.size() == kFields<PhaseTurn> && find_fields<PhaseTurn>(values).has_value()));
  }
  return false;
}

bool well_formed_content(const Payload& payload, const SummaryProblem& problem, const Grid& grid) {
  const std::span<const double> values(payload.values);
  return payload.ids.empty() && payload.bulk.empty() && all_finite(values) && values.size() >= kContentHead &&
         (values[0] == 0 || values[0] == 1) && are_records(values.subspan(kContentHead), problem, grid);
}

}  // namespace strads::sumstats
