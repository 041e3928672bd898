#include "data/samples/sample_lists.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/formats/text.hpp"

namespace strads::data {

namespace {

// The names in a --keep or --remove file: FID IID or one id a line, with or without a header line.
struct KeepList {
  bool pairs = false;
  std::vector<std::pair<std::string_view, std::string_view>> names;  // FID (or empty), IID
};

Result<KeepList> parse_keep(std::string_view text, const std::string& path) {
  KeepList out;
  LineReader lines = LineReader::of_file(text);
  for (std::string_view line; lines.next(line);) {
    WordReader words(line);
    std::string_view first;
    std::string_view second;
    if (!words.next(first)) continue;
    const bool pair = words.next(second);
    const bool header = first == "#FID" || first == "#IID" || (first == "FID" && second == "IID") || first == "IID";
    if (lines.number() == 1 && header) continue;
    if (!out.names.empty() && pair != out.pairs) {
      return Status::input(at(path, lines.number(), 1) + (pair ? "two or more words" : "one word") +
                           ", expected every line like the first (FID IID, or one id)");
    }
    out.pairs = pair;
    out.names.emplace_back(pair ? first : std::string_view{}, pair ? second : first);
  }
  if (out.names.empty()) return Status::input(path + ": lists no samples, expected FID IID or one id per line");
  return out;
}

// --keep (`keeps`) and --remove.
Status apply_sample_list(const std::string& path, bool keeps, const SampleIds& x, SampleSelection& out) {
  const auto source = Source::open(path);
  if (!source.ok()) return source.status();
  const auto list = parse_keep(source.value().bytes(), path);
  if (!list.ok()) return list.status();
  const bool with_family = list.value().pairs && !x.family.empty();
  // Look-up only: the order of the set never reaches a result. FID and IID hold no tab.
  std::unordered_set<std::string> wanted;
  const auto key = [&](std::string_view family, std::string_view individual) {
    return (with_family ? std::string(family) : std::string()) + '\t' + std::string(individual);
  };
  for (const auto& [family, individual] : list.value().names) wanted.insert(key(family, individual));
  std::vector<std::uint8_t> listed(x.individual.size(), 0);
  std::unordered_set<std::string> found;
  for (std::uint64_t i = 0; i < listed.size(); ++i) {
    const std::string name = key(with_family ? x.family[i] : std::string_view{}, x.individual[i]);
    if (!wanted.contains(name)) continue;
    listed[i] = 1;
    found.insert(name);
  }
  const std::string none = path + ": none of its " + std::to_string(wanted.size()) + " samples is in " + x.path +
                           ": here for example " + in_quotes(list.value().names[0].second) + ", there " +
                           in_quotes(x.individual[0]);
  if (found.empty() && keeps) return Status::input(none);
  if (found.empty()) {
    out.warnings.push_back(none);
  } else if (found.size() < wanted.size()) {
    const auto& names = list.value().names;
    const auto unknown = std::find_if(names.begin(), names.end(),
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

Status apply_sample_lists(const InputOptions& options, const SampleIds& x, SampleSelection& out) {
  if (!options.keep.empty()) {
    if (Status kept = apply_sample_list(options.keep, true, x, out); !kept.ok()) return kept;
  }
  return options.remove.empty() ? Status() : apply_sample_list(options.remove, false, x, out);
}

}  // namespace strads::data
