// The content of model.bin and path.bin: what of a model is archived.
#pragma once

#include <string>
#include <string_view>

#include "regression/classifier_file.hpp"
#include "regression/model_file.hpp"
#include "strads/program/sealed_file.hpp"

namespace strads::lasso {

/// What to do with a file of which nothing can be made.
inline constexpr const char* kModelAdvice = "fit the model again";

/// The content of the sealed file and back. T: FittedModel, FittedPath, FittedClassifier. Errors: input: no memory; not
/// such a content, of a later release, written with a later Boost, with `path` and what to do. Whether members fit
/// together is not looked at.
template <class T>
[[nodiscard]] Result<std::string> to_model_content(const T& fitted);
/// The same bytes in pieces, none of which is kept.
template <class T>
[[nodiscard]] Status model_content_in_pieces(const T& fitted, const PieceTaker& take);
template <class T>
[[nodiscard]] Result<T> from_model_content(const std::string& path, std::string_view content);

}  // namespace strads::lasso
