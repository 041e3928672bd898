#include "transport/sockets/sockets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "support/packed.hpp"
#include "support/waiting.hpp"
#include "transport/mesh.hpp"
#include "transport/sockets/control.hpp"

namespace strads::transport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using support::text_frames;
using support::wait_until;

TEST(SocketsAtWork, AListenerAnswersWhoeverHasWritten) {
  Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  const auto connection = sockets.connect(listener->endpoint()).value();
  ASSERT_TRUE(connection->send(text_frames("ping")));
  std::optional<Incoming> incoming;
  ASSERT_TRUE(wait_until(sockets, [&] { return (incoming = listener->receive()).has_value(); }));
  EXPECT_EQ(incoming->frames, text_frames("ping"));
  ASSERT_TRUE(listener->send(incoming->from, text_frames("pong")));
  std::optional<wire::Frames> answer;
  ASSERT_TRUE(wait_until(sockets, [&] { return (answer = connection->receive()).has_value(); }));
  EXPECT_EQ(*answer, text_frames("pong"));
}

TEST(SocketsAtWork, APortIsFoundWhereNoneIsNamed) {
  Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  EXPECT_THAT(listener->endpoint(), StartsWith("tcp://127.0.0.1:"));
  EXPECT_NE(listener->endpoint(), "tcp://127.0.0.1:0");
}

TEST(SocketsAtWork, AnEndpointThatIsTakenIsRefusedWithItsName) {
  Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  const auto second = sockets.listen(listener->endpoint());
  EXPECT_EQ(second.status().code(), StatusCode::cluster);
  EXPECT_THAT(second.status().message(), HasSubstr(listener->endpoint()));
}

TEST(SocketsAtWork, AnswersToNobodyAreRefused) {
  Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  EXPECT_FALSE(listener->send("nobody", text_frames("hello")));
}

TEST(SocketsAtWork, TheEndOfAConnectionIsNoticedByItsDescriptor) {
  Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  auto other = std::make_unique<Sockets>();
  auto connection = other->connect(listener->endpoint()).value();
  ASSERT_TRUE(connection->send(text_frames("here")));
  std::optional<Incoming> incoming;
  ASSERT_TRUE(wait_until(sockets, [&] { return (incoming = listener->receive()).has_value(); }));
  ASSERT_GE(incoming->connection, 0);
  EXPECT_TRUE(listener->ended_connections().empty());
  connection.reset();
  other.reset();
  std::vector<int> ended;
  ASSERT_TRUE(wait_until(sockets, [&] { return !(ended = listener->ended_connections()).empty(); }));
  EXPECT_EQ(ended.front(), incoming->connection);
}

TEST(SocketsAtWork, AConnectionIsShutByItsDescriptor) {
  Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  const auto connection = sockets.connect(listener->endpoint()).value();
  ASSERT_TRUE(connection->send(text_frames("here")));
  std::optional<Incoming> incoming;
  ASSERT_TRUE(wait_until(sockets, [&] { return (incoming = listener->receive()).has_value(); }));
  listener->shut(incoming->connection);
  std::vector<int> ended;
  ASSERT_TRUE(wait_until(sockets, [&] { return !(ended = listener->ended_connections()).empty(); }));
  EXPECT_EQ(ended.front(), incoming->connection);
}

TEST(SocketsAtWork, AConnectionKnowsWhetherAnybodyListens) {
  Sockets sockets;
  auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  const auto connection = sockets.connect(listener->endpoint()).value();
  ASSERT_TRUE(wait_until(sockets, [&] {
    connection->look();
    return connection->connected();
  }));
  listener.reset();
  EXPECT_TRUE(wait_until(sockets, [&] {
    connection->look();
    return !connection->connected();
  }));
}

TEST(SocketsAtWork, AWakeEndsAWait) {
  Sockets sockets;
  Wake wake;
  wake.wake();
  const auto begin = std::chrono::steady_clock::now();
  sockets.wait(wake, std::chrono::seconds(30));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

// --- what is received and not delivered ---

TEST(SocketsAtWork, EveryByteOfATakenMessageCountsAsDelivered) {
  Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  const auto connection = sockets.connect(listener->endpoint()).value();
  constexpr std::size_t kMessages = 600;  // lengths of one byte on the wire, and of eight
  std::size_t sent = 0;
  std::size_t taken = 0;
  ASSERT_TRUE(wait_until(sockets, [&] {
    while (sent < kMessages && connection->send({wire::Frame(sent), wire::Frame(3)})) ++sent;
    while (listener->receive()) ++taken;
    return taken == kMessages;
  }));
  EXPECT_LT(listener->undelivered_bytes(), 200U) << "the greeting, however long the connection lives";
}

// --- the mesh ---

class TwoOfAMesh : public testing::Test {
 protected:
  void SetUp() override {
    for (std::uint32_t rank = 0; rank < 2; ++rank) meshes_.push_back(Mesh::open(sockets_, "tcp://127.0.0.1:0").value());
    for (std::uint32_t rank = 0; rank < 2; ++rank) introduce(rank, own(rank));
  }
  static wire::HeaderInfo own(std::uint32_t rank) { return {99, 0, rank, 100 + rank}; }
  void introduce(std::uint32_t rank, const wire::HeaderInfo& header) {
    const std::map<std::uint32_t, MeshPeer> peers = {{0, {meshes_[0]->endpoint(), 100, {}}},
                                                     {1, {meshes_[1]->endpoint(), 101, {}}}};
    ASSERT_TRUE(meshes_[rank]->introduce(header, peers).ok());
  }
  /// The next message that rank 1 takes.
  std::optional<wire::Message> next() {
    wait_until(sockets_, [&] {
      meshes_[0]->flush();
      (void)meshes_[1]->receive(
          1, [&](const wire::HeaderInfo&, wire::Message message) { taken_.push_back(std::move(message)); },
          [](auto, auto) {});
      return !taken_.empty();
    });
    if (taken_.empty()) return std::nullopt;
    wire::Message message = std::move(taken_.front());
    taken_.pop_front();
    return message;
  }
  Sockets sockets_;
  std::vector<std::unique_ptr<Mesh>> meshes_;
  std::deque<wire::Message> taken_;  ///< by rank 1, and not looked at yet
};

wire::Message commit(std::size_t changes) {
  wire::Commit commit;
  commit.version = 4;
  commit.changes.ids.assign(changes, 3);
  commit.changes.values.assign(changes, 0.25);
  return commit;
}

TEST_F(TwoOfAMesh, CarriesAMessageFromOneToTheOther) {
  meshes_[0]->send(1, commit(2), 0);
  EXPECT_EQ(next(), commit(2));
}

TEST_F(TwoOfAMesh, CarriesAMessageThatIsLargerThanAFrame) {
  meshes_[0]->send(1, commit(500'000), 0);
  EXPECT_EQ(next(), commit(500'000));
}

TEST_F(TwoOfAMesh, SaysOfEachMessageWhichRunItBelongsTo) {
  std::vector<std::uint32_t> runs;
  for (const std::uint32_t run : {0U, 7U, 7U, 0U}) meshes_[0]->send(1, commit(2), run);  // the same words
  EXPECT_TRUE(wait_until(sockets_, [&] {
    meshes_[0]->flush();
    (void)meshes_[1]->receive(
        4, [&](const wire::HeaderInfo& from, const wire::Message&) { runs.push_back(from.run); }, [](auto, auto) {});
    return runs.size() == 4;
  }));
  EXPECT_EQ(runs, (std::vector<std::uint32_t>{0, 7, 7, 0}));
}

TEST_F(TwoOfAMesh, KeepsTheOrderOfOneSender) {
  for (std::uint32_t s = 0; s < 300; ++s) meshes_[0]->send(1, wire::Finish{s, 0}, 0);
  for (std::uint32_t s = 0; s < 300; ++s) EXPECT_EQ(next(), wire::Message(wire::Finish{s, 0}));
}

TEST_F(TwoOfAMesh, CountsMessagesBatchesAndBytes) {
  meshes_[0]->send(1, commit(2), 0);
  meshes_[0]->flush();
  EXPECT_EQ(meshes_[0]->counters().messages, 1U);
  EXPECT_EQ(meshes_[0]->counters().batches, 1U);
  EXPECT_GT(meshes_[0]->counters().bytes, 2 * 12U + 32U);
}

TEST_F(TwoOfAMesh, BytesAreNotAFixedBuffer) {
  meshes_[0]->send(1, commit(1), 0);
  meshes_[0]->flush();
  const auto small = meshes_[0]->counters().bytes;
  meshes_[0]->send(1, commit(101), 0);
  meshes_[0]->flush();
  EXPECT_EQ(meshes_[0]->counters().bytes - 2 * small, 100 * 12U);
}

TEST_F(TwoOfAMesh, WhatIsSaidBetweenTwoFlushesTravelsTogether) {
  for (std::uint32_t s = 0; s < 8; ++s) meshes_[0]->send(1, wire::Finish{s, 0}, 0);
  EXPECT_EQ(meshes_[0]->counters().batches, 0U) << "nothing goes before the flush";
  EXPECT_TRUE(meshes_[0]->flush());
  EXPECT_TRUE(meshes_[0]->flush());
  EXPECT_EQ(meshes_[0]->counters().batches, 1U);
  for (std::uint32_t s = 0; s < 8; ++s) EXPECT_EQ(next(), wire::Message(wire::Finish{s, 0}));
}

TEST_F(TwoOfAMesh, AFullBatchDoesNotWaitForTheFlush) {
  for (std::uint32_t s = 0; s <= wire::kBatchChunksMax; ++s) meshes_[0]->send(1, wire::Finish{s, 0}, 0);
  EXPECT_EQ(meshes_[0]->counters().batches, 1U);
  for (std::uint32_t s = 0; s <= wire::kBatchChunksMax; ++s) EXPECT_EQ(next(), wire::Message(wire::Finish{s, 0}));
  EXPECT_EQ(meshes_[0]->counters().batches, 2U);
}

TEST_F(TwoOfAMesh, WhatIsSaidWithPatienceGoesBesideTheNextOne) {
  meshes_[0]->send(1, wire::Finish{0, 0}, 0, Haste::patience);
  meshes_[0]->flush_hasty();
  EXPECT_TRUE(meshes_[0]->is_patient());
  EXPECT_EQ(meshes_[0]->counters().batches, 0U);
  meshes_[0]->send(1, wire::Finish{1, 0}, 0);
  meshes_[0]->flush_hasty();
  EXPECT_FALSE(meshes_[0]->is_patient());
  EXPECT_EQ(meshes_[0]->counters().batches, 1U);
  for (std::uint32_t s = 0; s < 2; ++s) EXPECT_EQ(next(), wire::Message(wire::Finish{s, 0}));
  meshes_[0]->send(1, wire::Finish{2, 0}, 0, Haste::patience);
  EXPECT_EQ(next(), wire::Message(wire::Finish{2, 0})) << "flush() sends it alone";
}

TEST_F(TwoOfAMesh, ABatchIsTakenOrRefusedAsAWhole) {
  const wire::Frames good = wire::encode(wire::Finish{1, 0}, own(0)).front();
  wire::Frames damaged = wire::encode(wire::Finish{2, 0}, own(0)).front();
  damaged.back().back() ^= std::byte{1};
  wire::Frames batch = wire::packed({good, damaged, damaged, good});
  const auto member = sockets_.connect(meshes_[1]->endpoint()).value();
  ASSERT_TRUE(member->send(batch));
  ASSERT_TRUE(member->send(wire::packed({wire::encode(wire::Finish{3, 0}, own(0)).front()})));
  std::vector<Refusal> refused;
  ASSERT_TRUE(wait_until(sockets_, [&] {
    (void)meshes_[1]->receive(
        9, [&](const wire::HeaderInfo&, wire::Message message) { taken_.push_back(std::move(message)); },
        [&](Refusal kind, auto) { refused.push_back(kind); });
    return !taken_.empty();
  }));
  EXPECT_THAT(taken_, testing::ElementsAre(wire::Message(wire::Finish{3, 0})));
  EXPECT_THAT(refused, testing::ElementsAre(Refusal::damaged)) << "once, however much of it is damaged";
}

class StrangersOfAMesh : public TwoOfAMesh {
 protected:
  /// Sends frames to rank 1 and waits until they are counted as refused.
  void refuses(const wire::Frames& frames, Refusal expected = Refusal::damaged) {
    const auto stranger = sockets_.connect(meshes_[1]->endpoint()).value();
    ASSERT_TRUE(stranger->send(frames));
    std::size_t taken = 0, refused = 0;
    EXPECT_TRUE(wait_until(sockets_, [&] {
      (void)meshes_[1]->receive(
          1, [&](const wire::HeaderInfo&, const wire::Message&) { ++taken; },
          [&](Refusal kind, auto) {
            EXPECT_EQ(kind, expected);
            ++refused;
          });
      return refused > 0;
    }));
    EXPECT_EQ(taken, 0U);
  }
  /// A message that is right but for its sender.
  void refuses_foreign(const wire::HeaderInfo& from) {
    refuses(wire::packed({wire::encode(commit(1), from).front()}), Refusal::foreign);
  }
};

TEST_F(StrangersOfAMesh, BytesThatAreNoMessageAreRefused) {
  refuses(text_frames("GET / HTTP/1.1"));
}

TEST_F(StrangersOfAMesh, AnEmptyMessageIsRefused) {
  refuses({wire::Frame{}});
}

TEST_F(StrangersOfAMesh, MessagesOfAnotherRunAreRefused) {
  refuses_foreign({98, 0, 0, 100});
}

TEST_F(StrangersOfAMesh, MessagesOfAFormerIncarnationAreRefused) {
  refuses_foreign({99, 0, 0, 77});
}

TEST_F(StrangersOfAMesh, MessagesOfARankThatIsNoneAreRefused) {
  refuses_foreign({99, 0, 2, 100});
}

TEST_F(StrangersOfAMesh, AWrongProtocolVersionIsRefused) {
  auto frames = wire::encode(commit(1), own(0)).front();
  frames[0][4] = std::byte{77};
  refuses(wire::packed({frames}));
}

TEST_F(StrangersOfAMesh, AChunkThatIsNotPackedIsRefused) {
  refuses(wire::encode(commit(1), own(0)).front());
}

TEST_F(StrangersOfAMesh, ABatchOfTwoSendersIsRefused) {
  refuses(wire::packed({wire::encode(commit(1), own(0)).front(), wire::encode(commit(1), own(1)).front()}));
}

TEST_F(StrangersOfAMesh, TheRunGoesOnAfterwards) {
  refuses(text_frames("noise"));
  meshes_[0]->send(1, commit(3), 0);
  EXPECT_EQ(next(), commit(3));
}

TEST(MeshBeforeItsRun, RefusesEverything) {
  Sockets sockets;
  const auto mesh = Mesh::open(sockets, "tcp://127.0.0.1:0").value();
  const auto early = sockets.connect(mesh->endpoint()).value();
  ASSERT_TRUE(early->send(wire::packed({wire::encode(commit(1), {99, 0, 0, 100}).front()})));
  std::size_t refused = 0;
  EXPECT_TRUE(wait_until(sockets, [&] {
    (void)mesh->receive(
        1, [](const wire::HeaderInfo&, const wire::Message&) { FAIL() << "nobody was introduced"; },
        [&](auto, auto) { ++refused; });
    return refused == 1;
  }));
}

TEST(MeshToAPeerThatIsGone, HoldsABoundedAmountAndWithholdsTheRest) {
  Sockets sockets;
  const auto mesh = Mesh::open(sockets, "tcp://127.0.0.1:0").value();
  std::string gone;
  {
    Sockets others;
    gone = Mesh::open(others, "tcp://127.0.0.1:0").value()->endpoint();
  }
  ASSERT_TRUE(mesh->introduce({99, 0, 0, 1}, {{0, {mesh->endpoint(), 1, {}}}, {1, {gone, 2, {}}}}).ok());
  const auto message = commit(80'000);  // about a megabyte
  for (int i = 0; i < 400; ++i) mesh->send(1, message, 0);
  EXPECT_GT(mesh->counters().withheld, 0U);
  EXPECT_LE(mesh->counters().withheld, 400U - 64U);
}

TEST(MeshToAPeerThatIsGone, KeepsNothingOnceItIsKnownToBeLost) {
  Sockets sockets;
  const auto mesh = Mesh::open(sockets, "tcp://127.0.0.1:0").value();
  ASSERT_TRUE(mesh->introduce({99, 0, 0, 1}, {{0, {mesh->endpoint(), 1, {}}}, {1, {"tcp://127.0.0.1:9", 2, {}}}}).ok());
  for (int i = 0; i < 1000; ++i) {
    mesh->send(1, commit(1), 0);
    mesh->flush();
  }
  EXPECT_FALSE(mesh->flush());
  mesh->drop(1);
  EXPECT_TRUE(mesh->flush());
  const auto sent = mesh->counters().messages;
  mesh->send(1, commit(1), 0);
  EXPECT_EQ(mesh->counters().messages, sent);
}

// --- the control channel ---

TEST(ControlMessages, ComeBackAsTheyWereSent) {
  const wire::HeaderInfo from{5, 0, 2, 9, wire::kNoRun};
  const wire::Message hello = wire::Hello{"build", "node1", 12, "tcp://1.2.3.4:5", 3, "avx2", 4, 1000, "key"};
  const auto control = decode_control(encode_control(hello, from)).value();
  EXPECT_EQ(control.message, hello);
  EXPECT_EQ(control.from, from);
}

TEST(ControlMessages, AreRefusedWhenTheyAreNone) {
  EXPECT_FALSE(decode_control({}).ok());
  EXPECT_FALSE(decode_control(text_frames("hello")).ok());
}

TEST(ControlMessages, AreRefusedInSeveralChunks) {
  const auto chunks = wire::encode(commit(500'000), {1, 0, 0, 0});
  ASSERT_GT(chunks.size(), 1U);
  EXPECT_THAT(decode_control(chunks.front()).status().message(), HasSubstr("several chunks"));
}

}  // namespace
}  // namespace strads::transport
