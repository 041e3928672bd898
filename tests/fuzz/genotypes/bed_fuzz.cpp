// libFuzzer target: the size check of .bed files; the first bytes choose the shape.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/genotypes/bed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::uint64_t samples = size > 0 ? std::uint64_t{data[0]} + 1 : 1;
  const std::uint64_t variants = size > 1 ? std::uint64_t{data[1]} << (data[1] % 64) : 1;
  const auto status = strads::data::check_bed(bytes, samples, variants, "fuzz");
  if (status.ok() && size != strads::data::kBedHeader + variants * strads::data::bed_stride(samples)) __builtin_trap();
  return 0;
}
