#include "mf/solvers/grid_ratings.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "strads/base/random.hpp"

namespace strads::mf {
namespace {
constexpr std::size_t kPieces = 8;
constexpr std::uint64_t kGroup = 64;
constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

/// `ends`: of each bin.
template <class Index>
void shuffle_groups(CellRow& row, std::vector<Index>& rows, std::vector<Index>& columns,
                    std::span<const std::uint32_t> ends, std::uint64_t seed, std::uint32_t page) {
  CounterRng random(seed, Purpose::start, kSides, page);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    for (std::uint64_t left = end; left > begin + 1; --left) {
      const std::uint64_t chosen = begin + random.below(left - begin);
      std::swap(rows[chosen], rows[left - 1]);
      std::swap(columns[chosen], columns[left - 1]);
      row.codes.empty() ? std::swap(row.values[chosen], row.values[left - 1])
                        : std::swap(row.codes[chosen], row.codes[left - 1]);
    }
    begin = end;
  }
}

}  // namespace

CellRatings CellRow::cell(std::uint32_t items_page, const std::vector<float>& levels) const {
  const std::uint64_t begin = begins[items_page], count = begins[items_page + 1] - begin;
  CellRatings cell;
  if (narrow_rows.empty()) {
    cell.rows = std::span(rows).subspan(begin, count);
    cell.columns = std::span(columns).subspan(begin, count);
  } else {
    cell.rows = std::span(narrow_rows).subspan(begin, count);
    cell.columns = std::span(narrow_columns).subspan(begin, count);
  }
  cell.levels = levels.data();
  if (codes.empty()) {
    cell.values = std::span(values).subspan(begin, count);
  } else {
    cell.codes = std::span(codes).subspan(begin, count);
  }
  return cell;
}

std::uint64_t GridRatings::size() const {
  std::uint64_t sum = 0;
  for (const auto& page : pages_) sum += page == nullptr ? 0 : page->begins.back();
  return sum;
}

namespace {

/// A counting sort of triplets into bins: a cell, then a group of its users. Pieces of the triplets count by
/// themselves, so that all can write at once and the order is that of the file.
class Dealer {
 public:
  Dealer(const Triplets& triplets, const std::vector<float>& levels, const Partition& partition,
         std::vector<std::unique_ptr<CellRow>>& pages)
      : triplets_(triplets),
        users_(partition.of(Side::users)),
        items_(partition.of(Side::items)),
        coded_(!levels.empty()),
        narrow_(users_.shift <= 16 && items_.shift <= 16),
        pages_(pages) {
    first_bin_.push_back(0);
    for (std::uint32_t page = 0; page < pages_.size(); ++page) {
      groups_.push_back((users_.pages[page].size() + kGroup - 1) / kGroup);
      first_bin_.push_back(first_bin_.back() + (is_here(page) ? items_.pages.size() * groups_.back() : 0));
    }
  }

  void deal(std::uint64_t seed, Chunks& chunks, Triplets* spent) {
    std::vector<std::vector<std::uint32_t>> next(kPieces);
    chunks.for_each(kPieces, [&](std::size_t piece) { next[piece] = count(piece); });
    chunks.for_each(pages_.size(), [&](std::size_t page) {
      if (is_here(page)) lay_out(page, next);
    });
    if (const auto bits = place_bits(); bits && spent != nullptr) {
      scatter_spent(*spent, *bits, next, chunks);
    } else {
      scatter(next, chunks);
    }
    // Now the last piece's places are the ends of the bins.
    chunks.for_each(pages_.size(), [&](std::size_t page) {
      if (is_here(page)) shuffle(page, next.back(), seed);
    });
  }

 private:
  [[nodiscard]] bool is_here(std::size_t page) const { return pages_[page] != nullptr; }
  [[nodiscard]] std::size_t bins_of(std::size_t page) const { return first_bin_[page + 1] - first_bin_[page]; }
  /// Calls act(triplet, page, bin) for the ratings of a piece that belong here; those of the others become kNowhere in
  /// `elsewhere`.
  template <class Act>
  void each(std::size_t piece, Act&& act, std::vector<std::uint32_t>* elsewhere = nullptr) const {
    const std::uint32_t inside = (std::uint32_t{1} << users_.shift) - 1;
    const std::size_t end = triplets_.size() * (piece + 1) / kPieces;
    for (std::size_t t = triplets_.size() * piece / kPieces; t < end; ++t) {
      const std::uint32_t slot = users_.slots[triplets_.users[t]], page = slot >> users_.shift;
      if (!is_here(page)) {
        if (elsewhere != nullptr) (*elsewhere)[t] = kNowhere;
        continue;
      }
      const std::size_t cell = items_.page_of_row(triplets_.items[t]);
      act(t, page, first_bin_[page] + cell * groups_[page] + (slot & inside) / kGroup);
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> count(std::size_t piece) const {
    std::vector<std::uint32_t> counts(first_bin_.back());
    each(piece, [&](std::size_t, std::uint32_t, std::size_t bin) { ++counts[bin]; });
    return counts;
  }

  /// Counts become places in the page: bin after bin, in a bin piece after piece.
  void lay_out(std::size_t page, std::vector<std::vector<std::uint32_t>>& next) {
    CellRow& row = *pages_[page];
    std::uint32_t place = 0;
    for (std::size_t bin = 0; bin < bins_of(page); ++bin) {
      if (bin % groups_[page] == 0) row.begins.push_back(place);
      for (auto& counts : next) place += std::exchange(counts[first_bin_[page] + bin], place);
    }
    row.begins.push_back(place);
    if (narrow_) {
      row.narrow_rows.resize(place);
      row.narrow_columns.resize(place);
    } else {
      row.rows.resize(place);
      row.columns.resize(place);
    }
  }

  void make_room_for_values(std::size_t page) {
    if (!is_here(page)) return;
    CellRow& row = *pages_[page];
    coded_ ? row.codes.resize(row.begins.back()) : row.values.resize(row.begins.back());
  }

  void put_indices(CellRow& row, std::uint32_t to, std::size_t t) const {
    const std::uint32_t user = users_.slots[triplets_.users[t]] & ((std::uint32_t{1} << users_.shift) - 1);
    const std::uint32_t item = items_.slots[triplets_.items[t]] & ((std::uint32_t{1} << items_.shift) - 1);
    if (narrow_) {
      row.narrow_rows[to] = static_cast<std::uint16_t>(user);
      row.narrow_columns[to] = static_cast<std::uint16_t>(item);
    } else {
      row.rows[to] = user;
      row.columns[to] = item;
    }
  }

  void put_value(CellRow& row, std::uint32_t to, std::size_t t) const {
    if (coded_) {
      row.codes[to] = triplets_.codes[t];
    } else {
      row.values[to] = triplets_.values[t];
    }
  }

  /// Bits of a place in a page's ratings; the number of the page fits into what is left of 32, or there is no value.
  [[nodiscard]] std::optional<std::uint32_t> place_bits() const {
    std::uint64_t most = 1;
    for (const auto& page : pages_) most = std::max(most, page == nullptr ? 0 : page->begins.back());
    const auto bits = static_cast<std::uint32_t>(std::bit_width(most));
    if (bits >= 32 || std::uint64_t{pages_.size()} << bits > kNowhere) return std::nullopt;
    return bits;
  }

  void scatter(std::vector<std::vector<std::uint32_t>>& next, Chunks& chunks) {
    chunks.for_each(pages_.size(), [&](std::size_t page) { make_room_for_values(page); });
    chunks.for_each(kPieces, [&](std::size_t piece) {
      each(piece, [&](std::size_t t, std::uint32_t page, std::size_t bin) {
        const std::uint32_t to = next[piece][bin]++;
        put_indices(*pages_[page], to, t);
        put_value(*pages_[page], to, t);
      });
    });
  }

  /// The users' numbers become places, and the items' numbers are given back before there is room for the values.
  void scatter_spent(Triplets& spent, std::uint32_t bits, std::vector<std::vector<std::uint32_t>>& next,
                     Chunks& chunks) {
    auto& places = spent.users;
    chunks.for_each(kPieces, [&](std::size_t piece) {
      each(
          piece,
          [&](std::size_t t, std::uint32_t page, std::size_t bin) {
            const std::uint32_t to = next[piece][bin]++;
            put_indices(*pages_[page], to, t);
            places[t] = page << bits | to;
          },
          &places);
    });
    spent.items = std::vector<std::uint32_t>();  // "= {}" would keep the memory
    chunks.for_each(pages_.size(), [&](std::size_t page) { make_room_for_values(page); });
    chunks.for_each(kPieces, [&](std::size_t piece) {
      const std::size_t end = places.size() * (piece + 1) / kPieces;
      for (std::size_t t = places.size() * piece / kPieces; t < end; ++t) {
        if (places[t] == kNowhere) continue;
        put_value(*pages_[places[t] >> bits], places[t] & ((std::uint32_t{1} << bits) - 1), t);
      }
    });
    spent = {};
  }

  void shuffle(std::size_t page, std::span<const std::uint32_t> ends, std::uint64_t seed) {
    CellRow& row = *pages_[page];
    const auto own = ends.subspan(first_bin_[page], bins_of(page));
    narrow_ ? shuffle_groups(row, row.narrow_rows, row.narrow_columns, own, seed, static_cast<std::uint32_t>(page))
            : shuffle_groups(row, row.rows, row.columns, own, seed, static_cast<std::uint32_t>(page));
  }

  const Triplets& triplets_;
  const SidePartition& users_;
  const SidePartition& items_;
  bool coded_, narrow_;
  std::vector<std::unique_ptr<CellRow>>& pages_;
  std::vector<std::size_t> groups_, first_bin_;  ///< by page of users
};

}  // namespace

GridRatings GridRatings::sorted(const Triplets& triplets, const std::vector<float>& levels, const Partition& partition,
                                std::span<const std::uint32_t> workers_here, std::uint64_t seed, Chunks& chunks,
                                Triplets* spent) {
  const SidePartition& users = partition.of(Side::users);
  GridRatings grid;
  grid.pages_.resize(users.pages.size());
  for (std::uint32_t page = 0; page < users.pages.size(); ++page) {
    const std::uint32_t worker = users.worker_of(users.slice_of(page), page % users.workers);
    const bool here = std::find(workers_here.begin(), workers_here.end(), worker) != workers_here.end();
    if (here && !users.pages[page].empty()) grid.pages_[page] = std::make_unique<CellRow>();
  }
  Dealer(triplets, levels, partition, grid.pages_).deal(seed, chunks, spent);
  return grid;
}

}  // namespace strads::mf
