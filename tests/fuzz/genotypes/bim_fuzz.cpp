// libFuzzer target: the parser of .bim files, and names on demand.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/genotypes/bed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto bim = strads::data::Bim::parse(bytes, "fuzz");
  if (!bim.ok()) return 0;
  bim.value().for_each([&](std::uint64_t j, const strads::VariableName& name) {
    if (bim.value()[j].id != name.id) __builtin_trap();
  });
  return 0;
}
