// Writing and reading float arrays. What parse_npy knows about types and damage serves here too.
#include "strads/data/arrays.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/files/zip_archive.hpp"
#include "data/formats/npy.hpp"
#include "data/text/text.hpp"

namespace strads {
namespace {

using data::ZipArchive;
using data::ZipError;
using data::ZipSource;

Result<FloatArray> floats_of(std::string_view bytes, const std::string& where) {
  STRADS_ASSIGN_OR_RETURN(const data::NpyArray array, data::parse_npy(bytes, where));
  if (!array.is('f', 4) && !array.is('f', 8)) {
    return Status::input(where + ": entries are " + data::type_name(array) + ", expected float32");
  }
  FloatArray out;
  out.shape = array.shape;
  out.values.resize(array.count);
  // Entry k of the file is (k mod rows, k div rows) of a matrix in Fortran order.
  const bool turned = array.fortran && array.shape.size() == 2;
  if (array.fortran && array.shape.size() > 2)
    return Status::input(where + ": more than two dimensions in Fortran order");
  const std::uint64_t rows = turned ? array.shape[0] : 1;
  const std::uint64_t columns = turned ? array.shape[1] : array.count;
  data::with_loader(array, [&](auto load) {
    for (std::uint64_t k = 0; k < array.count; ++k) {
      const std::uint64_t to = turned ? (k % rows) * columns + k / rows : k;
      out.values[to] = static_cast<float>(load(array.data, k));
    }
  });
  return out;
}

/// Adds one stored member. The archive owns `bytes` by reference: they outlive it.
bool add_member(zip_t* archive, const std::string& name, const std::string& bytes) {
  constexpr zip_uint16_t kFirstDay = (1 << 5) | 1;  // 1980-01-01, the first that a zip archive can say
  zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
  if (source == nullptr) return false;
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  const auto at = static_cast<zip_uint64_t>(index);
  return zip_set_file_compression(archive, at, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(archive, at, 0, kFirstDay, 0) == 0;
}

Result<std::string> content_of(zip_source_t* source) {
  zip_stat_t about;
  zip_stat_init(&about);
  if (zip_source_open(source) != 0 || zip_source_stat(source, &about) != 0 || (about.valid & ZIP_STAT_SIZE) == 0) {
    return Status::input(".npz: the archive cannot be read back");
  }
  std::string bytes(about.size, '\0');
  const zip_int64_t count = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  if (count != static_cast<zip_int64_t>(bytes.size())) return Status::input(".npz: the archive cannot be read back");
  return bytes;
}

}  // namespace

std::string npy_header(std::span<const std::uint64_t> shape) {
  constexpr std::size_t kAlignment = 64, kMagicSize = 10;
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (std::size_t k = 0; k < shape.size(); ++k) text += (k == 0 ? "" : ", ") + std::to_string(shape[k]);
  text += shape.size() == 1 ? ",), }" : "), }";
  const std::size_t whole = (kMagicSize + text.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(whole - kMagicSize - 1, ' ');
  text += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(text.size() & 0xff);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

std::string npy_bytes(const FloatArray& array) {
  std::string out = npy_header(array.shape);
  out.append(reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(float));
  return out;
}

Result<FloatArray> read_npy(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(const auto file, data::MappedFile::open(path));
  return floats_of(file->bytes(), path);
}

Result<std::string> npz_bytes(std::span<const NamedArray> arrays) {
  std::vector<std::string> members;
  for (const NamedArray& named : arrays) members.push_back(npy_bytes(named.array));
  ZipError error;
  ZipSource source(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (!source) return Status::input(".npz: " + error.text());
  zip_source_keep(source.get());  // the archive takes one reference with it
  ZipArchive archive(zip_open_from_source(source.get(), ZIP_TRUNCATE, error.get()));
  if (!archive) {
    zip_source_free(source.get());
    return Status::input(".npz: " + error.text());
  }
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    if (!add_member(archive.get(), arrays[k].name + ".npy", members[k])) {
      return Status::input(std::string(".npz: ") + zip_strerror(archive.get()));
    }
  }
  if (zip_close(archive.get()) != 0) return Status::input(std::string(".npz: ") + zip_strerror(archive.get()));
  (void)archive.release();  // closing freed it
  return content_of(source.get());
}

Result<std::vector<FloatArray>> read_npz(const std::string& path, std::span<const std::string_view> names) {
  STRADS_ASSIGN_OR_RETURN(const auto file, data::MappedFile::open(path));
  const std::string_view bytes = file->bytes();
  STRADS_ASSIGN_OR_RETURN(const auto archive, data::open_zip(bytes, path));
  std::vector<FloatArray> out;
  for (const std::string_view name : names) {
    const std::string member = std::string(name) + ".npy";
    const std::string where = path + " (" + member + ")";
    const auto opened =
        data::open_member(archive.get(), member, bytes.size(), where,
                          where + ": the archive holds no such array, expected a file that `mf fit` wrote");
    if (!opened.ok()) return opened.status();
    STRADS_ASSIGN_OR_RETURN(const auto unpacked, data::read_member(opened.value(), where));
    STRADS_ASSIGN_OR_RETURN(auto array, floats_of(unpacked, where));
    out.push_back(std::move(array));
  }
  return out;
}

}  // namespace strads
