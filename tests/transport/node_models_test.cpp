// Who has a node's models: the run that each was made for, and nobody besides.
#include "transport/node_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "engine/session/node_session.hpp"
#include "support/scripted_model.hpp"

namespace strads::transport {
namespace {

using engine::kFirstRun;
using testing::HasSubstr;

std::shared_ptr<Model> model_with(std::uint64_t fingerprint) {
  support::Script script;
  script.fingerprint = fingerprint;
  return std::make_shared<support::ScriptedModel>(script);
}

class ANodesModels : public testing::Test {
 protected:
  /// The next one that gets ready, within 10 seconds.
  NodeModels::Made next() {
    while (true) {
      wake_->clear();
      if (auto made = models_.next_made()) return std::move(*made);
      pollfd woken{wake_->descriptor(), POLLIN, 0};
      if (::poll(&woken, 1, 10'000) <= 0) return {.run = 0, .status = Status::cluster("nothing was made")};
    }
  }
  NodeModels::Made load_first(LoadedModel loaded) {
    models_.load_first([loaded]() -> Result<LoadedModel> { return loaded; });
    loaded = {};
    return next();
  }
  NodeModels::Made make(std::uint32_t run, const std::string& request = "") {
    const Status begun = models_.make(run, request);
    return begun.ok() ? next() : NodeModels::Made{.run = run, .status = begun};
  }

  std::shared_ptr<Wake> wake_ = std::make_shared<Wake>();
  NodeModels models_{wake_};
};

TEST_F(ANodesModels, AreHandedOnWithTheirRun) {
  std::weak_ptr<Model> model;
  {
    std::shared_ptr<Model> first = model_with(7);
    model = first;
    models_.load_first([first]() -> Result<LoadedModel> { return LoadedModel{first, {.workers = 3}, {}}; });
    first.reset();
    EXPECT_FALSE(models_.data_looked_at());
    const NodeModels::Made made = next();
    EXPECT_TRUE(models_.data_looked_at());
    EXPECT_TRUE(made.status.ok());
    EXPECT_EQ(made.run, kFirstRun);
    EXPECT_EQ(made.engine.workers, 3U);
    EXPECT_EQ(made.fingerprint, 7U);
    EXPECT_EQ(made.model, model.lock());
  }
  EXPECT_TRUE(model.expired()) << "the run that it was made for has ended";
  EXPECT_FALSE(models_.next_made().has_value());
}

TEST_F(ANodesModels, MakeOneAnewForARunThatGoesOnWithOtherRoles) {
  EXPECT_EQ(load_first(
                {.model = model_with(7), .engine = {}, .data_memory = {}, .second_model = [] { return model_with(8); }})
                .fingerprint,
            7U);
  const auto again = make(4);
  EXPECT_EQ(again.run, 4U);
  EXPECT_EQ(again.fingerprint, 8U);
}

TEST_F(ANodesModels, GiveTheNextRunTheModelThatTheFirstDidNotBeginWith) {
  auto first = load_first({model_with(7), {}, {}, [] { return model_with(8); }});
  models_.keep_spare(std::move(first.model));
  EXPECT_EQ(make(1).fingerprint, 7U);
  EXPECT_EQ(make(2).fingerprint, 8U);
}

TEST_F(ANodesModels, AreMadeOfTheDriversRequest) {
  LoadedModel first{model_with(7), {}, {}};
  first.further = [](const std::string& request) -> Result<LoadedModel> {
    return LoadedModel{model_with(request.size()), {.workers = 2}, {}};
  };
  (void)load_first(first);
  const auto further = make(5, "lambda 3");
  EXPECT_EQ(further.fingerprint, 8U);
  EXPECT_EQ(further.engine.workers, 2U);
}

TEST_F(ANodesModels, AreNotMadeWhereTheProgramCannotMakeThem) {
  (void)load_first({model_with(7), {}, {}});
  EXPECT_THAT(make(1).status.message(), HasSubstr("cannot go on after a loss"));
  EXPECT_THAT(make(2, "lambda 3").status.message(), HasSubstr("hosts one run"));
}

TEST_F(ANodesModels, FailAsTheDataDid) {
  models_.load_first([]() -> Result<LoadedModel> { return Status::input("x.bed: cannot be read"); });
  EXPECT_EQ(next().status.message(), "x.bed: cannot be read");
  EXPECT_TRUE(models_.data_looked_at());
  EXPECT_EQ(make(1).status.message(), "x.bed: cannot be read");
  EXPECT_EQ(models_.data_memory(), (std::pair<std::uint64_t, std::uint64_t>{}));
}

TEST_F(ANodesModels, SayWhatOfTheDataIsInMemory) {
  EXPECT_EQ(models_.data_memory(), (std::pair<std::uint64_t, std::uint64_t>{})) << "nothing is read";
  (void)load_first({model_with(7), {}, [] { return std::pair<std::uint64_t, std::uint64_t>{100, 60}; }});
  EXPECT_EQ(models_.data_memory(), (std::pair<std::uint64_t, std::uint64_t>{100, 60}));
}

}  // namespace
}  // namespace strads::transport
