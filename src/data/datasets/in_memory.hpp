// Matrices that another program holds, as columns of a data set. Layer: data.
#pragma once

#include "data/datasets/load_each.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Data sets of X in memory, as load_datasets() makes them of files. Column-major floats and bytes, and sparse columns,
/// stay where they are unless an entry is missing; what else there is, is copied.
/// Errors: as of a .npy or .npz, with "X" in place of a path. REQUIRES: options.source.has_x_in_memory().
AllLoaded load_in_memory(const InputOptions& options, ResponseNames names);

}  // namespace strads::data
