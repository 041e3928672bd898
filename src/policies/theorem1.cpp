// Policy `theorem1`: Theorem 1 of Lee et al. (section 4) taken at its word, p(j) = 1/2 (last delta)^2 + eta^2.
#include "policies/conflict_dropping.hpp"
#include "strads/policies/policies.hpp"

namespace strads {

namespace {
/// 2^52: delta^2 / 2 of steps of 1e-6 must still be told apart.
constexpr double kSamplingScale = 4503599627370496.0;

class Theorem1 final : public ByLastDelta {
 public:
  using ByLastDelta::ByLastDelta;

  [[nodiscard]] double sampling(std::size_t i) const override {
    const double delta = memory_.last_delta(i);
    return memory_.visited(i) ? 0.5 * delta * delta + eta_ * eta_ : kSampleFirst;
  }
  [[nodiscard]] ScheduleRules rules() const override {
    ScheduleRules rules = ConflictDropping::rules();
    rules.sampling_scale = kSamplingScale;
    return rules;
  }
};
}  // namespace

std::unique_ptr<SlicePolicy> make_theorem1(const SliceSetting& setting) {
  return std::make_unique<Theorem1>(setting);
}

}  // namespace strads
