#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>
#include <utility>

#include "numerics/columns/columns_state.hpp"

namespace strads {

namespace {

/// Columns are light as long as, on average, one shares rows with no more than so many others that are: beyond it the
/// factor fills, as that of a random graph does (100,000 rows, 10,410 columns: 68,000 entries at 2.6, 275,000 at 3.5
/// and 760,000 at 5; 15 steps of conjugate gradients with the first and 12 with the last, 78 with the diagonal alone).
constexpr double kNeighbours = 2.5;
constexpr double kNeighboursSlack = 64;
/// Of the columns must be light. Where fewer are, what is ill-conditioned is not among them alone: steps take as many
/// products with the factor as without (news20, 43 %), or more.
constexpr double kLightShare = 0.6;
/// Entries of the factor for each entry of all columns: what applying it may cost beside a product.
constexpr double kFillMax = 1.0 / 16;
constexpr double kFillSlack = 1000;
/// Where the factor fills all the same, so much of the light columns is tried next.
constexpr double kFewer = 0.75;
/// Keeps columns that depend on each other apart. A hundredth costs no step (a tenth: a fifth more).
constexpr double kRidge = 0.01;

using Matrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

Eigen::Index index_of(std::size_t k) {
  return static_cast<Eigen::Index>(k);
}

/// Light columns over the samples, by column and by row.
struct LightColumns {
  struct Entry {
    std::uint32_t at;  ///< row in a column, column in a row
    double value;      ///< sqrt(w_i) x_i / s
  };
  struct Lists {
    std::vector<std::size_t> starts{0};
    std::vector<Entry> entries;

    [[nodiscard]] std::span<const Entry> of(std::size_t k) const {
      return std::span(entries).subspan(starts[k], starts[k + 1] - starts[k]);
    }
  };
  Lists columns, rows;

  void finish(std::size_t row_count) {
    rows.starts.assign(row_count + 1, 0);
    for (const Entry& entry : columns.entries) ++rows.starts[std::size_t{entry.at} + 1];
    std::partial_sum(rows.starts.begin(), rows.starts.end(), rows.starts.begin());
    rows.entries.resize(columns.entries.size());
    std::vector<std::size_t> next = rows.starts;
    for (std::uint32_t k = 0; k + 1 < columns.starts.size(); ++k) {
      for (const Entry& entry : columns.of(k)) rows.entries[next[entry.at]++] = {k, entry.value};
    }
  }
};

/// Lower triangle of the Gram matrix with l2 and the ridge. `work`: flops are added.
Matrix gram_of(const LightColumns& light, std::span<const double> l2, std::uint64_t& work) {
  const std::size_t size = l2.size();
  Matrix gram(index_of(size), index_of(size));
  std::vector<double> sums(size, 0.0);
  std::vector<char> seen(size, 0);
  std::vector<std::uint32_t> touched;
  for (std::size_t k = 0; k < size; ++k) {
    touched.clear();
    for (const LightColumns::Entry& entry : light.columns.of(k)) {
      const auto row = light.rows.of(entry.at);
      for (auto other = row.rbegin(); other != row.rend() && other->at >= k; ++other) {
        if (std::exchange(seen[other->at], char{1}) == 0) touched.push_back(other->at);
        sums[other->at] += entry.value * other->value;
        work += 2;
      }
    }
    std::sort(touched.begin(), touched.end());
    gram.startVec(index_of(k));
    for (const std::uint32_t other : touched) {
      const double sum = std::exchange(sums[other], 0.0);
      seen[other] = 0;
      gram.insertBack(index_of(other), index_of(k)) = other == k ? (sum + l2[k]) * (1 + kRidge) : sum;
    }
  }
  gram.finalize();
  return gram;
}

/// The Cholesky factor, its rows and columns in an order of minimum degree [AmestoyDavisDuff96].
class Cholesky : public Eigen::SimplicialLLT<Matrix, Eigen::Lower> {
 public:
  /// Entries, once the pattern is analysed.
  [[nodiscard]] std::uint64_t fill() const { return static_cast<std::uint64_t>(m_matrix.nonZeros()); }
  /// Flops of factorising.
  [[nodiscard]] std::uint64_t flops() const {
    std::uint64_t sum = 0;
    for (Eigen::Index k = 0; k < m_matrix.outerSize(); ++k) {
      const auto entries = static_cast<std::uint64_t>(m_matrix.outerIndexPtr()[k + 1]) -
                           static_cast<std::uint64_t>(m_matrix.outerIndexPtr()[k]);
      sum += entries * entries;
    }
    return sum;
  }
};

}  // namespace

struct StandardizedColumns::Preconditioner::Factor {
  Cholesky cholesky;
};

/// Which columns of a list are light.
struct StandardizedColumns::Preconditioner::Light {
  std::vector<std::uint32_t> order;  ///< places of those that take part, by number of entries
  std::size_t size = 0;              ///< so many of the first are light
  std::uint64_t entries = 0;         ///< of all

  [[nodiscard]] bool pays() const {
    return static_cast<double>(size) >= kLightShare * static_cast<double>(order.size());
  }
};

/// Cost: a sort, and one pass over the light columns.
template <class T>
StandardizedColumns::Preconditioner::Light StandardizedColumns::Preconditioner::light_of(const State& state,
                                                                                         std::span<const VarId> list) {
  Light light;
  for (std::uint32_t k = 0; k < list.size(); ++k) {
    if (!state.takes_part(list[k])) continue;
    light.entries += state.sparse<T>(list[k]).size;
    light.order.push_back(k);
  }
  std::stable_sort(light.order.begin(), light.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return state.sparse<T>(list[a]).size < state.sparse<T>(list[b]).size;
  });
  std::vector<std::uint32_t> light_in_row(state.rows(), 0);
  double neighbours = 0;
  for (; light.size < light.order.size(); ++light.size) {
    const SparseColumn<T> x = state.sparse<T>(list[light.order[light.size]]);
    double more = 0;
    for (std::size_t e = 0; e < x.size; ++e) more += 2.0 * light_in_row[x.rows[e]];
    if (neighbours + more > kNeighbours * static_cast<double>(light.size + 1) + kNeighboursSlack) break;
    neighbours += more;
    for (std::size_t e = 0; e < x.size; ++e) ++light_in_row[x.rows[e]];
  }
  return light;
}

template <class T>
void StandardizedColumns::Preconditioner::factorise(const State& state, std::span<const VarId> list,
                                                    std::span<const double> l2) {
  const auto for_samples = [&](const SparseColumn<T>& x, const auto& visit) {
    for (std::size_t e = 0; e < x.size; ++e) {
      if (state.kept.empty() || state.kept[x.rows[e]] != 0) visit(x.rows[e], static_cast<double>(x.values[e]));
    }
  };
  const Light chosen = light_of<T>(state, list);
  const std::vector<std::uint32_t>& order = chosen.order;
  std::size_t size = chosen.size;
  if (!chosen.pays()) return;
  const auto fill_max = static_cast<std::uint64_t>(kFillMax * static_cast<double>(chosen.entries) + kFillSlack);
  for (; size > 1; size = static_cast<std::size_t>(kFewer * static_cast<double>(size))) {
    places_.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(size));
    LightColumns light;
    std::vector<double> own_l2;
    for (const std::uint32_t k : places_) {
      const VarId j = list[k];
      for_samples(state.sparse<T>(j), [&](std::uint32_t i, double x) {
        const double root = state.roots.empty() ? 1.0 : state.roots[i];
        light.columns.entries.push_back({i, root * x / state.columns[j].norm()});
      });
      light.columns.starts.push_back(light.columns.entries.size());
      own_l2.push_back(l2[k]);
    }
    light.finish(state.rows());
    auto factor = std::make_unique<Factor>();
    const Matrix gram = gram_of(light, own_l2, work_made_);
    factor->cholesky.analyzePattern(gram);
    work_made_ += factor->cholesky.fill();
    if (factor->cholesky.fill() > fill_max) continue;
    factor->cholesky.factorize(gram);
    work_made_ += factor->cholesky.flops();
    // With a ridge on it the matrix is positive definite, unless a column is so short that its square is none.
    if (factor->cholesky.info() != Eigen::Success) break;
    factor_ = std::move(factor);
    return;
  }
  places_.clear();
}

StandardizedColumns::Preconditioner::Preconditioner(const StandardizedColumns& columns, std::span<const VarId> list,
                                                    std::span<const double> l2) {
  const State& state = *columns.state_;
  STRADS_CHECK(l2.size() == list.size(), "one l2 a column");
  for (std::size_t k = 0; k < list.size(); ++k) {
    const double diagonal = columns.squared_norm(list[k]) + l2[k];
    inverse_.push_back(diagonal > 0 ? 1.0 / diagonal : 0.0);
  }
  if (state.view.storage == Storage::sparse_f32) factorise<float>(state, list, l2);
  if (state.view.storage == Storage::sparse_f64) factorise<double>(state, list, l2);
}

StandardizedColumns::Preconditioner::~Preconditioner() = default;

void StandardizedColumns::Preconditioner::apply(std::span<const double> r, std::span<double> z) const {
  STRADS_CHECK(r.size() == inverse_.size() && z.size() == inverse_.size(), "one number a column");
  for (std::size_t k = 0; k < inverse_.size(); ++k) z[k] = inverse_[k] * r[k];
  if (factor_ == nullptr) return;
  Vector light(index_of(places_.size()));
  for (std::size_t k = 0; k < places_.size(); ++k) light[index_of(k)] = r[places_[k]];
  light = factor_->cholesky.solve(light);
  for (std::size_t k = 0; k < places_.size(); ++k) z[places_[k]] = light[index_of(k)];
}

std::size_t StandardizedColumns::Preconditioner::light() const {
  return places_.size();
}
std::uint64_t StandardizedColumns::Preconditioner::work_made() const {
  return work_made_;
}
std::uint64_t StandardizedColumns::Preconditioner::work() const {
  return inverse_.size() + (factor_ == nullptr ? 0 : 4 * factor_->cholesky.fill());
}

}  // namespace strads
