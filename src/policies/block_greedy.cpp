// Policy `block-greedy`: block-greedy descent (Scherrer et al. 2012), without its clustering. P different static blocks
// of adjacent variables at random; in each the best variable is updated.
#include <algorithm>

#include "strads/base/random.hpp"
#include "strads/policies/policies.hpp"

namespace strads {

namespace {
constexpr std::size_t kStaticBlock = 64;  ///< variables of a static block

class BlockGreedy final : public SlicePolicy {
 public:
  explicit BlockGreedy(const SliceSetting& setting) : problem_(setting.problem), options_(setting.options) {}

  [[nodiscard]] double sampling(std::size_t) const override { return 1.0; }
  [[nodiscard]] ScheduleRules rules() const override { return {.draws = std::max(1U, options_.workers)}; }
  [[nodiscard]] std::optional<std::vector<std::vector<VarId>>> choose_blocks(std::uint32_t blocks_max,
                                                                             CounterRng& random) override {
    const std::size_t count = (problem_.variables().size() + kStaticBlock - 1) / kStaticBlock;
    const std::size_t wanted = std::min<std::size_t>(blocks_max, count);
    std::vector<std::size_t> chosen;
    while (chosen.size() < wanted) {
      const auto b = static_cast<std::size_t>(random.below(count));
      if (std::find(chosen.begin(), chosen.end(), b) == chosen.end()) chosen.push_back(b);
    }
    std::vector<std::vector<VarId>> blocks;
    for (const std::size_t b : chosen) {
      std::vector<VarId> members = members_of(b);
      if (!members.empty()) blocks.push_back(std::move(members));
    }
    return blocks;
  }

 private:
  [[nodiscard]] std::vector<VarId> members_of(std::size_t block) const {
    std::vector<VarId> members;
    const std::size_t end = std::min((block + 1) * kStaticBlock, problem_.variables().size());
    for (std::size_t i = block * kStaticBlock; i < end; ++i) {
      if (problem_.takes_part(i)) members.push_back(problem_.variables()[i]);
    }
    return members;
  }

  const CoordinateProblem& problem_;
  const PolicyOptions& options_;
};
}  // namespace

std::unique_ptr<SlicePolicy> make_block_greedy(const SliceSetting& setting) {
  return std::make_unique<BlockGreedy>(setting);
}

}  // namespace strads
