#include "mf/commands/item_lists.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "strads/program/program.hpp"
#include "strads/program/program_run.hpp"
#include "strads/program/progress_printer.hpp"

namespace strads::mf {
namespace {

/// Owners whose lists are in memory at once.
constexpr std::size_t kBatch = 4096;
constexpr const char* kSideName[kSides] = {"user", "item"};

auto loader_of(Side side) {
  return side == Side::users ? load_users : load_items;
}

Status names_nobody(const std::string& path, Side side, const ListOptions& options) {
  const std::string name = kSideName[mf::index_of(side)];
  return Status::input(path + ": names no " + name + " of the model, expected ids as in " + options.model + "/" +
                       kIdsFile[mf::index_of(side)] + ", one a line or in a column that the first line calls " + name);
}

/// Sets allowed[item] for each item of a list. Errors: input: none is of the model.
Status mark_items(const std::string& path, std::uint8_t value, const ListOptions& options, const ModelIds& model,
                  AllowedItems& allowed) {
  const auto known = [&](std::string_view id) { return model.ids[1]->find(id) < model.known(Side::items); };
  STRADS_ASSIGN_OR_RETURN(const auto ids, load_items(path, known));
  std::uint64_t unknown = 0;
  for (const std::string& id : ids) {
    known(id) ? void(allowed[model.ids[1]->find(id)] = value) : void(++unknown);
  }
  if (unknown == ids.size()) return names_nobody(path, Side::items, options);
  if (unknown > 0 && !options.common.quiet) {
    print_note("mf", with_unit(unknown, "item of ", "items of ") + path + (unknown == 1 ? " is" : " are") +
                         " unknown to the model");
  }
  return {};
}

/// The lists of some owners, whoever computed them.
CandidateLists lists_of(const ListOptions& options, const ItemLists& all, const ItemRanker& ranker,
                        std::span<const std::uint32_t> owners, Chunks& chunks) {
  const Scorer& scorer = all.scorer;
  auto lists = lists_of_all(ranker, owners, options.top, all.left_out, TieOrder::item, chunks);
  for (std::vector<Candidate>& list : lists) {
    if (all.above_zero) std::erase_if(list, [](const Candidate& candidate) { return candidate.score <= 0; });
    for (Candidate& candidate : list) candidate.score = std::clamp(candidate.score, scorer.lowest, scorer.highest);
  }
  return lists;
}

}  // namespace

Result<std::vector<std::uint32_t>> chosen_ids(const std::string& path, Side side, const ListOptions& options,
                                              const ModelIds& model, const std::string& advice) {
  std::vector<std::uint32_t> chosen;
  if (path.empty()) {
    for (std::uint32_t k = 0; k < model.known(side); ++k) chosen.push_back(k);
    return chosen;
  }
  const IdTable& table = *model.ids[mf::index_of(side)];
  const auto known = [&](std::string_view id) { return table.find(id) < table.size(); };
  STRADS_ASSIGN_OR_RETURN(const auto ids, loader_of(side)(path, known));
  std::uint64_t unknown = 0;
  for (const std::string& id : ids) {
    known(id) ? chosen.push_back(table.find(id)) : void(++unknown);
  }
  if (unknown > 0 && !options.common.quiet) {
    print_note("mf", std::to_string(unknown) + " " + kSideName[mf::index_of(side)] + (unknown == 1 ? "" : "s") +
                         " of " + path + (unknown == 1 ? " is" : " are") + " unknown to the model and left out" +
                         (advice.empty() ? "" : "; " + advice));
  }
  if (chosen.empty()) return names_nobody(path, side, options);
  return chosen;
}

Result<AllowedItems> allowed_items(const ListOptions& options, const ModelIds& model,
                                   const std::vector<std::uint32_t>& counts) {
  AllowedItems allowed;
  if (options.allow.empty() && options.deny.empty() && options.min_count == 0) return allowed;
  allowed.assign(model.known(Side::items), options.allow.empty() ? 1 : 0);
  if (!options.allow.empty()) {
    if (Status marked = mark_items(options.allow, 1, options, model, allowed); !marked.ok()) return marked;
  }
  if (!options.deny.empty()) {
    if (Status marked = mark_items(options.deny, 0, options, model, allowed); !marked.ok()) return marked;
  }
  for (std::size_t item = 0; item < allowed.size(); ++item) {
    if (counts[item] < options.min_count) allowed[item] = 0;
  }
  if (std::find(allowed.begin(), allowed.end(), 1) == allowed.end()) {
    return Status::input("--allow, --deny and --min-count together leave no item; the most that an item has is " +
                         std::to_string(*std::max_element(counts.begin(), counts.end())) + " users");
  }
  return allowed;
}

Status write_lists(const ListOptions& options, const ItemLists& all, std::span<const std::uint32_t> owners,
                   ListShape shape, Chunks& chunks) {
  const Stopwatch watch;
  auto progress = ProgressPrinter::for_stderr(options.common.quiet);
  const ModelIds& model = all.scorer.ids;
  const std::string what = " of " + std::to_string(owners.size()) + " " + shape.whose + "s";
  const std::string whose = shape.whose;
  shape.format = list_format_of(options.format);
  shape.top = std::min<std::size_t>(options.top, model.known(Side::items));
  shape.owners = model.ids[0];
  shape.items = model.ids[1];
  const auto ranker = all.scorer.ranker(all.allowed);
  STRADS_ASSIGN_OR_RETURN(auto writer, ListWriter::open(options.common.out, std::move(shape)));
  for (std::size_t begin = 0; begin < owners.size(); begin += kBatch) {
    const auto here = owners.subspan(begin, std::min(kBatch, owners.size() - begin));
    const auto lists = lists_of(options, all, *ranker, here, chunks);
    if (Status done = writer.write(here, lists, chunks); !done.ok()) return done;
    std::string done = std::to_string(begin + here.size()) + what;
    const double seconds = watch.seconds();
    const auto line = [&] { return count_line("lists", {whose, begin + here.size(), owners.size()}, seconds); };
    progress.show_line(line, seconds);
    if (finish_requested()) {
      progress.finish();
      return {StatusCode::stopped, "stopped by a signal after " + done};
    }
  }
  progress.finish();
  return writer.commit();
}

}  // namespace strads::mf
