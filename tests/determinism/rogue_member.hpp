// Runs over real sockets in which one member has the key and says what it likes.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/session/members.hpp"
#include "lasso_runs.hpp"
#include "support/packed.hpp"
#include "support/threaded_cluster.hpp"
#include "transport/sockets/control.hpp"
#include "transport/sockets/sockets.hpp"

namespace strads::lasso {

/// Many small rounds, so that there is time for something to happen.
inline Problem many_rounds(const Shape& shape) {
  return Problem(small_dense(), Policy::paper, shape, 1500);
}

inline support::ThreadedCluster cluster_of(const Problem& problem, std::size_t nodes) {
  support::ThreadedCluster cluster;
  cluster.make_model = [&problem] { return problem.model(); };
  cluster.engine = problem.engine;
  cluster.nodes.resize(nodes);
  cluster.driver.start_seconds = 20;
  return cluster;
}

/// What everybody has who has the key of the run.
inline transport::Credentials holder_of(const RunKey& key) {
  return {transport::pair_of(key.join_secret).value(), key.driver_public};
}

/// A member that joins as it should and then says what it likes. It has the key of the run.
class RogueMember {
 public:
  RogueMember(std::string endpoint, const RunKey& key, std::uint8_t roles = wire::kAcceptsWorker)
      : endpoint_(std::move(endpoint)), key_(key) {
    own_key_ = transport::make_key_pair().value();
    listener_ = sockets_.listen("tcp://127.0.0.1:0", transport::Door{"rogue", own_key_.secret_key}).value();
    hello_ = {"test", "rogue", 1, listener_->endpoint(), roles, "avx512", 1, 0, own_key_.public_key};
  }
  /// Joins and learns who takes part.
  wire::Welcome join() {
    connection_ = sockets_.connect(endpoint_, holder_of(key_)).value();
    (void)ask<wire::Beat>();
    connection_ = sockets_.connect(endpoint_, transport::Credentials{own_key_, key_.driver_public}).value();
    welcome_ = ask<wire::Welcome>();
    const auto keys = engine::lines_of(welcome_.keys);
    sockets_.admit("rogue", {keys.begin(), keys.end()});
    return welcome_;
  }
  /// To the driver, in the name of `rank`.
  void say(const wire::Message& message, std::uint32_t rank, std::uint32_t incarnation) {
    (void)connection_->send(transport::encode_control(message, {cluster_, 0, rank, incarnation}));
  }
  /// To the driver, as itself.
  void say(const wire::Message& message) { say(message, welcome_.rank, welcome_.incarnation); }
  void say_bytes(const wire::Frames& frames) { (void)connection_->send(frames); }
  /// A message of the round protocol, as itself. `to`: a rank; the number of nodes is the driver's.
  void say_to(std::uint32_t to, const wire::Message& message) {
    auto endpoints = engine::lines_of(welcome_.endpoints);
    endpoints.push_back(welcome_.driver);
    const auto keys = engine::lines_of(welcome_.keys);
    others_.resize(endpoints.size());
    if (others_[to] == nullptr) {
      others_[to] = sockets_.connect(endpoints[to], transport::Credentials{own_key_, keys[to]}).value();
    }
    for (const auto& chunk : wire::encode(message, {cluster_, 0, welcome_.rank, welcome_.incarnation})) {
      (void)others_[to]->send(wire::packed({chunk}));
    }
  }
  /// The next answer of this kind.
  template <class Answer>
  Answer answer() {
    const auto found = answer_within<Answer>(std::chrono::seconds(20));
    EXPECT_TRUE(found.has_value()) << "no answer";
    return found.value_or(Answer{});
  }
  /// The same, if it comes.
  template <class Answer>
  std::optional<Answer> answer_within(std::chrono::milliseconds limit) {
    const auto begin = std::chrono::steady_clock::now();
    transport::Wake wake;
    while (std::chrono::steady_clock::now() - begin < limit) {
      sockets_.wait(wake, std::chrono::milliseconds(5));
      while (const auto frames = connection_->receive()) {
        const auto control = transport::decode_control(*frames).value();
        cluster_ = control.from.cluster;
        if (const auto* found = std::get_if<Answer>(&control.message)) return *found;
      }
    }
    return std::nullopt;
  }

 private:
  template <class Answer>
  Answer ask() {
    say(hello_, transport::kNoRank, 0);
    return answer<Answer>();
  }
  std::string endpoint_;
  RunKey key_;
  transport::KeyPair own_key_;
  transport::Sockets sockets_;
  std::shared_ptr<transport::Sockets::Listener> listener_;
  std::shared_ptr<transport::Sockets::Connection> connection_;
  std::vector<std::shared_ptr<transport::Sockets::Connection>> others_;  ///< to data endpoints, by rank
  wire::Hello hello_;
  wire::Welcome welcome_;
  std::uint64_t cluster_ = 0;
};

}  // namespace strads::lasso
