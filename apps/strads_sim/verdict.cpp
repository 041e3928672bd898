#include "strads_sim/verdict.hpp"

#include <algorithm>
#include <iterator>

#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"

namespace strads::simulator {
namespace {

std::string hosts_text(std::uint32_t hosts) {
  return with_unit(hosts, "host", "hosts");
}

std::string fits_text(const std::vector<HostsPlan>& plans, double memory) {
  const auto first = std::find_if(plans.begin(), plans.end(), [&](const HostsPlan& p) { return p.memory <= memory; });
  const std::string room = bytes_text(memory) + " a host (--host-memory)";
  if (first == plans.begin()) return "fits      yes: " + bytes_text(first->memory) + " of " + room + "\n";
  const HostsPlan& one = plans.front();
  if (first == plans.end()) {
    return "fits      no: " + bytes_text(plans.back().memory) + " on " + hosts_text(plans.back().hosts) + ", of " +
           room + "; use larger hosts\n";
  }
  return "fits      on " + hosts_text(first->hosts) + " and more: " + bytes_text(first->memory) + " of " + room +
         "; one host would need " + bytes_text(one.memory) + "\n";
}

}  // namespace

std::vector<std::uint32_t> numbers_of_hosts(std::uint32_t most) {
  constexpr std::uint32_t kAtLeast = 8;
  std::vector<std::uint32_t> numbers;
  for (std::uint64_t hosts = 1; hosts <= std::max(most, kAtLeast); hosts *= 2) {
    numbers.push_back(static_cast<std::uint32_t>(hosts));
  }
  if (std::find(numbers.begin(), numbers.end(), most) == numbers.end()) numbers.push_back(most);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string verdict_text(const std::vector<HostsPlan>& plans, double memory, double factor) {
  std::string text = fits_text(plans, memory);
  // The first that fits, and from there on as long as each doubling pays.
  auto best = std::find_if(plans.begin(), plans.end(), [&](const HostsPlan& p) { return p.memory <= memory; });
  if (best == plans.end()) return text + "hosts     not judged: it does not fit\n";
  const auto least = best;
  for (auto next = best; next != plans.end(); ++next) {
    if (next->seconds <= (1 - kWorthwhile) * best->seconds) best = next;
  }
  const auto compared = [&](const HostsPlan& p, const HostsPlan& with) {
    return time_text(p.seconds) + " instead of " + time_text(with.seconds) + ", for " +
           short_text(p.core_hours / with.core_hours, 2) + " times the core-hours";
  };
  text += "hosts     ";
  if (best == least) {
    const auto most = std::prev(plans.end());
    text += hosts_text(least->hosts) + (least->hosts == 1 ? " is" : " are") + " enough";
    if (most != least) {
      text += ": more are not worth it (" + hosts_text(most->hosts) + ": " + compared(*most, *least) + ")";
    }
    return text + "\n";
  }
  const bool sure = least->seconds / best->seconds > factor;
  text += hosts_text(best->hosts) + (sure ? " are worth it: " : " may be worth it, within the range of error: ") +
          compared(*best, *least);
  if (std::next(best) != plans.end()) {
    text += "; more are not (" + hosts_text(plans.back().hosts) + ": " + time_text(plans.back().seconds) + ")";
  }
  return text + "\n";
}

std::string bytes_text(double bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return short_text(bytes, 3) + " " + units[unit];
}

std::string time_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 2 * kMinute) return short_text(seconds, 3) + " s";
  if (seconds < 2 * kHour) return short_text(seconds / kMinute, 3) + " min";
  if (seconds < 2 * kDay) return short_text(seconds / kHour, 3) + " h";
  return short_text(seconds / kDay, 3) + " days";
}

}  // namespace strads::simulator
