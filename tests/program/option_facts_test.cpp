// Option tables as data, for manual pages and completion.
#include "strads/program/option_facts.hpp"
#include "strads/program/option_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strads {
namespace {

using testing::HasSubstr;

std::string facts_of(const std::function<void(OptionTable&)>& declare) {
  OptionTable table("tool fit", "tool fit: fits\nusage: tool fit\n");
  declare(table);
  return strads::facts_of(table).json();
}

TEST(OptionFacts, SayWhatTheCommandIs) {
  const std::string facts = facts_of([](OptionTable&) {});
  EXPECT_THAT(facts, HasSubstr(R"("command": "tool fit")"));
  EXPECT_THAT(facts, HasSubstr(R"("usage": "tool fit: fits\nusage: tool fit\n")"));
}

TEST(OptionFacts, OfAChoiceHaveItsValuesAndItsDefault) {
  std::string value = "b";
  const std::string facts = facts_of([&](OptionTable& table) {
    table.section("problem").choice("kind", "which one", &value, {"a", "b"});
  });
  for (const char* fact : {R"("name": "kind")", R"("kind": "choice")", R"("effect": "which one")",
                           R"("section": "problem")", R"("default": "b")", R"("range": "a|b")"}) {
    EXPECT_THAT(facts, HasSubstr(fact));
  }
}

TEST(OptionFacts, OfACountThatMayBeLeftOutSayWhatThatMeans) {
  std::uint32_t value = 0;
  const std::string facts =
      facts_of([&](OptionTable& table) { table.section("").optional_count("profile", "N", "e", &value, {}, 7); });
  EXPECT_THAT(facts, HasSubstr(R"("implied": "7")"));
  EXPECT_THAT(facts, HasSubstr(R"("placeholder": "N")"));
}

TEST(OptionFacts, OfAFlagHaveNoDefault) {
  bool value = false;
  const std::string facts = facts_of([&](OptionTable& table) { table.section("").flag("force", "e", &value); });
  EXPECT_THAT(facts, HasSubstr(R"("kind": "flag")"));
  EXPECT_THAT(facts, HasSubstr(R"("default": "")"));
}

}  // namespace
}  // namespace strads
