// One X, several responses: a data set that shares the columns of another one.
#include <utility>

#include "data/datasets/loaded_dataset.hpp"
#include "strads/base/hash.hpp"

namespace strads::data {

namespace {

/// Everything but samples and response is that of the first.
class OtherResponse final : public Dataset {
 public:
  OtherResponse(std::shared_ptr<const Dataset> first, DatasetParts own)
      : first_(std::move(first)), own_(std::move(own)), view_(first_->columns()) {
    view_.dropped_rows = own_.dropped_rows;
    view_.weights = own_.weights;
    if (!own_.excluded.empty()) view_.excluded = own_.excluded;
    STRADS_CHECK(own_.response.size() == view_.rows, "one response per row");
  }

  [[nodiscard]] const ColumnsView& columns() const override { return view_; }
  [[nodiscard]] std::span<const double> response() const override { return own_.response; }
  [[nodiscard]] std::string_view response_name() const override { return own_.response_name; }
  [[nodiscard]] const std::array<std::string, 2>& classes() const override { return own_.classes; }
  [[nodiscard]] std::span<const double> offset() const override { return own_.offset; }
  [[nodiscard]] const std::vector<std::vector<double>>& covariates() const override { return own_.covariates; }
  [[nodiscard]] const std::vector<std::string>& covariate_names() const override { return own_.covariate_names; }
  [[nodiscard]] const std::vector<SkippedCovariate>& skipped_covariates() const override {
    return own_.skipped_covariates;
  }
  [[nodiscard]] std::span<const double> penalty_factors() const override { return first_->penalty_factors(); }
  [[nodiscard]] VariableName variable(VarId j) const override { return first_->variable(j); }
  [[nodiscard]] SampleName sample(std::uint64_t row) const override { return first_->sample(row); }
  [[nodiscard]] std::span<const std::uint8_t> sexes() const override { return first_->sexes(); }
  [[nodiscard]] bool has_alleles() const override { return first_->has_alleles(); }
  [[nodiscard]] const std::vector<Dropped>& dropped_samples() const override { return own_.dropped_samples; }
  [[nodiscard]] const std::vector<Dropped>& dropped_variables() const override {
    return own_.excluded.empty() ? first_->dropped_variables() : own_.dropped_variables;
  }
  [[nodiscard]] std::uint64_t missing_imputed() const override { return first_->missing_imputed(); }
  [[nodiscard]] std::uint64_t fingerprint() const override {
    Hash64 hash;
    hash.update_u64(first_->fingerprint());
    hash.update_u64(own_.dropped_rows.size());
    for (const std::uint32_t row : own_.dropped_rows) hash.update_u64(row);
    for (const std::uint8_t flag : own_.excluded) hash.update_u64(flag);
    const auto add = [&hash](const std::vector<double>& values) {
      hash.update_u64(values.size());
      for (const double value : values) hash.update_f64(value);
    };
    add(own_.response);
    for (const auto& covariate : own_.covariates) add(covariate);
    add(own_.weights);
    if (!own_.offset.empty()) add(own_.offset);
    return hash.digest();
  }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> mapped_memory() const override {
    return first_->mapped_memory();
  }
  void release_columns(VarId begin, VarId end) const override { first_->release_columns(begin, end); }
  [[nodiscard]] const std::vector<std::string>& files() const override { return first_->files(); }
  [[nodiscard]] const std::vector<std::string>& warnings() const override { return own_.warnings; }

 private:
  std::shared_ptr<const Dataset> first_;
  DatasetParts own_;
  ColumnsView view_;
};

}  // namespace

std::shared_ptr<const Dataset> with_other_response(std::shared_ptr<const Dataset> first, DatasetParts own) {
  return std::make_shared<const OtherResponse>(std::move(first), std::move(own));
}

}  // namespace strads::data
