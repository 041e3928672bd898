#include "data/genotypes/genotype_files.hpp"

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace strads::data {

namespace {

bool is_there(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

}  // namespace

GenotypeFiles genotype_files(const Source& source) {
  const std::string& prefix = source.prefix();
  GenotypeFiles files{prefix + (source.has_pgen() ? ".pgen" : ".bed"), prefix + (source.has_psam() ? ".pvar" : ".bim"),
                      prefix + (source.has_psam() ? ".psam" : ".fam")};
  const std::string plain = files.variants;
  for (const char* packed : {"", ".zst", ".gz"}) {
    if (!is_there(plain + packed)) continue;
    files.variants = plain + packed;
    break;
  }
  return files;
}

Status explain_prefix(const Source& source) {
  struct Kind {
    std::string_view option, calls, variants, samples;
  };
  constexpr std::array<Kind, 3> kKinds{{{"--bfile", ".bed", ".bim", ".fam"},
                                        {"--pfile", ".pgen", ".pvar", ".psam"},
                                        {"--bpfile", ".pgen", ".bim", ".fam"}}};
  const Kind& given = kKinds[!source.bfile.empty() ? 0 : source.has_psam() ? 1 : 2];
  const std::string& prefix = source.prefix();
  const auto there = [&](std::string_view suffix) { return is_there(prefix + std::string(suffix)); };
  if (there(given.samples) && there(given.calls)) return {};
  const std::string start = std::string(given.option) + " " + prefix + ": ";
  for (const Kind& kind : kKinds) {
    for (const std::string_view suffix : {kind.calls, kind.variants, kind.samples}) {
      if (there(given.samples) || !prefix.ends_with(suffix)) continue;
      return Status::usage(start + "is the name of one file, expected what the three share; give " +
                           std::string(kind.option) + " " + prefix.substr(0, prefix.size() - suffix.size()));
    }
  }
  const auto version_of = [](const Kind& kind) {
    return kind.samples == ".psam" ? "PLINK 2 files (" : kind.calls == ".bed" ? "PLINK 1 files (" : "(";
  };
  for (const bool with_calls : {true, false}) {  // rather files that are all there
    for (const Kind& kind : kKinds) {
      const bool found = there(kind.samples) && there(kind.calls) == with_calls;
      if (!found || kind.option == given.option || (there(given.samples) && !with_calls)) continue;
      return Status::usage(start + "there are " + version_of(kind) + std::string(kind.calls) + ", " +
                           std::string(kind.variants) + ", " + std::string(kind.samples) + "); give " +
                           std::string(kind.option) + " " + prefix);
    }
  }
  return {};
}

}  // namespace strads::data
