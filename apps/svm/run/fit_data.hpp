// From options to what is solved: what a run and every node of it do alike.
#pragma once

#include "strads/program/kept_data.hpp"
#include "svm/data/loaded_samples.hpp"
#include "svm/options/fit_options.hpp"

namespace strads::svm {

/// Reads the data, or takes those that are kept. Errors: as load_dataset() and rows_of(); usage: more schedulers or
/// workers than there are dual variables.
[[nodiscard]] Result<LoadedSamples> load_samples(const FitOptions& options, KeptData& kept);

}  // namespace strads::svm
