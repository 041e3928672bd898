// One X, several responses: a data set that shares the columns of another one.
#include <utility>

#include "data/datasets/loaded_dataset.hpp"
#include "strads/base/hash.hpp"

namespace strads::data {

namespace {

/// Everything but samples and response is that of the first.
class OtherResponse final : public DatasetOfParts {
 public:
  OtherResponse(std::shared_ptr<const Dataset> first, DatasetParts own)
      : DatasetOfParts(std::move(own)), first_(std::move(first)), view_(first_->columns()) {
    view_.dropped_rows = parts_.dropped_rows;
    view_.weights = parts_.weights;
    if (!parts_.excluded.empty()) view_.excluded = parts_.excluded;
    STRADS_CHECK(parts_.response.size() == view_.rows, "one response per row");
  }

  [[nodiscard]] const ColumnsView& columns() const override { return view_; }
  [[nodiscard]] std::span<const double> penalty_factors() const override { return first_->penalty_factors(); }
  [[nodiscard]] VariableName variable(VarId j) const override { return first_->variable(j); }
  [[nodiscard]] SampleName sample(std::uint64_t row) const override { return first_->sample(row); }
  [[nodiscard]] std::span<const std::uint8_t> sexes() const override { return first_->sexes(); }
  [[nodiscard]] bool has_alleles() const override { return first_->has_alleles(); }
  [[nodiscard]] const std::vector<Dropped>& dropped_variables() const override {
    return parts_.excluded.empty() ? first_->dropped_variables() : parts_.dropped_variables;
  }
  [[nodiscard]] std::uint64_t missing_imputed() const override { return first_->missing_imputed(); }
  [[nodiscard]] std::uint64_t fingerprint() const override {
    Hash64 hash;
    hash.update_u64(first_->fingerprint());
    hash.update_u64(parts_.dropped_rows.size());
    for (const std::uint32_t row : parts_.dropped_rows) hash.update_u64(row);
    for (const std::uint8_t flag : parts_.excluded) hash.update_u64(flag);
    const auto add = [&hash](const std::vector<double>& values) {
      hash.update_u64(values.size());
      for (const double value : values) hash.update_f64(value);
    };
    add(parts_.response);
    for (const auto& covariate : parts_.covariates) add(covariate);
    add(parts_.weights);
    if (!parts_.offset.empty()) add(parts_.offset);
    return hash.digest();
  }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> mapped_memory() const override {
    return first_->mapped_memory();
  }
  void release_columns(VarId begin, VarId end) const override { first_->release_columns(begin, end); }
  [[nodiscard]] const std::vector<std::string>& files() const override { return first_->files(); }

 private:
  std::shared_ptr<const Dataset> first_;
  ColumnsView view_;
};

}  // namespace

std::shared_ptr<const Dataset> with_other_response(std::shared_ptr<const Dataset> first, DatasetParts own) {
  return std::make_shared<const OtherResponse>(std::move(first), std::move(own));
}

}  // namespace strads::data
