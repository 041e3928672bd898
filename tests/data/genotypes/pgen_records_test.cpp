// What one record of a .pgen means for those after it, and where its parts end: every type as the base of the next
// ones, tracks of phases that fill their last byte, flags of reference alleles.
#include <random>

#include "data/fixtures.hpp"
#include "data/genotypes/pgen.hpp"
#include "data/genotypes/pgen_writer.hpp"

namespace strads::data {
namespace {

constexpr std::size_t kPeople = 37;

/// Calls that are `mostly` one of 0, 1, 2 and 3.
std::vector<int> calls_mostly(int mostly, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> calls;
  for (std::size_t i = 0; i < kPeople; ++i) {
    calls.push_back(random() % 4 == 0 ? static_cast<int>(random() % 4) : mostly);
  }
  return calls;
}

/// The calls of all records; none and a failure of the test where one cannot be read.
std::vector<std::vector<int>> calls_in(const std::string& bytes, std::size_t samples, std::size_t variants) {
  auto reader = PgenReader::open(bytes, "f.pgen", samples, variants);
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  std::vector<std::vector<int>> out;
  PgenCalls calls;
  for (std::size_t j = 0; reader.ok() && j < variants; ++j) {
    const Status read = reader.value().next(calls);
    EXPECT_TRUE(read.ok()) << read.message();
    if (!read.ok()) break;
    auto& own = out.emplace_back();
    for (std::size_t i = 0; i < samples; ++i) own.push_back((calls.codes[i / 4] >> (2 * (i % 4))) & 3);
  }
  return out;
}

TEST(PgenRecords, OfEveryTypeAreTheBaseOfThoseThatSayWhatDiffers) {
  constexpr std::pair<Written, int> kTypes[] = {
      {Written::plain, 1}, {Written::two_categories, 0}, {Written::none, 0}, {Written::two, 2}, {Written::missing, 3}};
  for (const auto& [first, first_mostly] : kTypes) {
    for (const auto& [how, mostly] : kTypes) {  // `how` replaces what `first` was the base of
      const std::vector<std::vector<int>> truth = {calls_mostly(first_mostly, 1), calls_mostly(mostly, 2),
                                                   calls_mostly(mostly, 3), calls_mostly(mostly, 4),
                                                   calls_mostly(mostly, 5)};
      std::vector<WrittenRecord> records = {record_of({truth[0]}, first), record_of({truth[1]}, how)};
      // Each of them says what differs from the one base, not from the one before it.
      records.push_back(record_of({truth[2]}, Written::like, WrittenDosages::no, truth[1]));
      records.push_back(record_of({truth[3]}, Written::unlike, WrittenDosages::no, truth[1]));
      records.push_back(record_of({truth[4]}, Written::like, WrittenDosages::no, truth[1]));
      EXPECT_EQ(calls_in(pgen_of(records, kPeople), kPeople, records.size()), truth)
          << "type " << static_cast<int>(first) << ", then " << static_cast<int>(how);
    }
  }
}

/// As many heterozygous calls as fill bytes and one more or less; after them a record that is read wrongly where the
/// track of phases is taken for longer or shorter.
TEST(PgenRecords, WithPhasesEndWhereTheirLastByteIsFull) {
  constexpr std::size_t kMost = 26;
  for (std::size_t heterozygous = 0; heterozygous <= kMost; ++heterozygous) {
    for (std::size_t without = 0; without <= std::min<std::size_t>(heterozygous, 9); ++without) {
      WrittenVariant variant{std::vector<int>(kPeople, 2)};
      variant.phased.assign(kPeople, 0);
      for (std::size_t i = 0; i < heterozygous; ++i) {
        variant.calls[i] = 1;
        variant.phased[i] = i < without ? 0 : 1;
      }
      const WrittenVariant last{calls_mostly(0, 7)};
      const std::string bytes = pgen_of({record_of(variant, Written::plain), record_of(last, Written::plain)}, kPeople);
      EXPECT_EQ(calls_in(bytes, kPeople, 2), (std::vector{variant.calls, last.calls}))
          << heterozygous << " heterozygous calls, " << without << " of them without a phase";
    }
  }
}

/// The same file with a bit for each variant that says whether its reference allele is one.
std::string with_reference_flags(std::string bytes, std::size_t at, std::size_t variants, bool has_index) {
  const std::size_t size = (variants + 7) / 8;
  bytes[11] = static_cast<char>((static_cast<unsigned char>(bytes[11]) & 0x3f) | 0xc0);
  bytes.insert(at, std::string(size, '\x55'));
  if (has_index) bytes.replace(12, 8, number_bytes(at + size, 8));
  return bytes;
}

TEST(PgenRecords, AreFoundBehindFlagsOfReferenceAlleles) {
  for (const std::size_t variants : {1U, 7U, 8U, 9U, 16U}) {
    std::vector<WrittenVariant> all;
    std::vector<WrittenRecord> records;
    std::vector<std::vector<int>> truth;
    for (std::size_t j = 0; j < variants; ++j) {
      truth.push_back(calls_mostly(static_cast<int>(j % 3), static_cast<unsigned>(j)));
      all.push_back({truth.back()});
      records.push_back(record_of(all.back(), Written::plain));
    }
    const std::size_t index_ends = 12 + 8 + variants * 5;  // one block: a type and four bytes of length each
    EXPECT_EQ(calls_in(with_reference_flags(pgen_of(records, kPeople), index_ends, variants, true), kPeople, variants),
              truth)
        << variants << " variants, each with its length";
    EXPECT_EQ(calls_in(with_reference_flags(fixed_pgen_of(all, kPeople, 2), 12, variants, false), kPeople, variants),
              truth)
        << variants << " variants of fixed length";
  }
}

}  // namespace
}  // namespace strads::data
