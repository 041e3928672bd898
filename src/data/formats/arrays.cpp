// Writing and reading float arrays. What parse_npy knows about types and damage serves here too.
#include "strads/data/arrays.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "data/files/mapped_file.hpp"
#include "data/files/zip_archive.hpp"
#include "data/formats/npy.hpp"
#include "data/text/text.hpp"
#include "strads/base/ascending.hpp"

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

/// `type`: as NumPy calls it.
std::string header_of(std::string_view type, std::span<const std::uint64_t> shape) {
  constexpr std::size_t kAlignment = 64, kMagicSize = 10;
  std::string text = "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (";
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

/// A whole .npy of one dimension.
template <class T>
std::string list_bytes(std::string_view type, std::span<const T> values) {
  const std::uint64_t shape[] = {values.size()};
  return header_of(type, shape).append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

/// Texts, filled up with zeros to the longest.
std::string texts_bytes(const std::vector<std::string>& texts, std::span<const std::uint64_t> shape) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::string out = header_of("|S" + std::to_string(longest), shape);
  out.reserve(out.size() + texts.size() * longest);
  for (const std::string& text : texts) out.append(text).append(longest - text.size(), '\0');
  return out;
}

struct EntryBytes {
  std::span<const std::uint64_t> shape;
  std::string operator()(const std::vector<float>& values) const { return with("<f4", values); }
  std::string operator()(const std::vector<std::int32_t>& values) const { return with("<i4", values); }
  std::string operator()(const std::vector<std::string>& values) const { return texts_bytes(values, shape); }

 private:
  template <class T>
  [[nodiscard]] std::string with(std::string_view type, const std::vector<T>& values) const {
    return header_of(type, shape).append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
};

struct Member {
  std::string name;  ///< without .npy
  std::string bytes;
};

Result<std::string> zip_of(std::span<const Member> members) {
  ZipError error;
  ZipSource source(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (!source) return Status::input(".npz: " + error.text());
  zip_source_keep(source.get());  // the archive takes one reference with it
  ZipArchive archive(zip_open_from_source(source.get(), ZIP_TRUNCATE, error.get()));
  if (!archive) {
    zip_source_free(source.get());
    return Status::input(".npz: " + error.text());
  }
  for (const auto& member : members) {
    if (!add_member(archive.get(), member.name + ".npy", member.bytes)) {
      return Status::input(std::string(".npz: ") + zip_strerror(archive.get()));
    }
  }
  if (zip_close(archive.get()) != 0) return Status::input(std::string(".npz: ") + zip_strerror(archive.get()));
  (void)archive.release();  // closing freed it
  return content_of(source.get());
}

/// Arrays of an archive that is open.
struct NpzReader {
  const std::string& path;
  std::string_view bytes;

  [[nodiscard]] std::string where(std::string_view name) const { return path + " (" + std::string(name) + ".npy)"; }
  [[nodiscard]] Result<std::string> member(zip_t* archive, std::string_view name) const {
    const auto opened =
        data::open_member(archive, std::string(name) + ".npy", bytes.size(), where(name),
                          where(name) + ": the archive holds no such array, expected a file that `mf fit` wrote");
    if (!opened.ok()) return opened.status();
    return data::read_member(opened.value(), where(name));
  }
  /// Whole numbers from 0.
  template <class T>
  [[nodiscard]] Status counts(zip_t* archive, std::string_view name, std::vector<T>& out) const {
    STRADS_ASSIGN_OR_RETURN(const auto unpacked, member(archive, name));
    STRADS_ASSIGN_OR_RETURN(const data::NpyArray array, data::parse_npy(unpacked, where(name)));
    if (array.kind != 'i' && array.kind != 'u') {
      return Status::input(where(name) + ": entries are " + data::type_name(array) + ", expected whole numbers");
    }
    out.resize(array.count);
    bool right = true;
    data::with_loader(array, [&](auto load) {
      using Value = typename decltype(load)::Value;
      if constexpr (std::is_integral_v<Value>) {
        for (std::uint64_t k = 0; k < array.count; ++k) {
          const Value value = load(array.data, k);
          const bool fits = std::in_range<T>(value);
          out[k] = fits ? static_cast<T>(static_cast<std::make_unsigned_t<Value>>(value)) : T{0};
          right = right && fits;
        }
      }
    });
    return right ? Status() : Status::input(where(name) + ": a number is below 0 or too large; the file is damaged");
  }
};

}  // namespace

std::string npy_header(std::span<const std::uint64_t> shape) {
  return header_of("<f4", shape);
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
  std::vector<Member> members;
  for (const NamedArray& named : arrays) members.push_back({named.name, npy_bytes(named.array)});
  return zip_of(members);
}

Result<std::string> npz_of_entries(std::span<const NamedEntries> arrays) {
  std::vector<Member> members;
  for (const NamedEntries& named : arrays) {
    members.push_back({named.name, std::visit(EntryBytes{named.shape}, named.values)});
  }
  return zip_of(members);
}

Result<std::vector<FloatArray>> read_npz(const std::string& path, std::span<const std::string_view> names) {
  STRADS_ASSIGN_OR_RETURN(const auto file, data::MappedFile::open(path));
  const NpzReader reader{path, file->bytes()};
  STRADS_ASSIGN_OR_RETURN(const auto archive, data::open_zip(reader.bytes, path));
  std::vector<FloatArray> out;
  for (const std::string_view name : names) {
    STRADS_ASSIGN_OR_RETURN(const auto unpacked, reader.member(archive.get(), name));
    STRADS_ASSIGN_OR_RETURN(auto array, floats_of(unpacked, reader.where(name)));
    out.push_back(std::move(array));
  }
  return out;
}

Result<std::string> sparse_rows_bytes(const SparseRows& matrix) {
  const std::uint64_t shape[] = {matrix.begins.size() - 1, matrix.width};
  const std::vector<Member> members = {{"indices", list_bytes("<i4", std::span<const std::uint32_t>(matrix.columns))},
                                       {"indptr", list_bytes("<i8", std::span<const std::uint64_t>(matrix.begins))},
                                       {"format", header_of("|S3", {}) + "csr"},
                                       {"shape", list_bytes("<i8", std::span<const std::uint64_t>(shape))},
                                       {"data", list_bytes("<f4", std::span<const float>(matrix.values))}};
  return zip_of(members);
}

Result<SparseRows> read_sparse_rows(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(const auto file, data::MappedFile::open(path));
  const NpzReader reader{path, file->bytes()};
  STRADS_ASSIGN_OR_RETURN(const auto archive, data::open_zip(reader.bytes, path));
  SparseRows out;
  std::vector<std::uint64_t> shape;
  STRADS_ASSIGN_OR_RETURN(const auto values, reader.member(archive.get(), "data"));
  STRADS_ASSIGN_OR_RETURN(auto floats, floats_of(values, reader.where("data")));
  out.values = std::move(floats.values);
  if (Status read = reader.counts(archive.get(), "indices", out.columns); !read.ok()) return read;
  if (Status read = reader.counts(archive.get(), "indptr", out.begins); !read.ok()) return read;
  if (Status read = reader.counts(archive.get(), "shape", shape); !read.ok()) return read;
  bool is_whole = shape.size() == 2 && !out.begins.empty() && out.begins.size() - 1 == shape[0] &&
                  out.begins.front() == 0 && out.begins.back() == out.columns.size() &&
                  out.columns.size() == out.values.size() && std::ranges::is_sorted(out.begins);
  if (is_whole) {
    out.width = shape[1];
    for (std::size_t row = 0; row < shape[0]; ++row) {
      const auto of_row = std::span(out.columns).subspan(out.begins[row], out.begins[row + 1] - out.begins[row]);
      is_whole = is_whole && strictly_ascending(of_row) && (of_row.empty() || of_row.back() < out.width);
    }
  }
  if (!is_whole)
    return Status::input(path + ": is no matrix by rows whose columns ascend, expected a file of `mf fit`");
  return out;
}

}  // namespace strads
