// libFuzzer target: libsvm text, and its columns.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/formats/libsvm.hpp"
#include "fuzz/two_classes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)strads::data::looks_like_libsvm(bytes);
  const auto parsed = strads::data::parse_libsvm(bytes, "fuzz");
  if (!parsed.ok()) return 0;
  strads::data::RowValues labels{.name = "label", .values = parsed.value().labels, .absent = {}};
  strads::code_or_refuse({}, labels);
  const strads::data::SparseEntries& entries = parsed.value().entries;
  if (entries.row_count > (1 << 20) || entries.column_count > (1 << 20)) return 0;  // large, not wrong
  const std::vector<std::uint8_t> kept(entries.row_count, 1);
  const auto columns = strads::data::to_columns(entries, kept, true, "fuzz");
  if (columns.ok() && columns.value().starts.back() != columns.value().rows.size()) __builtin_trap();
  return 0;
}
