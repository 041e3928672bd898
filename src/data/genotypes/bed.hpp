// PLINK 1 binary genotypes: .bed and .bim (cog-genomics.org/plink/1.9/formats). Layer: data.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Bytes of a .bed before the first column.
inline constexpr std::uint64_t kBedHeader = 3;

/// Bytes of one column: four calls each.
constexpr std::uint64_t bed_stride(std::uint64_t samples) noexcept {
  return (samples + 3) / 4;
}

/// Checks magic bytes, orientation and the exact size; reads nothing else.
/// Errors: StatusCode::input when the bytes are no SNP-major .bed of this shape.
Status check_bed(std::string_view bytes, std::uint64_t samples, std::uint64_t variants, const std::string& path);

/// Which fields of a line say what about a variant; default: a .bim.
struct VariantLayout {
  std::size_t chromosome = 0, id = 1, position = 3, counted = 4, other = 5;
  std::size_t fields = 6;          ///< of a line
  bool more_fields = false;        ///< further ones are passed over
  std::uint64_t lines_before = 0;  ///< of the file, before the first variant
};

/// A .bim or a .pvar without copies: offsets of every 16th line; a line is parsed when it is asked for.
class Bim {
 public:
  /// Checks every line (six fields, the position a whole number up to 2^31 - 2) once. `done(bytes)` is called now and
  /// then with the bytes behind the parser. The text must outlive the Bim.
  static Result<Bim> parse(std::string_view text, const std::string& path,
                           const std::function<void(std::uint64_t)>& done = {});
  /// The same of a .pvar: lines that start with # are its header, the last one starts with #CHROM and names the
  /// columns; without a header it is read as a .bim of five or six fields. ALT is the counted allele, REF the other
  /// one. Errors: also a variant with several ALT alleles: all of them are counted.
  static Result<Bim> parse_pvar(std::string_view text, const std::string& path,
                                const std::function<void(std::uint64_t)>& done = {});

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Those with a negative position, which plink2 leaves out; ascending.
  [[nodiscard]] std::span<const std::uint64_t> negative() const noexcept { return negative_; }
  /// Variants on Y or in mitochondria (Y, 24, MT, M, 26, with or without chr), of which a person has one copy.
  [[nodiscard]] std::uint64_t haploid() const noexcept { return haploid_; }
  /// REQUIRES: j < size(). Cost: at most 16 short lines.
  [[nodiscard]] VariableName operator[](std::uint64_t j) const;
  /// Calls visit(j, name) for all variants in order. Cost: one pass.
  void for_each(const std::function<void(std::uint64_t, const VariableName&)>& visit) const;

 private:
  static Result<Bim> parse_lines(std::string_view text, const std::string& path, const VariantLayout& layout,
                                 const std::function<void(std::uint64_t)>& done);

  std::string_view text_;
  VariantLayout layout_;
  std::uint64_t size_ = 0, haploid_ = 0;
  std::vector<std::uint64_t> offsets_;  // of lines 0, 16, 32, ...
  std::vector<std::uint64_t> negative_;
};

}  // namespace strads::data
