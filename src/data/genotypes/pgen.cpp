#include "data/genotypes/pgen.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "data/genotypes/bed.hpp"
#include "data/genotypes/pgen_cursor.hpp"

namespace strads::data {

namespace {

constexpr std::uint64_t kPgenHeader = 12;
constexpr std::uint64_t kBlockRecords = 65536;
// Bits of a record's type.
constexpr unsigned kHow = 7, kMultiallelicCalls = 8, kPhase = 16, kDosageBits = 96, kDosageEach = 64,
                   kDosagePhase = 128;

std::uint64_t read_number(std::string_view bytes, std::uint64_t at, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned b = 0; b < width; ++b) value |= std::uint64_t{static_cast<std::uint8_t>(bytes[at + b])} << (8 * b);
  return value;
}

std::uint8_t code_of(const std::vector<std::uint8_t>& codes, std::uint64_t sample) {
  return static_cast<std::uint8_t>((codes[sample / 4] >> (2 * (sample % 4))) & 3U);
}

void set_code(std::vector<std::uint8_t>& codes, std::uint64_t sample, std::uint8_t code) {
  const auto shift = static_cast<unsigned>(2 * (sample % 4));
  codes[sample / 4] = static_cast<std::uint8_t>((codes[sample / 4] & ~(3U << shift)) | (unsigned{code} << shift));
}

bool bit_of(std::span<const std::uint8_t> bits, std::uint64_t at) {
  return ((bits[at / 8] >> (at % 8)) & 1U) != 0;
}

std::uint64_t ones_of(std::span<const std::uint8_t> bits, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t ones = 0;
  for (std::uint64_t at = begin; at < end; ++at) ones += bit_of(bits, at) ? 1 : 0;
  return ones;
}

// Zero copies become two and two become none.
void invert(std::vector<std::uint8_t>& codes) {
  for (std::uint8_t& byte : codes) byte = static_cast<std::uint8_t>(byte ^ ((~byte & 0x55U) << 1));
}

// All samples in one of two categories but for a list.
void read_two_categories(PgenCursor& cursor, std::uint64_t samples, std::vector<std::uint8_t>& codes) {
  const std::uint8_t kind = cursor.byte();
  if (kind == 0 || kind == 4 || kind == 7 || kind == 8 || kind > 9) cursor.bad();
  const unsigned low = kind >> 2, step = kind & 3U;
  const auto bits = cursor.next_bytes((samples + 7) / 8);
  if (!cursor.ok()) return;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    set_code(codes, sample, static_cast<std::uint8_t>(low + (bit_of(bits, sample) ? step : 0)));
  }
  cursor.differences(samples, true, [&](std::uint64_t sample, std::uint8_t code) { set_code(codes, sample, code); });
}

void read_main_track(PgenCursor& cursor, unsigned how, std::uint64_t samples, std::vector<std::uint8_t>& base,
                     std::vector<std::uint8_t>& codes) {
  const auto patch = [&](std::uint64_t sample, std::uint8_t code) { set_code(codes, sample, code); };
  const std::uint64_t bytes = bed_stride(samples);
  codes.resize(bytes);
  if (how == 0) {
    const auto raw = cursor.next_bytes(bytes);
    std::copy(raw.begin(), raw.end(), codes.begin());
  } else if (how == 1) {
    read_two_categories(cursor, samples, codes);
  } else if (how == 2 || how == 3) {
    if (base.empty()) return static_cast<void>(cursor.bad());
    codes = base;
    cursor.differences(samples, true, patch);
    if (how == 3) invert(codes);
    return;
  } else if (how == 5) {
    return static_cast<void>(cursor.bad());
  } else {
    // 4, 6, 7: everybody has 0, 2 or no call but for a list.
    std::fill(codes.begin(), codes.end(), static_cast<std::uint8_t>((how & 3U) * 0x55U));
    cursor.differences(samples, true, patch);
  }
  base = codes;
}

// Which of two chromosomes an allele lies on is not used.
void skip_phase(PgenCursor& cursor, std::uint64_t samples, const std::vector<std::uint8_t>& codes) {
  std::uint64_t heterozygous = 0;
  for (std::uint64_t sample = 0; sample < samples; ++sample) heterozygous += code_of(codes, sample) == 1 ? 1 : 0;
  const auto first = cursor.next_bytes((1 + heterozygous + 7) / 8);
  if (!cursor.ok() || (first[0] & 1U) == 0) return;
  cursor.next_bytes((ones_of(first, 1, 1 + heterozygous) + 7) / 8);
}

// Fills in dosages of hard calls, then those that are stored; returns how many these are.
std::uint64_t read_dosages(PgenCursor& cursor, unsigned type, std::uint64_t samples, PgenCalls& calls) {
  constexpr std::uint16_t kOfCode[4] = {0, kDosageOfACopy, 2 * kDosageOfACopy, kMissingDosage};
  calls.dosages.resize(samples);
  for (std::uint64_t i = 0; i < samples; ++i) calls.dosages[i] = kOfCode[code_of(calls.codes, i)];
  std::vector<std::uint32_t> listed;
  std::span<const std::uint8_t> flags;
  const unsigned how = type & kDosageBits;
  std::uint64_t count = samples;
  if (how == 32) {
    cursor.differences(samples, false,
                       [&](std::uint64_t i, std::uint8_t) { listed.push_back(static_cast<std::uint32_t>(i)); });
    count = listed.size();
  } else if (how == kDosageBits) {
    flags = cursor.next_bytes((samples + 7) / 8);
    count = cursor.ok() ? ones_of(flags, 0, samples) : 0;
  }
  const auto stored = cursor.next_bytes(2 * count);
  if (!cursor.ok()) return 0;
  std::uint64_t sample = 0;
  for (std::uint64_t k = 0; k < count; ++k, ++sample) {
    if (how == 32) sample = listed[k];
    while (how == kDosageBits && !bit_of(flags, sample)) ++sample;
    const auto value = static_cast<std::uint16_t>(stored[2 * k] | (stored[2 * k + 1] << 8));
    if (value == kMissingDosage && how == kDosageEach) continue;  // the hard call counts
    if (value > 2 * kDosageOfACopy) {
      cursor.bad();
      return 0;
    }
    calls.dosages[sample] = value;
  }
  return count;
}

// What explicit phases of dosages take.
void skip_dosage_phase(PgenCursor& cursor, unsigned type, std::uint64_t samples, std::uint64_t dosages) {
  if ((type & kDosageBits) == kDosageEach) return static_cast<void>(cursor.next_bytes(2 * samples));
  const auto flags = cursor.next_bytes((dosages + 7) / 8);
  if (cursor.ok()) cursor.next_bytes(2 * ones_of(flags, 0, dosages));
}

}  // namespace

Status PgenReader::damaged(const std::string& what) const {
  return Status::input(path_ + ": record " + std::to_string(next_ + 1) + " of " + std::to_string(variants_) + ": " +
                       what + ": the file is damaged; copy it again");
}

Result<PgenReader> PgenReader::open(std::string_view bytes, const std::string& path, std::uint64_t samples,
                                    std::uint64_t variants) {
  PgenReader out;
  out.bytes_ = bytes;
  out.path_ = path;
  out.samples_ = samples;
  out.variants_ = variants;
  if (Status read = out.read_header(); !read.ok()) return read;
  return out;
}

Status PgenReader::read_header() {
  if (bytes_.size() < kBedHeader || bytes_[0] != '\x6c' || bytes_[1] != '\x1b') {
    return Status::input(path_ + ": does not start with 6c 1b, expected a .pgen (not compressed, not a text file)");
  }
  const auto mode = static_cast<std::uint8_t>(bytes_[2]);
  mode_ = static_cast<PgenMode>(mode);
  if (mode == 1) return check_bed(bytes_, samples_, variants_, path_);
  if ((mode < 2 || mode > 4) && mode != 0x10) {
    constexpr const char* kDigits = "0123456789abcdef";
    return Status::input(path_ + ": storage mode " + kDigits[mode >> 4] + kDigits[mode & 15U] +
                         " (third byte), expected 01, 02, 03, 04 or 10; rewrite with plink2 --pfile P --make-pgen "
                         "--out Q");
  }
  if (bytes_.size() < kPgenHeader) {
    return Status::input(path_ + ": " + std::to_string(bytes_.size()) + " bytes, expected a header of 12: cut off");
  }
  const std::uint64_t variants = read_number(bytes_, 3, 4), samples = read_number(bytes_, 7, 4);
  if (variants != variants_ || samples != samples_) {
    return Status::input(path_ + ": " + std::to_string(variants) + " variants of " + std::to_string(samples) +
                         " samples, expected " + std::to_string(variants_) + " (.pvar) of " + std::to_string(samples_) +
                         " (.psam): not the files that belong together");
  }
  format_ = static_cast<std::uint8_t>(bytes_[11]);
  if (mode == 0x10) return read_index();
  return read_fixed_header(kPgenHeader + ((format_ >> 6) == 3 ? (variants_ + 7) / 8 : 0));
}

Status PgenReader::read_fixed_header(std::uint64_t header) {
  width_ = bed_stride(samples_);
  if (mode_ == PgenMode::dosages) width_ += 2 * samples_;
  if (mode_ == PgenMode::phased_dosages) width_ += 4 * samples_;
  first_ = header;
  if (mode_ != PgenMode::hardcalls) with_dosages_ = variants_;
  if (mode_ == PgenMode::phased_dosages) with_phase_ = variants_;
  if (bytes_.size() == header + variants_ * width_) return {};
  return Status::input(path_ + ": " + std::to_string(bytes_.size()) + " bytes, expected " + std::to_string(header) +
                       " + " + std::to_string(variants_) + " x " + std::to_string(width_) + " for " +
                       std::to_string(variants_) + " variants of " + std::to_string(samples_) +
                       " samples: cut off or damaged");
}

// Types and lengths of all records, block after block.
Status PgenReader::read_index() {
  if ((format_ & 15U) > 7) return Status::input(path_ + ": unknown layout of the header (12th byte)");
  const std::uint64_t blocks = (variants_ + kBlockRecords - 1) / kBlockRecords;
  std::uint64_t at = kPgenHeader + 8 * blocks;
  const unsigned type_bits = (format_ & 4U) != 0 ? 8 : 4, length_bytes = (format_ & 3U) + 1;
  // So much at least: nothing is reserved that the file cannot hold.
  if (at + variants_ * type_bits / 8 + variants_ * length_bytes > bytes_.size()) {
    return Status::input(path_ + ": " + std::to_string(bytes_.size()) + " bytes, too few for the index of " +
                         std::to_string(variants_) + " records: cut off");
  }
  types_.reserve(variants_);
  lengths_.reserve(variants_);
  for (std::uint64_t block = 0; block < blocks; ++block) {
    blocks_.push_back(read_number(bytes_, kPgenHeader + 8 * block, 8));
    const std::uint64_t first = block * kBlockRecords;
    if (Status placed = place_block(first, std::min(kBlockRecords, variants_ - first), at); !placed.ok()) {
      return placed;
    }
  }
  // Records follow the index, one block after the other, up to the end of the file.
  std::uint64_t expected = at, record = 0;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    if (blocks_[block] != expected) {
      return Status::input(path_ + ": records from " + std::to_string(record + 1) + " on are said to begin at byte " +
                           std::to_string(blocks_[block]) + ", expected " + std::to_string(expected) +
                           " by the lengths of those before: damaged");
    }
    for (; record < std::min(variants_, (block + 1) * kBlockRecords); ++record) expected += lengths_[record];
  }
  if (expected == bytes_.size()) return {};
  return Status::input(path_ + ": " + std::to_string(bytes_.size()) + " bytes, expected " + std::to_string(expected) +
                       " by the lengths of its " + std::to_string(variants_) + " records: cut off or damaged");
}

Status PgenReader::place_block(std::uint64_t first, std::uint64_t count, std::uint64_t& at) {
  const unsigned type_bits = (format_ & 4U) != 0 ? 8 : 4, length_bytes = (format_ & 3U) + 1;
  const unsigned allele_bytes = (format_ >> 4) & 3U;
  const std::uint64_t types = at, lengths = types + (count * type_bits + 7) / 8;
  const std::uint64_t alleles = lengths + count * length_bytes, flags = alleles + count * allele_bytes;
  at = flags + ((format_ >> 6) == 3 ? (count + 7) / 8 : 0);
  if (at > bytes_.size()) {
    return Status::input(path_ + ": " + std::to_string(bytes_.size()) + " bytes, too few for the index of record " +
                         std::to_string(first + 1) + ": cut off");
  }
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto byte = static_cast<std::uint8_t>(bytes_[types + k * type_bits / 8]);
    const unsigned type = type_bits == 8 ? byte : (byte >> (4 * (k % 2))) & 15U;
    const std::uint64_t two = allele_bytes == 0 ? 2 : read_number(bytes_, alleles + k * allele_bytes, allele_bytes);
    if ((type & kMultiallelicCalls) != 0 || two != 2) {
      return Status::input(path_ + ": record " + std::to_string(first + k + 1) +
                           " has calls of several ALT alleles, which the .pvar does not have: not the files that "
                           "belong together");
    }
    types_.push_back(static_cast<std::uint8_t>(type));
    lengths_.push_back(static_cast<std::uint32_t>(read_number(bytes_, lengths + k * length_bytes, length_bytes)));
    with_dosages_ += (type & kDosageBits) != 0 ? 1 : 0;
    with_phase_ += (type & (kPhase | kDosagePhase)) != 0 ? 1 : 0;
  }
  return {};
}

Status PgenReader::next(PgenCalls& calls) {
  STRADS_CHECK(mode_ != PgenMode::bed && next_ < variants_, "callers read as many records as there are");
  unsigned type = 0;
  if (mode_ == PgenMode::variable) {
    if (next_ % kBlockRecords == 0) {
      base_.clear();
      end_ = blocks_[next_ / kBlockRecords];
    }
    type = types_[next_];
    width_ = lengths_[next_];
  } else {
    if (next_ == 0) end_ = first_;
    if (mode_ != PgenMode::hardcalls) type = kDosageEach;
    if (mode_ == PgenMode::phased_dosages) type |= kDosagePhase;
  }
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes_.data()) + end_;
  if (Status read = read_record({begin, static_cast<std::size_t>(width_)}, static_cast<std::uint8_t>(type), calls);
      !read.ok()) {
    return read;
  }
  end_ += width_;
  ++next_;
  return {};
}

Status PgenReader::read_record(std::span<const std::uint8_t> record, std::uint8_t type, PgenCalls& calls) {
  PgenCursor cursor(record);
  const auto failed = [&](const char* what) {
    return damaged(std::string(what) + " do not fit its " + std::to_string(record.size()) + " bytes (type " +
                   std::to_string(type) + ")");
  };
  read_main_track(cursor, type & kHow, samples_, base_, calls.codes);
  if (!cursor.ok()) return failed("the calls");
  if ((type & kPhase) != 0) skip_phase(cursor, samples_, calls.codes);
  if (!cursor.ok()) return failed("the phases");
  calls.has_dosages = (type & kDosageBits) != 0;
  const std::uint64_t dosages = calls.has_dosages ? read_dosages(cursor, type, samples_, calls) : 0;
  if (!cursor.ok()) return failed("the dosages");
  if ((type & kDosagePhase) != 0) skip_dosage_phase(cursor, type, samples_, dosages);
  if (!cursor.ok()) return failed("the phases of dosages");
  return cursor.left() == 0 ? Status{} : failed("its parts");
}

Result<PgenSize> pgen_size(std::string_view bytes, const std::string& path) {
  PgenSize size;
  if (bytes.size() < kPgenHeader || bytes[2] == '\x01') return size;
  size.variants = read_number(bytes, 3, 4);
  size.samples = read_number(bytes, 7, 4);
  STRADS_ASSIGN_OR_RETURN(const auto reader, PgenReader::open(bytes, path, size.samples, size.variants));
  size.dosages = reader.with_dosages() > 0;
  return size;
}

void to_bed_codes(std::span<std::uint8_t> codes, std::uint64_t samples) {
  for (std::uint8_t& byte : codes) {
    const unsigned low = byte & 0x55U, high = (unsigned{byte} >> 1) & 0x55U;
    byte = static_cast<std::uint8_t>((~(high ^ low) & 0x55U) | ((~high & 0x55U) << 1));
  }
  if (samples % 4 != 0) codes.back() = static_cast<std::uint8_t>(codes.back() & ((1U << (2 * (samples % 4))) - 1));
}

}  // namespace strads::data
