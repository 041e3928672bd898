#include "mf/solvers/block_ratings.hpp"

#include <utility>

namespace strads::mf {
namespace {

/// Pieces of the triplets: each counts by itself, so that all can write at once and the order is that of the file.
constexpr std::size_t kBlockPieces = 8;
/// A place in an array of 32 bits.
constexpr std::uint32_t kInNoBlock = ~std::uint32_t{0};

/// first[p][row]: how many ratings of the row lie before piece p.
std::vector<std::vector<std::uint32_t>> count_by_piece(std::span<const std::uint32_t> rows, std::size_t row_count,
                                                       std::vector<std::uint32_t>& totals, Chunks& chunks) {
  std::vector<std::vector<std::uint32_t>> first(kBlockPieces);
  chunks.for_each(kBlockPieces, [&](std::size_t p) {
    first[p].resize(row_count);
    const std::size_t begin = rows.size() * p / kBlockPieces, end = rows.size() * (p + 1) / kBlockPieces;
    for (std::size_t t = begin; t < end; ++t) ++first[p][rows[t]];
  });
  totals.resize(row_count);
  chunks.for_each(kBlockPieces, [&](std::size_t part) {
    const std::size_t begin = row_count * part / kBlockPieces, end = row_count * (part + 1) / kBlockPieces;
    for (std::size_t row = begin; row < end; ++row) {
      std::uint32_t sum = 0;
      for (auto& counts : first) sum += std::exchange(counts[row], sum);
      totals[row] = sum;
    }
  });
  return first;
}

}  // namespace

std::optional<RatingRows> SideRatings::find(std::uint32_t page, std::uint32_t part,
                                            const std::vector<float>& levels) const {
  const std::size_t at = key(page, part);
  if (at >= blocks_.size() || !blocks_[at].here) return std::nullopt;
  const Block& block = blocks_[at];
  const std::uint64_t count = block.begins.back();
  RatingRows rows;
  rows.begins = block.begins;
  if (narrow_slots_.empty()) {
    rows.slots = std::span(slots_).subspan(block.first, count);
  } else {
    rows.slots = std::span(narrow_slots_).subspan(block.first, count);
  }
  rows.levels = levels.data();
  if (codes_.empty()) {
    rows.values = std::span(values_).subspan(block.first, count);
  } else {
    rows.codes = std::span(codes_).subspan(block.first, count);
  }
  return rows;
}

void SideRatings::lay_out(const SidePartition& own, std::span<const std::uint32_t> counts,
                          std::span<const std::uint32_t> workers_here, bool split) {
  workers_ = own.workers;
  whole_pages_ = own.schedulers * own.workers;
  blocks_.resize(std::size_t{whole_pages_} + std::size_t{own.schedulers} * own.workers);
  std::vector<bool> is_here(own.workers, false);
  for (const std::uint32_t worker : workers_here) is_here[worker] = true;
  std::uint64_t held = 0;
  for (std::uint32_t page = 0; page < own.pages.size(); ++page) {
    const bool is_split = own.is_split(page);
    const std::uint32_t parts = is_split && split ? own.workers : 1;
    for (std::uint32_t part = 0; part < parts; ++part) {
      const std::uint32_t place = is_split ? part : page % own.workers;
      if (!is_here[own.worker_of(own.slice_of(page), place)] || own.pages[page].empty()) continue;
      Block& block = blocks_[key(page, part)];
      block.here = true;
      block.first = held;
      block.begins.reserve(own.pages[page].size() + 1);
      block.begins.push_back(0);
      for (const std::uint32_t row : own.pages[page]) {
        const auto [begin, end] = part_of(counts[row], part, parts);
        block.begins.push_back(block.begins.back() + (end - begin));
      }
      held += block.begins.back();
    }
  }
  held_ = held;
}

void SideRatings::make_room_for_values(const std::vector<float>& levels) {
  levels.empty() ? values_.resize(held_) : codes_.resize(held_);
}

void SideRatings::put_value(std::uint64_t at, const Triplets& triplets, std::size_t t) {
  if (values_.empty()) {
    codes_[at] = triplets.codes[t];
  } else {
    values_[at] = triplets.values[t];
  }
}

SideRatings SideRatings::sorted(const Triplets& triplets, const std::vector<float>& levels, Side side,
                                const Partition& partition, std::span<const std::uint32_t> workers_here, Form form,
                                Chunks& chunks) {
  if (triplets.size() == 0) return {};
  const SidePartition& own = partition.of(side);
  const SidePartition& others = partition.of(other(side));
  const auto& rows = side == Side::users ? triplets.users : triplets.items;
  const auto& columns = side == Side::users ? triplets.items : triplets.users;
  std::vector<std::uint32_t> counts;
  auto next = count_by_piece(rows, own.slots.size(), counts, chunks);
  SideRatings taken;
  const bool split = form.split;
  taken.lay_out(own, counts, workers_here, split);
  const bool narrow = form.narrow && others.pages.size() << others.shift <= std::size_t{1} << 16;
  narrow ? taken.narrow_slots_.resize(taken.held_) : taken.slots_.resize(taken.held_);

  // Where the first rating of each row of a whole page goes; other rows are looked at one by one.
  constexpr std::uint64_t kElsewhere = ~std::uint64_t{0};
  std::vector<std::uint64_t> first(own.slots.size(), kElsewhere);
  for (std::uint32_t page = 0; page < own.pages.size(); ++page) {
    const Block& block = taken.blocks_[taken.key(page, 0)];
    if (!block.here || (own.is_split(page) && split)) continue;
    for (std::size_t k = 0; k < own.pages[page].size(); ++k) first[own.pages[page][k]] = block.first + block.begins[k];
  }
  const auto place_of = [&](std::uint32_t row, std::uint32_t nth) {
    if (first[row] != kElsewhere) return first[row] + nth;
    const std::uint32_t page = own.page_of_row(row);
    if (!split || !own.is_split(page)) return kElsewhere;
    // The part whose range holds nth: part_of() cuts at count x part / parts.
    const auto part = static_cast<std::uint32_t>(((std::uint64_t{nth} + 1) * own.workers - 1) / counts[row]);
    const Block& block = taken.blocks_[taken.key(page, part)];
    if (!block.here) return kElsewhere;
    const std::uint32_t place = own.slots[row] & ((std::uint32_t{1} << own.shift) - 1);
    return block.first + block.begins[place] + (nth - part_of(counts[row], part, own.workers).first);
  };
  const auto each_piece = [&](auto&& act) {
    chunks.for_each(kBlockPieces, [&](std::size_t p) {
      const std::size_t end = triplets.size() * (p + 1) / kBlockPieces;
      for (std::size_t t = triplets.size() * p / kBlockPieces; t < end; ++t) act(t, p);
    });
  };
  const auto put_slot = [&](std::uint64_t at, std::size_t t) {
    if (narrow) {
      taken.narrow_slots_[at] = static_cast<std::uint16_t>(others.slots[columns[t]]);
    } else {
      taken.slots_[at] = others.slots[columns[t]];
    }
  };
  if (form.spent == nullptr || taken.held_ >= kInNoBlock) {
    taken.make_room_for_values(levels);
    each_piece([&](std::size_t t, std::size_t p) {
      const std::uint64_t at = place_of(rows[t], next[p][rows[t]]++);
      if (at == kElsewhere) return;
      put_slot(at, t);
      taken.put_value(at, triplets, t);
    });
    return taken;
  }
  // The other side's array goes before there is room for the values; the rows' numbers become places.
  auto& places = side == Side::users ? form.spent->users : form.spent->items;
  each_piece([&](std::size_t t, std::size_t p) {
    const std::uint64_t at = place_of(rows[t], next[p][rows[t]]++);
    places[t] = at == kElsewhere ? kInNoBlock : static_cast<std::uint32_t>(at);
    if (at != kElsewhere) put_slot(at, t);
  });
  // "= {}" would keep the memory of a vector.
  next = decltype(next)();
  (side == Side::users ? form.spent->items : form.spent->users) = std::vector<std::uint32_t>();
  taken.make_room_for_values(levels);
  chunks.for_each(kBlockPieces, [&](std::size_t p) {
    const std::size_t end = places.size() * (p + 1) / kBlockPieces;
    for (std::size_t t = places.size() * p / kBlockPieces; t < end; ++t) {
      if (places[t] != kInNoBlock) taken.put_value(places[t], triplets, t);
    }
  });
  *form.spent = {};
  return taken;
}

}  // namespace strads::mf
