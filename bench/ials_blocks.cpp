// A yardstick for `mf fit --feedback implicit --solver cd`: iALS++ [Rendle 2021] as a plain Eigen loop on one thread,
// which shares no code with ours. With WIDTH >= RANK it is exact alternating least squares.
//
// usage: bench_ials_blocks PAIRS.tsv USERS ITEMS RANK WIDTH SWEEPS LAMBDA ALPHA0 NU      (pairs "user item" from 0)
//
// A row takes its pairs' records, then each block of coordinates to its minimum by the block's normal equations, with
// the predictions of its pairs kept. Prints processor seconds a sweep and the objective (docs/MODELS.md, "Implicit
// feedback").
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::VectorXf;
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Lists = std::vector<std::vector<Index>>;

struct Weights {
  float lambda = 0, alpha0 = 0, nu = 1;

  [[nodiscard]] float penalty(std::size_t pairs, Index columns) const {
    return lambda * std::pow(static_cast<float>(pairs) + alpha0 * static_cast<float>(columns), nu);
  }
};

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void update_side(const Lists& lists, const Rows& other, const Weights& weights, Index width, Rows& own) {
  const Index rank = own.cols();
  const MatrixXf gram = weights.alpha0 * (other.transpose() * other);
  for (std::size_t row = 0; row < lists.size(); ++row) {
    const auto& pairs = lists[row];
    if (pairs.empty()) {
      own.row(static_cast<Index>(row)).setZero();
      continue;
    }
    Rows seen(static_cast<Index>(pairs.size()), rank);
    for (std::size_t j = 0; j < pairs.size(); ++j) seen.row(static_cast<Index>(j)) = other.row(pairs[j]);
    VectorXf w = own.row(static_cast<Index>(row)).transpose();
    VectorXf left = VectorXf::Ones(seen.rows()) - seen * w;
    const float penalty = weights.penalty(pairs.size(), other.rows());
    for (Index first = 0; first < rank; first += width) {
      const Index count = std::min(width, rank - first);
      const auto x = seen.middleCols(first, count);
      const VectorXf right =
          x.transpose() * left - gram.middleCols(first, count).transpose() * w - penalty * w.segment(first, count);
      MatrixXf equations = gram.block(first, first, count, count);
      equations.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
      equations.diagonal().array() += penalty;
      const VectorXf step = equations.selfadjointView<Eigen::Lower>().llt().solve(right);
      w.segment(first, count) += step;
      left -= x * step;
    }
    own.row(static_cast<Index>(row)) = w.transpose();
  }
}

double penalties(const Lists& lists, const Rows& own, Index columns, const Weights& weights) {
  double sum = 0;
  for (std::size_t row = 0; row < lists.size(); ++row) {
    sum += static_cast<double>(weights.penalty(lists[row].size(), columns) *
                               own.row(static_cast<Index>(row)).squaredNorm());
  }
  return sum;
}

double objective(const Lists& by_user, const Lists& by_item, const Rows& w, const Rows& h, const Weights& weights) {
  double sum = 0;
  for (std::size_t user = 0; user < by_user.size(); ++user) {
    for (const Index item : by_user[user]) {
      const double error = 1 - static_cast<double>(w.row(static_cast<Index>(user)).dot(h.row(item)));
      sum += error * error;
    }
  }
  const MatrixXf users = w.transpose() * w, items = h.transpose() * h;
  sum += static_cast<double>(weights.alpha0) * users.cast<double>().cwiseProduct(items.cast<double>()).sum();
  return sum + penalties(by_user, w, h.rows(), weights) + penalties(by_item, h, w.rows(), weights);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 10) {
    std::fprintf(stderr, "usage: bench_ials_blocks PAIRS.tsv USERS ITEMS RANK WIDTH SWEEPS LAMBDA ALPHA0 NU\n");
    return 2;
  }
  const long users = std::atol(argv[2]), items = std::atol(argv[3]), rank = std::atol(argv[4]),
             width = std::atol(argv[5]), sweeps = std::atol(argv[6]);
  const Weights weights{static_cast<float>(std::atof(argv[7])), static_cast<float>(std::atof(argv[8])),
                        static_cast<float>(std::atof(argv[9]))};
  Lists by_user(static_cast<std::size_t>(users)), by_item(static_cast<std::size_t>(items));
  std::FILE* const file = std::fopen(argv[1], "r");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 1;
  }
  for (long user = 0, item = 0; std::fscanf(file, "%ld %ld%*[^\n]", &user, &item) == 2;) {
    by_user.at(static_cast<std::size_t>(user)).push_back(item);
    by_item.at(static_cast<std::size_t>(item)).push_back(user);
  }
  std::fclose(file);
  std::mt19937 generator(1);
  std::normal_distribution<float> normal(0, 0.1F / std::sqrt(static_cast<float>(rank)));
  Rows w = Rows::Zero(users, rank), h(items, rank);
  for (Index k = 0; k < h.size(); ++k) h.data()[k] = normal(generator);
  const double begin = processor_seconds();
  for (long sweep = 0; sweep < sweeps; ++sweep) {
    update_side(by_user, h, weights, width, w);
    update_side(by_item, w, weights, width, h);
  }
  std::printf("%.2f processor seconds a sweep, objective %.8g\n",
              (processor_seconds() - begin) / static_cast<double>(std::max(sweeps, 1L)),
              objective(by_user, by_item, w, h, weights));
}
