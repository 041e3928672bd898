#include "data/files/unpack.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "data/files/memory_limit.hpp"

namespace strads::data {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;
constexpr int kGzipOnly = 16 + MAX_WBITS;

// Frees the state of zlib on every way out.
struct Inflater {
  z_stream stream{};
  bool ready = false;
  Inflater() { ready = inflateInit2(&stream, kGzipOnly) == Z_OK; }
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

// The last four bytes say the unpacked size modulo 2^32: a hint that saves copies; not believed beyond what deflate can
// reach (1032 to 1).
std::uint64_t size_hint(std::string_view bytes, std::uint64_t size_max) {
  if (bytes.size() < 18) return 0;
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    size |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[bytes.size() - 4 + i])) << (8 * i);
  }
  return std::min({size, size_max, 1032 * static_cast<std::uint64_t>(bytes.size())});
}

}  // namespace

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

Result<std::string> gunzip(std::string_view bytes, const std::string& path, std::uint64_t size_max,
                           std::uint64_t memory) {
  Inflater inflater;
  if (!inflater.ready) return Status::input(path + ": not enough memory to unpack gzip");
  std::string out;
  if (Status room = make_room(path, size_hint(bytes, size_max) + kChunk, memory, out); !room.ok()) return room;
  z_stream& stream = inflater.stream;
  std::size_t given = 0;
  for (;;) {
    if (stream.avail_in == 0 && given < bytes.size()) {
      const std::size_t count = std::min<std::size_t>(bytes.size() - given, std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<const Bytef*>(bytes.data() + given);
      stream.avail_in = static_cast<uInt>(count);
      given += count;
    }
    const std::size_t before = out.size();
    if (Status room = make_room(path, kChunk, memory, out); !room.ok()) return room;
    out.resize(before + kChunk);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(kChunk);
    const int answer = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + kChunk - stream.avail_out);
    if (out.size() > size_max) {
      return Status::input(path + ": unpacks to more than " + std::to_string(size_max) + " bytes, the limit");
    }
    const bool all_read = stream.avail_in == 0 && given == bytes.size();
    if (answer == Z_STREAM_END) {
      if (all_read) return out;
      inflateReset(&stream);  // the next member; what is no gzip there fails as damaged
    } else if (answer == Z_BUF_ERROR || (answer == Z_OK && all_read && stream.avail_out > 0)) {
      return Status::input(path + ": the gzip data end in the middle of a block after " + std::to_string(out.size()) +
                           " unpacked bytes: the file is cut off; copy it again");
    } else if (answer != Z_OK) {
      return Status::input(path + ": damaged gzip data after " + std::to_string(out.size()) + " unpacked bytes (" +
                           (stream.msg != nullptr ? stream.msg : "zlib error") + "); copy the file again");
    }
  }
}

}  // namespace strads::data
