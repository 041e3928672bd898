#include "data/datasets/loaded_dataset.hpp"

#include <mutex>
#include <utility>

#include "data/files/memory_limit.hpp"

namespace strads::data {

namespace {

/// Whether a file stays in memory beside what a fit needs for itself.
bool fits(std::uint64_t bytes, std::uint64_t memory) {
  constexpr double kShare = 0.75;
  return static_cast<double>(bytes) <= kShare * static_cast<double>(memory != 0 ? memory : memory_limit());
}

class LoadedDataset final : public DatasetOfParts, private ReadAhead {
 public:
  explicit LoadedDataset(DatasetParts parts) : DatasetOfParts(std::move(parts)) {
    parts_.columns.dropped_rows = parts_.dropped_rows;
    parts_.columns.excluded = parts_.excluded;
    parts_.columns.weights = parts_.weights;
    if (parts_.mapped != nullptr && !fits(parts_.mapped->mapped(), parts_.memory)) {
      parts_.mapped->read_when_expected();
      parts_.columns.read_ahead = this;
    }
    STRADS_CHECK(parts_.names->size() == parts_.columns.columns, "every column has a name");
    STRADS_CHECK(parts_.response.empty() || parts_.response.size() == parts_.columns.rows, "one response per row");
    STRADS_CHECK(parts_.offset.empty() || parts_.offset.size() == parts_.columns.rows, "one offset per row");
  }

  [[nodiscard]] const ColumnsView& columns() const override { return parts_.columns; }
  [[nodiscard]] std::span<const double> penalty_factors() const override { return parts_.penalty_factors; }
  [[nodiscard]] VariableName variable(VarId j) const override {
    STRADS_CHECK(j < parts_.columns.columns, "callers ask for columns of this data set");
    return parts_.names->at(j);
  }
  [[nodiscard]] SampleName sample(std::uint64_t row) const override {
    STRADS_CHECK(row < parts_.columns.rows, "callers ask for rows of this data set");
    return {.family = parts_.family.empty() ? std::string_view{} : parts_.family[row],
            .individual = parts_.individual.empty() ? std::string_view{} : parts_.individual[row]};
  }
  [[nodiscard]] std::span<const std::uint8_t> sexes() const override { return parts_.sexes; }
  [[nodiscard]] bool has_alleles() const override { return parts_.names->has_alleles(); }
  [[nodiscard]] const std::vector<Dropped>& dropped_variables() const override { return parts_.dropped_variables; }
  [[nodiscard]] std::uint64_t missing_imputed() const override { return parts_.missing_imputed; }
  [[nodiscard]] std::uint64_t fingerprint() const override {
    std::call_once(fingerprint_once_, [&] { fingerprint_ = fingerprint_of(parts_); });
    return fingerprint_;
  }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> mapped_memory() const override {
    if (parts_.mapped == nullptr) return {0, 0};
    return {parts_.mapped->mapped(), parts_.mapped->resident()};
  }
  void release_columns(VarId begin, VarId end) const override {
    const ColumnsView& view = parts_.columns;
    if (parts_.mapped == nullptr) return;
    STRADS_CHECK(begin <= end && end <= view.columns, "callers name columns of this data set");
    const std::string_view file = parts_.mapped->bytes();
    const std::uint64_t offset = columns_offset();
    // What lies before the first column and behind the last one is read once, by the loader.
    parts_.mapped->release(begin == 0 ? 0 : offset + begin * view.column_stride,
                           end == view.columns ? file.size() : offset + end * view.column_stride);
  }
  [[nodiscard]] const std::vector<std::string>& files() const override { return parts_.files; }

 private:
  void expect(std::uint64_t begin, std::uint64_t end) const override {
    parts_.mapped->expect(columns_offset() + begin, columns_offset() + end);
  }
  /// Where the mapped file has the first column.
  [[nodiscard]] std::uint64_t columns_offset() const {
    const auto* const first = reinterpret_cast<const std::byte*>(parts_.mapped->bytes().data());
    return static_cast<std::uint64_t>(parts_.columns.values - first);
  }

  // Reads all of a mapped file, so only when asked for.
  mutable std::once_flag fingerprint_once_;
  mutable std::uint64_t fingerprint_ = 0;
};

}  // namespace

std::shared_ptr<const Dataset> make_dataset(DatasetParts parts) {
  return std::make_shared<const LoadedDataset>(std::move(parts));
}

}  // namespace strads::data
