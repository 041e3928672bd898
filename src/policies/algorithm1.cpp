// Policy `paper`: Algorithm 1 of Lee et al. (section 2), p(j) = |last delta| + eta, each variable once first.
#include <cmath>

#include "policies/conflict_dropping.hpp"
#include "strads/policies/policies.hpp"

namespace strads {

namespace {
class Algorithm1 final : public ConflictDropping {
 public:
  explicit Algorithm1(const SliceSetting& setting)
      : ConflictDropping(setting), memory_(setting.problem.variables().size()), eta_(setting.options.eta) {}

  [[nodiscard]] double sampling(std::size_t i) const override {
    return memory_.visited(i) ? std::abs(memory_.last_delta(i)) + eta_ : kSampleFirst;
  }
  [[nodiscard]] bool learn(const SliceChanges& changes) override {
    memory_.learn(changes);
    return true;
  }
  [[nodiscard]] Payload memory() const override { return memory_.content(); }
  [[nodiscard]] bool remember(const Payload& memory) override { return memory_.remember(memory); }

 private:
  DeltaMemory memory_;
  double eta_;
};
}  // namespace

std::unique_ptr<SlicePolicy> make_algorithm1(const SliceSetting& setting) {
  return std::make_unique<Algorithm1>(setting);
}

}  // namespace strads
