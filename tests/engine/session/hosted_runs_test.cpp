#include "engine/session/hosted_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/rounds/halving_model.hpp"
#include "engine/session/driver_session.hpp"
#include "engine/session/node_session.hpp"
#include "strads/base/random.hpp"
#include "support/sanitized.hpp"

namespace strads::engine {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t kNodes = 3, kDriver = 99;
constexpr double kLeaseSeconds = 15;
constexpr double kBusyLooks = 0.02;  ///< of the steps
constexpr int kStepsMax = 200'000;

EngineOptions engine_of(std::uint32_t run) {
  EngineOptions engine;
  engine.schedulers = 2;
  engine.workers = 3;
  engine.seed = 7 + run;
  return engine;
}

std::shared_ptr<Model> model_of(std::uint32_t run) {
  HalvingOptions options;
  options.variables = 10 + run;
  options.phases = 3 + run;
  return std::make_shared<HalvingModel>(options, 2U);
}

/// What a run comes to.
struct Outcome {
  std::vector<double> replica;
  double objective = 0;
  std::uint64_t rounds = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// The sessions of three nodes and of their driver; words come in an order drawn from a seed, and a share of them
/// never.
class House {
 public:
  House(std::uint64_t seed, double loss, std::uint32_t first = kFirstRun)
      : random_(seed, Purpose::tests),
        loss_(loss),
        first_(first),
        driver_(engine_of(first), Membership(engine_of(first), kLeaseSeconds), kNodes, {"driver", "driver"}, 60) {
    for (std::uint32_t rank = 0; rank < kNodes; ++rank) start();
  }

  DriverSession& driver() { return driver_; }
  NodeSession& node(std::uint32_t place) { return *nodes_[place]; }

  /// Until it is so. False: it never is.
  template <class Is>
  bool until(const Is& is) {
    for (int i = 0; i < kStepsMax; ++i) {
      if (is()) return true;
      step();
    }
    return false;
  }
  /// From now on timers are looked at while words are on their way.
  void be_busy() { busy_ = true; }
  void start() {
    wire::Hello hello;
    hello.name = hello.endpoint = std::to_string(nodes_.size());
    hello.roles = wire::kAcceptsScheduler | wire::kAcceptsWorker;
    nodes_.push_back(std::make_unique<NodeSession>(hello, "driver", 60));
    nodes_.back()->begin(now_);
  }
  /// kill -9 of the node that holds this scheduler of the first run. What it has said is still on its way.
  void kill_node_of(std::uint32_t scheduler) {
    const std::uint32_t rank = driver_.membership().roster().schedulers[scheduler];
    gone_.insert(places_[rank]);
    replicas_[0].erase(places_[rank]);
    driver_.on_ended_process(rank, "signal 9 (Killed)");
    carry_out();
  }
  /// Checkpoints that the driver has taken.
  [[nodiscard]] std::size_t checkpoints() const { return checkpoints_; }
  [[nodiscard]] bool run_has_begun() const { return driver_.coordinator() != nullptr; }
  /// By run; of a run whose nodes do not agree, or have not all stopped, nothing.
  [[nodiscard]] std::map<std::uint32_t, Outcome> outcomes() const {
    std::map<std::uint32_t, Outcome> all;
    for (const auto& [run, replicas] : replicas_) {
      if (replicas.size() + gone_.size() < kNodes || !ends_.contains(run)) continue;
      const auto& first = replicas.begin()->second;
      const bool agree =
          std::all_of(replicas.begin(), replicas.end(), [&](const auto& e) { return e.second == first; });
      const RunEnd& end = ends_.at(run);
      if (agree) all[run] = {first, end.certificate.objective, end.totals.rounds};
    }
    return all;
  }
  [[nodiscard]] std::size_t runs_held() const {
    std::size_t count = 0;
    for (const auto& node : nodes_) count += node->runs().size();
    return count;
  }

 private:
  struct Word {
    std::uint32_t from = 0, to = 0;
    std::uint32_t run = wire::kNoRun;
    wire::Message message;
  };

  void step() {
    if (words_.empty() || (busy_ && random_.unit() < kBusyLooks)) return look();
    const auto at = static_cast<std::size_t>(random_.below(words_.size()));
    const Word word = std::exchange(words_[at], words_.back());
    words_.pop_back();
    if (gone_.contains(word.to)) return;
    if (word.to == kDriver) {
      on_driver(word);
    } else if (word.run == wire::kNoRun) {
      nodes_[word.to]->on_control(word.message, now_);
    } else {
      const std::uint32_t from = word.from == kDriver ? kDriverRank : nodes_[word.from]->rank();
      EXPECT_TRUE(nodes_[word.to]->on_message(word.run, from, word.message));
    }
    if (busy_ && !driver_.ended()) (void)driver_.look(now_);  // as its loop does, so that no checkpoint is missed
    carry_out();
  }

  void on_driver(const Word& word) {
    if (const auto* hello = std::get_if<wire::Hello>(&word.message)) {
      const auto joined = driver_.on_hello(*hello, now_);
      if (!joined.has_value()) return;
      if (joined->is_new) places_.insert(places_.begin() + joined->rank, word.from);
      driver_.heard(joined->rank, now_);
      return driver_.answer(joined->rank);
    }
    const std::uint32_t rank = nodes_[word.from]->rank();
    const Member& member = driver_.membership().members()[rank];
    if (member.lost && !member.leaving) return;  // a loop drops it
    driver_.heard(rank, now_);
    word.run == wire::kNoRun ? driver_.on_member(rank, word.message, now_)
                             : driver_.on_message(word.run, rank, word.message);
  }

  void look() {
    now_ += 0.05;
    for (std::uint32_t place = 0; place < nodes_.size(); ++place) {
      if (gone_.contains(place)) continue;
      (void)nodes_[place]->repeat(now_);
      if (nodes_[place]->look(now_, true)) nodes_[place]->beat({});
    }
    (void)driver_.look(now_);
    if (driver_.ended()) driver_.say_goodbye(now_);
    carry_out();
  }

  void carry_out() {
    for (std::uint32_t place = 0; place < nodes_.size(); ++place) {
      if (!gone_.contains(place)) carry_out_node(place);
    }
    carry_out_driver();
  }

  void carry_out_node(std::uint32_t place) {
    NodeSession& node = *nodes_[place];
    NodeRequests requests = std::exchange(node.requests, {});
    if (requests.load.has_value()) load(node, kFirstRun, first_);
    for (const wire::Open& open : requests.open) {
      load(node, open.run, open.place == 0 ? first_ : static_cast<std::uint32_t>(std::stoul(open.request)));
    }
    for (wire::Message& message : std::exchange(node.requests.to_driver, {})) requests.to_driver.push_back(message);
    for (wire::Message& message : requests.to_driver) say({place, kDriver, wire::kNoRun, std::move(message)});
    for (const auto& [number, run] : node.runs()) {
      if (run->node == nullptr) continue;
      carry_out(place, *run);
      if (run->node->stopped()) replicas_[run->place][place] = run->node->replica().current()->content().values;
    }
    node.note_progress(now_);
  }

  static void load(NodeSession& node, std::uint32_t run, std::uint32_t which) {
    auto model = model_of(which);
    const std::uint64_t fingerprint = model->fingerprint();
    node.on_loaded(run, {}, engine_of(which), std::move(model), fingerprint);
  }

  void carry_out(std::uint32_t place, NodeRun& run) {
    Effects& effects = run.effects;
    while (!effects.messages.empty() || !effects.tasks.empty()) {
      for (Task& task : std::exchange(effects.tasks, {})) {
        SerialChunks serial;
        (void)task.run(serial);
        task.done(effects);
      }
      for (wire::Envelope& envelope : std::exchange(effects.messages, {})) {
        const std::uint32_t to = run.node->roster().node_of(envelope.to);
        if (to == nodes_[place]->rank()) {
          run.node->on_message(envelope.message, effects);
        } else {
          say({place, to == kDriverRank ? kDriver : places_[to], run.number, std::move(envelope.message)});
        }
      }
    }
  }

  void carry_out_driver() {
    for (auto& [number, run] : driver_.runs()) {
      const Roster roster = roster_of_run(run.roster, run.turn);
      for (wire::Envelope& envelope : std::exchange(run.effects.messages, {})) {
        say({kDriver, places_[roster.node_of(envelope.to)], number, std::move(envelope.message)});
      }
      run.effects.progress.clear();
      if (run.effects.end.has_value()) driver_.end_run(number, *std::exchange(run.effects.end, std::nullopt));
    }
    DriverRequests requests = std::exchange(driver_.requests, {});
    if (requests.welcome) {
      for (std::uint32_t rank = 0; rank < kNodes; ++rank) driver_.membership().set_incarnation(rank, 1);
      driver_.welcome_all();
      driver_.on_model(kFirstRun, model_of(first_), model_of(first_)->fingerprint());
      for (auto& told : std::exchange(driver_.requests, {}).to_members) requests.to_members.push_back(std::move(told));
    }
    checkpoints_ += requests.checkpoints.size();
    for (auto& [run, end] : requests.ended) ends_[run] = std::move(end);
    for (auto& [rank, message] : requests.to_members) {
      if (auto* welcome = std::get_if<wire::Welcome>(&message)) welcome->incarnations.push_back(1);
      say({kDriver, places_[rank], wire::kNoRun, std::move(message)});
    }
  }

  void say(Word word) {
    if (random_.unit() >= loss_) words_.push_back(std::move(word));
  }

  CounterRng random_;
  double loss_;
  std::uint32_t first_;  ///< which options the first run has
  DriverSession driver_;
  std::vector<std::unique_ptr<NodeSession>> nodes_;
  std::vector<std::uint32_t> places_;  ///< in nodes_, by rank
  std::vector<Word> words_;
  bool busy_ = false;             ///< timers are looked at while words are on their way
  std::set<std::uint32_t> gone_;  ///< places of nodes that were killed
  std::size_t checkpoints_ = 0;
  double now_ = 0;
  std::map<std::uint32_t, std::map<std::uint32_t, std::vector<double>>> replicas_;  ///< of stopped nodes: by run, place
  std::map<std::uint32_t, RunEnd> ends_;
};

/// Of this run on a cluster of its own, where it is the first.
Outcome alone(std::uint32_t run) {
  House house(1, 0, run);
  EXPECT_TRUE(house.until([&] { return house.outcomes().contains(kFirstRun); }));
  return house.outcomes()[kFirstRun];
}

void open(House& house, std::uint32_t run, std::optional<std::uint32_t> turn = {},
          std::function<bool()> may_judge = {}) {
  EXPECT_EQ(house.driver().open(engine_of(run), std::to_string(run), turn, std::move(may_judge)), run);
  house.driver().on_model(run, model_of(run), model_of(run)->fingerprint());
}

TEST(HostedRuns, HaveTheBitsOfEachAloneWhateverIsLostAndAreLetGo) {
  const std::vector<Outcome> expected{alone(0), alone(1), alone(2)};
  ASSERT_NE(expected[0], expected[1]);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    House house(seed, seed % 2 == 0 ? 0.1 : 0.0);
    house.driver().stays = true;
    ASSERT_TRUE(house.until([&] { return house.run_has_begun(); })) << "seed " << seed;
    for (const std::uint32_t run : {1U, 2U}) open(house, run);
    ASSERT_TRUE(house.until([&] { return house.outcomes().size() == 3; })) << "seed " << seed;
    for (const std::uint32_t run : {0U, 1U, 2U}) EXPECT_EQ(house.outcomes()[run], expected[run]) << "seed " << seed;
    EXPECT_TRUE(house.until([&] { return house.runs_held() == 0 && house.driver().runs().empty(); })) << seed;
    EXPECT_FALSE(house.driver().ended()) << "more runs may come";
    house.driver().stays = false;
    EXPECT_TRUE(house.until([&] { return house.driver().ended(); }));
    EXPECT_TRUE(house.driver().end().status.ok());
    EXPECT_EQ(house.driver().refused().total(), 0U) << "nothing was taken for an offence";
  }
}

TEST(HostedRuns, MayBeginWhenOthersAreOver) {
  House house(3, 0.05);
  house.driver().stays = true;
  ASSERT_TRUE(house.until([&] { return house.outcomes().size() == 1 && house.driver().runs().empty(); }));
  open(house, 1);
  ASSERT_TRUE(house.until([&] { return house.outcomes().size() == 2; }));
  EXPECT_EQ(house.outcomes()[1], alone(1));
}

TEST(HostedRuns, EndTheClusterWithTheLastOfThem) {
  House house(5, 0);
  house.driver().stays = true;
  ASSERT_TRUE(house.until([&] { return house.run_has_begun(); }));
  open(house, 1);
  house.driver().stays = false;
  ASSERT_TRUE(house.until([&] { return house.driver().ended(); }));
  EXPECT_TRUE(house.until([&] { return house.outcomes().size() == 2; })) << "what was on its way still comes";
}

TEST(HostedRuns, CountWhatANodeDidAfterTheyWereLetGo) {
  House house(5, 0);
  house.driver().stays = true;
  ASSERT_TRUE(house.until([&] { return house.outcomes().size() == 1; }));
  const auto blocks = [&] {
    std::uint64_t sum = 0;
    for (std::uint32_t place = 0; place < kNodes; ++place) sum += house.node(place).totals().blocks;
    return sum;
  };
  const std::uint64_t before = blocks();
  EXPECT_GT(before, 0U);
  ASSERT_TRUE(house.until([&] { return house.runs_held() == 0; }));
  EXPECT_EQ(blocks(), before);
}

TEST(HostedRuns, MakeNoVerdictBeforeTheyMay) {
  House house(5, 0.05);
  house.driver().stays = true;
  ASSERT_TRUE(house.until([&] { return house.run_has_begun(); }));
  bool may = false;
  open(house, 1, {}, [&may] { return may; });
  ASSERT_TRUE(house.until([&] { return house.outcomes().contains(0); }));
  int steps = 0;
  ASSERT_TRUE(house.until([&] { return ++steps == 5000; }));
  EXPECT_FALSE(house.outcomes().contains(1));
  may = true;
  ASSERT_TRUE(house.until([&] { return house.outcomes().contains(1); }));
  EXPECT_EQ(house.outcomes()[1], alone(1));
}

TEST(HostedRuns, LiveWhereTheDriverSays) {
  House house(7, 0.05);
  house.driver().stays = true;
  ASSERT_TRUE(house.until([&] { return house.run_has_begun(); }));
  open(house, 1, 0);  // on the nodes of run 0
  open(house, 2);
  const auto workers = [&](std::uint32_t place, std::uint32_t run) {
    return house.node(place).run(run)->node->roster().workers;
  };
  const auto made = [&](std::uint32_t place, std::uint32_t run) {
    return house.node(place).run(run) != nullptr && house.node(place).run(run)->node != nullptr;
  };
  for (std::uint32_t place = 0; place < kNodes; ++place) {
    ASSERT_TRUE(house.until([&] { return made(place, 0) && made(place, 1) && made(place, 2); }));
    EXPECT_EQ(workers(place, 1), workers(place, 0));
    EXPECT_EQ(workers(place, 2), roles_of_run(workers(place, 0), 2));
  }
  ASSERT_TRUE(house.until([&] { return house.outcomes().size() == 3; }));
  EXPECT_EQ(house.outcomes()[1], alone(1));
  EXPECT_EQ(house.outcomes()[2], alone(2));
}

// --- nodes that die ---

constexpr std::uint32_t kLong = 37;  ///< which run: of forty phases

/// A run of one house that has come to a step drawn from the seed.
void go_some_steps(House& house, std::uint64_t seed) {
  house.be_busy();
  house.driver().checkpoint_due = [](std::uint32_t, Version) { return true; };
  ASSERT_TRUE(house.until([&] { return house.run_has_begun(); })) << "seed " << seed;
  CounterRng random(seed, Purpose::tests, 1);
  auto steps = random.below(500);
  ASSERT_TRUE(house.until([&] { return steps-- == 0; }));
}

void expect_the_bits_of_a_run_alone(House& house, std::uint64_t seed) {
  static const Outcome expected = alone(kLong);
  EXPECT_TRUE(house.until([&] { return house.outcomes().contains(0) || house.driver().ended(); }));
  EXPECT_TRUE(house.until([&] { return house.outcomes().contains(0); }))
      << "seed " << seed << (house.driver().ended() ? house.driver().end().status.message() : std::string());
  EXPECT_EQ(house.outcomes()[0], expected) << "seed " << seed;
  EXPECT_EQ(house.driver().refused().total(), 0U) << "nothing was taken for an offence";
}

TEST(RunsThatMove, HaveTheBitsOfARunAloneWhereverANodeWithASchedulerDies) {
  std::uint64_t moved = 0, from_checkpoints = 0;
  const std::uint64_t seeds = support::repetitions(50U, 16U);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    House house(seed, seed % 2 == 0 ? 0.05 : 0.0, kLong);
    go_some_steps(house, seed);
    from_checkpoints += house.checkpoints() > 0 ? 1 : 0;
    if (!house.driver().ended()) house.kill_node_of(static_cast<std::uint32_t>(seed % 2));
    expect_the_bits_of_a_run_alone(house, seed);
    moved += house.driver().moved();
  }
  EXPECT_GT(moved, seeds / 2);
  EXPECT_GT(from_checkpoints, seeds / 5);
}

TEST(RolesOfARun, AreThoseOfTheClusterEachOneFurther) {
  EXPECT_THAT(roles_of_run({0, 1, 2}, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(roles_of_run({0, 1, 2}, 4), ElementsAre(1, 2, 0));
  EXPECT_TRUE(roles_of_run({}, 4).empty());
}

}  // namespace
}  // namespace strads::engine
