// Objects as archives: any bytes end as an object or an error, and later releases read what earlier ones wrote.
#include "program/output/archive_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "strads/program/program.hpp"

namespace strads {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// How many of them there are, and have been at most.
struct Counted {
  static inline int alive = 0, most = 0;
  Counted() { most = std::max(most, ++alive); }
  Counted(const Counted& other) : text(other.text) { most = std::max(most, ++alive); }
  Counted(Counted&& other) noexcept : text(std::move(other.text)) { most = std::max(most, ++alive); }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) noexcept = default;
  ~Counted() { --alive; }
  std::string text;
};

struct Everything {
  std::string text;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::vector<Counted> counted;
  bool yes = false;
  std::uint32_t id = 0;
};

/// What one release writes, and what the next one makes of it.
struct Earlier {
  double length = 0;
};
struct Later {
  double length = 0, width = 1;
};

template <class Archive>
void serialize(Archive& archive, Counted& counted, unsigned version) {
  expect_class_version<Counted>("Counted", version);
  archive& counted.text;
}

template <class Archive>
void serialize(Archive& archive, Everything& every, unsigned version) {
  expect_class_version<Everything>("Everything", version);
  auto& [text, numbers, texts, counted, yes, id] = every;
  archive& text& numbers& texts& counted& yes& id;
}

template <class Archive>
void serialize(Archive& archive, Earlier& earlier, unsigned version) {
  expect_class_version<Earlier>("Size", version);
  archive& earlier.length;
}

template <class Archive>
void serialize(Archive& archive, Later& later, unsigned version) {
  expect_class_version<Later>("Size", version);
  archive& later.length;
  if (version >= 2) archive& later.width;
}

}  // namespace
}  // namespace strads

BOOST_CLASS_VERSION(strads::Counted, 1)
BOOST_CLASS_VERSION(strads::Everything, 1)
BOOST_CLASS_VERSION(strads::Earlier, 1)
BOOST_CLASS_VERSION(strads::Later, 2)

namespace strads {
namespace {

Everything everything() {
  Everything every{"text", {0.5, -0.0}, {"", "second"}, {}, true, 0x01020304};
  every.counted.resize(3);
  for (auto& counted : every.counted) counted.text = "x";
  return every;
}

template <class T>
std::string refusal(std::string_view archive) {
  const auto read = from_archive<T>(archive);
  EXPECT_EQ(read.status().code(), StatusCode::input);
  return read.status().message();
}

/// Bytes of `number` as an archive has them.
template <class T>
std::string bytes_of(T number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Puts one number in the place of another, which must be there once.
template <class T>
std::string with(std::string archive, T number, T in_the_place_of) {
  const std::string before = bytes_of(in_the_place_of);
  const std::size_t at = archive.find(before);
  EXPECT_NE(at, std::string::npos);
  EXPECT_EQ(archive.find(before, at + 1), std::string::npos);
  return archive.replace(at, sizeof number, bytes_of(number));
}

TEST(AnArchive, ComesBackAsItWas) {
  const auto archive = to_archive("", everything());
  ASSERT_TRUE(archive.ok());
  const auto read = from_archive<Everything>(archive.value());
  ASSERT_TRUE(read.ok()) << read.status().message();
  const Everything& every = read.value();
  EXPECT_EQ(every.text, "text");
  EXPECT_THAT(every.numbers, ElementsAre(0.5, -0.0));
  EXPECT_THAT(every.texts, ElementsAre("", "second"));
  ASSERT_EQ(every.counted.size(), 3U);
  EXPECT_EQ(every.counted[2].text, "x");
  EXPECT_TRUE(every.yes);
  EXPECT_EQ(every.id, 0x01020304U);
}

TEST(AnArchive, IsReadByBoostsOwnReader) {
  std::istringstream stream(to_archive("", everything()).value(), std::ios::binary);
  Everything every;
  boost::archive::binary_iarchive(stream) >> every;
  EXPECT_THAT(every.texts, ElementsAre("", "second"));
  EXPECT_EQ(every.id, 0x01020304U);
}

TEST(AnArchive, FollowsWhatStandsBeforeIt) {
  const auto archive = to_archive("before", everything());
  ASSERT_THAT(archive.value(), StartsWith("before"));
  EXPECT_TRUE(from_archive<Everything>(std::string_view(archive.value()).substr(6)).ok());
  EXPECT_FALSE(from_archive<Everything>(archive.value()).ok());
}

TEST(AnArchive, IsRefusedWhereverItIsCutOrGoesOn) {
  const std::string archive = to_archive("", everything()).value();
  for (std::size_t size = 0; size < archive.size(); ++size) {
    EXPECT_THAT(refusal<Everything>(std::string_view(archive).substr(0, size)), StartsWith("archive: ")) << size;
  }
  EXPECT_THAT(refusal<Everything>(archive + '\0'), HasSubstr("something follows"));
}

TEST(AnArchive, EndsAsAnObjectOrAnErrorWhicheverByteIsWrong) {
  const std::string archive = to_archive("", everything()).value();
  for (std::size_t at = 0; at < archive.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = archive;
      damaged[at] = static_cast<char>(value);
      const auto read = from_archive<Everything>(damaged);
      if (read.ok()) continue;
      ASSERT_THAT(read.status().message(), StartsWith("archive: ")) << at << " " << value;
    }
  }
}

TEST(AnArchive, WithALengthThatCannotBeTrueTakesNoMemoryForIt) {
  Everything every;
  const std::string text = with<std::uint64_t>(to_archive("", Everything{std::string(77, 'x'), {}, {}, {}}).value(),
                                               std::uint64_t{1} << 46, 77);
  EXPECT_THAT(refusal<Everything>(text), AllOf(HasSubstr("a length of 70368744177664"), HasSubstr("bytes are left")));
  every.numbers.assign(77, 1.0);
  const std::string numbers = with<std::uint64_t>(to_archive("", every).value(), std::uint64_t{1} << 46, 77);
  EXPECT_THAT(refusal<Everything>(numbers), HasSubstr("a length of 70368744177664"));
  every = {};
  every.texts.assign(77, "x");
  const std::string texts = with<std::uint64_t>(to_archive("", every).value(), std::uint64_t{1} << 46, 77);
  EXPECT_THAT(refusal<Everything>(texts), HasSubstr("a length of 70368744177664"));
}

TEST(AnArchive, MakesNoMoreObjectsThanItsBytesHold) {
  Everything every;
  every.counted.resize(200);
  const std::string archive = to_archive("", every).value();
  // As many as there are bytes: no length gives that away.
  const std::string damaged = with<std::uint64_t>(archive, 200 * sizeof(std::uint64_t), 200);
  every.counted.clear();
  Counted::most = 0;
  EXPECT_FALSE(from_archive<Everything>(damaged).ok());
  EXPECT_GE(Counted::most, 200);
  EXPECT_LT(Counted::most, 2 * 256 + 1);
}

TEST(AnArchive, HoldsYesOrNoAndNothingElse) {
  Everything every;
  every.yes = true;
  every.id = 0xabcdef01U;
  std::string archive = to_archive("", every).value();
  archive[archive.size() - sizeof every.id - 1] = 7;
  EXPECT_THAT(refusal<Everything>(archive), HasSubstr("neither yes nor no: 7"));
}

TEST(AClassOfALaterVersion, ReadsWhatTheEarlierOneWrote) {
  const auto later = from_archive<Later>(to_archive("", Earlier{2.5}).value());
  ASSERT_TRUE(later.ok()) << later.status().message();
  EXPECT_EQ(later.value().length, 2.5);
  EXPECT_EQ(later.value().width, 1);
}

TEST(AClassOfALaterVersion, IsRefusedByTheEarlierOne) {
  EXPECT_EQ(refusal<Earlier>(to_archive("", Later{2.5, 3.5}).value()),
            "archive: version 2 of Size, expected at most 1");
}

TEST(AFileOfAnotherRelease, IsReadWhereItsClassesAreKnown) {
  std::string content = to_archive_content(Earlier{2.5}).value();
  EXPECT_EQ(content.substr(0, 8), bytes_of(archive_version()) + bytes_of(static_cast<std::uint32_t>(version().size())));
  EXPECT_EQ(content.substr(8, version().size()), version());
  const auto read = from_archive_content<Later>("m.bin", content, "fit again");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read.value().length, 2.5);
}

/// A content that release "9.8.7" might have written.
template <class T>
std::string content_of_later_release(std::uint32_t boost, const T& object) {
  return to_archive(bytes_of(boost) + bytes_of(std::uint32_t{5}) + "9.8.7", object).value();
}

TEST(AFileOfAnotherRelease, IsRefusedWithThatReleaseWhereAClassIsNotKnown) {
  const auto read =
      from_archive_content<Earlier>("m.bin", content_of_later_release(archive_version(), Later{1, 2}), "fit again");
  EXPECT_EQ(read.status().code(), StatusCode::input);
  EXPECT_EQ(read.status().message(),
            "m.bin: archive: version 2 of Size, expected at most 1; written by release 9.8.7, "
            "this is release " +
                std::string(version()) + "; use release 9.8.7 or a later one, or fit again");
}

TEST(AFileOfAnotherRelease, IsRefusedWithBothVersionsWhereItsBoostIsLater) {
  const auto read =
      from_archive_content<Later>("m.bin", content_of_later_release(archive_version() + 1, Later{1, 2}), "fit again");
  EXPECT_EQ(read.status().code(), StatusCode::input);
  EXPECT_THAT(read.status().message(),
              AllOf(StartsWith("m.bin: version " + std::to_string(archive_version() + 1) + " of Boost's archives"),
                    HasSubstr("reads up to " + std::to_string(archive_version())), HasSubstr("release 9.8.7"),
                    HasSubstr("fit again")));
  const auto earlier =
      from_archive_content<Later>("m.bin", content_of_later_release(archive_version() - 1, Later{1, 2}), "fit again");
  EXPECT_TRUE(earlier.ok()) << earlier.status().message();
}

TEST(AFileOfAnotherRelease, ShowsNoControlCharactersOfIts) {
  const auto read = from_archive_content<Earlier>(
      "m.bin", to_archive(bytes_of(archive_version()) + bytes_of(std::uint32_t{4}) + "\x1b[2J", Later{}).value(),
      "fit");
  EXPECT_THAT(read.status().message(), AllOf(HasSubstr("?[2J"), Not(HasSubstr("\x1b"))));
}

TEST(AFileOfAnotherRelease, IsRefusedWhereItsFrontIsCut) {
  const std::string content = to_archive_content(Earlier{}).value();
  for (std::size_t size = 0; size < content.size(); ++size) {
    const auto read = from_archive_content<Earlier>("m.bin", std::string_view(content).substr(0, size), "fit again");
    EXPECT_EQ(read.status().code(), StatusCode::input) << size;
    EXPECT_THAT(read.status().message(), AllOf(StartsWith("m.bin: "), HasSubstr("fit again"))) << size;
  }
}

}  // namespace
}  // namespace strads
