#include "sim/network.hpp"

#include <algorithm>
#include <cmath>

namespace strads::sim {

Network::Network(const NetworkConstants& constants, std::size_t hosts, std::uint64_t seed)
    : constants_(constants), out_free_(hosts, 0), in_free_(hosts, 0), random_(seed, Purpose::faults, 1) {}

Time Network::arrival(Place from, Place to, std::size_t bytes, Time leaves, Time extra) {
  Time there = leaves;
  const bool local = from.host == to.host;
  double latency = local ? constants_.local_latency : constants_.latency;
  if (constants_.jitter > 0) latency -= constants_.jitter * latency * std::log1p(-random_.unit());
  if (local) {
    there += time_of(latency);
  } else {
    const Time transfer = time_of(static_cast<double>(bytes) / constants_.bandwidth);
    Time& out = out_free_[from.host];
    out = std::max(out, leaves) + transfer;
    // The first byte may be in while the last is still going out: the way in adds nothing unless it is occupied.
    Time& in = in_free_[to.host];
    in = std::max(in + transfer, out + time_of(latency));
    there = in;
  }
  Time& last = last_[{from.process, to.process}];
  last = std::max(last + 1, there + extra);
  return last;
}

}  // namespace strads::sim
