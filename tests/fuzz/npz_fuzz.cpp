// libFuzzer target: scipy .npz archives, and their columns.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/formats/npz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto parsed = strads::data::parse_npz(bytes, "fuzz");
  if (!parsed.ok()) return 0;
  const strads::data::SparseEntries& entries = parsed.value();
  if (entries.row_count > (1 << 20) || entries.column_count > (1 << 20)) return 0;  // large, not wrong
  const std::vector<std::uint8_t> kept(entries.row_count, 1);
  const auto columns = strads::data::to_columns(entries, kept, true, "fuzz");
  if (columns.ok() && columns.value().starts.back() != columns.value().rows.size()) __builtin_trap();
  return 0;
}
