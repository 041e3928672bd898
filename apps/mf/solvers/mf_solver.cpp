// What all solvers do alike: starting pages, reading them, and folding a page into a replica.
#include "mf/solvers/mf_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "strads/base/random.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {
namespace {

/// A block of rows never raises what it minimises. Single precision rounds by less than this share.
constexpr double kPageRise = 1e-3;

}  // namespace

void MfSolver::place(std::shared_ptr<const MfData> data, std::shared_ptr<const Partition> partition,
                     std::size_t workers_here) {
  workers_here_ = std::max<std::size_t>(workers_here, 1);
  data_ = std::move(data);
  partition_ = std::move(partition);
  placed();
}

void MfSolver::sort_by_side(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks,
                            Triplets* spent, SideRatings::Form form, WorkerRatings& to) const {
  for (const Side side : {Side::users, Side::items}) {
    form.spent = side == Side::items ? spent : nullptr;
    to.train[mf::index_of(side)] =
        SideRatings::sorted(train, data_->ratings->levels, side, *partition_, workers, form, chunks);
  }
}

RatingRows MfSolver::train_rows(const WorkerRatings& ratings, Side side, std::uint32_t page, std::uint32_t part) const {
  const auto rows = ratings.train[mf::index_of(side)].find(page, part, data_->ratings->levels);
  STRADS_CHECK(rows.has_value(), "a worker has the ratings of its blocks");
  return *rows;
}

SharedFloats MfSolver::drawn_page(Side side, std::size_t page, double width) const {
  const auto& rows = rows_of(side, page);
  SharedFloats floats(rows.size() * stride());
  const auto out = floats.writable();
  std::fill(out.begin(), out.end(), 0.0F);
  const double shift = options_.mean || options_.implicit ? -0.5 : 0.0;
  const double scale = width / std::sqrt(options_.rank);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CounterRng random(data_->seed, Purpose::start, mf::index_of(side), rows[k]);
    for (std::size_t f = 0; f < options_.rank; ++f) {
      out[k * stride() + f] = static_cast<float>((random.unit() + shift) * scale);
    }
  }
  return floats;
}

SharedFloats MfSolver::zero_page(Side side) const {
  SharedFloats zeros((std::size_t{1} << partition_->of(side).shift) * stride());
  std::ranges::fill(zeros.writable(), 0.0F);
  return zeros;
}

std::vector<double> MfSolver::penalties_of_records(Side side, std::size_t page, const float* records) const {
  const auto& counts = data_->counts[mf::index_of(side)];
  std::vector<std::uint64_t> begins{0};
  for (const std::uint32_t row : rows_of(side, page)) begins.push_back(begins.back() + counts[row]);
  RatingRows rows;
  rows.begins = begins;
  std::vector<double> sums(options_.rank + 1);
  penalties_of(rows, options_.rank, options_.weighted, records, sums);
  return sums;
}

SharedFloats MfSolver::records(const MfState& state, Side side, std::uint32_t page) const {
  const std::size_t size = rows_of(side, page).size() * stride();
  SharedFloats floats = state.of(side).held[page]->floats();
  if (floats.size() >= size) return floats;
  SharedFloats like(size);
  std::ranges::fill(like.writable(), 1.0F);
  return like;
}

void MfSolver::add_parts(const MfState&, std::span<const double>, std::uint32_t, std::span<const Payload>,
                         Payload&) const {
  STRADS_CHECK(facts_.splits_rows, "well_formed() refuses parts where rows are not split");
}

Fault MfSolver::fault_of(const MfState& state, Side side, std::span<const double> entry) const {
  if (const Fault fault = marked(entry); fault != Fault::none) return fault;
  const PageEntry says = entry_of(entry);
  const auto penalties = state.penalties_of_page(side, says.page);
  const double before = says.before + options_.lambda * weighted_penalty(penalties, state.weights, side);
  const double after = says.after + options_.lambda * weighted_penalty(sums_of(entry), state.weights, side);
  return has_risen(before, after, kPageRise, squares_of(*data_, options_)) ? Fault::rose : Fault::none;
}

void MfSolver::fold_page(MfState& state, Side side, std::size_t place, std::span<const double> entry,
                         const SharedFloats& floats, Replaced replaced) const {
  if (const Fault fault = fault_of(state, side, entry); fault != Fault::none) {
    state.fault = graver(state.fault, fault);  // the page stays as it was: what is kept is the best that there was
    return;
  }
  state.of(side).replace(place, floats, replaced);
  const PageEntry says = entry_of(entry);
  state.set_penalties(side, says.page, sums_of(entry));
  state.error += says.after - says.before;
  state.fresh_error += says.after;
  ++state.fresh_pages;
}

SidePages::SidePages(const MfSolver& solver, const Partition& partition, const MfState& state, Side side) {
  const SidePartition& own = partition.of(side);
  held_.reserve(own.pages.size());
  table_.reserve(own.pages.size());
  for (std::uint32_t page = 0; page < own.pages.size(); ++page) {
    held_.push_back(solver.records(state, side, page));
    table_.push_back(held_.back().data());
  }
  view_ = {table_.data(), own.shift, solver.facts().stride};
}

std::vector<double> values_of_entry(std::span<const double> plan, std::uint32_t page, std::uint32_t of_items,
                                    const RowSums& sums) {
  std::vector<double> values(plan.begin(), plan.end());
  append_fields(PageEntry{.page = page, .other = of_items, .before = sums.error_before, .after = sums.error_after},
                values);
  return values;
}

}  // namespace strads::mf
