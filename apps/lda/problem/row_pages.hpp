// Which documents and which words a block has. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strads::lda {

/// The rows of one side (documents or words) in pages: page s x P + p is block p of slice s.
struct RowPages {
  std::uint32_t schedulers = 1, workers = 1;
  std::vector<std::vector<std::uint32_t>> rows;  ///< by page, ascending
  std::vector<std::uint64_t> tokens;             ///< by page
  std::vector<std::uint32_t> page_of;            ///< by row
  std::vector<std::uint64_t> begin_of;           ///< by row: its first token in the page

  [[nodiscard]] std::uint64_t longest() const;
};

/// Each slice's rows are dealt to its P blocks, the longest first, to the one with fewest tokens.
///   tokens: of each row
///   slices: rows of each, ascending
[[nodiscard]] RowPages deal_rows(std::span<const std::uint64_t> tokens,
                                 std::span<const std::vector<std::uint32_t>> slices, std::uint32_t workers);

}  // namespace strads::lda
