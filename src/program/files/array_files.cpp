#include "strads/program/array_files.hpp"

#include <fstream>

#include "strads/data/arrays.hpp"
#include "strads/program/result_files.hpp"

namespace strads {
namespace {

std::string_view bytes_of(std::span<const float> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

}  // namespace

Status write_array(RunDirectory& directory, std::string_view name, std::span<const std::uint64_t> shape,
                   std::span<const float> values) {
  STRADS_ASSIGN_OR_RETURN(auto writer, ResultWriter::open(directory.path_of(name)));
  if (Status done = writer.write(npy_header(shape)); !done.ok()) return done;
  if (Status done = writer.write(bytes_of(values)); !done.ok()) return done;
  if (Status done = writer.commit(); !done.ok()) return done;
  directory.note_file(name);
  return {};
}

Status check_array(const std::string& path, std::span<const std::uint64_t> shape, std::span<const float> values) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  const std::string header = npy_header(shape);
  const std::string_view entries = bytes_of(values);
  std::ifstream file(path, std::ios::binary);
  std::string piece;
  const auto is_next = [&](std::string_view expected) {
    piece.resize(expected.size());
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    return file.good() && piece == expected;
  };
  bool is_same = is_next(header);
  for (std::size_t at = 0; is_same && at < entries.size(); at += kPiece) is_same = is_next(entries.substr(at, kPiece));
  is_same = is_same && file.peek() == std::ifstream::traits_type::eof();
  if (file.bad() || !file.is_open()) return Status::input(path + ": cannot be read back");
  return is_same ? Status() : is_not_as_written(path);
}

Status is_not_as_written(const std::string& path) {
  return Status::internal(path +
                          ": what was read back is not what was to be written; nothing was kept. This is a bug, "
                          "or the disk is faulty: run again with another --out, and please report it if that "
                          "fails, too");
}

}  // namespace strads
