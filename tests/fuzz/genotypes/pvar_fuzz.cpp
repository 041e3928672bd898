// libFuzzer target: the parser of .pvar files, and names on demand.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/genotypes/bed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto pvar = strads::data::Bim::parse_pvar(bytes, "fuzz");
  if (!pvar.ok()) return 0;
  std::uint64_t visited = 0;
  pvar.value().for_each([&](std::uint64_t j, const strads::VariableName& name) {
    const strads::VariableName same = pvar.value()[j];
    if (same.id != name.id || same.counted != name.counted || name.counted.empty()) __builtin_trap();
    ++visited;
  });
  if (visited != pvar.value().size()) __builtin_trap();
  return 0;
}
