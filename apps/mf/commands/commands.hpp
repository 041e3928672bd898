// The commands of `mf`. `arguments`: those after the command's name.
#pragma once

#include <span>
#include <string>

#include "strads/base/status.hpp"

namespace strads::mf {

/// Loads, solves, writes. The status' code is the exit code: stopped (without a message) when a limit or SIGINT ended
/// the run and the results are written.
[[nodiscard]] Status run_fit(std::span<const std::string> arguments);
/// To a table of scores. Errors: usage, input, cluster; stopped: a limit or a signal ended it, what is known was
/// written.
[[nodiscard]] Status run_cv(std::span<const std::string> arguments);
/// Pairs of user and item. Errors: usage, input.
[[nodiscard]] Status run_predict(std::span<const std::string> arguments);
/// The best items of each user. Errors: usage, input.
[[nodiscard]] Status run_recommend(std::span<const std::string> arguments);
/// The items that are most like others. Errors: usage, input.
[[nodiscard]] Status run_similar(std::span<const std::string> arguments);
/// How good the best items are. Errors: usage, input.
[[nodiscard]] Status run_evaluate(std::span<const std::string> arguments);
/// Ratings to learn from and to judge by. Errors: usage, input.
[[nodiscard]] Status run_split(std::span<const std::string> arguments);
/// Factors of new users or items, with those of the other side as they are. Errors: usage, input.
[[nodiscard]] Status run_fold_in(std::span<const std::string> arguments);
/// A model of more ratings, from where an earlier one was. Errors: usage, input.
[[nodiscard]] Status run_refit(std::span<const std::string> arguments);
/// Vectors for serving. Errors: usage, input.
[[nodiscard]] Status run_export(std::span<const std::string> arguments);

}  // namespace strads::mf
