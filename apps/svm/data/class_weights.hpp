// --class-weights: what the loss of a sample counts, by its class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/base/status.hpp"

namespace strads::svm {

/// What needs no data to be wrong. `given`: "balanced", or CLASS=WEIGHT of some classes. Errors: usage.
[[nodiscard]] Status check_class_weights(const std::vector<std::string>& given);

/// By class, what `given` says of `names`: 1 of those that it does not name; balanced: all samples / (classes x samples
/// of the class). `counts`: samples of each class. Errors: usage: a class that is not there, or twice.
/// REQUIRES: check_class_weights() was ok.
[[nodiscard]] Result<std::vector<double>> weights_of_classes(const std::vector<std::string>& given,
                                                             const std::vector<std::string>& names,
                                                             const std::vector<std::uint64_t>& counts);

}  // namespace strads::svm
