// --extract and --chr: which columns the user left out.
#include <algorithm>
#include <unordered_set>

#include "data/files/mapped_file.hpp"
#include "data/formats/loaded_dataset.hpp"
#include "data/formats/text.hpp"

namespace strads::data {

namespace {

// "chr2" and "2" name the same chromosome.
std::string_view bare(std::string_view chromosome) {
  return same_word(chromosome.substr(0, 3), "chr") ? chromosome.substr(3) : chromosome;
}

Status apply_extract(const std::string& path, const VariableNames& names, std::vector<std::uint8_t>& excluded,
                     DatasetParts& parts) {
  const auto source = Source::open(path);
  if (!source.ok()) return source.status();
  parts.files.push_back(path);
  // Look-up only: the order of the sets never reaches a result.
  std::unordered_set<std::string_view> wanted;
  std::vector<std::string_view> listed;
  LineReader lines = LineReader::of_file(source.value().bytes());
  for (std::string_view line; lines.next(line);) {
    WordReader words(line);
    std::string_view word;
    if (!words.next(word)) continue;
    if (wanted.insert(word).second) listed.push_back(word);
  }
  if (listed.empty()) return Status::input(path + ": lists no variables, expected one id per line");
  std::unordered_set<std::string_view> found;
  names.for_each([&](std::uint64_t j, const VariableName& name) {
    const auto entry = wanted.find(name.id);
    if (entry == wanted.end()) {
      excluded[j] = 1;
    } else {
      found.insert(*entry);
    }
  });
  if (found.empty()) {
    return Status::input(path + ": none of its " + std::to_string(listed.size()) +
                         " variables is in the data: here for "
                         "example " +
                         in_quotes(listed[0]) + ", there " + in_quotes(names.at(0).id));
  }
  if (found.size() < listed.size()) {
    const auto unknown = std::find_if(listed.begin(), listed.end(), [&](auto id) { return !found.contains(id); });
    parts.warnings.push_back(path + ": " + std::to_string(listed.size() - found.size()) + " of " +
                             std::to_string(listed.size()) + " variables are not in the data, the first is " +
                             in_quotes(*unknown));
  }
  return {};
}

// One word of --chr: a name, or two numbers with a dash between them, as in plink.
class Chromosomes {
 public:
  explicit Chromosomes(std::string_view word) : name_(bare(word)) {
    const std::size_t dash = name_.find('-');
    is_range_ = dash != std::string_view::npos && parse_count(name_.substr(0, dash), first_) &&
                parse_count(bare(name_.substr(dash + 1)), last_);
  }
  [[nodiscard]] bool has(std::string_view chromosome) const {
    std::uint64_t number = 0;
    if (same_word(name_, bare(chromosome))) return true;
    return is_range_ && parse_count(bare(chromosome), number) && first_ <= number && number <= last_;
  }

 private:
  std::string_view name_;
  std::uint64_t first_ = 0, last_ = 0;
  bool is_range_ = false;
};

Status apply_chromosomes(const std::vector<std::string>& chromosomes, const VariableNames& names,
                         std::vector<std::uint8_t>& excluded, DatasetParts& parts) {
  const std::vector<Chromosomes> wanted(chromosomes.begin(), chromosomes.end());
  std::vector<std::uint8_t> found(chromosomes.size(), 0);
  names.for_each([&](std::uint64_t j, const VariableName& name) {
    bool listed = false;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (!wanted[k].has(name.chromosome)) continue;
      listed = true;
      found[k] = 1;
    }
    if (!listed) excluded[j] = 1;
  });
  const std::string first = in_quotes(names.at(0).chromosome);
  for (std::size_t k = 0; k < chromosomes.size(); ++k) {
    if (found[k] != 0) continue;
    parts.warnings.push_back("--chr " + chromosomes[k] + ": no variant is on it (the first is on " + first + ")");
  }
  if (std::find(found.begin(), found.end(), std::uint8_t{1}) == found.end()) {
    return Status::input("--chr " + chromosomes[0] + ": no variant is on it (the first is on " + first +
                         "); chromosomes are written as in the .bim, numbers also as "
                         "1-3");
  }
  return {};
}

}  // namespace

Result<std::vector<std::uint8_t>> excluded_columns(const InputOptions& options, const VariableNames& names,
                                                   DatasetParts& parts) {
  std::vector<std::uint8_t> excluded;
  if (options.extract.empty() && options.chromosomes.empty()) return excluded;
  if (!options.chromosomes.empty() && !names.has_alleles()) {
    return Status::usage("--chr needs chromosomes, which only PLINK files (--bfile) have");
  }
  excluded.assign(names.size(), 0);
  if (!options.extract.empty()) {
    if (Status status = apply_extract(options.extract, names, excluded, parts); !status.ok()) return status;
  }
  if (!options.chromosomes.empty()) {
    if (Status status = apply_chromosomes(options.chromosomes, names, excluded, parts); !status.ok()) return status;
  }
  if (std::find(excluded.begin(), excluded.end(), std::uint8_t{0}) == excluded.end()) {
    return Status::input("--extract and --chr together leave no variable of " + std::to_string(names.size()));
  }
  return excluded;
}

}  // namespace strads::data
