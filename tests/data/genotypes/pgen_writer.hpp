// Writes .pgen files from the specification (plink-ng, pgen_spec): all modes, and every way to write a record. It
// shares no code with the reader.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace strads::data {

/// Of one variant: copies of ALT of each sample, 3 = missing; dosages as stored, 65535 = none; phases.
struct WrittenVariant {
  std::vector<int> calls;
  std::vector<int> dosages{};        ///< empty: none
  std::vector<int> phased{};         ///< empty: none; else 1 where a heterozygous call has a phase
  std::vector<int> dosage_phased{};  ///< empty: none; else 1 where a dosage has a phase
};

/// How the calls of a record are written.
enum class Written : std::uint8_t {
  plain = 0,
  two_categories = 1,
  like = 2,
  unlike = 3,
  none = 4,
  two = 6,
  missing = 7
};
/// How the dosages of a record are written.
enum class WrittenDosages : std::uint8_t { no = 0, list = 32, each = 64, flags = 96 };

inline std::string number_bytes(std::uint64_t value, unsigned width) {
  std::string out;
  for (unsigned b = 0; b < width; ++b) out += static_cast<char>((value >> (8 * b)) & 255U);
  return out;
}

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out += static_cast<char>((value & 127U) | 128U);
  return out + static_cast<char>(value);
}

/// Values of `bits` bits each, packed.
inline std::string packed_bits(const std::vector<int>& values, unsigned bits) {
  std::string out((values.size() * bits + 7) / 8, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t at = i * bits;
    out[at / 8] = static_cast<char>(static_cast<unsigned char>(out[at / 8]) | (values[i] << (at % 8)));
  }
  return out;
}

/// A list of samples, with two bits each or without.
inline std::string difflist(const std::vector<std::pair<std::uint64_t, int>>& entries, std::uint64_t samples,
                            bool with_values) {
  std::string out = varint(entries.size());
  if (entries.empty()) return out;
  const unsigned width = samples <= 256 ? 1 : samples <= 65536 ? 2 : samples <= 16777216 ? 3 : 4;
  std::vector<std::string> groups;
  std::vector<int> values;
  std::string firsts;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    values.push_back(entries[k].second);
    if (k % 64 == 0) {
      firsts += number_bytes(entries[k].first, width);
      groups.emplace_back();
    } else {
      groups.back() += varint(entries[k].first - entries[k - 1].first);
    }
  }
  out += firsts;
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) out += static_cast<char>(groups[g].size() - 63);
  if (with_values) out += packed_bits(values, 2);
  for (const std::string& group : groups) out += group;
  return out;
}

inline std::string differences_from(const std::vector<int>& base, const std::vector<int>& calls) {
  std::vector<std::pair<std::uint64_t, int>> entries;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i] != base[i]) entries.emplace_back(i, calls[i]);
  }
  return difflist(entries, calls.size(), true);
}

inline int inverted(int call) {
  return call == 3 || call == 1 ? call : 2 - call;
}

/// `low` and `high`: the two categories of Written::two_categories.
inline std::string main_track(const std::vector<int>& calls, Written how, const std::vector<int>& base, int low = 0,
                              int high = 1) {
  const std::vector<int> zeros(calls.size(), 0);
  switch (how) {
    case Written::plain:
      return packed_bits(calls, 2);
    case Written::two_categories: {
      std::vector<int> bits, two;
      for (const int call : calls) {
        bits.push_back(call == high ? 1 : 0);
        two.push_back(call == high ? high : low);
      }
      return std::string(1, static_cast<char>(low * 4 + high - low)) + packed_bits(bits, 1) +
             differences_from(two, calls);
    }
    case Written::like:
      return differences_from(base, calls);
    case Written::unlike: {
      std::vector<int> target;
      for (const int call : calls) target.push_back(inverted(call));
      return differences_from(base, target);
    }
    default:
      return differences_from(std::vector<int>(calls.size(), static_cast<int>(how) & 3), calls);
  }
}

struct WrittenRecord {
  std::uint8_t type = 0;
  std::string bytes;
};

inline WrittenRecord record_of(const WrittenVariant& variant, Written how, WrittenDosages dosages = WrittenDosages::no,
                               const std::vector<int>& base = {}, int low = 0, int high = 1) {
  WrittenRecord out;
  out.type = static_cast<std::uint8_t>(static_cast<unsigned>(how) | static_cast<unsigned>(dosages));
  out.bytes = main_track(variant.calls, how, base, low, high);
  if (!variant.phased.empty()) {
    out.type |= 16;
    std::vector<int> present{1}, info;  // the first bit: not all of them have a phase
    bool all = true;
    for (std::size_t i = 0; i < variant.calls.size(); ++i) {
      if (variant.calls[i] != 1) continue;
      present.push_back(variant.phased[i]);
      all = all && variant.phased[i] == 1;
      if (variant.phased[i] == 1) info.push_back(static_cast<int>(i % 2));
    }
    if (all) {
      info.insert(info.begin(), 0);
      out.bytes += packed_bits(info, 1);
    } else {
      out.bytes += packed_bits(present, 1) + packed_bits(info, 1);
    }
  }
  if (dosages == WrittenDosages::no) return out;
  std::string values, phases;
  std::vector<std::pair<std::uint64_t, int>> listed;
  std::vector<int> flags, phase_flags;
  for (std::size_t i = 0; i < variant.dosages.size(); ++i) {
    const bool has = variant.dosages[i] != 65535;
    flags.push_back(has ? 1 : 0);
    if (has) listed.emplace_back(i, 0);
    if (!has && dosages != WrittenDosages::each) continue;
    values += number_bytes(static_cast<std::uint64_t>(variant.dosages[i]), 2);
    if (variant.dosage_phased.empty()) continue;
    phase_flags.push_back(variant.dosage_phased[i]);
    if (dosages == WrittenDosages::each || variant.dosage_phased[i] == 1) phases += number_bytes(i, 2);
  }
  if (dosages == WrittenDosages::list) out.bytes += difflist(listed, variant.calls.size(), false);
  if (dosages == WrittenDosages::flags) out.bytes += packed_bits(flags, 1);
  out.bytes += values;
  if (variant.dosage_phased.empty()) return out;
  out.type |= 128;
  if (dosages != WrittenDosages::each) out.bytes += packed_bits(phase_flags, 1);
  out.bytes += phases;
  return out;
}

/// A .pgen of variable width; `wide`: a byte for each type and four for each length, else four bits and two bytes.
inline std::string pgen_of(const std::vector<WrittenRecord>& records, std::uint64_t samples, bool wide = true) {
  std::string out = "\x6c\x1b\x10" + number_bytes(records.size(), 4) + number_bytes(samples, 4);
  out += static_cast<char>((wide ? 7 : 1) | 0x40);
  const std::size_t blocks = (records.size() + 65535) / 65536;
  std::string index;
  std::vector<std::uint64_t> begins;
  std::uint64_t at = 0;
  for (std::size_t begin = 0; begin < records.size(); begin += 65536) {
    begins.push_back(at);
    std::string types, lengths;
    for (std::size_t k = begin; k < records.size() && k < begin + 65536; ++k) {
      if (wide) {
        types += static_cast<char>(records[k].type);
      } else if (k % 2 == 0) {
        types += static_cast<char>(records[k].type);
      } else {
        types.back() = static_cast<char>(static_cast<unsigned char>(types.back()) | (records[k].type << 4));
      }
      lengths += number_bytes(records[k].bytes.size(), wide ? 4 : 2);
      at += records[k].bytes.size();
    }
    index += types + lengths;
  }
  const std::uint64_t first = 12 + 8 * blocks + index.size();
  for (const std::uint64_t begin : begins) out += number_bytes(first + begin, 8);
  out += index;
  for (const WrittenRecord& record : records) out += record.bytes;
  return out;
}

/// A .pgen of fixed width: mode 2, 3 or 4.
inline std::string fixed_pgen_of(const std::vector<WrittenVariant>& variants, std::uint64_t samples, int mode) {
  std::string out = "\x6c\x1b" + std::string(1, static_cast<char>(mode)) + number_bytes(variants.size(), 4) +
                    number_bytes(samples, 4) + '\x40';
  for (const WrittenVariant& variant : variants) {
    out += packed_bits(variant.calls, 2);
    for (std::size_t i = 0; mode > 2 && i < samples; ++i) {
      out += number_bytes(static_cast<std::uint64_t>(variant.dosages[i]), 2);
    }
    for (std::size_t i = 0; mode > 3 && i < samples; ++i) out += number_bytes(0x8000, 2);  // no phase
  }
  return out;
}

}  // namespace strads::data
