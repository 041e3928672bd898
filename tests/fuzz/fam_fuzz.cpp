// libFuzzer target: the parser of .fam files.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/formats/bed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto fam = strads::data::parse_fam(bytes, "fuzz", size % 2 == 0);
  if (fam.ok() && fam.value().ids.family.size() != fam.value().ids.individual.size()) __builtin_trap();
  return 0;
}
