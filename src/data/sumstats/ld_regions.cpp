#include "data/sumstats/ld_regions.hpp"

#include <algorithm>

#include "data/text/text.hpp"
#include "strads/data/chromosomes.hpp"

namespace strads::data {
namespace {

std::string region_in_words(const LdRegion& region) {
  return region.sequence + ":" + std::to_string(region.begin) + "-" + std::to_string(region.end);
}

/// What a BED may hold besides regions; the first line may be names.
bool is_no_region(std::string_view line, std::uint64_t number) {
  const std::string_view text = trimmed(line);
  if (text.empty() || text.starts_with('#')) return true;
  std::string_view words[2];
  WordReader reader(text);
  for (std::string_view& word : words) {
    if (!reader.next(word)) break;
  }
  if (words[0] == "track" || words[0] == "browser") return true;
  return number == 1 && !is_number(words[1]);
}

Result<LdRegion> region_of(std::string_view line, const std::string& path, std::uint64_t number) {
  WordReader words(line);
  std::string_view chromosome, begin, end;
  if (!words.next(chromosome) || !words.next(begin) || !words.next(end)) {
    return Status::input(at(path, number, 1) + "fewer than three fields, expected chromosome, start and end (BED)");
  }
  LdRegion region{sequence_of(chromosome), 0, 0, number};
  if (!parse_count(begin, region.begin) || !parse_count(end, region.end)) {
    return Status::input(at(path, number, 1) + "start and end are " + in_quotes(begin) + " and " + in_quotes(end) +
                         ", expected whole numbers of base pairs (BED)");
  }
  if (region.end <= region.begin) {
    return Status::input(at(path, number, 1) + "the region " + region_in_words(region) +
                         " ends where it starts or before, expected its end behind its start");
  }
  return region;
}

}  // namespace

Result<LdRegions> LdRegions::parse(std::string_view text, const std::string& path) {
  LdRegions out;
  std::vector<std::vector<LdRegion>> by_sequence;
  LineReader lines = LineReader::of_file(text);
  for (std::string_view line; lines.next(line);) {
    if (is_no_region(line, lines.number())) continue;
    STRADS_ASSIGN_OR_RETURN(LdRegion region, region_of(line, path, lines.number()));
    auto found = std::ranges::find(out.sequences_, region.sequence, &Sequence::name);
    if (found == out.sequences_.end()) {
      out.sequences_.push_back({region.sequence, 0, 0});
      by_sequence.emplace_back();
      found = out.sequences_.end() - 1;
    }
    by_sequence[static_cast<std::size_t>(found - out.sequences_.begin())].push_back(std::move(region));
  }
  if (by_sequence.empty()) {
    return Status::input(path + ": holds no region, expected lines of chromosome, start and end (BED)");
  }
  for (std::size_t s = 0; s < by_sequence.size(); ++s) {
    auto& regions = by_sequence[s];
    std::ranges::stable_sort(regions, {}, &LdRegion::begin);
    out.sequences_[s].first = out.regions_.size();
    for (std::size_t k = 0; k < regions.size(); ++k) {
      if (k > 0 && regions[k].begin < regions[k - 1].end) {
        const auto& [earlier, later] =
            std::minmax(regions[k - 1], regions[k], [](const auto& a, const auto& b) { return a.line < b.line; });
        return Status::input(at(path, later.line, 1) + "the region " + region_in_words(later) + " overlaps " +
                             region_in_words(earlier) + " of line " + std::to_string(earlier.line) +
                             ", expected regions that do not: a variant is in one block");
      }
      out.regions_.push_back(regions[k]);
    }
    out.sequences_[s].last = out.regions_.size();
  }
  return out;
}

std::optional<std::size_t> LdRegions::find(std::string_view sequence, std::uint64_t position) const {
  const auto found = std::ranges::find(sequences_, sequence, &Sequence::name);
  if (found == sequences_.end() || position == 0) return std::nullopt;
  const auto first = regions_.begin() + static_cast<std::ptrdiff_t>(found->first);
  const auto last = regions_.begin() + static_cast<std::ptrdiff_t>(found->last);
  const auto behind =
      std::partition_point(first, last, [position](const LdRegion& region) { return region.begin < position; });
  if (behind == first || (behind - 1)->end < position) return std::nullopt;
  return static_cast<std::size_t>(behind - 1 - regions_.begin());
}

}  // namespace strads::data
