// Our archives under Boost.Serialization: the claim that they satisfy its Archive concept, compiled and run. The only
// file of the wire layer and its tests that includes Boost.
#include <gtest/gtest.h>

#include <boost/serialization/serialization.hpp>
#include <boost/serialization/split_member.hpp>

#include "random_message.hpp"
#include "wire/archive.hpp"

namespace strads::wire {
namespace {

TEST(BoostArchive, BoostWritesTheSameBytesAndReadsThemBack) {
  for (const Message& message : testing::one_of_each(1, 20)) {
    std::visit(
        []<class M>(const M& m) {
          OutArchive ours;
          ours& m;
          M copy = m;
          OutArchive by_boost;
          boost::serialization::serialize_adl(by_boost, copy, 0U);
          EXPECT_EQ(by_boost.body(), ours.body()) << M::kName;

          M decoded;
          InArchive in(by_boost.body(), by_boost.bulk());
          boost::serialization::serialize_adl(in, decoded, 0U);
          EXPECT_TRUE(in.finish().ok()) << M::kName;
          EXPECT_EQ(decoded, m);
        },
        message);
  }
}

// Boost's own form of a class that writes and reads differently.
struct Celsius {
  double degrees = 0;
  template <class Archive>
  void save(Archive& ar, unsigned int) const {
    ar << degrees + 273.15;
  }
  template <class Archive>
  void load(Archive& ar, unsigned int) {
    ar >> degrees;
    degrees -= 273.15;
  }
  BOOST_SERIALIZATION_SPLIT_MEMBER()
};

TEST(BoostArchive, SplitMembersFindTheDirectionOfOurArchives) {
  OutArchive out;
  out << Celsius{20};
  double kelvin = 0;
  InArchive raw(out.body(), {});
  raw >> kelvin;
  EXPECT_DOUBLE_EQ(kelvin, 293.15);
  Celsius decoded;
  InArchive in(out.body(), {});
  in >> decoded;
  EXPECT_TRUE(in.finish().ok());
  EXPECT_DOUBLE_EQ(decoded.degrees, 20);
}

TEST(BoostArchive, TheRestOfTheConceptIsThere) {
  const std::uint32_t raw = 0x04030201;
  OutArchive out;
  out.save_binary(&raw, sizeof raw);
  out.register_type<Celsius>();
  InArchive in(out.body(), {});
  in.register_type<Celsius>();
  std::uint32_t read = 0;
  in.load_binary(&read, sizeof read);
  in.reset_object_address(&read, &raw);
  EXPECT_EQ(read, raw);
  EXPECT_EQ(out.get_library_version(), in.get_library_version());
  static_assert(OutArchive::is_saving::value && !OutArchive::is_loading::value);
  static_assert(InArchive::is_loading::value && !InArchive::is_saving::value);
}

}  // namespace
}  // namespace strads::wire
