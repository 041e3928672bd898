// libFuzzer target: .npy arrays: header, entries as a vector and as columns.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/formats/dense_columns.hpp"
#include "data/formats/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)strads::data::read_npy_vector(bytes, "fuzz").ok();
  const auto array = strads::data::parse_npy(bytes, "fuzz");
  if (!array.ok() || array.value().shape.size() != 2) return 0;
  const auto& shape = array.value().shape;
  if (shape[0] == 0 || shape[1] == 0 || shape[0] > size || shape[1] > size) return 0;
  const std::vector<std::uint8_t> kept(shape[0], 1);
  const auto columns = strads::data::copy_columns(array.value(), kept, true, "fuzz");
  if (columns.ok() && columns.value().f32.size() + columns.value().f64.size() != array.value().count) __builtin_trap();
  if (strads::data::is_column_major(array.value())) {
    (void)strads::data::all_finite(array.value(), [](std::uint64_t) {});
  }
  return 0;
}
