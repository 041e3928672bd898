#include "sim/returned_node.hpp"

namespace strads::sim {
namespace {

constexpr double kHelloEverySeconds = 0.25;  ///< as src/transport/node_process.cpp

}  // namespace

void ReturnedNode::on_begin() {
  since_ = seconds_of(cursor());
  ask();
}

void ReturnedNode::ask() {
  next_hello_ = seconds_of(cursor()) + kHelloEverySeconds;
  wire::Hello hello;
  hello.name = name();
  // Another process than before, at another endpoint.
  hello.process = world_.options.nodes.size() + 1 + rank();
  hello.endpoint = name();
  hello.roles = wire::kAcceptsScheduler | wire::kAcceptsWorker;
  send(static_cast<std::uint32_t>(world_.options.nodes.size()), hello);
}

void ReturnedNode::on_message(std::uint32_t, wire::Message message) {
  const auto* reject = std::get_if<wire::Reject>(&message);
  if (reject != nullptr) leave("leaves: the driver refuses this node: " + reject->reason);
}

void ReturnedNode::on_look() {
  const double now = seconds_of(cursor());
  // It would wait for --start-seconds; a lease is as good here.
  if (now - since_ > world_.options.lease_seconds) return leave("leaves: no driver answered");
  if (now >= next_hello_) ask();
}

}  // namespace strads::sim
