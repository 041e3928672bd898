// What a file beside a GWAS-SSF table says of the study. Layer: data.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::data {

/// Of FILE-meta.yaml; nothing and "" where it does not say.
struct StudyFacts {
  std::optional<double> n, cases, controls;  ///< sums over its samples
  std::string build;                         ///< genome_assembly
  std::string trait;                         ///< trait_description, several with ", " between them
};

/// Reads the keys that are needed; YAML beyond `key: value` and lists of `- value` is passed over.
/// Errors: input: a number of people that is none, with its line.
[[nodiscard]] Result<StudyFacts> parse_study_facts(std::string_view text, const std::string& path);

/// Those of the table `path`: path + "-meta.yaml", or without its .gz, .bgz or .zst; nothing where none is there.
[[nodiscard]] Result<std::optional<StudyFacts>> study_facts_of(const std::string& path);

}  // namespace strads::data
