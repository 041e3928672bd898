#include "support/made_up_data.hpp"

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "strads/base/hash.hpp"
#include "strads/base/random.hpp"

namespace strads::support {

namespace {

/// Roughly normal, without the C library: a sum of twelve uniforms.
double normal(CounterRng& random) {
  double sum = -6;
  for (int k = 0; k < 12; ++k) sum += random.unit();
  return sum;
}

class MemoryDataset final : public Dataset {
 public:
  MemoryDataset(std::vector<std::byte> bytes, ColumnsView view, std::vector<double> response)
      : bytes_(std::move(bytes)), view_(view), response_(std::move(response)) {
    view_.values = bytes_.data();
  }
  [[nodiscard]] const ColumnsView& columns() const override { return view_; }
  [[nodiscard]] std::span<const double> response() const override { return response_; }
  [[nodiscard]] std::string_view response_name() const override { return "y"; }
  [[nodiscard]] const std::vector<std::vector<double>>& covariates() const override { return covariates_; }
  [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return names_; }
  [[nodiscard]] VariableName variable(VarId) const override { return {}; }
  [[nodiscard]] SampleName sample(std::uint64_t) const override { return {}; }
  [[nodiscard]] bool has_alleles() const override { return false; }
  [[nodiscard]] const std::vector<Dropped>& dropped_samples() const override { return dropped_; }
  [[nodiscard]] std::uint64_t missing_imputed() const override { return 0; }
  [[nodiscard]] std::uint64_t fingerprint() const override { return xxh3(bytes_); }
  [[nodiscard]] const std::vector<std::string>& files() const override { return names_; }

 private:
  std::vector<std::byte> bytes_;
  ColumnsView view_;
  std::vector<double> response_;
  std::vector<std::vector<double>> covariates_;
  std::vector<std::string> names_;
  std::vector<Dropped> dropped_;
};

/// A sum of 8 columns with effects 1, -1, 1 ..., plus noise. `x` is column-major.
std::vector<double> response_of(const std::vector<double>& x, const MadeUp& made_up, CounterRng& random) {
  std::vector<double> y(made_up.rows);
  for (double& value : y) value = 0.5 * normal(random);
  for (std::size_t k = 0; k < 8; ++k) {
    const auto j = static_cast<std::size_t>(random.below(made_up.columns));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += (k % 2 == 0 ? 1.0 : -1.0) * x[j * made_up.rows + i];
  }
  return y;
}

}  // namespace

std::shared_ptr<const Dataset> dense_dataset(const MadeUp& made_up) {
  CounterRng random(made_up.seed, Purpose::tests, 1);
  std::vector<double> shared(made_up.rows);
  for (double& value : shared) value = normal(random);
  std::vector<double> x(std::size_t{made_up.rows} * made_up.columns);
  for (std::size_t at = 0; at < x.size(); ++at) {
    x[at] = std::sqrt(1 - made_up.correlation) * normal(random) +
            std::sqrt(made_up.correlation) * shared[at % made_up.rows];
  }
  auto y = response_of(x, made_up, random);
  std::vector<std::byte> bytes(x.size() * sizeof(double));
  std::memcpy(bytes.data(), x.data(), bytes.size());
  ColumnsView view;
  view.storage = Storage::dense_f64;
  view.rows = made_up.rows;
  view.columns = made_up.columns;
  view.column_stride = made_up.rows * sizeof(double);
  return std::make_shared<MemoryDataset>(std::move(bytes), view, std::move(y));
}

std::shared_ptr<const Dataset> genotype_dataset(const MadeUp& made_up) {
  constexpr unsigned kCode[] = {3, 2, 0};  // 0, 1, 2 copies of A1
  constexpr unsigned kMissing = 1;
  CounterRng random(made_up.seed, Purpose::tests, 2);
  const std::size_t stride = (made_up.rows + 3) / 4;
  std::vector<double> x(std::size_t{made_up.rows} * made_up.columns);
  std::vector<std::byte> bytes(stride * made_up.columns, std::byte{0});
  for (VarId j = 0; j < made_up.columns; ++j) {
    const double frequency = 0.1 + 0.4 * random.unit();
    for (std::uint32_t i = 0; i < made_up.rows; ++i) {
      const std::size_t at = std::size_t{j} * made_up.rows + i;
      unsigned copies = (random.unit() < frequency ? 1U : 0U) + (random.unit() < frequency ? 1U : 0U);
      if (j > 0 && random.unit() < made_up.correlation) copies = static_cast<unsigned>(x[at - made_up.rows]);
      x[at] = copies;
      const unsigned code = random.unit() < made_up.missing ? kMissing : kCode[copies];
      bytes[j * stride + i / 4] |= static_cast<std::byte>(code << (2 * (i % 4)));
    }
  }
  auto y = response_of(x, made_up, random);
  ColumnsView view;
  view.storage = Storage::genotype_2bit;
  view.rows = made_up.rows;
  view.columns = made_up.columns;
  view.column_stride = stride;
  return std::make_shared<MemoryDataset>(std::move(bytes), view, std::move(y));
}

}  // namespace strads::support
