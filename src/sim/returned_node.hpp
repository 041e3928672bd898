// A node's process that was started again after a crash, while the run goes on. Layer: sim. Pure.
#pragma once

#include "sim/process.hpp"

namespace strads::sim {

/// Nobody joins late: it says HELLO, is refused with the reason, and leaves. Others still send it what was meant for
/// the process before it.
class ReturnedNode final : public Process {
 public:
  ReturnedNode(World& world, std::uint32_t rank, std::uint32_t host)
      : Process(world, rank, host, "node " + std::to_string(rank) + " again") {}

 private:
  void on_begin() override;
  void on_message(std::uint32_t from, wire::Message message) override;
  void on_look() override;
  void ask();

  double since_ = 0;
  double next_hello_ = 0;
};

}  // namespace strads::sim
