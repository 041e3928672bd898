// libFuzzer target: the parser of .psam files.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/genotypes/psam.hpp"
#include "fuzz/two_classes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  using strads::data::Column6;
  const bool words = size % 2 == 0;
  auto psam = strads::data::parse_psam(bytes, "fuzz", size % 3 == 0 ? "t" : "",
                                       words ? Column6::number_or_word : Column6::number);
  if (!psam.ok()) return 0;
  strads::data::SampleTable& table = psam.value();
  const std::uint64_t samples = table.ids.individual.size();
  const strads::data::Pedigree& pedigree = table.ids.pedigree;
  if (pedigree.sex.size() != samples || pedigree.founder.size() != samples) __builtin_trap();
  if (!table.ids.family.empty() && table.ids.family.size() != samples) __builtin_trap();
  if (table.phenotypes.empty() != table.phenotype.values.empty()) __builtin_trap();
  if (words && !table.phenotype.values.empty()) strads::code_or_refuse(table.ids, table.phenotype);
  return 0;
}
