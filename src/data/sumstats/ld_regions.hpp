// Regions of a BED file that are taken for independent of each other. Layer: data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"

namespace strads::data {

/// A region: positions begin < p <= end (BED counts from zero and leaves the end out).
struct LdRegion {
  std::string sequence;  ///< sequence_of() its chromosome
  std::uint64_t begin = 0, end = 0;
  std::uint64_t line = 0;
};

/// All regions of a file, by sequence (in the order of the file) and place. No two overlap.
class LdRegions {
 public:
  /// Reads a BED: chromosome, start, end; further fields are passed over, and so are a header, lines of `track` and
  /// `browser`, and comments. Errors: input: the line, what was found: no numbers, an end that is not after its start,
  /// two that overlap; no region at all.
  static Result<LdRegions> parse(std::string_view text, const std::string& path);

  [[nodiscard]] const std::vector<LdRegion>& regions() const noexcept { return regions_; }
  /// Number of the region of a place. Cost: a search by halves.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view sequence, std::uint64_t position) const;

 private:
  struct Sequence {
    std::string name;
    std::size_t first = 0, last = 0;  // of regions_
  };
  std::vector<LdRegion> regions_;
  std::vector<Sequence> sequences_;
};

}  // namespace strads::data
