// Policy `paper`: Algorithm 1 of Lee et al. (section 2), p(j) = |last delta| + eta, each variable once first.
#include <cmath>

#include "policies/conflict_dropping.hpp"
#include "strads/policies/policies.hpp"

namespace strads {

namespace {
class Algorithm1 final : public ByLastDelta {
 public:
  using ByLastDelta::ByLastDelta;

  [[nodiscard]] double sampling(std::size_t i) const override {
    return memory_.visited(i) ? std::abs(memory_.last_delta(i)) + eta_ : kSampleFirst;
  }
};
}  // namespace

std::unique_ptr<SlicePolicy> make_algorithm1(const SliceSetting& setting) {
  return std::make_unique<Algorithm1>(setting);
}

}  // namespace strads
