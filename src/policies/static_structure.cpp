// Policy `static`: the static baseline of Lee et al. (section 5). As Algorithm 1, but every variable is as likely as
// any other, whatever it did.
#include "policies/conflict_dropping.hpp"
#include "strads/policies/policies.hpp"

namespace strads {

namespace {
class StaticStructure final : public ConflictDropping {
 public:
  using ConflictDropping::ConflictDropping;

  [[nodiscard]] double sampling(std::size_t) const override { return 1.0; }
};
}  // namespace

std::unique_ptr<SlicePolicy> make_static_structure(const SliceSetting& setting) {
  return std::make_unique<StaticStructure>(setting);
}

}  // namespace strads
