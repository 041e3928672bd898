// Implicit feedback: from the pairs of a file to those that were chosen, each with a confidence. Pure.
#pragma once

#include "strads/data/ratings.hpp"

namespace strads::mf {

/// Leaves out the training pairs below `positives.from`, and turns the values of the others into confidences: 1, the
/// value, or log2(1 + value). Validation pairs are left out likewise, and are ones. Test pairs are not looked at.
/// `name`: of the file, for messages. Errors: input: a value that is 0 or less, where nothing says from which value on
/// a pair was chosen; a confidence that is not finite; no pair is left. Cost: a pass over the pairs.
[[nodiscard]] Status to_positives(const Positives& positives, const std::string& name, Ratings& ratings);

}  // namespace strads::mf
