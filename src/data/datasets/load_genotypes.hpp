// Genotypes with a table of samples and one of variants: PLINK's files. Layer: data.
#pragma once

#include "data/datasets/load_each.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// The data sets of options.source, one for each response. Errors: as load_dataset().
AllLoaded load_genotypes(const InputOptions& options, ResponseNames names);

/// Who of the samples' table takes part, before any genotype is looked at: --mind drops nobody.
/// Errors: as load_dataset(). REQUIRES: options.source.is_plink(). Cost: reads the samples' table and those beside it.
Result<SampleSelection> select_genotyped(const InputOptions& options);

}  // namespace strads::data
