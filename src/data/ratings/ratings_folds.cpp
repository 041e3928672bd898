// Cross-validation: ratings without one fold, numbered as if the others were a file of their own.
#include <algorithm>
#include <limits>
#include <utility>

#include "data/ratings/pair_draw.hpp"
#include "strads/base/hash.hpp"
#include "strads/base/status.hpp"

namespace strads {
namespace data {
namespace {

constexpr std::size_t kPiece = 1 << 16;
constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

// Calls piece(begin, end) for runs of ratings.
template <class Piece>
void for_each_run(std::size_t count, Chunks& chunks, Piece piece) {
  chunks.for_each((count + kPiece - 1) / kPiece,
                  [&](std::size_t p) { piece(p * kPiece, std::min(count, (p + 1) * kPiece)); });
}

// Some ids of a table, numbered anew.
class SomeIds final : public IdTable {
 public:
  explicit SomeIds(std::shared_ptr<const IdTable> all) : all_(std::move(all)), own_(all_->size(), kAbsent) {}
  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(global_.size()); }
  [[nodiscard]] std::string_view name(std::uint32_t index) const override { return all_->name(global_[index]); }
  [[nodiscard]] std::uint32_t find(std::string_view name) const override {
    const std::uint32_t global = all_->find(name);
    return global == all_->size() ? size() : own(global);
  }
  // size() where it is not one of them.
  [[nodiscard]] std::uint32_t own(std::uint32_t global) const {
    return own_[global] == kAbsent ? size() : own_[global];
  }
  std::uint32_t add(std::uint32_t global) {
    if (own_[global] == kAbsent) {
      own_[global] = size();
      global_.push_back(global);
    }
    return own_[global];
  }

 private:
  std::shared_ptr<const IdTable> all_;
  std::vector<std::uint32_t> own_;     // by number in `all_`
  std::vector<std::uint32_t> global_;  // by own number
};

void reserve(Triplets& part, std::size_t count, bool coded) {
  part.users.reserve(count);
  part.items.reserve(count);
  coded ? part.codes.reserve(count) : part.values.reserve(count);
}

void append(Triplets& part, std::uint32_t user, std::uint32_t item, const Triplets& from, std::size_t t) {
  part.users.push_back(user);
  part.items.push_back(item);
  from.codes.empty() ? part.values.push_back(from.values[t]) : part.codes.push_back(from.codes[t]);
}

// Whether each rating is kept for early stopping.
std::vector<std::uint8_t> draw_validation(const Ratings& all, const FoldInput& input, Chunks& chunks) {
  std::vector<std::uint8_t> drawn(all.train.size());
  if (input.validation <= 0) return drawn;
  const auto users = id_hashes(*all.users, chunks), items = id_hashes(*all.items, chunks);
  const PairDraw draw(input.seed, PairDraw::Use::validation, input.validation);
  for_each_run(drawn.size(), chunks, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      drawn[t] = draw.takes(users[all.train.users[t]], items[all.train.items[t]]) ? 1 : 0;
    }
  });
  return drawn;
}

// The steps from all ratings to those of one run.
class LeaveOut {
 public:
  LeaveOut(const Ratings& all, const std::vector<std::uint16_t>& folds, const FoldInput& input)
      : all_(all),
        folds_(folds),
        input_(input),
        users_(std::make_shared<SomeIds>(all.users)),
        items_(std::make_shared<SomeIds>(all.items)),
        out_(std::make_shared<Ratings>()) {}

  std::shared_ptr<Ratings> run(Chunks& chunks) {
    out_->users = users_;
    out_->items = items_;
    out_->levels = all_.levels;
    out_->duplicates = all_.duplicates;
    out_->fingerprint = fingerprint();
    const auto validation = draw_validation(all_, input_, chunks);
    reserve_parts(validation);
    add_others(validation);
    add_fold();
    out_->test_unknown = out_->strangers.size();
    return out_;
  }

 private:
  [[nodiscard]] bool in_fold(std::size_t t) const { return folds_[t] == input_.fold; }

  [[nodiscard]] std::uint64_t fingerprint() const {
    Hash64 hash;
    hash.update_u64(all_.fingerprint);
    hash.update_u64(input_.fold);
    hash.update_u64(input_.seed);
    hash.update_f64(input_.validation);
    const auto folds = std::span(folds_);
    hash.update(std::as_bytes(folds));
    return hash.digest();
  }

  void reserve_parts(const std::vector<std::uint8_t>& validation) {
    std::size_t tests = 0, validations = 0;
    for (std::size_t t = 0; t < folds_.size(); ++t) {
      const bool tested = in_fold(t);
      tests += tested ? 1 : 0;
      validations += !tested && validation[t] != 0 ? 1 : 0;
    }
    const bool coded = !all_.levels.empty();
    reserve(out_->train, folds_.size() - tests - validations, coded);
    reserve(out_->validation, validations, coded);
    reserve(out_->test, tests, coded);
  }

  void add_others(const std::vector<std::uint8_t>& validation) {
    const Triplets& from = all_.train;
    out_->lowest = std::numeric_limits<float>::infinity();
    out_->highest = -out_->lowest;
    for (std::size_t t = 0; t < from.size(); ++t) {
      if (in_fold(t)) continue;
      const float value = from.codes.empty() ? from.values[t] : all_.levels[from.codes[t]];
      out_->lowest = std::min(out_->lowest, value);
      out_->highest = std::max(out_->highest, value);
      const std::uint32_t user = users_->add(from.users[t]), item = items_->add(from.items[t]);
      append(validation[t] != 0 ? out_->validation : out_->train, user, item, from, t);
    }
  }

  // After all the others: only now it is known who is a stranger.
  void add_fold() {
    const Triplets& from = all_.train;
    for (std::size_t t = 0; t < from.size(); ++t) {
      if (!in_fold(t)) continue;
      const std::uint32_t user = users_->own(from.users[t]), item = items_->own(from.items[t]);
      const bool known = user < users_->size() && item < items_->size();
      append(known ? out_->test : out_->strangers, user, item, from, t);
    }
  }

  const Ratings& all_;
  const std::vector<std::uint16_t>& folds_;
  const FoldInput& input_;
  std::shared_ptr<SomeIds> users_, items_;
  std::shared_ptr<Ratings> out_;
};

}  // namespace
}  // namespace data

std::vector<std::uint16_t> draw_folds(const Ratings& all, std::uint32_t folds, std::uint64_t seed, Chunks& chunks) {
  STRADS_CHECK(folds >= 2 && folds <= 65535, "the option's range");
  const auto users = data::id_hashes(*all.users, chunks), items = data::id_hashes(*all.items, chunks);
  const data::PairDraw draw(seed, data::PairDraw::Use::folds, 0);
  std::vector<std::uint16_t> drawn(all.train.size());
  data::for_each_run(drawn.size(), chunks, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      drawn[t] = static_cast<std::uint16_t>(draw.among(folds, users[all.train.users[t]], items[all.train.items[t]]));
    }
  });
  return drawn;
}

std::shared_ptr<Ratings> leave_out(const Ratings& all, const std::vector<std::uint16_t>& folds, const FoldInput& input,
                                   Chunks& chunks) {
  STRADS_CHECK(folds.size() == all.train.size(), "a fold for each rating");
  return data::LeaveOut(all, folds, input).run(chunks);
}

}  // namespace strads
