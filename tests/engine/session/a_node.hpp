// One node of a cluster of two, whose driver is made up.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "engine/rounds/halving_model.hpp"
#include "engine/session/node_session.hpp"

namespace strads::engine {

inline constexpr double kNodePatience = 20;
inline constexpr double kNodeLease = 15;

inline EngineOptions one_of_each() {
  EngineOptions engine;
  engine.schedulers = 1;
  engine.workers = 2;
  return engine;
}

/// Two nodes and a driver: node 0 schedules and has worker 0, node 1, which is looked at here, has worker 1.
class ANode : public testing::Test {
 protected:
  ANode() : session_(hello(), "tcp://driver", kNodePatience) { session_.begin(0); }

  static wire::Hello hello() {
    wire::Hello hello;
    hello.name = "b";
    hello.endpoint = "b";
    return hello;
  }
  static wire::Welcome welcome() {
    wire::Welcome welcome;
    welcome.rank = 1;
    welcome.lease = kNodeLease;
    welcome.schedulers = {0};
    welcome.workers = {0, 1};
    welcome.endpoints = "a\nb\n";
    welcome.incarnations = {1, 1, 0};
    return welcome;
  }
  NodeRequests new_requests() { return std::exchange(session_.requests, {}); }
  /// Its timers are looked at, and a beat is made if one is due.
  NodeRequests look(double now, bool connected = true, bool again = false) {
    if (session_.look(now, connected, again)) session_.beat({});
    return new_requests();
  }
  void join() {
    session_.on_control(wire::Beat{}, 0);
    session_.on_control(welcome(), 0);
    (void)new_requests();
  }
  void load(std::uint32_t run = kFirstRun) {
    session_.on_loaded(run, {}, one_of_each(), std::make_shared<HalvingModel>(HalvingOptions{}, 1U), 42);
    session_.run(run)->effects = {};
    (void)new_requests();
  }
  /// Of nodes 0 and 1, with roles as in welcome().
  static wire::Open open(std::uint32_t run, const std::string& request = "", std::uint32_t turn = 0) {
    wire::Open open;
    open.run = open.place = run;
    open.turn = turn;
    open.request = request;
    open.nodes = 2;
    open.schedulers = {0};
    open.workers = {0, 1};
    return open;
  }
  template <class Kind>
  static int count(const NodeRequests& requests) {
    return static_cast<int>(std::count_if(requests.to_driver.begin(), requests.to_driver.end(),
                                          [](const auto& message) { return std::holds_alternative<Kind>(message); }));
  }
  /// What the node ends with; "goes on" where it does not.
  static std::string end_of(const NodeRequests& requests) {
    return requests.end.has_value() ? requests.end->message() : "goes on";
  }

  NodeSession session_;
};

}  // namespace strads::engine
