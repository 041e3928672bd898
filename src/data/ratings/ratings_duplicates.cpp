// Finds pairs that are rated more than once without sorting all of them: a counting sort by bucket of users, then one
// by user within a bucket, where everything is in the cache; then each item remembers the user that it saw last.
#include <algorithm>
#include <bit>
#include <optional>

#include "data/ratings/ratings_parts.hpp"

namespace strads::data {

namespace {

// Where a rating is, in the order of the file.
struct RatingPlace {
  std::size_t piece = 0;
  std::uint64_t index = 0;
  friend auto operator<=>(const RatingPlace&, const RatingPlace&) = default;
};

// All ratings of one pair.
struct Group {
  RatingPlace first;
  double sum = 0;
  std::uint64_t count = 0;
  float last = 0;
};

// What a task found in its buckets.
struct Found {
  std::vector<Group> groups;
  std::vector<RatingPlace> repeats;
  std::optional<RatingPlace> first_repeat, its_original;  // the first repeat in the file
};

class Finder {
 public:
  Finder(RatingsFile& file, Chunks& chunks) : file_(file), chunks_(chunks) {
    constexpr std::uint64_t kBucketRatings = 1 << 14;
    constexpr std::uint64_t kBucketsMax = 256;
    const std::uint64_t wanted = file.count() / kBucketRatings + 1;
    buckets_ = std::bit_floor(std::min({wanted, kBucketsMax, std::uint64_t{file.users->size()}}));
    shift_ = std::countr_zero(buckets_);
    tasks_ = std::min<std::size_t>(buckets_, 32);
  }

  std::vector<Found> run() {
    deal();
    std::vector<Found> found(tasks_);
    chunks_.for_each(tasks_, [&](std::size_t task) { look(task, found[task]); });
    return found;
  }

 private:
  // Fills order_: the ratings of bucket after bucket, in a bucket those of piece after piece, as indices in the piece.
  void deal() {
    const std::size_t pieces = file_.pieces.size();
    starts_.assign(buckets_ * pieces + 1, 0);
    chunks_.for_each(pieces, [&](std::size_t p) {
      std::vector<std::uint64_t> counts(buckets_);
      const RatingsPiece& piece = file_.pieces[p];
      for (std::uint64_t i = 0; i < piece.count; ++i) ++counts[bucket(piece.users[i])];
      for (std::size_t b = 0; b < buckets_; ++b) starts_[b * pieces + p + 1] = counts[b];
    });
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    order_ = PageArray<std::uint32_t>(starts_.back());
    chunks_.for_each(pieces, [&](std::size_t p) {
      std::vector<std::uint64_t> next(buckets_);
      for (std::size_t b = 0; b < buckets_; ++b) next[b] = starts_[b * pieces + p];
      const RatingsPiece& piece = file_.pieces[p];
      for (std::uint64_t i = 0; i < piece.count; ++i) {
        order_[next[bucket(piece.users[i])]++] = static_cast<std::uint32_t>(i);
      }
    });
  }

  [[nodiscard]] std::size_t bucket(std::uint32_t user) const { return user & (buckets_ - 1); }

  static constexpr std::uint64_t kAhead = 24;

  // The last user that rated an item (plus one), and where in the bucket.
  struct Seen {
    std::uint32_t user = 0;
    std::uint32_t slot = 0;
  };

  // One bucket, sorted by user; `rank` counts its ratings in the order of the file.
  struct Bucket {
    std::vector<std::uint32_t> users, items;   // [rank]
    std::vector<std::uint32_t> starts, ranks;  // [user within the bucket], [slot]: sorted by user, then rank
    std::vector<std::uint32_t> group_of;       // [slot]: number of its group plus one; empty without repeats
  };

  void look(std::size_t task, Found& found) const {
    std::vector<Seen> seen(file_.items->size());
    Bucket sorted;
    for (std::size_t b = task * buckets_ / tasks_; b < (task + 1) * buckets_ / tasks_; ++b) {
      sort(b, sorted);
      for (std::uint32_t user = 0; user + 1 < sorted.starts.size(); ++user) {
        const auto stamp = static_cast<std::uint32_t>((user << shift_) + b + 1);
        for (std::uint32_t slot = sorted.starts[user]; slot < sorted.starts[user + 1]; ++slot) {
          Seen& last = seen[sorted.items[sorted.ranks[slot]]];
          if (last.user == stamp) {
            repeat(b, sorted, last.slot, slot, found);
          } else {
            last = {stamp, slot};
          }
        }
      }
    }
  }

  void sort(std::size_t b, Bucket& out) const {
    const std::size_t pieces = file_.pieces.size();
    const std::uint64_t count = starts_[(b + 1) * pieces] - starts_[b * pieces];
    STRADS_CHECK(count <= 0xffffffffU, "a bucket holds a 256th of the ratings, or those of one user");
    out.users.resize(count);
    out.items.resize(count);
    out.ranks.resize(count);
    out.group_of.clear();
    out.starts.assign((file_.users->size() >> shift_) + 3, 0);
    std::size_t rank = 0;
    for (std::size_t p = 0; p < pieces; ++p) {
      const RatingsPiece& piece = file_.pieces[p];
      const std::uint64_t end = starts_[b * pieces + p + 1];
      for (std::uint64_t k = starts_[b * pieces + p]; k < end; ++k, ++rank) {
        // Each is in a cache line of its own, far from the last: asked for early.
        const std::uint32_t ahead = order_[std::min(k + kAhead, end - 1)];
        __builtin_prefetch(&piece.users[ahead]);
        __builtin_prefetch(&piece.items[ahead]);
        out.users[rank] = piece.users[order_[k]] >> shift_;
        out.items[rank] = piece.items[order_[k]];
        ++out.starts[out.users[rank] + 2];
      }
    }
    for (std::size_t user = 1; user < out.starts.size(); ++user) out.starts[user] += out.starts[user - 1];
    // starts[user + 1] is the next slot of `user` now, and its end when all are placed.
    for (rank = 0; rank < count; ++rank) {
      out.ranks[out.starts[out.users[rank] + 1]++] = static_cast<std::uint32_t>(rank);
    }
    out.starts.pop_back();
  }

  void repeat(std::size_t b, Bucket& sorted, std::uint32_t first_slot, std::uint32_t slot, Found& found) const {
    if (sorted.group_of.empty()) sorted.group_of.resize(sorted.ranks.size());
    std::uint32_t& group_number = sorted.group_of[first_slot];
    const RatingPlace first = place_of(b, sorted.ranks[first_slot]);
    const RatingPlace again = place_of(b, sorted.ranks[slot]);
    if (group_number == 0) {
      const float value = value_at(first);
      found.groups.push_back({.first = first, .sum = value, .count = 1, .last = value});
      group_number = static_cast<std::uint32_t>(found.groups.size());
    }
    Group& group = found.groups[group_number - 1];
    group.last = value_at(again);
    group.sum += static_cast<double>(group.last);
    ++group.count;
    found.repeats.push_back(again);
    if (!found.first_repeat || again < *found.first_repeat) {
      found.first_repeat = again;
      found.its_original = first;
    }
  }

  [[nodiscard]] RatingPlace place_of(std::size_t b, std::uint32_t rank) const {
    const std::size_t pieces = file_.pieces.size();
    const auto begin = starts_.begin() + static_cast<std::ptrdiff_t>(b * pieces);
    const std::uint64_t k = *begin + rank;
    const auto after = std::upper_bound(begin, begin + static_cast<std::ptrdiff_t>(pieces), k);
    return {static_cast<std::size_t>(after - begin) - 1, order_[k]};
  }
  [[nodiscard]] float value_at(RatingPlace place) const { return file_.pieces[place.piece].values.value(place.index); }

  RatingsFile& file_;
  Chunks& chunks_;
  std::uint64_t buckets_ = 1;  // a power of two; bucket of a user: its lowest bits
  int shift_ = 0;              // log2(buckets_)
  std::size_t tasks_ = 1;
  std::vector<std::uint64_t> starts_;  // [bucket][piece] in order_, and the end
  PageArray<std::uint32_t> order_;
};

Status refuse(const RatingsFile& file, const std::vector<Found>& found) {
  const Found* first = nullptr;
  for (const Found& part : found) {
    if (part.first_repeat && (first == nullptr || *part.first_repeat < *first->first_repeat)) first = &part;
  }
  if (first == nullptr) return {};
  const RatingPlace again = *first->first_repeat;
  const RatingPlace original = *first->its_original;
  const RatingsPiece& piece = file.pieces[again.piece];
  std::string before = file.place(original.piece, original.index);
  if (before.size() > 2) before.resize(before.size() - 2);
  return Status::input(file.place(again.piece, again.index) + "user '" +
                       std::string(file.users->name(piece.users[again.index])) + "' rates item '" +
                       std::string(file.items->name(piece.items[again.index])) + "' again (first at " + before +
                       "), expected each pair once; --duplicates average or last merges them");
}

}  // namespace

Result<std::uint64_t> resolve_duplicates(RatingsFile& file, Duplicates rule, Chunks& chunks) {
  const std::vector<Found> found = Finder(file, chunks).run();
  if (rule == Duplicates::refuse) {
    if (Status status = refuse(file, found); !status.ok()) return status;
  }
  std::uint64_t count = 0;
  for (const Found& part : found) {
    count += part.repeats.size();
    for (const Group& group : part.groups) {
      const double mean = group.sum / static_cast<double>(group.count);
      const float value = rule == Duplicates::average ? static_cast<float>(mean)
                          : rule == Duplicates::sum   ? static_cast<float>(group.sum)
                                                      : group.last;
      file.pieces[group.first.piece].values.set(group.first.index, value);
    }
    for (const RatingPlace place : part.repeats) file.pieces[place.piece].set_part(place.index, Part::dropped);
  }
  return count;
}

}  // namespace strads::data
