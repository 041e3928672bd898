// The reader of .pgen files against a writer of our own (pgen_writer.hpp); against plink2: tests/process.
#include "data/genotypes/pgen.hpp"

#include <random>

#include "data/fixtures.hpp"
#include "data/genotypes/pgen_writer.hpp"

namespace strads::data {
namespace {

std::vector<int> random_calls(std::size_t samples, unsigned seed, int mostly) {
  std::mt19937 random(seed);
  std::vector<int> calls;
  for (std::size_t i = 0; i < samples; ++i)
    calls.push_back(random() % 3 == 0 ? static_cast<int>(random() % 4) : mostly);
  return calls;
}

std::vector<int> codes_of(const PgenCalls& calls, std::size_t samples) {
  std::vector<int> out;
  for (std::size_t i = 0; i < samples; ++i) out.push_back((calls.codes[i / 4] >> (2 * (i % 4))) & 3);
  return out;
}

// The calls of all records, or the failure.
Result<std::vector<std::vector<int>>> read_calls(const std::string& bytes, std::size_t samples, std::size_t variants) {
  auto reader = PgenReader::open(bytes, "f.pgen", samples, variants);
  if (!reader.ok()) return reader.status();
  std::vector<std::vector<int>> out;
  PgenCalls calls;
  for (std::size_t j = 0; j < variants; ++j) {
    if (Status read = reader.value().next(calls); !read.ok()) return read;
    out.push_back(codes_of(calls, samples));
  }
  return out;
}

// What a sample has, in units of 1/16384 copies.
std::vector<std::vector<int>> read_dosages_of(const std::string& bytes, std::size_t samples, std::size_t variants) {
  auto reader = PgenReader::open(bytes, "f.pgen", samples, variants);
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  std::vector<std::vector<int>> out;
  PgenCalls calls;
  for (std::size_t j = 0; j < variants; ++j) {
    const Status read = reader.value().next(calls);
    EXPECT_TRUE(read.ok()) << read.message();
    EXPECT_TRUE(calls.has_dosages);
    out.emplace_back(calls.dosages.begin(), calls.dosages.end());
  }
  return out;
}

class PgenOfSize : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PgenOfSize, ReadsEveryWayToWriteARecord) {
  const std::size_t samples = GetParam();
  std::vector<std::vector<int>> truth;
  std::vector<WrittenRecord> records;
  const auto write = [&](const std::vector<int>& calls, Written how, const std::vector<int>& base = {}, int low = 0,
                         int high = 1) {
    truth.push_back(calls);
    records.push_back(record_of({calls}, how, WrittenDosages::no, base, low, high));
  };
  const auto plain = random_calls(samples, 1, 0);
  write(plain, Written::plain);
  auto alike = plain;
  for (std::size_t i = 0; i < samples; i += 5) alike[i] = 3 - alike[i];
  write(alike, Written::like, plain);
  std::vector<int> other;
  for (const int call : alike) other.push_back(inverted(call));
  write(other, Written::unlike, plain);
  auto third = plain;  // where the two before differ from the first it does not
  for (std::size_t i = 1; i < samples; i += 5) third[i] = 3 - third[i];
  write(third, Written::like, plain);
  write(random_calls(samples, 2, 0), Written::none);
  const auto last = random_calls(samples, 3, 2);
  write(last, Written::two);
  write(random_calls(samples, 4, 2), Written::like, last);  // refers to the one before, not to the first
  write(random_calls(samples, 5, 3), Written::missing);
  for (int low = 0; low < 3; ++low) {
    for (int high = low + 1; high < 4; ++high) {
      write(random_calls(samples, static_cast<unsigned>(10 * low + high), low), Written::two_categories, {}, low, high);
    }
  }
  for (const bool wide : {true, false}) {
    const auto read = read_calls(pgen_of(records, samples, wide), samples, records.size());
    ASSERT_TRUE(read.ok()) << read.status().message();
    for (std::size_t j = 0; j < truth.size(); ++j) EXPECT_EQ(read.value()[j], truth[j]) << "record " << j + 1;
  }
}

// Ids of samples take one, two and three bytes; groups of 64 differences are complete and not.
INSTANTIATE_TEST_SUITE_P(Samples, PgenOfSize, ::testing::Values(1, 3, 4, 5, 64, 255, 256, 257, 1000, 70'000));

TEST(Pgen, ReadsMoreThanABlockOfRecords) {
  std::vector<WrittenRecord> records;
  std::vector<std::vector<int>> truth;
  for (unsigned j = 0; j < 65'540; ++j) {
    const int k = static_cast<int>(j);
    truth.push_back({k % 4, k / 4 % 4, k / 16 % 4, k / 64 % 3, k % 7 % 4});
    const bool first = j % 65'536 == 0;
    records.push_back(first ? record_of({truth[j]}, Written::plain)
                            : record_of({truth[j]}, Written::like, WrittenDosages::no, truth[j < 65'536 ? 0 : 65'536]));
  }
  for (const bool wide : {true, false}) {
    const auto read = read_calls(pgen_of(records, 5, wide), 5, records.size());
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_TRUE(read.value() == truth);
  }
  // The first record of a block cannot refer to the block before.
  records[65'536] = record_of({truth[65'536]}, Written::like, WrittenDosages::no, truth[0]);
  EXPECT_THAT(read_calls(pgen_of(records, 5), 5, records.size()), FailsWith("record 65537 of 65540"));
}

TEST(Pgen, ReadsTheExampleOfTheSpecification) {
  // "Difflists": 488,377 samples; 5000, 10000 ... 395000 are listed.
  std::vector<int> calls(488'377, 0);
  for (std::size_t i = 5000; i <= 395'000; i += 5000) calls[i] = static_cast<int>(1 + i / 5000 % 3);
  const auto record = record_of({calls}, Written::none);
  EXPECT_EQ(record.bytes.substr(0, 8), std::string("\x4f\x88\x13\x00\x88\xf5\x04\x3f", 8));
  EXPECT_EQ(record.bytes.size(), 8u + 20 + 154);
  const auto read = read_calls(pgen_of({record}, calls.size()), calls.size(), 1);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_TRUE(read.value()[0] == calls);
}

// Hard calls, and what dosages they have: 70 samples, every third without one.
WrittenVariant with_dosages(unsigned seed, bool phases) {
  WrittenVariant variant;
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < 70; ++i) {
    variant.calls.push_back(static_cast<int>(random() % 4));
    variant.dosages.push_back(i % 3 == 0 ? 65535 : static_cast<int>(random() % 32769));
    if (!phases) continue;
    variant.phased.push_back(static_cast<int>(random() % 2));
    variant.dosage_phased.push_back(static_cast<int>(random() % 2));
  }
  return variant;
}

std::vector<int> expected_dosages(const WrittenVariant& variant) {
  std::vector<int> out = variant.dosages;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 65535 && variant.calls[i] != 3) out[i] = 16384 * variant.calls[i];
  }
  return out;
}

TEST(Pgen, ReadsDosagesAndFallsBackToHardCallsWhereThereIsNone) {
  for (const bool phases : {false, true}) {
    for (const auto how : {WrittenDosages::list, WrittenDosages::each, WrittenDosages::flags}) {
      const WrittenVariant one = with_dosages(1, phases), two = with_dosages(2, phases);
      const std::string bytes =
          pgen_of({record_of(one, Written::plain, how), record_of(two, Written::missing, how)}, 70);
      EXPECT_EQ(read_dosages_of(bytes, 70, 2), (std::vector{expected_dosages(one), expected_dosages(two)}))
          << static_cast<int>(how) << phases;
    }
  }
}

TEST(Pgen, PassesOverPhasesOfAllHeterozygousCalls) {
  WrittenVariant variant = with_dosages(3, false);
  variant.phased.assign(70, 1);
  const std::string bytes = pgen_of({record_of(variant, Written::plain, WrittenDosages::list)}, 70);
  EXPECT_EQ(read_dosages_of(bytes, 70, 1).front(), expected_dosages(variant));
  EXPECT_EQ(PgenReader::open(bytes, "f.pgen", 70, 1).value().with_phase(), 1u);
}

TEST(Pgen, ReadsFixedWidths) {
  const std::vector<WrittenVariant> variants{with_dosages(1, false), with_dosages(2, false), with_dosages(3, false)};
  const auto hard = read_calls(fixed_pgen_of(variants, 70, 2), 70, 3);
  ASSERT_TRUE(hard.ok()) << hard.status().message();
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(hard.value()[j], variants[j].calls);
  for (const int mode : {3, 4}) {
    const auto read = read_dosages_of(fixed_pgen_of(variants, 70, mode), 70, 3);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(read[j], expected_dosages(variants[j])) << mode;
  }
}

TEST(Pgen, BecomesABed) {
  std::vector<std::uint8_t> codes{0b11'10'01'00, 0b00'00'00'01};  // 0, 1, 2, missing; 1
  to_bed_codes(codes, 5);
  EXPECT_EQ(codes, (std::vector<std::uint8_t>{0b01'00'10'11, 0b00'00'00'10}));
}

TEST(Pgen, RefusesEveryFileThatIsCutOff) {
  const WrittenVariant one = with_dosages(1, true), two = with_dosages(2, false);
  const auto fails = [](const std::string& bytes, std::size_t variants) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const auto read = read_calls(bytes.substr(0, size), 70, variants);
      EXPECT_FALSE(read.ok()) << size;
      if (!read.ok()) {
        EXPECT_EQ(read.status().message().substr(0, 8), "f.pgen: ") << read.status().message();
      }
    }
    EXPECT_FALSE(read_calls(bytes + 'x', 70, variants).ok());
  };
  fails(pgen_of({record_of(one, Written::plain, WrittenDosages::list), record_of(two, Written::none)}, 70), 2);
  for (const int mode : {2, 3, 4}) fails(fixed_pgen_of({one, two}, 70, mode), 2);
}

TEST(Pgen, RefusesCountsOfOtherFiles) {
  const std::string bytes = fixed_pgen_of({with_dosages(1, false)}, 70, 2);
  EXPECT_THAT(PgenReader::open(bytes, "f.pgen", 71, 1),
              FailsWith("1 variants of 70 samples, expected 1 (.pvar) of 71"));
  EXPECT_THAT(PgenReader::open(bytes, "f.pgen", 70, 2), FailsWith("expected 2 (.pvar)"));
  EXPECT_THAT(PgenReader::open("\x6c\x1b\x20zzzzzzzzzzzz", "f.pgen", 70, 2), FailsWith("storage mode 20"));
  EXPECT_THAT(PgenReader::open("text", "f.pgen", 70, 2), FailsWith("does not start with 6c 1b"));
}

TEST(Pgen, RefusesRecordsThatLieAboutTheirSize) {
  const WrittenVariant variant = with_dosages(1, true);
  const auto whole = record_of(variant, Written::none, WrittenDosages::flags);
  for (std::size_t size = 0; size < whole.bytes.size(); ++size) {
    const std::string bytes =
        pgen_of({record_of(variant, Written::plain), {whole.type, whole.bytes.substr(0, size)}}, 70);
    EXPECT_THAT(read_calls(bytes, 70, 2), FailsWith("f.pgen: record 2 of 2: ")) << size;
  }
  EXPECT_THAT(read_calls(pgen_of({{whole.type, whole.bytes + 'x'}}, 70), 70, 1), FailsWith("record 1 of 1: its parts"));
}

TEST(Pgen, RefusesRecordsThatMakeNoSense) {
  const auto fails = [](std::uint8_t type, const std::string& bytes) {
    return read_calls(pgen_of({{type, bytes}}, 70), 70, 1);
  };
  EXPECT_THAT(fails(2, varint(0)), FailsWith("record 1 of 1"));   // refers to a record before the first
  EXPECT_THAT(fails(5, varint(0)), FailsWith("record 1 of 1"));   // reserved
  EXPECT_THAT(fails(4, varint(71)), FailsWith("record 1 of 1"));  // more differences than samples
  EXPECT_THAT(fails(4, varint(1) + '\x46' + '\x01'), FailsWith("record 1 of 1"));               // sample 70 of 0 ... 69
  EXPECT_THAT(fails(4, varint(2) + '\x03' + '\x05' + varint(0)), FailsWith("record 1 of 1"));   // a sample twice
  EXPECT_THAT(fails(4, varint(2) + '\x03' + '\x05' + varint(67)), FailsWith("record 1 of 1"));  // beyond the last
  EXPECT_THAT(fails(4, "\xff\xff\xff\xff\xff\x01"), FailsWith("record 1 of 1"));  // a count of more than 32 bits
  EXPECT_THAT(fails(8, packed_bits(std::vector<int>(70, 0), 2)), FailsWith("several ALT alleles"));
  EXPECT_THAT(fails(64, packed_bits(std::vector<int>(70, 0), 2) + std::string(140, '\x81')), FailsWith("the dosages"));
}

}  // namespace
}  // namespace strads::data
