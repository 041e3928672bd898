// Which mapped file an address lies in.
#include "data/files/mapped_ranges.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "data/files/mapped_file.hpp"
#include "support/temporary_folder.hpp"

namespace strads::data {
namespace {

std::uintptr_t address_of(const char* byte) {
  return reinterpret_cast<std::uintptr_t>(byte);
}

TEST(MappedRanges, NameTheFileOfEachOfItsBytesWhileItIsOpen) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("x", std::string(10'000, 'x'));
  std::uintptr_t first = 0;
  {
    const auto file = MappedFile::open(path);
    first = address_of(file.value()->bytes().data());
    for (const std::uint64_t byte : {0U, 1U, 9'999U}) {
      const auto range = mapped_range_at(first + byte);
      ASSERT_TRUE(range.has_value()) << byte;
      EXPECT_EQ(range->begin, first);
      EXPECT_EQ(range->size, 10'000U);
      EXPECT_EQ(range->path, path);
    }
    EXPECT_FALSE(mapped_range_at(first - 1).has_value());
    EXPECT_FALSE(mapped_range_at(first + 10'000).has_value());
    EXPECT_FALSE(mapped_range_at(address_of(path.data())).has_value());
  }
  EXPECT_FALSE(mapped_range_at(first).has_value());
}

TEST(MappedRanges, OfManyThreadsAreKeptApart) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&wrong, t] {
      const std::string path = "file" + std::to_string(t);
      const std::uintptr_t begin = (t + 1) << 40;
      for (int k = 0; k < 5'000; ++k) {
        note_mapped_range({begin, 100 + t, path.c_str()});
        const auto found = mapped_range_at(begin + 99 + t);
        if (!found.has_value() || found->size != 100 + t || found->path != path.c_str()) ++wrong[t];
        forget_mapped_range(begin);
        if (mapped_range_at(begin).has_value()) ++wrong[t];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(MappedRanges, MoreThanFitAreNotNotedAndDoNoHarm) {
  constexpr std::uintptr_t kFirst = std::uintptr_t{1} << 44, kStep = 4096;
  constexpr std::size_t kCount = 1'100;
  for (std::size_t k = 0; k < kCount; ++k) note_mapped_range({kFirst + k * kStep, kStep, "x"});
  EXPECT_TRUE(mapped_range_at(kFirst).has_value());
  EXPECT_FALSE(mapped_range_at(kFirst + (kCount - 1) * kStep).has_value());
  for (std::size_t k = 0; k < kCount; ++k) forget_mapped_range(kFirst + k * kStep);
  EXPECT_FALSE(mapped_range_at(kFirst).has_value());
}

}  // namespace
}  // namespace strads::data
