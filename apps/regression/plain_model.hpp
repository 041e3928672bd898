// What stood in model.bin and path.bin (version 1 of both) before they held archives. Files of that kind are read, not
// written.
#pragma once

#include <optional>
#include <string_view>

#include "regression/model_file.hpp"

namespace strads::lasso {

/// T: FittedModel, FittedPath. Nothing: the content is not one of that kind.
template <class T>
[[nodiscard]] std::optional<T> from_plain_content(std::string_view content);

}  // namespace strads::lasso
