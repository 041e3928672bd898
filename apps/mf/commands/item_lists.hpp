// What `mf recommend` and `mf similar` do alike: which lists, of which items, and writing them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mf/options/fit_options.hpp"
#include "mf/output/list_writer.hpp"
#include "mf/ranking/best_items.hpp"
#include "mf/ranking/rated_items.hpp"
#include "mf/ranking/scorer.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"

namespace strads::mf {

/// Numbers of the ids of a file, in its order; without one all of the side. `advice`: what helps with ids that the
/// model does not know. Errors: input: it names none of the model.
[[nodiscard]] Result<std::vector<std::uint32_t>> chosen_ids(const std::string& path, Side side,
                                                            const ListOptions& options, const ModelIds& model,
                                                            const std::string& advice);

/// `counts`: of each item, for --min-count. Errors: input: no item is left.
[[nodiscard]] Result<AllowedItems> allowed_items(const ListOptions& options, const ModelIds& model,
                                                 const std::vector<std::uint32_t>& counts);

/// Whose lists, and of what.
struct ItemLists {
  const Scorer& scorer;
  const RatedItems& left_out;
  AllowedItems allowed;
  bool above_zero = false;  ///< a list ends where scores do not speak for an item any more
};

/// Errors: input; stopped by a signal, with how far it came.
[[nodiscard]] Status write_lists(const ListOptions& options, const ItemLists& all,
                                 std::span<const std::uint32_t> owners, ListShape shape, Chunks& chunks);

}  // namespace strads::mf
