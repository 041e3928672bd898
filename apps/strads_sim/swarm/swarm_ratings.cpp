#include "strads_sim/swarm/swarm_ratings.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace strads::simulator {
namespace {

class Numbered final : public IdTable {
 public:
  Numbered(const char* prefix, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) names_.push_back(prefix + std::to_string(k));
  }
  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] std::string_view name(std::uint32_t index) const override { return names_[index]; }
  [[nodiscard]] std::uint32_t find(std::string_view name) const override {
    return static_cast<std::uint32_t>(std::ranges::find(names_, name) - names_.begin());
  }

 private:
  std::vector<std::string> names_;
};

}  // namespace

std::shared_ptr<const Ratings> draw_ratings(std::uint64_t seed, bool holds_out, CounterRng& random) {
  const auto users = 6 + static_cast<std::uint32_t>(random.below(15));
  const auto items = 6 + static_cast<std::uint32_t>(random.below(15));
  const bool stars = random.below(2) == 0;
  const double validation = holds_out && random.below(2) == 0 ? 0.2 : 0;
  auto ratings = std::make_shared<Ratings>();
  ratings->users = std::make_shared<Numbered>("u", users);
  ratings->items = std::make_shared<Numbered>("i", items);
  if (stars) ratings->levels = {1, 2, 3, 4, 5};
  ratings->lowest = 1;
  ratings->highest = 5;
  ratings->fingerprint = seed;
  for (std::uint32_t user = 0; user < users; ++user) {
    for (std::uint32_t item = 0; item < items; ++item) {
      const bool needed = user % items == item || item % users == user;
      if (!needed && random.unit() > 0.35) continue;
      const std::uint64_t star = (user % 3 + item % 2 + random.below(2)) % 5;
      const bool held_out = !needed && random.unit() < validation;
      Triplets& part = !held_out ? ratings->train : random.below(2) == 0 ? ratings->validation : ratings->test;
      part.users.push_back(user);
      part.items.push_back(item);
      if (stars) part.codes.push_back(static_cast<std::uint8_t>(star));
      if (!stars) part.values.push_back(static_cast<float>(1.0 + static_cast<double>(star) * random.unit()));
    }
  }
  return ratings;
}

}  // namespace strads::simulator
