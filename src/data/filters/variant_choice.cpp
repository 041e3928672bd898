#include "data/filters/variant_choice.hpp"

#include <algorithm>
#include <unordered_set>

#include "data/files/mapped_file.hpp"
#include "data/text/text.hpp"
#include "strads/data/chromosomes.hpp"

namespace strads::data {

namespace {

std::string plural(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " variable" : " variables");
}

// All words of all lines, as plink2 takes them.
Result<std::vector<std::string_view>> listed_ids(const InputFile& source) {
  std::vector<std::string_view> listed;
  std::unordered_set<std::string_view> seen;  // look-up only: its order never reaches a result
  LineReader lines = LineReader::of_file(source.bytes());
  for (std::string_view line; lines.next(line);) {
    WordReader words(line);
    for (std::string_view word; words.next(word);) {
      if (Status plain = expect_plain_id(word, at(source.path(), lines.number(), words.column())); !plain.ok()) {
        return plain;
      }
      if (seen.insert(word).second) listed.push_back(word);
    }
  }
  if (listed.empty()) return Status::input(source.path() + ": lists no variables, expected one id per line");
  return listed;
}

// --extract (`keeps`) and --exclude.
Status apply_variant_list(const std::string& path, bool keeps, const VariableNames& names, VariantChoice& choice) {
  STRADS_ASSIGN_OR_RETURN(const auto source, InputFile::open(path));
  choice.files.push_back(path);
  STRADS_ASSIGN_OR_RETURN(const std::vector<std::string_view> listed, listed_ids(source));
  const std::unordered_set<std::string_view> wanted(listed.begin(), listed.end());
  std::unordered_set<std::string_view> found;
  std::vector<std::uint8_t> is_listed(names.size(), 0);
  names.for_each([&](std::uint64_t j, const VariableName& name) {
    const auto entry = wanted.find(name.id);
    if (entry == wanted.end()) return;
    is_listed[j] = 1;
    found.insert(*entry);
  });
  const std::string none = path + ": none of its " + plural(listed.size()) + " is in the data: here for example " +
                           in_quotes(listed[0]) + ", there " + in_quotes(names.at(0).id);
  const bool commas = std::any_of(listed.begin(), listed.end(),
                                  [](std::string_view id) { return id.find(',') != std::string_view::npos; });
  if (found.empty() && (keeps || commas)) {
    return Status::input(none + (commas ? "; ids are separated by blanks, tabs or line ends, not by commas" : ""));
  }
  if (found.empty()) {
    choice.warnings.push_back(none);
  } else if (found.size() < listed.size()) {
    const auto unknown = std::find_if(listed.begin(), listed.end(), [&](auto id) { return !found.contains(id); });
    choice.warnings.push_back(path + ": " + std::to_string(listed.size() - found.size()) + " of " +
                              plural(listed.size()) + " are not in the data, the first is " + in_quotes(*unknown));
  }
  choice.drop_where(keeps ? "not in --extract" : "in --exclude",
                    [&](std::uint64_t j) { return (is_listed[j] != 0) != keeps; });
  return {};
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ",") + word;
  return out;
}

Status apply_chromosomes(const std::vector<std::string>& chromosomes, const VariableNames& names,
                         VariantChoice& choice) {
  const std::vector<ChromosomeRange> wanted(chromosomes.begin(), chromosomes.end());
  std::vector<std::uint8_t> found(chromosomes.size(), 0);
  std::vector<std::uint8_t> listed(names.size(), 0);
  names.for_each([&](std::uint64_t j, const VariableName& name) {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (!wanted[k].has(name.chromosome)) continue;
      listed[j] = 1;
      found[k] = 1;
    }
  });
  const std::string first = in_quotes(names.at(0).chromosome);
  for (std::size_t k = 0; k < chromosomes.size(); ++k) {
    if (found[k] != 0) continue;
    choice.warnings.push_back("--chr " + chromosomes[k] + ": no variant is on it (the first is on " + first + ")");
  }
  if (std::find(found.begin(), found.end(), std::uint8_t{1}) == found.end()) {
    return Status::input("--chr " + chromosomes[0] + ": no variant is on it (the first is on " + first +
                         "); chromosomes are written as in the .bim, numbers also as "
                         "1-3");
  }
  choice.drop_where("not on --chr " + joined(chromosomes), [&](std::uint64_t j) { return listed[j] == 0; });
  return {};
}

std::string shown(const char* option, const std::optional<std::uint64_t>& position) {
  return position ? std::string(option) + " " + std::to_string(*position) : std::string();
}

// REQUIRES: --chr names one chromosome.
Status apply_positions(const Variables& variables, const VariableNames& names, VariantChoice& choice) {
  std::vector<std::uint8_t> outside(names.size(), 0);
  names.for_each([&](std::uint64_t j, const VariableName& name) {
    if (choice.excluded[j] != 0) return;
    std::uint64_t position = 0;
    parse_count(name.position, position);  // the reader has seen that it is one, or left the variant out
    outside[j] = position < variables.from_bp.value_or(0) || (variables.to_bp && position > *variables.to_bp) ? 1 : 0;
  });
  const std::string from = shown("--from-bp", variables.from_bp), to = shown("--to-bp", variables.to_bp);
  choice.drop_where("outside of " + from + (from.empty() || to.empty() ? "" : " ") + to,
                    [&](std::uint64_t j) { return outside[j] != 0; });
  return {};
}

Status check_places(const Variables& variables) {
  const bool positions = variables.from_bp || variables.to_bp;
  const bool one = variables.chromosomes.size() == 1 && ChromosomeRange(variables.chromosomes[0]).is_one();
  if (positions && !one) {
    return Status::usage("--from-bp and --to-bp are positions on one chromosome, and --chr names " +
                         std::string(variables.chromosomes.empty() ? "none" : "several") +
                         "; expected one, as --chr 2");
  }
  if (variables.from_bp && variables.to_bp && *variables.from_bp > *variables.to_bp) {
    return Status::usage("--from-bp " + std::to_string(*variables.from_bp) + " lies behind --to-bp " +
                         std::to_string(*variables.to_bp));
  }
  return {};
}

}  // namespace

std::uint64_t VariantChoice::left() const {
  return static_cast<std::uint64_t>(std::count(excluded.begin(), excluded.end(), std::uint8_t{0}));
}

Status no_variant_left(const VariantChoice& choice) {
  std::string reasons;
  for (const Dropped& dropped : choice.dropped) {
    if (dropped.count == 0) continue;
    reasons += (reasons.empty() ? "" : ", ") + std::to_string(dropped.count) + ' ' + dropped.reason;
  }
  return Status::input("no variable is left of " + std::to_string(choice.excluded.size()) + ": " + reasons);
}

Result<VariantChoice> choose_variants(const Variables& variables, const VariableNames& names) {
  VariantChoice choice;
  if (Status places = check_places(variables); !places.ok()) return places;
  const std::span<const std::uint64_t> negative = names.negative();
  if (variables.extract.empty() && variables.exclude.empty() && variables.chromosomes.empty() && negative.empty()) {
    return choice;
  }
  choice.excluded.assign(names.size(), 0);
  if (!negative.empty()) {
    choice.drop_where("with a negative position, as plink2 leaves out",
                      [&](std::uint64_t j) { return std::binary_search(negative.begin(), negative.end(), j); });
  }
  if (!variables.chromosomes.empty()) {
    if (Status status = apply_chromosomes(variables.chromosomes, names, choice); !status.ok()) return status;
  }
  if (variables.from_bp || variables.to_bp) {
    if (Status status = apply_positions(variables, names, choice); !status.ok()) return status;
  }
  if (!variables.extract.empty()) {
    if (Status status = apply_variant_list(variables.extract, true, names, choice); !status.ok()) return status;
  }
  if (!variables.exclude.empty()) {
    if (Status status = apply_variant_list(variables.exclude, false, names, choice); !status.ok()) return status;
  }
  if (choice.left() == 0) return no_variant_left(choice);
  return choice;
}

}  // namespace strads::data
