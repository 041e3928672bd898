#include "strads/data/packed_text.hpp"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>

namespace strads {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;
constexpr int kMemoryLevel = 8;  // zlib's default

struct Deflater {
  z_stream stream{};
  bool ready = false;
  Deflater() {
    ready = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() {
    if (ready) deflateEnd(&stream);
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
};

}  // namespace

Result<std::string> gzip(std::string_view text) {
  constexpr std::size_t kPiece = std::numeric_limits<uInt>::max() / 2;
  Deflater deflater;
  if (!deflater.ready) return Status::input("gzip: no memory");
  std::string out;
  std::string buffer(std::size_t{1} << 18, '\0');
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    const std::size_t piece = std::min(text.size(), kPiece);
    deflater.stream.next_in = reinterpret_cast<const Bytef*>(text.data());
    deflater.stream.avail_in = static_cast<uInt>(piece);
    text.remove_prefix(piece);
    const int flush = text.empty() ? Z_FINISH : Z_NO_FLUSH;
    do {
      deflater.stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
      deflater.stream.avail_out = static_cast<uInt>(buffer.size());
      state = deflate(&deflater.stream, flush);
      if (state == Z_STREAM_ERROR) return Status::input("gzip: not packed");
      out.append(buffer, 0, buffer.size() - deflater.stream.avail_out);
    } while (deflater.stream.avail_out == 0);
  }
  return out;
}

}  // namespace strads
