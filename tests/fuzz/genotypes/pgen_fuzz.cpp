// libFuzzer target: the reader of .pgen files. The counts are those of the header, as far as they are small.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/genotypes/pgen.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::uint64_t samples = 9, variants = 3;  // of a .bed, which does not say
  if (size >= 12 && data[2] != 1) {
    variants = data[3] | static_cast<std::uint64_t>(data[4]) << 8;
    samples = data[7] | static_cast<std::uint64_t>(data[8]) << 8;
  }
  if (samples == 0 || variants == 0) return 0;
  auto reader = strads::data::PgenReader::open(bytes, "fuzz", samples, variants);
  if (!reader.ok() || reader.value().mode() == strads::data::PgenMode::bed) return 0;
  strads::data::PgenCalls calls;
  for (std::uint64_t j = 0; j < std::min<std::uint64_t>(variants, 64); ++j) {
    if (!reader.value().next(calls).ok()) return 0;
    if (calls.codes.size() != (samples + 3) / 4) __builtin_trap();
    for (std::uint64_t i = 0; calls.has_dosages && i < samples; ++i) {
      if (calls.dosages.at(i) > 32768 && calls.dosages[i] != strads::kMissingDosage) __builtin_trap();
    }
    strads::data::to_bed_codes(calls.codes, samples);
  }
  return 0;
}
