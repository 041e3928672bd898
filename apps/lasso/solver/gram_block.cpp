#include "lasso/solver/gram_block.hpp"

namespace strads::lasso {

namespace {

/// The block as a problem of the Lasso: the elastic net is that of the columns (x_j, sqrt(E_j) e_j). Puts the E_j on
/// the diagonal of a Gram matrix, and takes them away again bit for bit: the matrix is remembered.
class Ridge {
 public:
  Ridge(const Penalty& penalty, Local& local, std::vector<double>& gram) : gram_(gram), size_(local.variables.size()) {
    if (penalty.l2 == 0.0) return;
    for (std::size_t k = 0; k < size_; ++k) {
      const double l2 = penalty.of(local.variables[k]).l2;
      diagonal_.push_back(gram[k * size_ + k]);
      gram[k * size_ + k] += l2;
      local.gradient[k] -= l2 * local.value[k];
    }
  }
  Ridge(const Ridge&) = delete;
  Ridge& operator=(const Ridge&) = delete;
  ~Ridge() {
    for (std::size_t k = 0; k < diagonal_.size(); ++k) gram_[k * size_ + k] = diagonal_[k];
  }

 private:
  std::vector<double>& gram_;
  std::size_t size_;
  std::vector<double> diagonal_;
};

/// Factors of the block's variables; empty: all 1.
std::vector<double> factors_of(const Penalty& penalty, std::span<const VarId> variables) {
  std::vector<double> factors;
  if (penalty.factors.empty()) return factors;
  for (const VarId j : variables) factors.push_back(penalty.factors[j]);
  return factors;
}

}  // namespace

L1QuadraticResult solve_in_gram(const GramTask& task, Local& local, std::vector<double>& gram, Chunks& chunks) {
  const Penalty& penalty = task.penalty;
  const Ridge ridge(penalty, local, gram);
  L1QuadraticOptions options;
  options.sweeps_max = task.sweeps_max;
  options.gap_max = task.gap_max;
  const std::vector<double> factors = factors_of(penalty, local.variables);
  return solve_l1_quadratic({gram, local.gradient, penalty.l1, task.residual_squared, factors, penalty.nonnegative},
                            local.value, options, chunks);
}

std::uint64_t pair_flops(const StandardizedColumns& columns, std::span<const VarId> variables, std::uint64_t fresh) {
  if (variables.empty()) return 0;
  std::uint64_t work = 0;
  for (const VarId j : variables) work += columns.work(j);
  return work / variables.size() * (fresh * (variables.size() - fresh) + fresh * fresh / 2);
}

}  // namespace strads::lasso
