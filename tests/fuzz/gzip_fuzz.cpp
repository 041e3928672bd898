// libFuzzer target: gzip, then the table inside.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "data/files/unpack.hpp"
#include "data/formats/table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto text = strads::data::gunzip(bytes, "fuzz", std::uint64_t{1} << 20);
  if (!text.ok()) return 0;
  const auto table = strads::data::Table::parse(text.value(), "fuzz");
  if (table.ok() && table.value().rows() == 0) __builtin_trap();
  return 0;
}
