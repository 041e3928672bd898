// Names of the columns of X, as each format has them. Layer: data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "data/files/string_list.hpp"
#include "data/genotypes/bed.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Names of the columns of X.
class VariableNames {
 public:
  virtual ~VariableNames() = default;
  [[nodiscard]] virtual VariableName at(std::uint64_t j) const = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  [[nodiscard]] virtual bool has_alleles() const { return false; }
  /// Variants with a negative position, which take no part; ascending.
  [[nodiscard]] virtual std::span<const std::uint64_t> negative() const { return {}; }
  virtual void for_each(const std::function<void(std::uint64_t, const VariableName&)>& visit) const;
};

/// Names in a header.
std::unique_ptr<const VariableNames> names_from_list(StringList names);
/// Columns without names are called 1, 2, 3, ... Cost: about 7 bytes a column.
std::unique_ptr<const VariableNames> names_by_number(std::uint64_t columns);
/// Names in a .bim; `owner` keeps its text.
std::unique_ptr<const VariableNames> names_from_bim(Bim bim, std::shared_ptr<const void> owner);
/// Those of several files, one after the other; all have alleles. Cost of a name: a search by halves among the files.
std::unique_ptr<const VariableNames> joined_names(std::vector<std::unique_ptr<const VariableNames>> files);

}  // namespace strads::data
