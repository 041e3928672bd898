#include "svm/data/loaded_samples.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "regression/people.hpp"
#include "regression/raw_columns.hpp"
#include "strads/base/hash.hpp"
#include "svm/data/class_weights.hpp"

namespace strads::svm {
namespace {

constexpr std::uint32_t kNoSample = std::numeric_limits<std::uint32_t>::max();

/// By row of the data set, which sample it is; kNoSample: it takes no part.
std::vector<std::uint32_t> numbers_of(const ColumnsView& view) {
  std::vector<std::uint32_t> numbers(view.rows, kNoSample);
  std::uint32_t next = 0;
  for (const std::uint32_t row : lasso::samples_of(view)) numbers[row] = next++;
  return numbers;
}

/// One column as the model has it: the samples with a value that is not 0.
class ColumnReader {
 public:
  explicit ColumnReader(const ColumnsView& view) : view_(view), numbers_(numbers_of(view)) {
    for (std::uint64_t i = 0; i < view.rows; ++i) {
      if (numbers_[i] != kNoSample) all_ += weight(i);
    }
  }

  /// Calls take(sample, value) for entries that are not 0, samples ascending. Returns the column's mean.
  template <class Take>
  double read(VarId j, const Take& take) {
    lasso::read_raw_rows(view_, j, std::numeric_limits<double>::quiet_NaN(), 0, view_.rows, entries_);
    double sum = 0, unknown = 0;
    missing_here_ = 0;
    for (std::size_t k = 0; k < entries_.values.size(); ++k) {
      const std::size_t i = row_of(k);
      if (numbers_[i] == kNoSample) continue;
      if (std::isnan(entries_.values[k])) {
        unknown += weight(i);
        ++missing_here_;
      } else {
        sum += weight(i) * entries_.values[k];
      }
    }
    const double mean = all_ > unknown ? sum / (all_ - unknown) : 0.0;
    for (std::size_t k = 0; k < entries_.values.size(); ++k) {
      const std::uint32_t sample = numbers_[row_of(k)];
      const double value = std::isnan(entries_.values[k]) ? mean : entries_.values[k];
      if (sample != kNoSample && value != 0) take(sample, value);
    }
    return mean;
  }

  [[nodiscard]] std::uint64_t missing_of_last() const { return missing_here_; }

 private:
  [[nodiscard]] std::size_t row_of(std::size_t k) const { return entries_.rows.empty() ? k : entries_.rows[k]; }
  [[nodiscard]] double weight(std::size_t i) const { return view_.weights.empty() ? 1.0 : view_.weights[i]; }

  const ColumnsView& view_;
  std::vector<std::uint32_t> numbers_;
  lasso::RawEntries entries_;
  double all_ = 0;
  std::uint64_t missing_here_ = 0;
};

bool takes_part(const ColumnsView& view, VarId j) {
  return view.excluded.empty() || view.excluded[j] == 0;
}

void take_rows(const Dataset& dataset, SvmData& data, LoadedSamples& out) {
  const ColumnsView& view = dataset.columns();
  ColumnReader reader(view);
  Rows& rows = data.rows;
  rows.features = view.columns;
  rows.begins.assign(view.samples() + 1, 0);
  out.means.assign(view.columns, 0.0);
  for (VarId j = 0; j < view.columns; ++j) {
    if (!takes_part(view, j)) continue;
    out.means[j] = reader.read(j, [&](std::uint32_t sample, double) { ++rows.begins[sample + 1]; });
    out.missing += reader.missing_of_last();
  }
  for (std::size_t i = 0; i + 1 < rows.begins.size(); ++i) rows.begins[i + 1] += rows.begins[i];
  rows.index.resize(rows.begins.back());
  rows.values.resize(rows.begins.back());
  std::vector<std::uint64_t> next(rows.begins.begin(), rows.begins.end() - 1);
  for (VarId j = 0; j < view.columns; ++j) {
    if (!takes_part(view, j)) continue;
    reader.read(j, [&](std::uint32_t sample, double value) {
      rows.index[next[sample]] = j;
      rows.values[next[sample]++] = value;
    });
  }
  dataset.release_columns(0, view.columns);
}

}  // namespace

Result<LoadedSamples> rows_of(std::shared_ptr<const Dataset> dataset, const std::vector<std::string>& class_weights) {
  LoadedSamples out;
  auto data = std::make_shared<SvmData>();
  const ColumnsView& view = dataset->columns();
  const auto& names = dataset->class_names();
  data->classes = static_cast<std::uint32_t>(names.size());
  out.counts.assign(names.size(), 0);
  for (const std::uint32_t row : lasso::samples_of(view)) {
    data->labels.push_back(static_cast<std::uint32_t>(dataset->response()[row]));
    ++out.counts[data->labels.back()];
    if (!view.weights.empty()) data->sample_weights.push_back(view.weights[row]);
  }
  if (!class_weights.empty()) {
    STRADS_ASSIGN_OR_RETURN(data->class_weights, weights_of_classes(class_weights, names, out.counts));
  }
  take_rows(*dataset, *data, out);
  if (!fits_engine(*data)) {
    return Status::input(std::to_string(data->samples()) + " samples in " + std::to_string(data->problems()) +
                         " problems are more than 32 bits can count; leave samples out, or join classes");
  }
  Hash64 hash;
  hash.update_u64(dataset->fingerprint());
  for (const double weight : data->class_weights) hash.update_f64(weight);
  data->fingerprint = hash.digest();
  out.dataset = std::move(dataset);
  out.data = std::move(data);
  return out;
}

}  // namespace strads::svm
