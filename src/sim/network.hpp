// How long a message is on its way. Layer: sim. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/event_queue.hpp"
#include "strads/base/random.hpp"
#include "strads/sim/simulate.hpp"

namespace strads::sim {

/// Every host has one way out and one way in, with a bandwidth; what goes through it queues. Messages of one process to
/// another arrive in the order of sending, as over TCP.
class Network {
 public:
  Network(const NetworkConstants& constants, std::size_t hosts, std::uint64_t seed);

  struct Place {
    std::uint32_t process = 0;
    std::uint32_t host = 0;
  };
  /// When a message that leaves at `leaves` is there; `extra`: a fault's delay on top, which what follows on the same
  /// link waits for as well.
  [[nodiscard]] Time arrival(Place from, Place to, std::size_t bytes, Time leaves, Time extra);

 private:
  NetworkConstants constants_;
  std::vector<Time> out_free_;  ///< by host
  std::vector<Time> in_free_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Time> last_;  ///< arrival on each link of processes
  CounterRng random_;
};

}  // namespace strads::sim
