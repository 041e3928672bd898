// What a node tells about data that it cannot use.
#pragma once

#include <string>
#include <vector>

#include "strads/base/status.hpp"

namespace strads {

/// `failure` of a loader without anything that it has read: the driver, which named the files, may be somebody else's,
/// and messages for people quote what was found. What is left is the name of the file, if the message begins with one
/// of `named` or with one of these and an ending, and the system's reason where it cannot be opened. A refusal by
/// expect_to_fit() stays as it is.
[[nodiscard]] Status for_the_driver(const Status& failure, const std::vector<std::string>& named);

}  // namespace strads
