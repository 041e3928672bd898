#include "data/genotypes/genotype_files.hpp"

#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace strads::data {

namespace {

bool is_there(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

const char* ending_of_calls(const Source& source) {
  return source.has_pgen() ? ".pgen" : ".bed";
}

/// The source with a chromosome in place of the letter of its prefix at `place`.
Source of_chromosome(const Source& source, std::size_t place, const std::string& chromosome) {
  Source out = source;
  std::string& prefix = !out.bfile.empty() ? out.bfile : !out.pfile.empty() ? out.pfile : out.bpfile;
  prefix.replace(place, 1, chromosome);
  return out;
}

}  // namespace

GenotypeFiles genotype_files(const Source& source) {
  const std::string& prefix = source.prefix();
  GenotypeFiles files{prefix + ending_of_calls(source), prefix + (source.has_psam() ? ".pvar" : ".bim"),
                      prefix + (source.has_psam() ? ".psam" : ".fam")};
  const std::string plain = files.variants;
  for (const char* packed : {"", ".zst", ".gz"}) {
    if (!is_there(plain + packed)) continue;
    files.variants = plain + packed;
    break;
  }
  return files;
}

Result<std::vector<Source>> sources_of(const Source& source) {
  constexpr int kNumbered = 99;
  const std::string& prefix = source.prefix();
  const std::string ending = ending_of_calls(source);
  const std::size_t place = prefix.rfind('@');
  const std::size_t slash = prefix.rfind('/');
  const bool is_named = place != std::string::npos && (slash == std::string::npos || slash < place);
  if (!is_named || is_there(prefix + ending)) return std::vector<Source>{source};
  std::vector<Source> out;
  const auto look_for = [&](const std::string& chromosome) {
    Source one = of_chromosome(source, place, chromosome);
    if (is_there(one.prefix() + ending)) out.push_back(std::move(one));
  };
  for (int number = 1; number <= kNumbered; ++number) look_for(std::to_string(number));
  for (const char* name : {"X", "Y", "XY", "MT"}) look_for(name);
  if (!out.empty()) return out;
  return Status::input(prefix + ending + ": no file has this name, nor one with a chromosome (1 to 99, X, Y, XY, MT) " +
                       "in place of @ as " + of_chromosome(source, place, "1").prefix() + ending +
                       "; expected one set of files, or one for each chromosome");
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
