#include "lda/problem/row_pages.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace strads::lda {

std::uint64_t RowPages::longest() const {
  return tokens.empty() ? 0 : *std::max_element(tokens.begin(), tokens.end());
}

RowPages deal_rows(std::span<const std::uint64_t> tokens, std::span<const std::vector<std::uint32_t>> slices,
                   std::uint32_t workers) {
  RowPages pages;
  pages.schedulers = static_cast<std::uint32_t>(slices.size());
  pages.workers = workers;
  pages.rows.resize(slices.size() * workers);
  pages.tokens.assign(pages.rows.size(), 0);
  pages.page_of.assign(tokens.size(), 0);
  pages.begin_of.assign(tokens.size(), 0);
  for (std::size_t s = 0; s < slices.size(); ++s) {
    std::vector<std::uint32_t> longest_first = slices[s];
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return tokens[a] > tokens[b]; });
    using Block = std::pair<std::uint64_t, std::size_t>;  // tokens, page
    std::priority_queue<Block, std::vector<Block>, std::greater<>> lightest;
    for (std::uint32_t p = 0; p < workers; ++p) lightest.emplace(0, s * workers + p);
    for (const std::uint32_t row : longest_first) {
      const Block block = lightest.top();
      lightest.pop();
      pages.rows[block.second].push_back(row);
      lightest.emplace(block.first + tokens[row], block.second);
    }
  }
  for (std::size_t page = 0; page < pages.rows.size(); ++page) {
    std::sort(pages.rows[page].begin(), pages.rows[page].end());
    for (const std::uint32_t row : pages.rows[page]) {
      pages.page_of[row] = static_cast<std::uint32_t>(page);
      pages.begin_of[row] = pages.tokens[page];
      pages.tokens[page] += tokens[row];
    }
  }
  return pages;
}

}  // namespace strads::lda
