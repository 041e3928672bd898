// --keep and --remove. Layer: data.
#pragma once

#include "data/samples/samples.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// Drops the samples that --keep does not list, then those that --remove lists. Names that X does not have become
/// warnings. Errors: input: a list without names, lines that differ, a --keep with no sample of X.
/// REQUIRES: x.any() where an option asks for a list. Cost: a hash table of each list.
Status apply_sample_lists(const Samples& samples, const SampleIds& x, SampleSelection& out);

}  // namespace strads::data
