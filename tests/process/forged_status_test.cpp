// A node that lies: its columns are those of the run, but its reports at barriers are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lasso/lasso_node.hpp"
#include "lasso/problem/payloads.hpp"
#include "run_liar.hpp"
#include "strads/engine/model.hpp"

namespace strads::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct NoState final : State {
  [[nodiscard]] std::unique_ptr<State> clone() const override { return std::make_unique<NoState>(); }
  [[nodiscard]] Payload content() const override { return {}; }
};

/// Scans as it should; then says that zero is the solution and fits perfectly.
class LyingSlice final : public Slice {
 public:
  explicit LyingSlice(std::unique_ptr<Slice> honest) : honest_(std::move(honest)) {}
  [[nodiscard]] Payload scan(Chunks& chunks, Cost& cost) override { return honest_->scan(chunks, cost); }
  void begin(const Payload&) override {}
  [[nodiscard]] Payload refresh(const State&, Chunks&, Cost&) override {
    return payload_of(lasso::StatusHead{.loss = 5e-31});
  }
  void enter_phase(const PhasePlan&) override {}
  [[nodiscard]] double define_sampling(VarId) const override { return 0; }
  [[nodiscard]] double define_dependency(VarId, VarId) const override { return 0; }
  [[nodiscard]] Block make_block(std::vector<VarId>) const override { return {}; }
  void committed(const RoundOutcome&, std::vector<VarId>&) override {}

 private:
  std::unique_ptr<Slice> honest_;
};

class LyingModel final : public Model {
 public:
  explicit LyingModel(std::shared_ptr<Model> honest) : honest_(std::move(honest)) {}
  [[nodiscard]] ModelShape shape() const override { return honest_->shape(); }
  [[nodiscard]] std::uint64_t fingerprint() const override { return honest_->fingerprint(); }
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> slice) override {
    return std::make_unique<LyingSlice>(honest_->make_slice(std::move(slice)));
  }
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override { return honest_->make_judge(); }
  void begin(const Payload&) override {}
  [[nodiscard]] std::unique_ptr<State> make_state() const override { return std::make_unique<NoState>(); }
  [[nodiscard]] Push push(const State&, const Block&, Chunks&) const override { return {}; }
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload>, Chunks&, Cost&) const override {
    return nullptr;
  }
  [[nodiscard]] Pull pull(const State&, std::span<const Payload>, const Direction*) const override { return {}; }
  void apply(State&, const Payload&, double, const Direction*, Chunks&, Cost&) const override {}
  void recompute(State&, Chunks&, Cost&) const override {}
  [[nodiscard]] double objective(const State&) const override { return 0; }

 private:
  std::shared_ptr<Model> honest_;
};

using ForgedStatus = LiarFixture;

TEST_F(ForgedStatus, EndsTheRunWith70AndBothFiguresAndWritesNothing) {
  const auto lie = [](std::shared_ptr<Model> honest) { return std::make_shared<LyingModel>(std::move(honest)); };
  const Ended ended = ended_with(fit({"--out", folder_.path("run")}), lasso::lasso_node(), lie);
  EXPECT_EQ(ended.code, 70) << ended.out << ended.err;
  EXPECT_THAT(ended.err, AllOf(HasSubstr("an objective of 5e-31, the data 0.5"), HasSubstr("a forged message")));
  EXPECT_FALSE(folder_.has("run/summary.json"));
  EXPECT_FALSE(folder_.has("run/coefficients.tsv"));
}

}  // namespace
}  // namespace strads::test
