// What a table of samples says besides names and phenotype: sex and parents. Layer: data.
#pragma once

#include <cstdint>
#include <vector>

namespace strads::data {

/// As column 5 of a .fam codes it; whatever is neither 1 nor 2 is unknown.
enum class Sex : std::uint8_t { unknown = 0, male = 1, female = 2 };

/// One entry for each sample of the file; empty where samples do not come from a .fam or a .psam.
struct Pedigree {
  std::vector<Sex> sex;
  std::vector<std::uint8_t> founder;  ///< 1: no parent is named (both are 0, or the file has none), as plink2 has it

  [[nodiscard]] bool any() const noexcept { return !sex.empty(); }
};

}  // namespace strads::data
