// What --version says, with --verbose too.
#include <unistd.h>

#include <algorithm>

#include "strads/numerics/columns.hpp"
#include "strads/program/build_facts.hpp"
#include "strads/program/program.hpp"

namespace strads {
namespace {

constexpr std::size_t kFactColumn = 10;  // where facts begin

std::string fact(std::string name, std::string_view value) {
  name.resize(std::max(name.size() + 1, kFactColumn), ' ');
  return name.append(value) + "\n";
}

/// Those that --simd takes on this CPU.
std::string kernel_targets() {
  std::string names;
  for (const Simd simd : {Simd::sse4, Simd::avx2, Simd::avx512}) {
    if (!choose_simd(simd).ok()) continue;
    if (names.find(simd_name()) != std::string::npos) continue;
    names.append(names.empty() ? "" : ", ").append(simd_name());
  }
  if (!choose_simd(Simd::automatic).ok()) return names;
  const std::string best(simd_name());
  return best + (names.empty() ? "" : " (this CPU has " + names + ")");
}

}  // namespace

std::string version_line(std::string_view program) {
  return std::string(program) + " " + std::string(version()) + " (build " + build_id() + ")\n";
}

bool asks_for_version_details(std::span<const std::string> arguments) {
  return arguments.size() == 2 && std::ranges::count(arguments, "--version") == 1 &&
         std::ranges::count(arguments, "--verbose") == 1;
}

std::string version_details(std::string_view program) {
  char running[64] = "";
  ::confstr(_CS_GNU_LIBC_VERSION, running, sizeof running);
  const std::string built = std::to_string(__GLIBC__) + "." + std::to_string(__GLIBC_MINOR__);
  std::string out = version_line(program);
  out += fact("commit", source_commit().empty() ? "not noted (scripts/package does)" : source_commit());
  out += fact("compiler", compiler());
  out += fact("C library", std::string(running) + " here; " + built + " (that of the build) or a later one will do");
  out += fact("kernels", kernel_targets());
  out += fact("licence", "BSD-3-Clause");
  out += "\nlibraries, as built (linked: a shared library; compiled: its headers)\n";
  std::size_t name_width = 0, version_width = 0;
  for (const Dependency& each : dependencies()) {
    name_width = std::max(name_width, each.name.size());
    version_width = std::max(version_width, each.version.size());
  }
  for (const Dependency& each : dependencies()) {
    std::string line(each.name);
    line.resize(name_width + 2, ' ');
    line.append(each.version).resize(name_width + version_width + 4, ' ');
    line.append(each.how).resize(name_width + version_width + 14, ' ');
    out += line.append(each.licence) + "\n";
  }
  return out;
}

}  // namespace strads
