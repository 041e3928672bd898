// Which variables take part, by name and place: --chr, --from-bp, --to-bp, --extract, --exclude. Layer: data.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "data/filters/variable_names.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Which variables are left out, and why. The first reason that applies counts.
struct VariantChoice {
  std::vector<std::uint8_t> excluded;  ///< one flag a variable; empty where no option asks for any
  std::vector<Dropped> dropped;        ///< one for each option that was given, in the order in which they were applied
  std::vector<std::string> warnings;   ///< names that are not in the data
  std::vector<std::string> files;      ///< read for it, in order

  /// Leaves out the variables j, not yet left out, for which drop(j); lists the reason, also where there are none.
  template <class Drop>
  void drop_where(std::string reason, Drop&& drop) {
    std::uint64_t count = 0;
    for (std::uint64_t j = 0; j < excluded.size(); ++j) {
      if (excluded[j] != 0 || !drop(j)) continue;
      excluded[j] = 1;
      ++count;
    }
    dropped.push_back({std::move(reason), count});
  }
  [[nodiscard]] std::uint64_t left() const;
};

/// In plink2's order: --chr, --from-bp and --to-bp, --extract, --exclude.
/// Errors: input: a list without names, a list to keep without one that is in the data, nothing left; usage: places
/// where variables have none, positions without exactly one chromosome. Cost: one pass over the names for each option.
Result<VariantChoice> choose_variants(const Variables& variables, const VariableNames& names);

/// The error where nothing is left, by reasons.
Status no_variant_left(const VariantChoice& choice);

/// Penalty factors of the columns from `file` (--penalty-factors) or, where they are there, from memory (or null);
/// columns with an infinite one are flagged in `excluded` and have 1. Without either: empty.
/// Errors: input: the file's place, when a factor is no number >= 0, an id is unknown or stands for two columns, or the
/// number of factors is not J.
Result<std::vector<double>> penalty_factors(const std::string& file, const DataInMemory* memory,
                                            const VariableNames& names, std::vector<std::uint8_t>& excluded);

}  // namespace strads::data
