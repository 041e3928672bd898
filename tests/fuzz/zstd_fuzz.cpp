// libFuzzer target: Zstandard, then the table of variants inside.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/files/unpack.hpp"
#include "data/genotypes/bed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto text = strads::data::unpack_zstd(bytes, "fuzz", std::uint64_t{1} << 20);
  if (!text.ok()) return 0;
  const auto pvar = strads::data::Bim::parse_pvar(text.value(), "fuzz");
  if (pvar.ok() && pvar.value().size() == 0) __builtin_trap();
  return 0;
}
