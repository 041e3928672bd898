// The files of finished runs: whether they are still those that were written, and that no result takes their place.
// Layer: program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads {

/// Whether each of `names` in the run directory `folder` has the content whose hash the run's summary.json notes
/// (`file_hashes`). Ask before the files are read: a changed byte of a table or of factors shows nowhere else. A
/// summary without hashes is refused too, or a damaged summary would switch the check off. Errors: input: which file,
/// what was found, what to do. Cost: every file is read once, several bytes a cycle.
[[nodiscard]] Status check_run_files(const std::string& folder, std::span<const std::string> names);

/// The summary's number for the form of a model whose files are tables and arrays (mf); 1 where it is not noted.
inline constexpr const char* kModelFormat = "model_format";

/// Whether the finished run in `folder` noted a form of its model that this release reads: `newest` or an earlier one.
/// Errors: input: a later one, with the release that wrote it and what to do; no such summary.
[[nodiscard]] Status expect_model_format(const std::string& folder, std::uint64_t newest);

/// A number above 0 under `name` in the summary of the finished run in `folder`; `otherwise` where there is none.
/// Errors: input: something else is there; no such summary.
[[nodiscard]] Result<double> positive_of_summary(const std::string& folder, const std::string& name, double otherwise);

/// Whether a result may be put at `path`. Errors: usage: it is a file of the finished run in that folder.
[[nodiscard]] Status expect_no_file_of_a_run(const std::string& path);

/// Writes a whole result as ResultWriter does: to stdout where `path` is "". Errors: as there.
[[nodiscard]] Status write_result(const std::string& path, std::string_view text);

}  // namespace strads
