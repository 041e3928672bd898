// What a plan comes to in words: whether it fits, and whether more hosts are worth it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strads::simulator {

/// A plan on so many hosts.
struct HostsPlan {
  std::uint32_t hosts = 1;
  double seconds = 0;
  double core_hours = 0;  ///< of all cores of all hosts for that time, used or not
  double memory = 0;      ///< of the host that needs most, bytes
};

/// 1, 2, 4, 8 hosts and on to `most`, which is among them.
[[nodiscard]] std::vector<std::uint32_t> numbers_of_hosts(std::uint32_t most);

/// A doubling of the hosts that saves less than this share of the time is not worth it.
inline constexpr double kWorthwhile = 0.3;

/// Two lines that begin with "fits" and "hosts". `plans`: by ascending numbers of hosts. `memory`: of a host, bytes.
/// `factor`: by which a time may be off either way: what is saved has to be beyond that to be called worth it.
[[nodiscard]] std::string verdict_text(const std::vector<HostsPlan>& plans, double memory, double factor);

/// "1.2 GiB".
[[nodiscard]] std::string bytes_text(double bytes);
/// "12.3 s", "4.2 min", "3.1 h", "12 days".
[[nodiscard]] std::string time_text(double seconds);

}  // namespace strads::simulator
