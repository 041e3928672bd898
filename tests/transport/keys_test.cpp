#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strads/transport/run_key.hpp"
#include "transport/sockets/keys.hpp"

namespace strads {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string refusal(const std::string& text) {
  const auto key = parse_run_key(text, "run.key");
  EXPECT_EQ(key.status().code(), StatusCode::input);
  return key.status().message();
}

/// The text without its line that begins so.
std::string without(const std::string& text, const std::string& begin) {
  const auto at = text.find("\n" + begin);
  return text.substr(0, at) + text.substr(text.find('\n', at + 1));
}

TEST(AKeyOfARun, ComesBackFromItsText) {
  const RunKey key = make_run_key().value();
  const RunKey read = parse_run_key(text_of(key), "run.key").value();
  EXPECT_EQ(read.driver_public, key.driver_public);
  EXPECT_EQ(read.driver_secret, key.driver_secret);
  EXPECT_EQ(read.join_secret, key.join_secret);
}

TEST(AKeyOfARun, IsAnotherOneEachTime) {
  const RunKey one = make_run_key().value();
  const RunKey two = make_run_key().value();
  EXPECT_NE(one.driver_secret, two.driver_secret);
  EXPECT_NE(one.join_secret, two.join_secret);
  EXPECT_NE(one.join_secret, one.driver_secret);
}

TEST(AKeyOfARun, IsThatOfANodeWithoutTheSecretOfTheDriver) {
  RunKey key = make_run_key().value();
  const auto secret = key.driver_secret;
  const auto cut = parse_run_key(without(text_of(key), "driver-secret"), "run.key");
  ASSERT_TRUE(cut.ok()) << cut.status().message();
  EXPECT_EQ(cut.value().driver_public, key.driver_public);
  EXPECT_EQ(cut.value().driver_secret, "");
  key.driver_secret.clear();
  EXPECT_THAT(text_of(key), Not(HasSubstr(secret)));
  EXPECT_TRUE(parse_run_key(text_of(key), "run.key").ok());
}

TEST(AKeyOfARun, IsRefusedWhenItIsNone) {
  const std::string text = text_of(make_run_key().value());
  EXPECT_THAT(refusal(""), AllOf(HasSubstr("run.key: no key of a run"), HasSubstr("stradsd --new-key")));
  EXPECT_THAT(refusal("-----BEGIN OPENSSH PRIVATE KEY-----\n"), HasSubstr("no key of a run"));
  EXPECT_THAT(refusal(text.substr(0, text.size() - 4)), HasSubstr("cut short"));
  EXPECT_THAT(refusal(without(text, "join-secret")), HasSubstr("lacks driver-public or join-secret"));
  EXPECT_THAT(refusal(without(text, "end") + "owner me\nend\n"), HasSubstr("none of its own"));
  EXPECT_THAT(refusal(without(text, "end") + "join-secret x\nend\n"), HasSubstr("one twice"));
}

TEST(AKeyOfARun, IsRefusedWhenItIsDamagedAndNothingOfItIsSaid) {
  const RunKey key = make_run_key().value();
  RunKey damaged = key;
  damaged.join_secret.pop_back();
  EXPECT_THAT(refusal(text_of(damaged)),
              AllOf(HasSubstr("join-secret of the key is damaged"), Not(HasSubstr(damaged.join_secret))));
  damaged = key;
  damaged.driver_public = make_run_key().value().driver_public;
  EXPECT_THAT(refusal(text_of(damaged)), HasSubstr("do not belong together"));
}

TEST(AKey, HasFortyCharacters) {
  const auto pair = transport::make_key_pair().value();
  EXPECT_TRUE(transport::is_key(pair.public_key));
  EXPECT_TRUE(transport::is_key(pair.secret_key));
  EXPECT_EQ(transport::pair_of(pair.secret_key).value().public_key, pair.public_key);
  EXPECT_FALSE(transport::is_key(""));
  EXPECT_FALSE(transport::is_key(std::string(39, 'a')));
  EXPECT_FALSE(transport::is_key(std::string(39, 'a') + "\""));
  EXPECT_FALSE(transport::is_key(std::string(40, '\0')));
}

}  // namespace
}  // namespace strads
