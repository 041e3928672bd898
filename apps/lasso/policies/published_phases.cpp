// Phases of the published policies: a barrier every --check-interval updates, for the certificate alone.
#include <algorithm>

#include "lasso/policies/policies.hpp"

namespace strads::lasso {

namespace {
class PublishedPhases final : public PhasePlanner {
 public:
  explicit PublishedPhases(const PhaseSetting& setting)
      : check_interval_(setting.options.check_interval), workers_(setting.options.workers) {}

  PlannedPhase plan(const PhaseRequest& request, PhasePlan& plan) override {
    const auto interval = check_interval_ != 0 ? check_interval_ : static_cast<std::uint64_t>(request.kept);
    plan.blocks_max = workers_;
    plan.updates_max = std::max<std::uint64_t>(1, interval);
    plan.rounds_max = plan.updates_max;  // rounds that draw nothing must end as well
    return {};
  }

 private:
  std::uint64_t check_interval_;
  std::uint32_t workers_;
};
}  // namespace

std::unique_ptr<PhasePlanner> make_published_phases(const PhaseSetting& setting) {
  return std::make_unique<PublishedPhases>(setting);
}

}  // namespace strads::lasso
