// libFuzzer target: scipy .npz archives, and their columns. Random bytes never pass the checksums of a zip archive, nor
// hit upon the header of an array. So from 128 on the first byte means: the rest says what the five arrays are, and the
// archive around them is made here. Below, the rest is the archive.
#include <zip.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/npz.hpp"
#include "fuzz/input.hpp"

namespace {

using strads::fuzz::Input;

void require(bool condition) {
  if (!condition) std::abort();
}

/// Type and length from the input, and as many bytes; sometimes fewer than the header says.
std::string array_of(Input& input) {
  struct Type {
    const char* name;
    std::size_t bytes;
  };
  static constexpr Type kTypes[] = {{"<i4", 4}, {"<i8", 8}, {"<f4", 4}, {"<f8", 8}, {"<u4", 4}, {"|S3", 3}, {">i4", 4}};
  const Type& type = kTypes[input.next<std::uint8_t>() % std::size(kTypes)];
  const std::size_t count = input.next<std::uint8_t>() % 32;
  const bool cut = input.next<std::uint8_t>() == 255;
  std::string text = "{'descr': '" + std::string(type.name) + "', 'fortran_order': False, 'shape': (" +
                     std::to_string(count) + ",), }";
  text.resize(117, ' ');
  std::string array("\x93NUMPY\x01\x00\x76\x00", 10);
  array += text + "\n";
  for (std::size_t k = 0; k < count * type.bytes; ++k) array += static_cast<char>(input.next<std::uint8_t>());
  if (cut) array.pop_back();
  return array;
}

std::string format_array(std::uint8_t which) {
  std::string text = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }";
  text.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n" + (which % 2 == 0 ? "csr" : "csc");
}

/// An archive of these five; `deflated`: compressed.
std::string archive_of(Input& input) {
  const auto format = input.next<std::uint8_t>();
  const bool deflated = format >= 128;
  std::vector<std::string> members{format_array(format)};
  for (int k = 0; k < 4; ++k) members.push_back(array_of(input));
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(nullptr, 0, 0, &error);
  require(source != nullptr);
  zip_source_keep(source);
  zip_t* archive = zip_open_from_source(source, ZIP_TRUNCATE, &error);
  require(archive != nullptr);
  const char* const names[] = {"format.npy", "shape.npy", "data.npy", "indices.npy", "indptr.npy"};
  for (std::size_t k = 0; k < members.size(); ++k) {
    zip_source_t* content = zip_source_buffer(archive, members[k].data(), members[k].size(), 0);
    const zip_int64_t at = zip_file_add(archive, names[k], content, 0);
    require(at >= 0);
    require(zip_set_file_compression(archive, static_cast<zip_uint64_t>(at), deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                     0) == 0);
  }
  require(zip_close(archive) == 0);
  zip_stat_t about;
  zip_stat_init(&about);
  require(zip_source_open(source) == 0 && zip_source_stat(source, &about) == 0);
  std::string bytes(about.size, '\0');
  require(zip_source_read(source, bytes.data(), bytes.size()) == static_cast<zip_int64_t>(bytes.size()));
  zip_source_close(source);
  zip_source_free(source);
  zip_error_fini(&error);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Input input({data + 1, size - 1});
  const bool made = data[0] >= 128;
  const std::string bytes = made ? archive_of(input) : std::string(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto parsed = strads::data::parse_npz(bytes, "fuzz");
  if (!parsed.ok()) {
    require(!parsed.status().message().empty());
    return 0;
  }
  const strads::data::SparseEntries& entries = parsed.value();
  if (entries.row_count > (1 << 20) || entries.column_count > (1 << 20)) return 0;  // large, not wrong
  const std::vector<std::uint8_t> kept(entries.row_count, 1);
  const auto columns = strads::data::to_columns(entries, kept, true, "fuzz");
  require(!columns.ok() || columns.value().starts.back() == columns.value().rows.size());
  return 0;
}
