#include "strads_sim/made_up_problem.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "strads/hash.hpp"
#include "strads/random.hpp"

namespace strads::simulator {
namespace {

class MadeUpDataset final : public Dataset {
 public:
  MadeUpDataset(std::uint64_t rows, VarId columns, std::vector<double> values, std::vector<double> response)
      : values_(std::move(values)), response_(std::move(response)) {
    view_.storage = Storage::dense_f64;
    view_.rows = rows;
    view_.columns = columns;
    view_.values = reinterpret_cast<const std::byte*>(values_.data());
    view_.column_stride = rows * sizeof(double);
  }
  [[nodiscard]] const ColumnsView& columns() const override { return view_; }
  [[nodiscard]] std::span<const double> response() const override { return response_; }
  [[nodiscard]] std::string_view response_name() const override { return "made up"; }
  [[nodiscard]] const std::vector<std::vector<double>>& covariates() const override { return covariates_; }
  [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return none_; }
  [[nodiscard]] VariableName variable(VarId) const override { return {}; }
  [[nodiscard]] SampleName sample(std::uint64_t) const override { return {}; }
  [[nodiscard]] bool has_alleles() const override { return false; }
  [[nodiscard]] const std::vector<Dropped>& dropped_samples() const override { return dropped_; }
  [[nodiscard]] std::uint64_t missing_imputed() const override { return 0; }
  [[nodiscard]] std::uint64_t fingerprint() const override { return xxh3(std::as_bytes(std::span(values_))); }
  [[nodiscard]] const std::vector<std::string>& files() const override { return none_; }

 private:
  std::vector<double> values_, response_;
  ColumnsView view_;
  std::vector<std::vector<double>> covariates_;
  std::vector<std::string> none_;
  std::vector<Dropped> dropped_;
};

/// Roughly normal, without the C library, whose bits differ from machine to machine.
double normal(CounterRng& random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.unit();
  return sum;
}

}  // namespace

std::shared_ptr<const Dataset> made_up(const MadeUpProblem& problem) {
  constexpr std::uint64_t kStream = 0x51;  // apart from what tests draw of the same seed
  constexpr int kCauses = 6;
  CounterRng random(problem.seed, Purpose::tests, kStream);
  const std::size_t n = problem.rows;
  std::vector<double> x(n * problem.columns);
  const double own = std::sqrt(1 - problem.correlation);
  for (std::size_t at = 0; at < x.size(); ++at) {
    const double before = at < n ? normal(random) : x[at - n];
    x[at] = own * normal(random) + std::sqrt(problem.correlation) * before;
  }
  std::vector<double> y(n);
  for (double& value : y) value = 0.3 * normal(random);
  for (int k = 0; k < kCauses; ++k) {
    const auto j = static_cast<std::size_t>(random.below(problem.columns));
    for (std::size_t i = 0; i < n; ++i) y[i] += (k % 2 == 0 ? 1.0 : -1.0) * x[j * n + i];
  }
  return std::make_shared<MadeUpDataset>(n, problem.columns, std::move(x), std::move(y));
}

}  // namespace strads::simulator
