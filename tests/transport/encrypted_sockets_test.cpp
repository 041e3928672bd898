// Who comes in at an encrypted listener, and for whom a message speaks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "support/packed.hpp"
#include "support/waiting.hpp"
#include "transport/mesh.hpp"
#include "transport/sockets/sockets.hpp"

namespace strads::transport {
namespace {

using support::text_frames;
using support::wait_until;
using testing::ElementsAre;
using testing::Eq;
using testing::Optional;
using testing::Pair;

class AnEncryptedListener : public testing::Test {
 protected:
  static constexpr const char* kDoor = "test";
  void SetUp() override {
    own_ = make_key_pair().value();
    member_ = make_key_pair().value();
    listener_ = sockets_.listen("tcp://127.0.0.1:0", Door{kDoor, own_.secret_key}).value();
  }
  std::shared_ptr<Sockets::Connection> come(const KeyPair& as) {
    return sockets_.connect(listener_->endpoint(), Credentials{as, own_.public_key}).value();
  }
  std::optional<Incoming> next() {
    std::optional<Incoming> incoming;
    wait_until(sockets_, [&] { return (incoming = listener_->receive()).has_value(); });
    return incoming;
  }
  /// The connection is noticed to be unwanted, is counted, and nothing that it sends arrives.
  void turns_away(Sockets::Connection& connection) {
    connection.drop_unsent_at_the_end();
    (void)connection.send(text_frames("let me in"));
    EXPECT_TRUE(wait_until(sockets_, [&] {
      connection.look();
      (void)listener_->ended_connections();
      return connection.turned_away() && listener_->strangers() > 0;
    }));
    EXPECT_FALSE(connection.connected());
    EXPECT_FALSE(listener_->receive().has_value());
  }

  Sockets sockets_;
  KeyPair own_;
  KeyPair member_;
  std::shared_ptr<Sockets::Listener> listener_;
};

TEST_F(AnEncryptedListener, KnowsWhoIsOnAConnectionByItsKey) {
  const KeyPair other = make_key_pair().value();
  sockets_.admit(kDoor, {member_.public_key, other.public_key});
  const auto connection = come(member_);
  ASSERT_TRUE(connection->send(text_frames("ping")));
  const auto incoming = next();
  ASSERT_TRUE(incoming.has_value());
  EXPECT_EQ(incoming->key, member_.public_key);
  EXPECT_EQ(incoming->frames, text_frames("ping"));
  ASSERT_TRUE(listener_->send(incoming->from, text_frames("pong")));
  std::optional<wire::Frames> answer;
  ASSERT_TRUE(wait_until(sockets_, [&] { return (answer = connection->receive()).has_value(); }));
  EXPECT_EQ(*answer, text_frames("pong"));
  EXPECT_FALSE(connection->turned_away());
  EXPECT_EQ(listener_->strangers(), 0U);
}

TEST_F(AnEncryptedListener, TurnsAwayAKeyThatIsNotAdmitted) {
  sockets_.admit(kDoor, {member_.public_key});
  turns_away(*come(make_key_pair().value()));
}

TEST_F(AnEncryptedListener, TurnsAwayWhoTakesItForAnother) {
  sockets_.admit(kDoor, {member_.public_key});
  const auto wrong = Credentials{member_, make_key_pair().value().public_key};
  turns_away(*sockets_.connect(listener_->endpoint(), wrong).value());
}

TEST_F(AnEncryptedListener, TurnsAwayWhoDoesNotEncrypt) {
  sockets_.admit(kDoor, {member_.public_key});
  turns_away(*sockets_.connect(listener_->endpoint()).value());
}

TEST_F(AnEncryptedListener, LetsWhoComesTooEarlyWaitForTheDoorToOpen) {
  const auto connection = come(member_);
  ASSERT_TRUE(connection->send(text_frames("early")));
  EXPECT_FALSE(listener_->receive().has_value());
  sockets_.admit(kDoor, {member_.public_key});
  const auto incoming = next();
  ASSERT_TRUE(incoming.has_value());
  EXPECT_EQ(incoming->frames, text_frames("early"));
  EXPECT_EQ(listener_->strangers(), 0U) << "nobody had to come twice";
}

TEST_F(AnEncryptedListener, AdmitsAtItsOwnDoorAlone) {
  const KeyPair another_own = make_key_pair().value();
  const auto another = sockets_.listen("tcp://127.0.0.1:0", Door{"another", another_own.secret_key}).value();
  sockets_.admit("another", {member_.public_key});
  sockets_.admit(kDoor, {});
  turns_away(*come(member_));
}

TEST(AConnectionThatEncrypts, DoesNotTalkToAListenerThatDoesNot) {
  Sockets sockets;
  const auto listener = sockets.listen("tcp://127.0.0.1:0").value();
  const Credentials credentials{make_key_pair().value(), make_key_pair().value().public_key};
  const auto connection = sockets.connect(listener->endpoint(), credentials).value();
  (void)connection->send(text_frames("secret"));
  EXPECT_TRUE(wait_until(sockets, [&] {
    connection->look();
    return connection->turned_away();
  }));
  EXPECT_FALSE(listener->receive().has_value());
}

TEST_F(AnEncryptedListener, CountsEveryByteOfATakenMessageAsDelivered) {
  sockets_.admit(kDoor, {member_.public_key});
  const auto connection = come(member_);
  constexpr std::size_t kMessages = 600;  // lengths of one byte on the wire, and of eight
  std::size_t sent = 0;
  std::size_t taken = 0;
  ASSERT_TRUE(wait_until(sockets_, [&] {
    while (sent < kMessages && connection->send({wire::Frame(sent), wire::Frame(3)})) ++sent;
    while (listener_->receive()) ++taken;
    return taken == kMessages;
  }));
  EXPECT_LT(listener_->undelivered_bytes(), 1000U) << "the handshake, however long the connection lives";
}

// --- the mesh ---

class AnEncryptedMesh : public testing::Test {
 protected:
  void SetUp() override {
    std::map<std::uint32_t, MeshPeer> peers;
    for (std::uint32_t rank = 0; rank < 3; ++rank) {
      keys_[rank] = make_key_pair().value();
      meshes_.push_back(Mesh::open(sockets_[rank], "tcp://127.0.0.1:0", keys_[rank]).value());
      peers[rank] = {meshes_[rank]->endpoint(), 100 + rank, keys_[rank].public_key};
    }
    for (std::uint32_t rank = 0; rank < 3; ++rank) ASSERT_TRUE(meshes_[rank]->introduce(own(rank), peers).ok());
  }
  static wire::HeaderInfo own(std::uint32_t rank) { return {99, 0, rank, 100 + rank}; }
  /// A connection to rank 1 with the key of this rank, beside that of its mesh.
  std::shared_ptr<Sockets::Connection> connection_of(std::uint32_t rank) {
    return sockets_[rank].connect(meshes_[1]->endpoint(), Credentials{keys_[rank], keys_[1].public_key}).value();
  }
  /// Who sends the next message that rank 1 takes.
  std::optional<std::uint32_t> next_sender() {
    std::optional<std::uint32_t> sender;
    wait_until(sockets_[1], [&] {
      (void)meshes_[1]->receive(
          1, [&](const wire::HeaderInfo& from, const wire::Message&) { sender = from.sender; },
          [&](Refusal kind, std::optional<std::uint32_t> from) { refused_.emplace_back(kind, from); });
      return sender.has_value();
    });
    return sender;
  }
  const wire::Message word_ = wire::Finish{0, 0};
  std::vector<std::pair<Refusal, std::optional<std::uint32_t>>> refused_;  ///< by rank 1
  std::array<Sockets, 3> sockets_;                                         // of three processes
  std::array<KeyPair, 3> keys_;
  std::vector<std::unique_ptr<Mesh>> meshes_;
};

TEST_F(AnEncryptedMesh, CarriesMessagesFromEachToEach) {
  meshes_[0]->send(1, word_, 0);
  meshes_[0]->flush();
  EXPECT_EQ(next_sender(), 0U);
  meshes_[2]->send(1, word_, 0);
  meshes_[2]->flush();
  EXPECT_EQ(next_sender(), 2U);
}

TEST_F(AnEncryptedMesh, BelievesNoMemberThatSpeaksForAnother) {
  const auto member = connection_of(2);
  ASSERT_TRUE(
      member->send(wire::packed({wire::encode(word_, own(0)).front()})));  // all of it is right, but for who says it
  ASSERT_TRUE(member->send(wire::packed({wire::encode(word_, own(1)).front()})));
  ASSERT_TRUE(member->send(wire::packed({wire::encode(word_, own(2)).front()})));
  EXPECT_EQ(next_sender(), 2U) << "the first that speaks for itself";
  EXPECT_THAT(refused_, ElementsAre(Pair(Refusal::foreign, Optional(2U)), Pair(Refusal::foreign, Optional(2U))));
}

TEST_F(AnEncryptedMesh, RefusesWhatWasSentInAnEarlierRun) {
  const auto member = connection_of(0);
  auto earlier = own(0);
  --earlier.cluster;
  ASSERT_TRUE(member->send(wire::packed({wire::encode(word_, earlier).front()})));
  ASSERT_TRUE(member->send(wire::packed({wire::encode(word_, own(0)).front()})));
  EXPECT_EQ(next_sender(), 0U);
  EXPECT_THAT(refused_, ElementsAre(Pair(Refusal::foreign, Optional(0U))));
}

TEST_F(AnEncryptedMesh, KnowsWhoSentWhatIsNoMessage) {
  const auto member = connection_of(2);
  ASSERT_TRUE(member->send({wire::Frame(40)}));
  auto damaged = wire::encode(word_, own(2)).front();
  damaged.back().back() ^= std::byte{1};
  ASSERT_TRUE(member->send(wire::packed({damaged})));
  ASSERT_TRUE(member->send(wire::packed({wire::encode(word_, own(2)).front()})));
  EXPECT_EQ(next_sender(), 2U);
  EXPECT_THAT(refused_, ElementsAre(Pair(Refusal::damaged, Optional(2U)), Pair(Refusal::damaged, Optional(2U))));
}

TEST_F(AnEncryptedMesh, HearsNothingOfAPeerThatWasDroppedAndDoesNotLetItInAgain) {
  const auto member = connection_of(2);
  ASSERT_TRUE(member->send(wire::packed({wire::encode(word_, own(2)).front()})));
  EXPECT_EQ(next_sender(), 2U);
  meshes_[1]->drop(2);
  ASSERT_TRUE(member->send(wire::packed({wire::encode(word_, own(2)).front()})));
  meshes_[0]->send(1, word_, 0);
  meshes_[0]->flush();
  EXPECT_EQ(next_sender(), 0U);
  EXPECT_TRUE(wait_until(sockets_[1], [&] {
    (void)meshes_[1]->receive(
        1, [](const wire::HeaderInfo&, const wire::Message&) { FAIL() << "it was dropped"; },
        [&](Refusal kind, std::optional<std::uint32_t> from) { refused_.emplace_back(kind, from); });
    return !refused_.empty();
  }));
  EXPECT_THAT(refused_, ElementsAre(Pair(Refusal::foreign, Eq(std::nullopt)))) << "it is nobody's any more";
  EXPECT_TRUE(wait_until(sockets_[2], [&] {
    (void)meshes_[1]->receive(
        1, [](const wire::HeaderInfo&, const wire::Message&) {}, [](auto, auto) {});
    member->look();
    return member->turned_away();
  })) << "its connection was ended, and its key opens no other";
}

TEST_F(AnEncryptedMesh, WantsAKeyOfEachPeerAndAnotherOneOfEach) {
  const auto mesh = Mesh::open(sockets_[0], "tcp://127.0.0.1:0", make_key_pair().value()).value();
  const MeshPeer self{mesh->endpoint(), 1, "own"};
  const std::string key = keys_[0].public_key;
  const std::string place = meshes_[0]->endpoint();
  EXPECT_EQ(mesh->introduce(own(0), {{0, self}, {1, {place, 2, ""}}}).code(), StatusCode::cluster);
  EXPECT_EQ(mesh->introduce(own(0), {{0, self}, {1, {place, 2, key}}, {2, {place, 3, key}}}).code(),
            StatusCode::cluster);
}

}  // namespace
}  // namespace strads::transport
