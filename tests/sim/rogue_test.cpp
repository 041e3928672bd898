// The fuzz target of rogue members (tests/fuzz/rogue_fuzz.cpp) with scripts drawn from numbers: what the sanitizers of
// this build find in them, without a fuzzer.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace strads::fuzz {
namespace {

/// It ends the process where somebody crashes, or where honest runs do not converge.
TEST(ARogueMember, EndsNobodyWhateverItSays) {
  for (std::uint32_t script = 1; script <= 150; ++script) {
    std::uint8_t bytes[sizeof script];
    std::memcpy(bytes, &script, sizeof script);
    EXPECT_EQ(LLVMFuzzerTestOneInput(bytes, sizeof bytes), 0);
  }
}

}  // namespace
}  // namespace strads::fuzz
