// The rounds that a run tells are those of its messages.
#include <gtest/gtest.h>

#include <vector>

#include "recorder.hpp"
#include "strads/transport/embedded_rounds.hpp"

namespace strads::lasso {
namespace {

void expect_rounds_as_in_messages(Policy policy, const EngineOptions& engine) {
  const Content content = random_content({.columns = 40, .shared = 0.3});
  LassoOptions options = published(policy);
  options.guard = true;
  const Record record = observe(content, options, engine).record;

  options.workers = engine.workers;
  options.schedulers = engine.schedulers;
  auto data = prepare_lasso(dataset_of(content), options);
  ASSERT_TRUE(data.ok()) << data.status().message();
  std::vector<RoundRecord> told;
  const auto run = run_embedded(make_lasso_model(data.value(), options), engine, {.threads = 2},
                                [&](const RoundRecord& round) { told.push_back(round); }, {}, {});
  ASSERT_TRUE(run.end.status.ok()) << run.end.status.message();

  ASSERT_EQ(told.size(), record.rounds.size());
  for (std::size_t t = 0; t < told.size(); ++t) {
    const RecordedRound& said = record.rounds[t];
    EXPECT_EQ(told[t].round, static_cast<Round>(t));
    EXPECT_EQ(told[t].scheduler, said.commit.scheduler);
    EXPECT_EQ(told[t].step, said.commit.step);
    ASSERT_EQ(told[t].blocks.size(), said.assigns.size()) << "round " << t;
    for (const wire::Assign& assign : said.assigns) {
      EXPECT_EQ(told[t].blocks[assign.index].variables, assign.block.ids) << "round " << t;
      EXPECT_EQ(told[t].blocks[assign.index].worker, assign.worker) << "round " << t;
    }
    for (const wire::Deltas& deltas : said.deltas) {
      EXPECT_EQ(told[t].blocks[deltas.index].deltas, deltas.deltas) << "round " << t;
    }
  }
}

TEST(Rounds, AreToldAsTheirMessagesSay) {
  expect_rounds_as_in_messages(Policy::paper, {.workers = 4, .rounds_max = 60});
  expect_rounds_as_in_messages(Policy::fixed_structure, {.schedulers = 3, .workers = 4, .depth = 2, .rounds_max = 60});
  expect_rounds_as_in_messages(Policy::automatic, {.schedulers = 2, .workers = 3, .rounds_max = 60});
}

}  // namespace
}  // namespace strads::lasso
