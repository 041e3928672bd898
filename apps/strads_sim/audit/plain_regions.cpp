#include "strads_sim/audit/plain_regions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "strads/data/dataset.hpp"

namespace strads::simulator {

PlainRegions::PlainRegions(const sumstats::SummaryProblem& problem, const AuditedSumstats& asked)
    : asked_(asked), r_(problem.r), weights_(problem.weights), begins_(problem.begins) {
  for (const VarId j : problem.variants) add_column(problem, j);
  weigh_blocks();
  size_turns();
}

/// Copies of the counted allele; a missing call is the mean of the others.
void PlainRegions::add_column(const sumstats::SummaryProblem& problem, VarId j) {
  constexpr std::array kCopies = {2.0, -1.0, 1.0, 0.0};  // by the two bits; -1: missing
  const ColumnsView& view = problem.panel->columns();
  const auto* const bytes = static_cast<const unsigned char*>(static_cast<const void*>(view.values));
  std::vector<double> column(view.rows, 0.0);
  double sum = 0, known = 0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const unsigned four = bytes[std::size_t{j} * view.column_stride + i / 4];
    column[i] = kCopies[(four >> (2 * (i % 4))) & 3U];
    if (column[i] < 0) continue;
    sum += column[i];
    ++known;
  }
  double squares = 0;
  for (double& value : column) {
    value = value < 0 ? 0 : value - sum / known;
    squares += value * value;
  }
  for (double& value : column) value /= std::sqrt(squares);
  columns_.push_back(std::move(column));
}

PlainRegions::Figures PlainRegions::figures(std::uint32_t block, std::size_t point,
                                            const std::vector<double>& b) const {
  const double s = shrink(point);
  const std::size_t first = begins_[block];
  std::vector<double> image(columns_.empty() ? 0 : columns_.front().size(), 0.0);
  for (std::size_t place = 0; place < b.size(); ++place) {
    for (std::size_t i = 0; i < image.size(); ++i) image[i] += b[place] * columns_[first + place][i];
  }
  Figures found;
  for (const double value : image) found.objective += (1 - s) / 2 * value * value;
  for (std::size_t place = 0; place < b.size(); ++place) {
    const double r = r_[first + place], penalty = lambda(point) * weights_[first + place], own = b[place];
    double product = 0;
    for (std::size_t i = 0; i < image.size(); ++i) product += columns_[first + place][i] * image[i];
    const double h = r - (1 - s) * product;
    const double over = std::max(std::abs(h) - penalty, 0.0);
    found.objective += s / 2 * own * own - r * own + penalty * std::abs(own);
    found.gap += penalty * std::abs(own) - h * own + s / 2 * own * own + over * over / (2 * s);
  }
  return found;
}

double PlainRegions::rounding(std::size_t point) const {
  return 1e-29 * lambda(point) * lambda(point) / shrink(point);
}

void PlainRegions::weigh_blocks() {
  for (std::uint32_t block = 0; block < blocks(); ++block) {
    double gap = 0;
    std::vector<double> beyond;
    for (const double lambda : asked_.grid.lambdas) {
      double squares = 0, count = 0;
      for (std::size_t v = begins_[block]; v < begins_[block + 1]; ++v) {
        const double over = std::abs(r_[v]) - lambda * weights_[v];
        if (over <= 0) continue;
        squares += over * over;
        ++count;
      }
      for (const double s : asked_.grid.shrinks) gap += squares / (2 * s);
      beyond.push_back(count);
    }
    gaps_.push_back(gap);
    work_.push_back(gap > 0 ? work_of(size_of(block), beyond) : 0);
  }
}

/// What the model of costs says (docs/SIMULATION.md): products of the Gram matrix, and 16 times the flops of sweeps, by
/// the correlations that exceed each lambda w.
std::uint64_t PlainRegions::work_of(std::size_t size, const std::vector<double>& beyond) const {
  const auto variants = static_cast<double>(size), people = static_cast<double>(columns_.front().size());
  const double joined = std::min(variants, 1.3 * beyond.back());
  double sweeps = 0;
  for (const double s : asked_.grid.shrinks) {
    for (const double nonzeros : beyond) {
      const double density = nonzeros / people;
      const double passes = std::min(600.0, 1 + (1 - s) / s * (0.25 + 3 * density + density * density));
      sweeps += passes * joined * (2 * nonzeros + 6) + 8 * variants;
      sweeps += 2 * variants * nonzeros;
    }
  }
  return static_cast<std::uint64_t>(2 * people * joined * variants) + 16 * static_cast<std::uint64_t>(sweeps);
}

void PlainRegions::size_turns() {
  std::uint64_t all = 0, open = 0;
  for (std::uint32_t block = 0; block < blocks(); ++block) {
    all += work_[block];
    open += gaps_[block] > 0 ? 1 : 0;
  }
  const std::uint64_t places = std::uint64_t{asked_.engine.workers} * asked_.engine.schedulers;
  std::uint64_t turns = (all + asked_.turn.work_of_place * places / 2) / (asked_.turn.work_of_place * places);
  if (asked_.turn.blocks_of_place > 0) turns = std::min(turns, open / (asked_.turn.blocks_of_place * places));
  work_of_round_ = turns < 2 ? 0 : all / (turns * asked_.engine.schedulers) + 1;
}

std::vector<std::vector<VarId>> PlainRegions::round_of(const std::vector<VarId>& open) const {
  std::vector<VarId> order = open;
  std::ranges::stable_sort(order, [&](VarId a, VarId b) { return gaps_[a] > gaps_[b]; });
  std::uint64_t work = 0;
  std::vector<VarId> taken;
  for (const VarId block : order) {
    if (work_of_round_ > 0 && taken.size() >= asked_.engine.workers && work >= work_of_round_) break;
    taken.push_back(block);
    work += work_[block];
  }
  std::ranges::stable_sort(taken, [&](VarId a, VarId b) { return work_[a] > work_[b]; });
  std::vector<std::vector<VarId>> dealt(asked_.engine.workers);
  std::vector<std::uint64_t> loads(dealt.size(), 0);
  for (const VarId block : taken) {
    const auto least = static_cast<std::size_t>(std::ranges::min_element(loads) - loads.begin());
    loads[least] += work_[block] + 1;
    dealt[least].push_back(block);
  }
  for (auto& own : dealt) std::ranges::sort(own);
  std::erase_if(dealt, [](const auto& own) { return own.empty(); });
  return dealt;
}

}  // namespace strads::simulator
