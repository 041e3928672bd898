// `mf split`: ratings as files to learn from, and to judge lists by.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mf/commands/commands.hpp"
#include "mf/options/serving_options.hpp"
#include "mf/ranking/protocols.hpp"
#include "strads/data/rating_events.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

constexpr const char* kPartFile[] = {"train.tsv", "given.tsv", "test.tsv"};
constexpr SplitPart kParts[] = {SplitPart::train, SplitPart::given, SplitPart::test};

/// Lines with a smaller value go.
void keep_from(double lowest, RatingEvents& events) {
  std::size_t kept = 0;
  const bool timed = !events.times.empty();
  for (std::size_t line = 0; line < events.users.size(); ++line) {
    if (events.numbers[line] < lowest) continue;
    std::swap(events.users[kept], events.users[line]);
    std::swap(events.items[kept], events.items[line]);
    std::swap(events.values[kept], events.values[line]);
    if (timed) events.times[kept] = events.times[line];
    events.numbers[kept++] = events.numbers[line];
  }
  events.users.resize(kept);
  events.items.resize(kept);
  events.values.resize(kept);
  events.numbers.resize(kept);
  if (timed) events.times.resize(kept);
}

std::string text_of_part(const RatingEvents& events, const std::vector<SplitPart>& parts, SplitPart part) {
  const bool rated = !events.values.empty();
  std::string out = rated ? "user\titem\trating\n" : "user\titem\n";
  for (std::size_t line = 0; line < parts.size(); ++line) {
    if (parts[line] != part) continue;
    out.append(events.users[line]).append("\t").append(events.items[line]);
    if (rated) out.append("\t").append(events.values[line]);
    out.append("\n");
  }
  return out;
}

Result<RatingEvents> events_of(const SplitOptions& options) {
  STRADS_ASSIGN_OR_RETURN(auto events, load_rating_events({options.ratings, options.columns, options.time}));
  if (!options.common.quiet && !events.note.empty()) print_note("mf", options.ratings + ": " + events.note);
  if (!options.positive_from.has_value()) return events;
  if (events.values.empty()) {
    return Status::usage("--positive-from compares ratings, and " + options.ratings + " has none: leave it out");
  }
  keep_from(*options.positive_from, events);
  return events;
}

}  // namespace

Status run_split(std::span<const std::string> arguments) {
  SplitOptions options;
  OptionTable table = split_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "mf")) return {};
  if (Status checked = check_split_options(options); !checked.ok()) return checked;
  STRADS_ASSIGN_OR_RETURN(const auto events, events_of(options));
  const bool strong = options.protocol == "strong";
  const auto parts =
      strong ? strong_generalisation(events, {options.users, options.share, options.seed}) : leave_last_out(events);
  std::uint64_t counts[4] = {};
  for (const SplitPart part : parts) ++counts[static_cast<std::size_t>(part)];
  if (counts[static_cast<std::size_t>(SplitPart::test)] == 0 || counts[0] == 0) {
    return Status::input(options.ratings + ": of " + std::to_string(parts.size()) + " ratings " +
                         std::to_string(counts[0]) + " would be learned from and " + std::to_string(counts[2]) +
                         " to be found, expected some of both" +
                         (strong ? ": a larger --users or --test-share" : ": users with two items at least"));
  }
  const std::string own[] = {kPartFile[0], kPartFile[1], kPartFile[2]};
  STRADS_ASSIGN_OR_RETURN(auto directory, RunDirectory::open(options.common.out, options.common.force, own));
  Summary summary;
  summary.add("program", "mf split");
  summary.add("ratings", options.ratings);
  summary.add("protocol", options.protocol);
  std::string said;
  for (const SplitPart part : kParts) {
    const auto at = static_cast<std::size_t>(part);
    if (part == SplitPart::given && !strong) continue;
    if (Status done = directory.write(kPartFile[at], text_of_part(events, parts, part)); !done.ok()) return done;
    summary.add(std::string(kPartFile[at]).substr(0, std::string_view(kPartFile[at]).find('.')), counts[at]);
    said += (said.empty() ? "" : ", ") + std::string(kPartFile[at]) + " " + std::to_string(counts[at]);
  }
  const std::uint64_t left_out = counts[static_cast<std::size_t>(SplitPart::left_out)];
  summary.add("left_out", left_out);
  summary.add("version", version());
  summary.add("build", build_id());
  if (Status done = directory.finish(summary); !done.ok()) return done;
  if (!options.common.quiet) {
    std::printf("split %zu ratings: %s, left out %llu: %s\n", parts.size(), said.c_str(),
                static_cast<unsigned long long>(left_out), options.common.out.c_str());
  }
  return {};
}

}  // namespace strads::mf
