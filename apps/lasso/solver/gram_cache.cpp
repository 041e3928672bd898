#include "lasso/solver/gram_cache.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace strads::lasso {

namespace {

/// Flops of all pairs of `variables` of which one is among the `fresh` ones.
std::uint64_t product_flops(const StandardizedColumns& columns, std::span<const VarId> variables, std::uint64_t fresh) {
  if (variables.empty()) return 0;
  std::uint64_t work = 0;
  for (const VarId j : variables) work += columns.work(j);
  return work / variables.size() * (fresh * (variables.size() - fresh) + fresh * (fresh + 1) / 2);
}

/// Entries that a matrix of `count` variables has room for from the start: the next ones are larger, and a vector that
/// moves is there twice. Pages that nothing is written to take no memory.
std::size_t room_of(std::size_t count) {
  const std::size_t width = count + count / 2 + 64;
  return width * width;
}

/// Known entries of a matrix of `size` variables move to their places in one of `count`, in the same memory. The others
/// are undefined afterwards. `known`: place now and place before, both ascending. Cost: two passes over the entries.
void rearrange(std::vector<double>& matrix, std::size_t size, std::size_t count,
               std::span<const std::pair<std::size_t, std::size_t>> known) {
  const std::size_t kept = known.size();
  // Packed: no entry moves to the right of its old place, so that going forward none is lost. Then apart, the last
  // first.
  for (std::size_t a = 0; a < kept; ++a) {
    const double* const from = matrix.data() + known[a].second * size;
    double* const to = matrix.data() + a * kept;
    for (std::size_t b = 0; b < kept; ++b) to[b] = from[known[b].second];
  }
  matrix.resize(kept * kept);
  if (matrix.capacity() < count * count) matrix.reserve(room_of(count));
  matrix.resize(count * count);
  for (std::size_t a = kept; a-- > 0;) {
    const double* const from = matrix.data() + a * kept;
    double* const to = matrix.data() + known[a].first * count;
    for (std::size_t b = kept; b-- > 0;) to[known[b].first] = from[b];
  }
}

/// The rows of `out` at `fresh_at`, of the variables `fresh`, and the columns that mirror them. Returns the flops.
std::uint64_t fill_rows(const StandardizedColumns& columns, std::span<const VarId> fresh,
                        std::span<const std::size_t> fresh_at, std::span<const VarId> variables,
                        std::vector<double>& out, Chunks& chunks) {
  const std::size_t count = variables.size();
  std::vector<double> rows(fresh.size() * count);
  columns.gram(fresh, variables, rows, chunks);
  for (std::size_t a = 0; a < fresh.size(); ++a) {
    for (std::size_t i = 0; i < count; ++i) {
      out[fresh_at[a] * count + i] = rows[a * count + i];
      out[i * count + fresh_at[a]] = rows[a * count + i];
    }
  }
  return product_flops(columns, variables, fresh.size());
}

}  // namespace

std::uint64_t GramCache::gram(const StandardizedColumns& columns, std::span<const VarId> variables,
                              std::vector<double>& out, Chunks& chunks) {
  std::vector<VarId> old_variables;
  {
    // Nobody else needs them now, and two matrices are the most memory that a block would take.
    const std::lock_guard lock(mutex_);
    old_variables.swap(variables_);
    out.swap(matrix_);
    matrix_ = std::vector<double>();
  }
  const std::size_t count = variables.size();
  std::vector<VarId> fresh;
  std::vector<std::size_t> fresh_at;
  std::vector<std::pair<std::size_t, std::size_t>> known;  // place now, place in the old matrix
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = std::lower_bound(old_variables.begin(), old_variables.end(), variables[i]);
    if (at != old_variables.end() && *at == variables[i]) {
      known.emplace_back(i, static_cast<std::size_t>(at - old_variables.begin()));
    } else {
      fresh.push_back(variables[i]);
      fresh_at.push_back(i);
    }
  }
  if (known.empty()) {
    out.clear();
    if (out.capacity() < count * count) out.reserve(room_of(count));
    out.resize(count * count);
    columns.gram(variables, out, chunks);
    return product_flops(columns, variables, count);
  }
  rearrange(out, old_variables.size(), count, known);
  return fill_rows(columns, fresh, fresh_at, variables, out, chunks);
}

namespace {
constexpr std::uint32_t kNotHeld = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kWidthMin = 512;
constexpr std::size_t kWidthMax = 4096;  // 128 MB of products
}  // namespace

void PairCache::widen(std::size_t width) {
  std::vector<double> wider(width * width, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t a = 0; a < places_; ++a) {
    std::copy_n(products_.begin() + static_cast<std::ptrdiff_t>(a * width_), places_,
                wider.begin() + static_cast<std::ptrdiff_t>(a * width));
  }
  products_ = std::move(wider);
  width_ = width;
}

/// Gives every variable a place and says which had one before; nothing when they are more than are ever remembered.
std::vector<bool> PairCache::make_room(const StandardizedColumns& columns, std::span<const VarId> variables) {
  if (variables.size() > kWidthMax) return {};
  place_of_.resize(columns.size(), kNotHeld);
  const auto unknown = static_cast<std::size_t>(
      std::count_if(variables.begin(), variables.end(), [this](VarId j) { return place_of_[j] == kNotHeld; }));
  if (places_ + unknown > kWidthMax) {
    std::fill(place_of_.begin(), place_of_.end(), kNotHeld);
    places_ = 0;
    ++generation_;
    std::fill(products_.begin(), products_.end(), std::numeric_limits<double>::quiet_NaN());
    return make_room(columns, variables);
  }
  // The square grows with the width: a quarter more each time.
  if (places_ + unknown > width_) widen(std::min(kWidthMax, std::max(kWidthMin, 5 * (places_ + unknown) / 4)));
  std::vector<bool> met;
  for (const VarId j : variables) {
    met.push_back(place_of_[j] != kNotHeld);
    if (!met.back()) place_of_[j] = static_cast<std::uint32_t>(places_++);
  }
  return met;
}

std::uint64_t PairCache::gram(const StandardizedColumns& columns, std::span<const VarId> variables,
                              std::vector<double>& out, Chunks& chunks) {
  const std::size_t count = variables.size();
  out.resize(count * count);
  std::vector<VarId> fresh;
  std::vector<std::size_t> fresh_at;
  std::uint64_t generation = 0;
  bool remembered = false;
  {
    const std::lock_guard lock(mutex_);
    const std::vector<bool> met = make_room(columns, variables);
    remembered = !met.empty();
    generation = generation_;
    // A product with a row that is computed anyway need not be known: first the rows of variables never met before.
    std::vector<bool> computed(count, false);
    for (std::size_t a = 0; remembered && a < count; ++a) computed[a] = !met[a];
    for (std::size_t a = 0; remembered && a < count; ++a) {
      const double* row = products_.data() + std::size_t{place_of_[variables[a]]} * width_;
      bool complete = !computed[a];
      for (std::size_t b = 0; b < count; ++b) {
        const double product = row[place_of_[variables[b]]];
        out[a * count + b] = product;
        complete = complete && (computed[b] || !std::isnan(product));
      }
      if (complete) continue;
      computed[a] = true;
      fresh.push_back(variables[a]);
      fresh_at.push_back(a);
    }
  }
  if (!remembered || fresh.size() == count) {
    columns.gram(variables, out, chunks);
    if (remembered) remember(variables, fresh_at, out, generation);
    return product_flops(columns, variables, count);
  }
  if (fresh.empty()) return 0;
  const std::uint64_t flops = fill_rows(columns, fresh, fresh_at, variables, out, chunks);
  remember(variables, fresh_at, out, generation);
  return flops;
}

/// Keeps the rows at `fresh_at`, unless places were given anew since `generation`.
void PairCache::remember(std::span<const VarId> variables, std::span<const std::size_t> fresh_at,
                         const std::vector<double>& out, std::uint64_t generation) {
  const std::size_t count = variables.size();
  const std::lock_guard lock(mutex_);
  if (generation != generation_) return;
  for (const std::size_t a : fresh_at) {
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t i = place_of_[variables[a]];
      const std::size_t k = place_of_[variables[b]];
      products_[i * width_ + k] = out[a * count + b];
      products_[k * width_ + i] = out[a * count + b];
    }
  }
}

void GramCache::keep(std::span<const VarId> variables, std::vector<double> matrix) {
  const std::lock_guard lock(mutex_);
  variables_.assign(variables.begin(), variables.end());
  matrix_ = std::move(matrix);
}

std::shared_ptr<const StandardizedColumns::Heavy> HeavyCache::of_block(const StandardizedColumns& columns,
                                                                       std::span<const VarId> variables,
                                                                       Chunks& chunks) {
  std::call_once(chosen_, [&] {
    list_ = StandardizedColumns::Heavy::choose(columns);
    for (const VarId j : list_) work_ += columns.work(j);
  });
  std::uint64_t all = 0, heavy = 0;
  auto next = list_.begin();
  for (const VarId j : variables) {
    next = std::lower_bound(next, list_.end(), j);
    const std::uint64_t work = columns.work(j);
    all += work;
    if (next != list_.end() && *next == j) heavy += work;
  }
  if (heavy == 0 || 2 * heavy < all || 2 * heavy < work_) return nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (heavy_ != nullptr) return heavy_;
  }
  // Not under the lock: its threads may be those of others who wait for it.
  auto made = std::make_shared<const StandardizedColumns::Heavy>(columns, list_, chunks);
  const std::lock_guard lock(mutex_);
  if (heavy_ == nullptr) heavy_ = std::move(made);
  return heavy_;
}

}  // namespace strads::lasso
