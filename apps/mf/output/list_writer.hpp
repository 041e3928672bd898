// Lists of items, of users or of items, as a file. Formats: docs/OUTPUT.md, "Lists".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mf/options/serving_options.hpp"
#include "mf/ranking/best_items.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/data/ratings.hpp"
#include "strads/program/result_files.hpp"

namespace strads::mf {

/// Whose lists they are, and what they are called.
struct ListShape {
  ListFormat format = ListFormat::tsv;
  std::string whose = "user";        ///< "user" or "item"
  std::string score = "prediction";  ///< the column of scores
  std::size_t top = 0;               ///< no list is longer
  std::shared_ptr<const IdTable> owners, items;
};

class ListWriter {
 public:
  /// `path`: "" for stdout. Errors: usage: a .npz to stdout; input, with the path and the system's reason.
  [[nodiscard]] static Result<ListWriter> open(const std::string& path, ListShape shape);

  /// The lists of some owners, in this order. Cost of npz: 8 bytes a place stay in memory until commit(). Errors:
  /// input.
  [[nodiscard]] Status write(std::span<const std::uint32_t> owners, std::span<const std::vector<Candidate>> lists,
                             Chunks& chunks);
  /// All lists are there. Without it a file is never seen. Errors: input.
  [[nodiscard]] Status commit();

 private:
  ListWriter(ListShape shape, ResultWriter writer);
  [[nodiscard]] std::string text_of(std::uint32_t owner, const std::vector<Candidate>& list) const;
  void keep(std::uint32_t owner, const std::vector<Candidate>& list);

  ListShape shape_;
  ResultWriter writer_;
  // Of npz: what is written at the end.
  std::vector<std::string> ids_;
  std::vector<std::int32_t> places_;
  std::vector<float> scores_;
};

}  // namespace strads::mf
