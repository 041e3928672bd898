// What the transport asks about payloads of other processes must be true of everything that the Lasso itself sends.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "lasso_runs.hpp"
#include "strads/engine/model.hpp"

namespace strads::lasso {
namespace {

struct Carried {
  PayloadKind kind;
  const Payload* payload;
};

std::optional<Carried> payload_of(const wire::Message& message) {
  if (const auto* m = std::get_if<wire::Ready>(&message)) return Carried{PayloadKind::ready, &m->summary};
  if (const auto* m = std::get_if<wire::Start>(&message)) return Carried{PayloadKind::start, &m->problem};
  if (const auto* m = std::get_if<wire::Assign>(&message)) return Carried{PayloadKind::block, &m->block};
  if (const auto* m = std::get_if<wire::Deltas>(&message)) return Carried{PayloadKind::deltas, &m->deltas};
  if (const auto* m = std::get_if<wire::Commit>(&message)) return Carried{PayloadKind::changes, &m->changes};
  if (const auto* m = std::get_if<wire::SliceStatus>(&message)) return Carried{PayloadKind::status, &m->status};
  if (const auto* m = std::get_if<wire::Phase>(&message)) return Carried{PayloadKind::phase, &m->plan};
  return std::nullopt;
}

TEST(Payloads, OfEveryPolicyAreAcceptable) {
  for (const Policy policy : kPolicies) {
    for (const Shape& shape : kShapes) {
      const Problem problem(small_genotypes(), policy, shape, 60);
      const auto model = problem.model();
      std::set<PayloadKind> seen;
      for (const wire::Message& message : cluster(problem, {.nodes = 2}).log) {
        const auto carried = payload_of(message);
        if (!carried.has_value()) continue;
        seen.insert(carried->kind);
        EXPECT_TRUE(model->acceptable(carried->kind, *carried->payload))
            << problem.name() << ", kind " << static_cast<int>(carried->kind);
      }
      EXPECT_EQ(seen.size(), 7u) << "every kind was sent";
    }
  }
}

TEST(Payloads, OfAJointRoundAreAcceptable) {
  Problem problem(small_dense(), Policy::automatic, {2, 2, 1}, 0);
  problem.lasso.cost.round_seconds = 1;  // rounds are dear: one block at a time
  const auto model = problem.model();
  bool joint = false;
  for (const wire::Message& message : cluster(problem, {.nodes = 2}).log) {
    if (const auto* phase = std::get_if<wire::Phase>(&message)) joint = joint || phase->mode == 1;
    const auto carried = payload_of(message);
    EXPECT_TRUE(!carried.has_value() || model->acceptable(carried->kind, *carried->payload));
  }
  EXPECT_TRUE(joint);
}

}  // namespace
}  // namespace strads::lasso
