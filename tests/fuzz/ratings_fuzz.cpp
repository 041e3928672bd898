// libFuzzer target: ratings in every format; the first byte chooses the size of the pieces. Both cuts must agree.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "data/ratings/ratings.hpp"

namespace {

// A file of its own for each process of the fuzzer; readers take paths.
const std::string& path() {
  static const std::string name = [] {
    std::string pattern = "/tmp/strads-ratings-fuzz-XXXXXX";
    const int descriptor = ::mkstemp(pattern.data());
    if (descriptor < 0) std::abort();
    ::close(descriptor);
    static const std::string kept = pattern;
    std::atexit([] { std::remove(kept.c_str()); });
    return pattern;
  }();
  return name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::FILE* file = std::fopen(path().c_str(), "wb");
  if (file == nullptr) return 0;
  std::fwrite(data + 1, 1, size - 1, file);
  std::fclose(file);
  strads::SerialChunks chunks;
  const strads::RatingsInput input{.path = path(), .holdout = 0.2, .validation = 0.1};
  const auto whole = strads::load_ratings(input, chunks);
  const strads::data::RatingsPieces small{.text_bytes = 1U + data[0], .npz_ratings = 1U + data[0]};
  const auto cut = strads::data::load_ratings(input, chunks, {}, small);
  if (whole.ok() != cut.ok()) __builtin_trap();
  if (!whole.ok() && whole.status().message() != cut.status().message()) __builtin_trap();
  if (whole.ok() && whole.value()->fingerprint != cut.value()->fingerprint) __builtin_trap();
  (void)strads::load_pairs({.path = path()});
  return 0;
}
