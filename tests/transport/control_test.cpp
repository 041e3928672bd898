#include "transport/sockets/control.hpp"

#include <gtest/gtest.h>

namespace strads::transport {
namespace {

template <class Message>
Message through_the_wire(const Message& message) {
  const auto control = decode_control(encode_control(message, {1, 0, 2, 3}));
  EXPECT_TRUE(control.ok()) << control.status().message();
  return std::get<Message>(control.value().message);
}

TEST(AControlMessage, ShowsPeopleOnlyWhatCanBePrinted) {
  wire::Hello hello;
  hello.build = "\x1b[31m";
  hello.name = "node\x1b[2J1";
  hello.endpoint = "tcp://h\n:1";
  const auto heard = through_the_wire(hello);
  EXPECT_EQ(heard.build, "?[31m");
  EXPECT_EQ(heard.name, "node?[2J1");
  EXPECT_EQ(heard.endpoint, "tcp://h?:1");
  EXPECT_EQ(through_the_wire(wire::Leave{5, "no\x07"}).reason, "no?");
  EXPECT_EQ(through_the_wire(wire::Loaded{0, 0, 4, "no\x07"}).error, "no?");
  EXPECT_EQ(through_the_wire(wire::Reject{"no\x07"}).reason, "no?");
}

TEST(AControlMessage, IsAboutTheClusterAndNoneOfItsRuns) {
  const wire::Message beat = wire::Beat{};
  wire::HeaderInfo from{.cluster = 5, .epoch = 0, .sender = 1, .incarnation = 9, .run = 3};
  EXPECT_FALSE(decode_control(wire::encode(beat, from).front()).ok());
  const auto control = decode_control(encode_control(beat, from));
  ASSERT_TRUE(control.ok());
  EXPECT_EQ(control.value().from.run, wire::kNoRun);
}

TEST(AControlMessage, BoundsNamesAndReasons) {
  wire::Hello hello;
  hello.name.assign(100'000, 'x');
  EXPECT_LT(through_the_wire(hello).name.size(), 400U);
  EXPECT_LT(through_the_wire(wire::Leave{5, std::string(100'000, 'x')}).reason.size(), 2100U);
}

TEST(AControlMessage, LeavesTheOptionsOfARunAsTheyAre) {
  wire::Welcome welcome;
  welcome.config = "[input]\nx = \ta\n" + std::string(10'000, ' ');
  welcome.endpoints = "tcp://a:1\ntcp://b:2\n";
  EXPECT_EQ(through_the_wire(welcome), welcome);
}

}  // namespace
}  // namespace strads::transport
