// libFuzzer target: the parser of .fam files.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/genotypes/psam.hpp"
#include "fuzz/two_classes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  using strads::data::Column6;
  auto fam = strads::data::parse_fam(bytes, "fuzz", size % 2 == 0 ? Column6::number_or_word : Column6::ignored);
  if (!fam.ok()) return 0;
  if (fam.value().ids.family.size() != fam.value().ids.individual.size()) __builtin_trap();
  if (size % 2 == 0) strads::code_or_refuse(fam.value().ids, fam.value().phenotype);
  return 0;
}
