// How much of a mapped file ends up in the memory of this process.
#include "data/fixtures.hpp"

namespace strads::data {
namespace {

constexpr std::uint64_t kSamples = 40'000;  // 10,000 bytes a variant
constexpr std::uint64_t kVariants = 1'600;
constexpr std::uint64_t kBedBytes = 3 + kVariants * kSamples / 4;

/// The page cache may hold a file in pieces of 2 MB, of which every byte touched brings all.
constexpr double kOneLargePage = 2097152.0 / kBedBytes;

/// 16 MB of genotypes, not the same everywhere.
std::string bed_bytes() {
  std::string bytes("\x6c\x1b\x01");
  bytes.resize(kBedBytes);
  for (std::uint64_t i = 3; i < kBedBytes; ++i) bytes[i] = static_cast<char>((i * 2654435761u) >> 16);
  return bytes;
}

class MappedMemory : public ::testing::Test {
 protected:
  std::shared_ptr<const Dataset> genotypes() {
    std::string bim, fam;
    for (std::uint64_t j = 0; j < kVariants; ++j)
      bim += "1 rs" + std::to_string(j) + " 0 " + std::to_string(j) + " A G\n";
    for (std::uint64_t i = 0; i < kSamples; ++i)
      fam += "F p" + std::to_string(i) + " 0 0 1 " + std::to_string(i) + "\n";
    folder.write("x.bed", bed_bytes());
    folder.write("x.bim", bim);
    folder.write("x.fam", fam);
    InputOptions options;
    options.source.bfile = folder.path("x");
    return load(options);
  }
  /// 16 MB of doubles, column-major: mapped. 2,000 rows; gzipped: unpacked into memory.
  std::shared_ptr<const Dataset> doubles(bool compressed) {
    std::vector<double> values(2'000'000);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>((k * 2654435761u) % 1000);
    const std::string bytes = npy("<f8", true, "(2000, 1000)", raw(values));
    InputOptions options;
    options.source.x = folder.write("x.npy", compressed ? gzipped(bytes) : bytes);
    std::string y = "y\n";
    for (int i = 0; i < 2000; ++i) y += std::to_string(i) + "\n";
    options.response.y = folder.write("y.csv", y);
    return load(options);
  }
  static double resident_share(const Dataset& set) {
    const auto [mapped, resident] = set.mapped_memory();
    return static_cast<double>(resident) / static_cast<double>(mapped);
  }

  TempFolder folder;
};

/// Touches bytes, so that their pages are in this process.
unsigned look_at(const std::byte* begin, std::uint64_t size) {
  unsigned sum = 0;
  for (std::uint64_t i = 0; i < size; i += 64)
    sum += static_cast<unsigned>(*static_cast<const volatile std::byte*>(begin + i));
  return sum;
}

TEST_F(MappedMemory, GenotypesAreMappedAndNotRead) {
  const auto set = genotypes();
  EXPECT_EQ(set->mapped_memory().first, kBedBytes);
  EXPECT_LT(resident_share(*set), kOneLargePage + 0.05) << "the first bytes are looked at";
}

TEST_F(MappedMemory, CountsWhatWasTouched) {
  const auto set = genotypes();
  const ColumnsView& x = set->columns();
  (void)look_at(x.values, kVariants / 2 * x.column_stride);
  EXPECT_GE(resident_share(*set), 0.49);
  EXPECT_LT(resident_share(*set), 0.5 + kOneLargePage);
  (void)look_at(x.values, kVariants * x.column_stride);
  EXPECT_GE(resident_share(*set), 0.99);
}

TEST_F(MappedMemory, TheFingerprintOfGenotypesLeavesNoPagesBehind) {
  const auto set = genotypes();
  (void)set->fingerprint();
  EXPECT_LT(resident_share(*set), 0.1);
}

TEST_F(MappedMemory, TheFingerprintOfAMappedArrayLeavesNoPagesBehind) {
  const auto set = doubles(false);
  EXPECT_EQ(set->mapped_memory().first, 16'000'128u);
  EXPECT_LT(resident_share(*set), 0.1) << "the search for NaN gives its pages back as well";
  (void)set->fingerprint();
  EXPECT_LT(resident_share(*set), 0.1);
}

TEST_F(MappedMemory, TheFingerprintIsThatOfTheSameBytesInMemory) {
  EXPECT_EQ(doubles(false)->fingerprint(), doubles(true)->fingerprint());
}

TEST_F(MappedMemory, TheFingerprintSeesEveryPartOfAMappedFile) {
  const auto set = genotypes();
  const std::uint64_t before = set->fingerprint();
  for (const std::uint64_t changed : {std::uint64_t{3}, kBedBytes / 2, kBedBytes - 1}) {
    std::string bytes = bed_bytes();
    bytes[changed] = static_cast<char>(bytes[changed] ^ 1);
    InputOptions options;
    options.source.bfile = folder.path("x");
    // A new file under the old name: a mapped one must not be written to.
    std::filesystem::rename(folder.write("new", bytes), options.source.bfile + ".bed");
    EXPECT_NE(load(options)->fingerprint(), before) << changed;
  }
}

TEST_F(MappedMemory, ReleasedColumnsLeaveAndTheOthersStay) {
  const auto set = genotypes();
  (void)set->fingerprint();  // as every process of a cluster does before it reads its columns
  const ColumnsView& x = set->columns();
  const unsigned sum = look_at(x.values, kVariants * x.column_stride);
  set->release_columns(400, 800);
  set->release_columns(1200, 1600);
  EXPECT_LT(resident_share(*set), 0.51);
  // Touching what stayed must not bring back its neighbours (large pages would).
  (void)look_at(x.values, 400 * x.column_stride);
  (void)look_at(x.values + 800 * x.column_stride, 400 * x.column_stride);
  EXPECT_GE(resident_share(*set), 0.49);
  EXPECT_LT(resident_share(*set), 0.52);
  EXPECT_EQ(look_at(x.values, kVariants * x.column_stride), sum) << "they stay readable";
}

TEST_F(MappedMemory, AllColumnsMayBeReleased) {
  const auto set = genotypes();
  const ColumnsView& x = set->columns();
  (void)look_at(x.values, kVariants * x.column_stride);
  set->release_columns(0, kVariants);
  EXPECT_EQ(set->mapped_memory().second, 0u);
  set->release_columns(5, 5);  // nothing
}

TEST_F(MappedMemory, ParsedColumnsCannotBeReleased) {
  const auto set = doubles(true);
  set->release_columns(0, 1000);
  EXPECT_EQ(entry(*set, 1, 0), static_cast<double>(2654435761u % 1000));
}

TEST_F(MappedMemory, IsZeroForWhatWasParsed) {
  InputOptions options;
  options.source.x = folder.write("x.csv", "a,t\n1,2\n3,4\n");
  options.response.y_name = "t";
  EXPECT_EQ(load(options)->mapped_memory(), (std::pair<std::uint64_t, std::uint64_t>{0, 0}));
  EXPECT_EQ(doubles(true)->mapped_memory(), (std::pair<std::uint64_t, std::uint64_t>{0, 0}));
}

}  // namespace
}  // namespace strads::data
