#include "data/files/unpack.hpp"

#include <zstd.h>

#include <memory>

#include "data/files/memory_limit.hpp"

namespace strads::data {

namespace {

constexpr std::size_t kZstdChunk = std::size_t{1} << 18;

}  // namespace

bool is_zstd(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  const bool skipped = bytes[1] == '\x2a' && bytes[2] == '\x4d' && bytes[3] == '\x18';
  return bytes.starts_with("\x28\xb5\x2f\xfd") || (skipped && (bytes[0] & '\xf0') == '\x50');
}

Result<std::string> unpack_zstd(std::string_view bytes, const std::string& path, std::uint64_t size_max,
                                std::uint64_t memory) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
  if (stream == nullptr) return Status::input(path + ": not enough memory to unpack zstd");
  std::string out;
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  for (std::size_t expected = 0;;) {
    if (Status room = make_room(path, kZstdChunk, memory, out); !room.ok()) return room;
    const std::size_t before = out.size();
    out.resize(before + kZstdChunk);
    ZSTD_outBuffer output{out.data() + before, kZstdChunk, 0};
    const std::size_t given = input.pos;
    const bool all_given = given == input.size;
    if (!all_given || expected != 0) expected = ZSTD_decompressStream(stream.get(), &output, &input);
    out.resize(before + output.pos);
    if (ZSTD_isError(expected) != 0) {
      return Status::input(path + ": damaged zstd data after " + std::to_string(out.size()) + " unpacked bytes (" +
                           ZSTD_getErrorName(expected) + "); copy the file again");
    }
    if (out.size() > size_max) {
      return Status::input(path + ": unpacks to more than " + std::to_string(size_max) + " bytes, the limit");
    }
    if (expected == 0 && input.pos == input.size) return out;
    if (all_given && output.pos == 0) {
      return Status::input(path + ": the zstd data end in the middle of a frame after " + std::to_string(out.size()) +
                           " unpacked bytes: the file is cut off; copy it again");
    }
  }
}

}  // namespace strads::data
