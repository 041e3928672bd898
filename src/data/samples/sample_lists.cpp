// --keep and --remove.
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/samples/samples.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

// The names in a --keep or --remove file: FID IID or one id a line, or where a header line has these.
struct KeepList {
  bool has_header = false;
  bool pairs = false;
  std::vector<std::pair<std::string_view, std::string_view>> names;  // FID (or empty), IID
  std::vector<std::uint64_t> lines;                                  // of the names
  std::vector<std::string_view> texts;                               // these lines
};

// Where a header has FID and IID, from 0; nothing: the line is none.
struct KeepHeader {
  std::optional<std::size_t> family, individual;
};

std::optional<KeepHeader> header_of(std::string_view line) {
  KeepHeader header;
  WordReader words(line);
  std::size_t place = 0;
  for (std::string_view word; words.next(word); ++place) {
    if (place == 0 && word.starts_with('#')) word.remove_prefix(1);
    if (word == "FID" && !header.family) header.family = place;
    if (word == "IID" && !header.individual) header.individual = place;
  }
  return header.individual ? std::optional(header) : std::nullopt;
}

Result<KeepList> parse_keep(std::string_view text, const std::string& path) {
  KeepList out;
  std::optional<KeepHeader> header;
  LineReader lines = LineReader::of_file(text);
  std::vector<std::string_view> words;
  for (std::string_view line; lines.next(line);) {
    words.clear();
    WordReader reader(line);
    for (std::string_view word; reader.next(word);) words.push_back(word);
    if (words.empty()) continue;
    if (lines.number() == 1 && (header = header_of(line))) {
      out.has_header = true;
      out.pairs = header->family.has_value();
      continue;
    }
    for (const std::string_view word : words) {
      if (Status plain = expect_plain_id(word, at(path, lines.number(), 1)); !plain.ok()) return plain;
    }
    const std::size_t needed = header ? std::max(header->family.value_or(0), *header->individual) + 1 : std::size_t{1};
    if (words.size() < needed) {
      return Status::input(at(path, lines.number(), 1) + std::to_string(words.size()) + " words, expected " +
                           std::to_string(needed) + " or more as the header has them");
    }
    const bool pair = header ? out.pairs : words.size() > 1;
    if (!out.names.empty() && pair != out.pairs) {
      return Status::input(at(path, lines.number(), 1) + (pair ? "two or more words" : "one word") +
                           ", expected every line like the first (FID IID, or one id)");
    }
    out.pairs = pair;
    const std::size_t individual = header ? *header->individual : pair ? 1 : 0;
    out.names.emplace_back(pair ? words[header ? *header->family : 0] : std::string_view{}, words[individual]);
    out.lines.push_back(lines.number());
    out.texts.push_back(line);
  }
  if (out.names.empty()) return Status::input(path + ": lists no samples, expected FID IID or one id per line");
  return out;
}

// All words of the line, two by two, are FID and IID of samples: four words or more.
bool has_several_pairs(std::string_view line, const std::unordered_set<std::string>& pairs) {
  WordReader words(line);
  std::size_t count = 0;
  for (std::string_view family, individual; words.next(family); ++count) {
    if (!words.next(individual) || !pairs.contains(std::string(family) + '\t' + std::string(individual))) return false;
  }
  return count > 1;
}

// Two words of a line without a header are FID and IID. Where the first is no family of the data and both are ids of
// samples, or where all words of the line are pairs of these, somebody has written several ids on a line, of which one
// alone would be taken.
Status expect_no_ids_as_families(const KeepList& list, const std::string& path, const SampleIds& x) {
  if (list.has_header || !list.pairs) return {};
  std::unordered_set<std::string_view> families, individuals;  // look-up only
  std::unordered_set<std::string> pairs;
  for (std::uint64_t i = 0; i < x.individual.size(); ++i) individuals.insert(x.individual[i]);
  for (std::uint64_t i = 0; i < x.family.size(); ++i) {
    families.insert(x.family[i]);
    pairs.insert(std::string(x.family[i]) + '\t' + std::string(x.individual[i]));
  }
  for (std::size_t k = 0; k < list.names.size(); ++k) {
    const auto& [first, second] = list.names[k];
    if (!pairs.empty() && has_several_pairs(list.texts[k], pairs)) {
      return Status::input(at(path, list.lines[k], 1) +
                           "several samples on a line, expected FID and IID of one, or one id a line");
    }
    if (first == second || families.contains(first)) continue;
    if (!individuals.contains(first) || !individuals.contains(second)) continue;
    return Status::input(at(path, list.lines[k], 1) + in_quotes(first) + " and " + in_quotes(second) +
                         " are ids of two samples, expected FID and IID, or one id a line; if the first is a family, "
                         "say so in a first line: #FID IID");
  }
  return {};
}

// --keep (`keeps`) and --remove.
Status apply_sample_list(const std::string& path, bool keeps, const SampleIds& x, SampleSelection& out) {
  STRADS_ASSIGN_OR_RETURN(const auto source, InputFile::open(path));
  STRADS_ASSIGN_OR_RETURN(const auto list, parse_keep(source.bytes(), path));
  if (Status ids = expect_no_ids_as_families(list, path, x); !ids.ok()) return ids;
  const bool with_family = list.pairs && !x.family.empty();
  // Look-up only: the order of the set never reaches a result. FID and IID hold no tab.
  std::unordered_set<std::string> wanted;
  const auto key = [&](std::string_view family, std::string_view individual) {
    return (with_family ? std::string(family) : std::string()) + '\t' + std::string(individual);
  };
  for (const auto& [family, individual] : list.names) wanted.insert(key(family, individual));
  std::vector<std::uint8_t> listed(x.individual.size(), 0);
  std::unordered_set<std::string> found;
  for (std::uint64_t i = 0; i < listed.size(); ++i) {
    const std::string name = key(with_family ? x.family[i] : std::string_view{}, x.individual[i]);
    if (!wanted.contains(name)) continue;
    listed[i] = 1;
    found.insert(name);
  }
  const std::string none = path + ": none of its " + std::to_string(wanted.size()) + " samples is in " + x.path +
                           ": here for example " + in_quotes(list.names[0].second) + ", there " +
                           in_quotes(x.individual[0]);
  const auto& listed_names = list.names;
  const bool commas = std::any_of(listed_names.begin(), listed_names.end(),
                                  [](const auto& name) { return name.second.find(',') != std::string_view::npos; });
  if (found.empty() && (keeps || commas)) {
    return Status::input(none + (commas ? "; fields are separated by blanks or tabs, not by commas" : ""));
  }
  if (found.empty()) {
    out.warnings.push_back(none);
  } else if (found.size() < wanted.size()) {
    const auto unknown = std::find_if(listed_names.begin(), listed_names.end(),
                                      [&](const auto& name) { return !found.contains(key(name.first, name.second)); });
    out.warnings.push_back(path + ": " + std::to_string(wanted.size() - found.size()) + " of " +
                           std::to_string(wanted.size()) + " samples are not in " + x.path + ", the first is " +
                           in_quotes(unknown->second));
  }
  out.rows.drop_where(
      keeps ? "not in --keep" : "in --remove", [&](std::uint64_t i) { return (listed[i] != 0) != keeps; }, !keeps);
  out.files.push_back(path);
  return {};
}

}  // namespace

Status apply_sample_lists(const Samples& samples, const SampleIds& x, SampleSelection& out) {
  if (!samples.keep.empty()) {
    if (Status kept = apply_sample_list(samples.keep, true, x, out); !kept.ok()) return kept;
  }
  return samples.remove.empty() ? Status() : apply_sample_list(samples.remove, false, x, out);
}

}  // namespace strads::data
