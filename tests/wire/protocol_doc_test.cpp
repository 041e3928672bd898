// docs/PROTOCOL.md shows the table that the message structs give.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "wire/print.hpp"

namespace strads::wire {
namespace {

constexpr const char* kPath = STRADS_SOURCE_DIR "/docs/PROTOCOL.md";
const std::string kBegin = "<!-- messages -->\n";
const std::string kEnd = "<!-- end of messages -->\n";

TEST(ProtocolDocument, ShowsTheTableOfTheMessageStructs) {
  std::ifstream in(kPath);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  ASSERT_NE(begin, std::string::npos) << kPath << ": no line " << kBegin;
  ASSERT_NE(end, std::string::npos) << kPath << ": no line " << kEnd;
  const std::size_t first = begin + kBegin.size();
  std::string expected(1, '\n');
  expected += message_table();
  expected += '\n';
  if (std::getenv("STRADS_REWRITE") != nullptr) {
    std::ofstream(kPath) << text.substr(0, first) << expected << text.substr(end);
    return;
  }
  EXPECT_EQ(text.substr(first, end - first), expected)
      << "docs/PROTOCOL.md is out of date; run this test with STRADS_REWRITE=1 in the environment and review the diff";
}

}  // namespace
}  // namespace strads::wire
