// Genotypes with a table of samples and one of variants: PLINK's files. Layer: data.
#pragma once

#include "data/samples/load_each.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// The data sets of options.bfile, one for each response. Errors: as load_dataset().
AllLoaded load_genotypes(const InputOptions& options, ResponseNames names);

}  // namespace strads::data
