// Structs of numbers as the values of a payload.
#include "strads/base/payload_fields.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strads {
namespace {

struct Mixed {
  double number = 0;
  std::uint64_t count = 0;
  double last = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& mixed, Visit&& visit) {
    visit(mixed.number);
    visit(mixed.count);
    visit(mixed.last);
  }
};

TEST(PayloadFields, LieInTheOrderOfTheirList) {
  EXPECT_EQ(payload_of(Mixed{.number = -0.5, .count = 7, .last = 2}).values, (std::vector<double>{-0.5, 7, 2}));
}

TEST(PayloadFields, AreAppendedToWhatIsThere) {
  std::vector<double> values{9};
  append_fields(Mixed{.number = 1, .count = 2, .last = 3}, values);
  EXPECT_EQ(values, (std::vector<double>{9, 1, 2, 3}));
}

TEST(PayloadFields, AreWrittenOverTheFirstValues) {
  std::vector<double> values{9, 9, 9, 9};
  write_fields(Mixed{.number = 1, .count = 2, .last = 3}, values);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 9}));
}

TEST(PayloadFields, AreReadBack) {
  const auto found = find_fields<Mixed>(std::vector<double>{0.25, 9007199254740992.0, -3, 77});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->number, 0.25);
  EXPECT_EQ(found->count, std::uint64_t{1} << 53);
  EXPECT_EQ(found->last, -3);
}

TEST(PayloadFields, AreNotThereWhereValuesAreMissing) {
  EXPECT_FALSE(find_fields<Mixed>(std::vector<double>{1, 2}).has_value());
}

TEST(PayloadFields, ACountIsAWholeNumberThatADoubleHoldsExactly) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {-1.0, 0.5, 9007199254740994.0, 1e300, infinity, -infinity, std::nan("")}) {
    EXPECT_FALSE(find_fields<Mixed>(std::vector<double>{0, wrong, 0}).has_value()) << wrong;
    EXPECT_TRUE(find_fields<Mixed>(std::vector<double>{wrong, 0, wrong}).has_value()) << "numbers may be anything";
  }
}

TEST(PayloadFieldsDeathTest, ReadingWhatWasNotCheckedEndsTheProgram) {
  EXPECT_DEATH(static_cast<void>(read_fields<Mixed>(std::vector<double>{1})), "payloads are checked");
}

}  // namespace
}  // namespace strads
