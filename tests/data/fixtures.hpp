// What the tests of the readers share: files in a temporary folder, small binary formats by hand, error checks.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// A folder of its own for each test, removed at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "strads-data-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return path_ + '/' + name; }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

 private:
  std::string path_;
};

/// One gzip member.
inline std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<const Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// The bytes of values as they lie in memory.
template <class T>
std::string raw(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// A version 1 .npy: descr like "<f8", shape like "(2, 3)".
inline std::string npy(const std::string& descr, bool fortran, const std::string& shape, const std::string& data) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header + data;
}

/// EXPECT_THAT(result.status(), fails_with(code, {"parts", "of the message"})).
MATCHER_P(FailsWith, part, "is an input error that says " + std::string(part)) {
  *result_listener << "code " << static_cast<int>(arg.status().code()) << ": " << arg.status().message();
  return arg.status().code() == StatusCode::input && arg.status().message().find(part) != std::string::npos;
}
MATCHER_P(FailsAsUsage, part, "is a usage error that says " + std::string(part)) {
  *result_listener << "code " << static_cast<int>(arg.status().code()) << ": " << arg.status().message();
  return arg.status().code() == StatusCode::usage && arg.status().message().find(part) != std::string::npos;
}

/// The data set, or a failed test.
inline std::shared_ptr<const Dataset> load(const InputOptions& options) {
  auto loaded = load_dataset(options);
  EXPECT_TRUE(loaded.ok()) << loaded.status().message();
  return loaded.ok() ? loaded.value() : nullptr;
}

/// Entry (i, j) of dense and sparse columns.
inline double entry(const Dataset& set, std::uint64_t i, std::uint64_t j) {
  const ColumnsView& x = set.columns();
  const auto read = [&](std::uint64_t byte, bool single) {
    float narrow = 0;
    double wide = 0;
    if (single) {
      std::memcpy(&narrow, x.values + byte, sizeof narrow);
      return static_cast<double>(narrow);
    }
    std::memcpy(&wide, x.values + byte, sizeof wide);
    return wide;
  };
  if (is_bytes(x.storage)) {
    const auto byte = std::to_integer<std::uint8_t>(x.values[j * x.column_stride + i]);
    return x.storage == Storage::dense_u8 ? static_cast<double>(byte)
                                          : static_cast<double>(static_cast<std::int8_t>(byte));
  }
  if (x.storage == Storage::dense_f32) return read(j * x.column_stride + 4 * i, true);
  if (x.storage == Storage::dense_f64) return read(j * x.column_stride + 8 * i, false);
  const bool single = x.storage == Storage::sparse_f32;
  for (std::uint64_t e = x.starts[j]; e < x.starts[j + 1]; ++e) {
    if (x.row_numbers[e] == i) return read((single ? 4 : 8) * e, single);
  }
  return 0;
}

/// All of X, row by row.
inline std::vector<std::vector<double>> matrix(const Dataset& set) {
  std::vector<std::vector<double>> out(set.columns().rows);
  for (std::uint64_t i = 0; i < out.size(); ++i) {
    for (std::uint64_t j = 0; j < set.columns().columns; ++j) out[i].push_back(entry(set, i, j));
  }
  return out;
}

inline std::vector<double> response(const Dataset& set) {
  return {set.response().begin(), set.response().end()};
}

inline std::vector<std::string> ids(const Dataset& set) {
  std::vector<std::string> out;
  for (VarId j = 0; j < set.columns().columns; ++j) out.emplace_back(set.variable(j).id);
  return out;
}

/// "12 no phenotype" for each reason.
inline std::vector<std::string> dropped(const Dataset& set) {
  std::vector<std::string> out;
  for (const Dropped& reason : set.dropped_samples()) out.push_back(std::to_string(reason.count) + ' ' + reason.reason);
  return out;
}

using Rows = std::vector<std::vector<double>>;

}  // namespace strads::data
