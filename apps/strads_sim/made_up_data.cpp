#include "strads_sim/made_up_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "strads/base/hash.hpp"
#include "strads/base/random.hpp"

namespace strads::simulator {
namespace {

/// Column-major values: standard normal, or copies of an allele.
struct Values {
  std::vector<double> x;
  std::vector<std::byte> bytes;            ///< as stored
  std::vector<std::uint64_t> starts;       ///< sparse
  std::vector<std::uint32_t> row_numbers;  ///< sparse
  std::vector<double> weights, factors;    ///< where they were asked for
  ColumnsView view;
};

class MadeUpDataset final : public Dataset {
 public:
  MadeUpDataset(Values values, std::vector<double> response, bool classes)
      : values_(std::move(values)), response_(std::move(response)), view_(values_.view) {
    if (classes) classes_ = {"below", "above"};
    view_.values = values_.bytes.data();
    view_.starts = values_.starts;
    view_.row_numbers = values_.row_numbers;
    view_.weights = values_.weights;
  }
  [[nodiscard]] const ColumnsView& columns() const override { return view_; }
  [[nodiscard]] std::span<const double> response() const override { return response_; }
  [[nodiscard]] std::string_view response_name() const override { return "made up"; }
  [[nodiscard]] const std::array<std::string, 2>& classes() const override { return classes_; }
  [[nodiscard]] const std::vector<std::vector<double>>& covariates() const override { return covariates_; }
  [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return none_; }
  [[nodiscard]] std::span<const double> penalty_factors() const override { return values_.factors; }
  [[nodiscard]] VariableName variable(VarId) const override { return {}; }
  [[nodiscard]] SampleName sample(std::uint64_t) const override { return {}; }
  [[nodiscard]] bool has_alleles() const override { return false; }
  [[nodiscard]] const std::vector<Dropped>& dropped_samples() const override { return dropped_; }
  [[nodiscard]] std::uint64_t missing_imputed() const override { return 0; }
  [[nodiscard]] std::uint64_t fingerprint() const override { return xxh3(values_.bytes); }
  [[nodiscard]] const std::vector<std::string>& files() const override { return none_; }

 private:
  Values values_;
  std::vector<double> response_;
  std::array<std::string, 2> classes_;
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

Values dense(const MadeUpData& description, CounterRng& random) {
  const std::size_t n = description.rows;
  Values values;
  values.x.resize(n * description.columns);
  const double own = std::sqrt(1 - description.correlation);
  const double common = std::sqrt(description.correlation);
  for (std::size_t at = 0; at < values.x.size(); ++at) {
    const double before = at < n ? normal(random) : values.x[at - n];
    values.x[at] = own * normal(random) + common * before;
  }
  values.bytes.resize(values.x.size() * sizeof(double));
  std::memcpy(values.bytes.data(), values.x.data(), values.bytes.size());
  values.view.storage = Storage::dense_f64;
  values.view.column_stride = n * sizeof(double);
  return values;
}

/// Puts zeros into columns of normal numbers, from a tenth to all but a tenth of each.
Values sparse(const MadeUpData& description, CounterRng& random) {
  Values values = dense(description, random);
  const std::size_t n = description.rows;
  std::vector<double> kept;
  double share = 0;
  for (std::size_t at = 0; at < values.x.size(); ++at) {
    if (at % n == 0) {
      share = 0.1 + 0.8 * random.unit();
      values.starts.push_back(kept.size());
    }
    if (random.unit() < share) {
      kept.push_back(values.x[at]);
      values.row_numbers.push_back(static_cast<std::uint32_t>(at % n));
    } else {
      values.x[at] = 0;
    }
  }
  values.starts.push_back(kept.size());
  values.bytes.resize(kept.size() * sizeof(double));
  std::memcpy(values.bytes.data(), kept.data(), values.bytes.size());
  values.view.storage = Storage::sparse_f64;
  values.view.column_stride = 0;
  return values;
}

Values genotypes(const MadeUpData& description, CounterRng& random) {
  constexpr unsigned kCode[] = {3, 2, 0};  // 0, 1, 2 copies of A1
  constexpr unsigned kMissing = 1;
  constexpr double kMissingShare = 0.01;
  const std::size_t n = description.rows;
  Values values;
  values.x.resize(n * description.columns);
  values.view.storage = Storage::genotype_2bit;
  values.view.column_stride = (n + 3) / 4;
  values.bytes.resize(values.view.column_stride * description.columns, std::byte{0});
  double frequency = 0;
  for (std::size_t at = 0; at < values.x.size(); ++at) {
    const std::size_t i = at % n;
    if (i == 0) frequency = 0.1 + 0.4 * random.unit();
    unsigned copies = (random.unit() < frequency ? 1U : 0U) + (random.unit() < frequency ? 1U : 0U);
    if (at >= n && random.unit() < description.correlation) copies = static_cast<unsigned>(values.x[at - n]);
    values.x[at] = copies;
    const unsigned code = random.unit() < kMissingShare ? kMissing : kCode[copies];
    values.bytes[at / n * values.view.column_stride + i / 4] |= static_cast<std::byte>(code << (2 * (i % 4)));
  }
  return values;
}

/// Six columns with effects 1, -1, 1 ..., plus noise.
std::vector<double> response_of(const std::vector<double>& x, const MadeUpData& description, CounterRng& random) {
  constexpr int kCauses = 6;
  std::vector<double> y(description.rows);
  for (double& value : y) value = 0.3 * normal(random);
  for (int k = 0; k < kCauses; ++k) {
    const auto j = static_cast<std::size_t>(random.below(description.columns));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += (k % 2 == 0 ? 1.0 : -1.0) * x[j * y.size() + i];
  }
  return y;
}

/// Both of them are there: noise makes every number another one.
void make_classes(std::vector<double>& y) {
  std::vector<double> sorted = y;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2];
  for (double& value : y) value = value >= median ? 1 : 0;
}

/// Two for a standard deviation, one at the mean and none below 0: a third of them, more or less, are 0.
void make_counts(std::vector<double>& y) {
  const auto rows = static_cast<double>(y.size());
  double mean = 0, squares = 0;
  for (const double value : y) mean += value / rows;
  for (const double value : y) squares += (value - mean) * (value - mean) / rows;
  for (double& value : y) value = std::floor(std::max(0.0, 1 + 2 * (value - mean) / std::sqrt(squares)));
}

}  // namespace

std::shared_ptr<const Dataset> made_up(const MadeUpData& description) {
  constexpr std::uint64_t kStream = 0x51;  // apart from what tests draw of the same seed
  CounterRng random(description.seed, Purpose::tests, kStream);
  Values values = description.genotypes ? genotypes(description, random)
                  : description.sparse  ? sparse(description, random)
                                        : dense(description, random);
  values.view.rows = description.rows;
  values.view.columns = description.columns;
  auto y = response_of(values.x, description, random);
  if (description.classes) make_classes(y);
  if (description.counts) make_counts(y);
  const auto half_to_double = [&random](std::vector<double>& numbers, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) numbers.push_back(0.5 + 1.5 * random.unit());
  };
  if (description.weights) half_to_double(values.weights, description.rows);
  if (description.factors) half_to_double(values.factors, description.columns);
  return std::make_shared<MadeUpDataset>(std::move(values), std::move(y), description.classes);
}

}  // namespace strads::simulator
