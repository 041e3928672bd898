// Policy `uniform`: Shotgun (Bradley et al. 2011). P variables at random, side by side, one update each.
#include <algorithm>

#include "strads/policies/policies.hpp"

namespace strads {

namespace {
class Uniform final : public SlicePolicy {
 public:
  explicit Uniform(const SliceSetting& setting) : options_(setting.options) {}

  [[nodiscard]] double sampling(std::size_t) const override { return 1.0; }
  [[nodiscard]] ScheduleRules rules() const override { return {.draws = std::max(1U, options_.workers)}; }

 private:
  const PolicyOptions& options_;
};
}  // namespace

std::unique_ptr<SlicePolicy> make_uniform(const SliceSetting& setting) {
  return std::make_unique<Uniform>(setting);
}

}  // namespace strads
