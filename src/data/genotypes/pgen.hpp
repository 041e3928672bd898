// PLINK 2 binary genotypes: .pgen. Layer: data.
// Source: plink-ng, pgen_spec ("PGEN Format Specification"); this reader is our own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// The third byte of a .pgen.
enum class PgenMode : std::uint8_t {
  bed = 0x01,             ///< a PLINK 1 .bed
  hardcalls = 0x02,       ///< fixed width, two bits a sample
  dosages = 0x03,         ///< fixed width, and 16 bits a sample
  phased_dosages = 0x04,  ///< fixed width, and another 16 bits a sample
  variable = 0x10         ///< records of their own length and compression
};

/// One copy of ALT as a dosage: 0 ... 32768 stand for 0 ... 2, as Storage::dosage_u16 has them.
inline constexpr std::uint16_t kDosageOfACopy = 16384;

/// The calls of one variant.
struct PgenCalls {
  std::vector<std::uint8_t> codes;     ///< two bits a sample, four a byte: 0, 1, 2 copies of ALT, 3 missing
  bool has_dosages = false;            ///< some sample has a dosage
  std::vector<std::uint16_t> dosages;  ///< with has_dosages: one a sample; those of hard calls filled in
};

/// A .pgen, read record after record, since records refer to earlier ones. The bytes must outlive it.
class PgenReader {
 public:
  /// Checks the header against the other files, and where every record lies against the size of the file.
  /// Errors: StatusCode::input: no .pgen, a mode that is not read, counts or sizes that do not fit.
  static Result<PgenReader> open(std::string_view bytes, const std::string& path, std::uint64_t samples,
                                 std::uint64_t variants);

  [[nodiscard]] PgenMode mode() const noexcept { return mode_; }
  [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }
  [[nodiscard]] std::uint64_t variants() const noexcept { return variants_; }
  /// Records with dosages, with a phase.
  [[nodiscard]] std::uint64_t with_dosages() const noexcept { return with_dosages_; }
  [[nodiscard]] std::uint64_t with_phase() const noexcept { return with_phase_; }

  /// Reads the next record; the first call the first one. Errors: StatusCode::input with the number of the record.
  /// REQUIRES: mode is not bed; called at most variants() times. Cost: one pass over the record.
  Status next(PgenCalls& calls);
  /// Bytes of the file up to the end of the record that next() read last.
  [[nodiscard]] std::uint64_t position() const noexcept { return end_; }

 private:
  Status read_header();
  Status read_fixed_header(std::uint64_t header);
  Status read_index();
  Status place_block(std::uint64_t first, std::uint64_t count, std::uint64_t& at);
  [[nodiscard]] Status damaged(const std::string& what) const;
  Status read_record(std::span<const std::uint8_t> record, std::uint8_t type, PgenCalls& calls);

  std::string_view bytes_;
  std::string path_;
  PgenMode mode_ = PgenMode::bed;
  std::uint8_t format_ = 0;  ///< the twelfth byte
  std::uint64_t samples_ = 0, variants_ = 0;
  std::uint64_t with_dosages_ = 0, with_phase_ = 0;
  std::uint64_t first_ = 0, width_ = 0;  ///< fixed width: where the first record lies, bytes of each
  std::vector<std::uint8_t> types_;      ///< variable width: of each record
  std::vector<std::uint32_t> lengths_;
  std::vector<std::uint64_t> blocks_;  ///< where each block of 65,536 records lies
  std::uint64_t next_ = 0, end_ = 0;
  std::vector<std::uint8_t> base_;  ///< what records compressed by their likeness to it refer to
};

/// What the head of a .pgen says of its size; zeros of a .bed, which does not.
struct PgenSize {
  std::uint64_t samples = 0, variants = 0;
  bool dosages = false;  ///< some record has them
};
/// Errors: StatusCode::input, as PgenReader::open(), which checks the rest of the file. Cost: reads the types of
/// records.
Result<PgenSize> pgen_size(std::string_view bytes, const std::string& path);

/// The codes of a .bed from those of a .pgen, in place; bits behind the last sample become 0.
void to_bed_codes(std::span<std::uint8_t> codes, std::uint64_t samples);

}  // namespace strads::data
