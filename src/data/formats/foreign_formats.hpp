// Files that people give us and that are something else: what they are, and what makes them readable. Layer: data.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "data/formats/table.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Error for the bytes of an --x that are known to be no format of ours (.bed, .pgen, .vcf, .bcf, .bgen and others).
[[nodiscard]] Status refuse_foreign_format(std::string_view bytes, const std::string& path);

/// Error for a table of PLINK's whose rows are variants (.traw, .pvar).
[[nodiscard]] Status refuse_table_of_variants(const Table& table);

/// Column of the phenotype in a .raw; the ones before it are no variables either.
inline constexpr std::size_t kRawPhenotype = 5;

/// True iff the table is what plink --recode A and plink2 --export A write (.raw): FID IID PAT MAT SEX PHENOTYPE, then
/// one column a variant.
[[nodiscard]] bool is_raw_export(const Table& table);

}  // namespace strads::data
