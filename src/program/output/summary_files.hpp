// What an old summary.json says about its run's files. Layer: program.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace strads {

/// The summary's object of names and hashes (hash_of_file()): of every file of the run but the summary itself.
inline constexpr const char* kFileHashes = "file_hashes";

/// The hashes by name. None: the text is no such summary, or has no hashes.
[[nodiscard]] std::optional<std::map<std::string, std::string>> hashes_of_summary(const std::string& text);

/// What a summary says of a model's form.
struct ModelFormat {
  std::uint64_t format = 1;  ///< where none is noted
  std::string release;       ///< that wrote it; "": not noted
};
/// None: the text is no such summary, or its format is no whole number.
[[nodiscard]] std::optional<ModelFormat> model_format_of_summary(const std::string& text);

/// The number under `name`; `otherwise` where there is nothing. None: the text is no such summary, or it is no number.
[[nodiscard]] std::optional<double> number_of_summary(const std::string& text, const std::string& name,
                                                      double otherwise);

/// The text under `name`; "" where there is none, or the text is no such summary.
[[nodiscard]] std::string text_of_summary(const std::string& text, const std::string& name);

/// The strings under "files"; empty when the text is no such summary.
[[nodiscard]] std::vector<std::string> files_of_summary(const std::string& text);

}  // namespace strads
