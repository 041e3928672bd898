// Plain text as documents: a line each, or a file each. Layer: data.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/status.hpp"
#include "strads/data/documents.hpp"

namespace strads::data {

/// The lines of a text, empty ones too, which are documents without words.
std::vector<std::string_view> lines_of_text(std::string_view text);

/// The regular files in a folder and in those below it, by their paths in the folder, in the order of their bytes.
/// Hidden ones are left out. Errors: input: cannot be read.
Result<std::vector<std::string>> files_in_folder(const std::string& folder);

/// Counts the words of texts. Which words there are is decided by `options`, or by `known` where that is not empty. The
/// words are in the order of their bytes.
/// Errors: input: a list of stop words cannot be read. Cost: about 30 ns a byte and thread.
Result<Documents> documents_of_texts(std::span<const std::string_view> texts, const TextOptions& options,
                                     std::span<const std::string> known, Chunks& chunks,
                                     const std::function<void(double share)>& progress);

}  // namespace strads::data
