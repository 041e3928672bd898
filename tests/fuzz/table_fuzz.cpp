// libFuzzer target: CSV, TSV and blank-separated tables: header, ids, all columns as text and as numbers.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/formats/table.hpp"
#include "data/samples/samples.hpp"
#include "fuzz/two_classes.hpp"

namespace {

// As numbers, and as a response of two classes: where it has no text both are the same.
void read_twice(const strads::data::Table& table, std::size_t column) {
  using strads::data::MinusNine;
  const auto numbers = table.numbers(column, MinusNine::missing);
  auto response = strads::data::column_values(table, column, MinusNine::missing, true);
  if (numbers.ok() && (!response.ok() || !response.value().words.empty())) __builtin_trap();
  if (response.ok()) strads::code_or_refuse({}, response.value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto parsed = strads::data::Table::parse(bytes, "fuzz");
  if (!parsed.ok()) return 0;
  const strads::data::Table& table = parsed.value();
  const auto ids = strads::data::find_id_columns(table, "", false);
  if (ids.ok()) (void)strads::data::read_ids(table, ids.value()).ok();
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < table.header().size(); ++j) {
    if (j < 8) read_twice(table, j);
    columns.push_back(j);
  }
  const std::vector<std::uint8_t> kept(table.rows(), 1);
  if (table.rows() * columns.size() > (std::size_t{1} << 22)) return 0;  // slow, not wrong
  const auto dense = strads::data::read_columns(table, columns, kept, true);
  if (dense.ok() && dense.value().values.size() != table.rows() * columns.size()) __builtin_trap();
  return 0;
}
