#include "strads/program/memory_plan.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <utility>

#include "data/files/memory_limit.hpp"
#include "strads/transport/threads.hpp"

namespace strads {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

std::string mebibytes(std::uint64_t bytes) {
  char text[32];
  const double size = static_cast<double>(bytes) / static_cast<double>(kMebibyte);
  std::snprintf(text, sizeof text, size < 99.95 ? "%.1f MiB" : "%.0f MiB", size);
  return text;
}

std::string row(const std::string& name, const std::string& mapped, const std::string& anonymous) {
  char text[256];
  std::snprintf(text, sizeof text, "  %-44s %12s %12s\n", name.c_str(), mapped.c_str(), anonymous.c_str());
  return text;
}

/// Of all processes on this host.
std::uint64_t sum_here(const MemoryPlan& plan, std::uint64_t (ProcessMemory::*of)() const) {
  std::uint64_t sum = 0;
  for (const ProcessMemory& each : plan.processes) sum += each.on_this_host ? each.count * (each.*of)() : 0;
  return sum;
}

std::string name_of(const ProcessMemory& process) {
  return process.count == 1 ? process.who : std::to_string(process.count) + " x " + process.who;
}

}  // namespace

std::uint64_t ProcessMemory::mapped() const {
  std::uint64_t sum = 0;
  for (const MemoryPart& part : parts) sum += part.mapped;
  return sum;
}

std::uint64_t ProcessMemory::anonymous() const {
  std::uint64_t sum = 0;
  for (const MemoryPart& part : parts) sum += part.anonymous;
  return std::max(sum, reading);
}

std::uint64_t ProcessMemory::certain() const {
  std::uint64_t sum = 0;
  for (const MemoryPart& part : parts) sum += part.anonymous;
  return std::max(sum - std::min(sum, guessed), reading);
}

std::uint64_t process_memory(unsigned threads) {
  constexpr std::uint64_t kProcess = 1'500'000, kThread = 200'000;  // measured: 1.0 to 1.8 MB, and stacks
  return kProcess + kThread * threads;
}

void MemoryPlan::add(ProcessMemory memory, std::string who, std::uint64_t count, bool on_this_host, unsigned threads) {
  const std::uint64_t itself = process_memory(threads_wanted(threads));
  memory.who = std::move(who);
  memory.count = count;
  memory.on_this_host = on_this_host;
  memory.parts.push_back({"the process itself", 0, itself});
  if (memory.reading > 0) memory.reading += itself;
  processes.push_back(std::move(memory));
}

std::string memory_table(const MemoryPlan& plan, std::uint64_t left) {
  std::string text = "memory   " + plan.shape + "\n";
  for (const ProcessMemory& process : plan.processes) {
    text += row(name_of(process), "mapped", "anonymous");
    for (const MemoryPart& part : process.parts) {
      if (part.mapped + part.anonymous == 0) continue;
      text += row("  " + part.what, part.mapped == 0 ? "" : mebibytes(part.mapped), mebibytes(part.anonymous));
    }
    if (process.reading > 0) text += row("  at the most while data are read", "", mebibytes(process.reading));
    text += row("  at the most", mebibytes(process.mapped()), mebibytes(process.anonymous()));
  }
  const std::uint64_t here = sum_here(plan, &ProcessMemory::anonymous);
  text += "host     " + mebibytes(here) + " of anonymous memory on this host";
  if (left != std::numeric_limits<std::uint64_t>::max()) text += ", which has " + mebibytes(left) + " left for it";
  text += "\nneeds    " + mebibytes(sum_here(plan, &ProcessMemory::certain)) +
          " of it whatever is in the data: with less left a run is refused\n";
  return text + plan.work;
}

Status expect_to_fit(const MemoryPlan& plan, std::uint64_t left) {
  const std::uint64_t certain = sum_here(plan, &ProcessMemory::certain);
  if (certain <= left) return {};
  return Status::input(kNotEnoughMemory + std::string("at least ") + mebibytes(certain) +
                       " would be taken on this host besides mapped files, and " + mebibytes(left) +
                       " can be had (machine and control groups); run on more hosts or a larger one, or give "
                       "--memory-check off to try all the same (--dry-run shows what takes it)");
}

Status check_memory(const Result<MemoryPlan>& plan, bool wanted) {
  return wanted && plan.ok() ? expect_to_fit(plan.value(), data::memory_left()) : Status();
}

}  // namespace strads
