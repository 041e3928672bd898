#include "mf/solvers/row_pages.hpp"

#include <algorithm>
#include <utility>

namespace strads::mf {

SolverFacts RowPages::row_facts(const MfOptions& options, bool splits, bool rescales) {
  return {.form = {.work = Work::update,
                   .entry = entry_size(Work::update, options.rank),
                   .arrays = 1,
                   .both_sides = true,
                   .parts = splits},
          .stride = record_stride(options.rank),
          .bias = options.rank,
          .splits_rows = splits,
          .rescales = rescales};
}

std::vector<Step> RowPages::steps(std::uint32_t, std::uint32_t) const {
  return {{Work::update, Side::users}, {Work::update, Side::items}};
}

void RowPages::sort_ratings(const Triplets& train, std::span<const std::uint32_t> workers, Chunks& chunks,
                            Triplets* spent, WorkerRatings& to) const {
  sort_by_side(train, workers, chunks, spent, {.split = facts().splits_rows, .narrow = true}, to);
}

void RowPages::start(MfState& state, Side side, Chunks& chunks) const {
  Pages& pages = state.of(side);
  pages.resize(page_count(side));
  if (side == Side::users) {
    const SharedFloats zeros = zero_page(side);
    for (std::size_t page = 0; page < page_count(side); ++page) pages.set_blank(page, zeros);
    return;
  }
  chunks.for_each(page_count(side), [&](std::size_t page) {
    SharedFloats records = drawn_page(side, page, start_width_);
    state.set_penalties(side, page, penalties_of_page(side, page, records.data()));
    pages.set(page, std::move(records));
  });
}

SharedFloats RowPages::row_major(const MfState& state, Side side, std::uint32_t page) const {
  const std::size_t rows = rows_of(side, page).size();
  if (rows == 0) return {};  // and no floats to point at
  // The first page of zeros is as long as the longest one.
  if (SharedFloats whole = state.of(side).held[page]->floats(); whole.size() == rows * stride()) return whole;
  const SharedFloats held = records(state, side, page);
  SharedFloats own(rows * stride());
  const auto out = own.writable();
  std::fill(out.begin(), out.end(), 0.0F);
  const std::size_t used = facts().bias + 1;
  for (std::size_t k = 0; k < rows; ++k) {
    std::copy_n(held.data() + k * stride(), used, out.begin() + static_cast<std::ptrdiff_t>(k * stride()));
  }
  return own;
}

void RowPages::fold(MfState& state, std::span<const double> plan, std::span<const double> entry,
                    std::span<const SharedFloats> arrays, Replaced replaced) const {
  fold_page(state, side_of(plan), entry_of(entry).page, entry, arrays[0], replaced);
}

}  // namespace strads::mf
