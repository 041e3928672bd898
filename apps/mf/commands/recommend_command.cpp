// `mf recommend`: the best items of each user.
#include <algorithm>
#include <utility>

#include "mf/commands/commands.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/options/fit_options.hpp"
#include "mf/ranking/best_items.hpp"
#include "mf/ranking/rated_items.hpp"
#include "mf/ranking/scorer.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/result_files.hpp"

namespace strads::mf {
namespace {

/// Users whose lines are in memory at once.
constexpr std::size_t kBatch = 4096;

/// What every piece of work looks at.
struct Recommending {
  const Scorer& model;
  const RatedItems& rated;
  std::size_t top;
  AllowedItems allowed;
};

/// The lines of some users, in their order, whoever computed them.
std::string lines_of(const Recommending& all, std::span<const std::uint32_t> users, Chunks& chunks) {
  const Scorer& model = all.model;
  const ModelIds& known = model.ids;
  std::vector<std::string> texts((users.size() + kUsersAtOnce - 1) / kUsersAtOnce);
  chunks.for_each(texts.size(), [&](std::size_t piece) {
    const std::size_t begin = piece * kUsersAtOnce;
    const auto here = users.subspan(begin, std::min(kUsersAtOnce, users.size() - begin));
    const auto best =
        best_items(here, known.known(Side::items), all.top, all.rated, TieOrder::item, model.scores, all.allowed);
    for (std::size_t u = 0; u < here.size(); ++u) {
      for (std::size_t place = 0; place < best[u].size(); ++place) {
        const Candidate& candidate = best[u][place];
        const float shown = std::clamp(candidate.score, model.lowest, model.highest);
        texts[piece].append(known.ids[0]->name(here[u])).append("\t").append(std::to_string(place + 1)).append("\t");
        texts[piece].append(known.ids[1]->name(candidate.item)).append("\t");
        texts[piece].append(short_text(double{shown}, 9)).append("\n");
      }
    }
  });
  std::string lines;
  for (const auto& text : texts) lines += text;
  return lines;
}

/// Ids of a file, one a line; all users without one. Errors: input.
Result<std::vector<std::uint32_t>> chosen_users(const RecommendOptions& options, const Scorer& scorer) {
  const ModelIds& model = scorer.ids;
  std::vector<std::uint32_t> users;
  if (options.users.empty()) {
    for (std::uint32_t k = 0; k < model.known(Side::users); ++k) users.push_back(k);
    return users;
  }
  const auto known = [&](std::string_view id) { return model.ids[0]->find(id) < model.known(Side::users); };
  STRADS_ASSIGN_OR_RETURN(const auto ids, load_users(options.users, known));
  std::uint64_t unknown = 0;
  for (const std::string& id : ids) {
    known(id) ? users.push_back(model.ids[0]->find(id)) : void(++unknown);
  }
  if (unknown > 0 && !options.common.quiet) {
    print_note("mf", std::to_string(unknown) + " users of " + options.users +
                         " are unknown to the model and left out; " +
                         (scorer.weights ? "give their pairs with --ratings" : "mf fold-in gives them factors"));
  }
  if (users.empty()) {
    return Status::input(options.users + ": names no user of the model, expected ids as in " + options.model + "/" +
                         kIdsFile[0] + ", one a line or in a column that the first line calls user");
  }
  return users;
}

/// Sets allowed[item] for each item of a list. Errors: input: none is of the model.
Status mark_items(const std::string& path, std::uint8_t value, const RecommendOptions& options, const Scorer& scorer,
                  AllowedItems& allowed) {
  const ModelIds& model = scorer.ids;
  const auto known = [&](std::string_view id) { return model.ids[1]->find(id) < model.known(Side::items); };
  STRADS_ASSIGN_OR_RETURN(const auto ids, load_items(path, known));
  std::uint64_t unknown = 0;
  for (const std::string& id : ids) {
    known(id) ? void(allowed[model.ids[1]->find(id)] = value) : void(++unknown);
  }
  if (unknown == ids.size()) {
    return Status::input(path + ": names no item of the model, expected ids as in " + options.model + "/" +
                         kIdsFile[1] + ", one a line or in a column that the first line calls item");
  }
  if (unknown > 0 && !options.common.quiet) {
    print_note("mf", std::to_string(unknown) + " items of " + path + " are unknown to the model");
  }
  return {};
}

/// Errors: input: no item is left.
Result<AllowedItems> allowed_items(const RecommendOptions& options, const Scorer& scorer, const RatedItems& rated) {
  AllowedItems allowed;
  if (options.allow.empty() && options.deny.empty() && options.min_count == 0) return allowed;
  allowed.assign(scorer.ids.known(Side::items), options.allow.empty() ? 1 : 0);
  if (!options.allow.empty()) {
    if (Status marked = mark_items(options.allow, 1, options, scorer, allowed); !marked.ok()) return marked;
  }
  if (!options.deny.empty()) {
    if (Status marked = mark_items(options.deny, 0, options, scorer, allowed); !marked.ok()) return marked;
  }
  std::vector<std::uint32_t> counts(allowed.size(), 0);
  for (const std::uint32_t item : rated.items) ++counts[item];
  for (std::size_t item = 0; item < allowed.size(); ++item) {
    if (counts[item] < options.min_count) allowed[item] = 0;
  }
  if (std::find(allowed.begin(), allowed.end(), 1) == allowed.end()) {
    return Status::input("--allow, --deny and --min-count together leave no item; the most that an item has is " +
                         std::to_string(*std::max_element(counts.begin(), counts.end())) + " users");
  }
  return allowed;
}

Status write_all(const RecommendOptions& options, const Recommending& all, std::span<const std::uint32_t> users,
                 Chunks& chunks, ResultWriter& writer) {
  const Stopwatch watch;
  auto progress = ProgressPrinter::for_stderr(options.common.quiet);
  if (Status done = writer.write("user\trank\titem\tprediction\n"); !done.ok()) return done;
  for (std::size_t begin = 0; begin < users.size(); begin += kBatch) {
    const auto here = users.subspan(begin, std::min(kBatch, users.size() - begin));
    if (Status done = writer.write(lines_of(all, here, chunks)); !done.ok()) return done;
    const auto text = [&] {
      return std::to_string(begin + here.size()) + " of " + std::to_string(users.size()) + " users";
    };
    progress.show_text(text, watch.seconds());
    if (finish_requested()) {
      progress.finish();
      return {StatusCode::stopped, "stopped by a signal after " + std::to_string(begin + here.size()) + " of " +
                                       std::to_string(users.size()) + " users"};
    }
  }
  progress.finish();
  return writer.commit();
}

}  // namespace

Status run_recommend(std::span<const std::string> arguments) {
  RecommendOptions options;
  OptionTable table = recommend_option_table(options);
  if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
  if (answered(table, options.common, "mf")) return {};
  if (Status checked = check_recommend_options(options); !checked.ok()) return checked;
  install_signal_handlers();
  STRADS_ASSIGN_OR_RETURN(auto model, read_scorer(options.model));
  const auto threads = make_threads(options.threads);
  RatedItems rated;
  {
    STRADS_ASSIGN_OR_RETURN(const auto ratings, rated_pairs(options.ratings, options.columns, options.model, *threads));
    const Triplets* const parts[] = {&ratings->train};
    model.take_users(*ratings, parts);
    rated = rated_by_user(*ratings, parts, model.ids);
    Status said =
        say_rated(options.ratings, options.model, *ratings, ratings->train.size(), rated, options.common.quiet);
    if (!said.ok()) return said;
  }
  STRADS_ASSIGN_OR_RETURN(const auto users, chosen_users(options, model));
  STRADS_ASSIGN_OR_RETURN(auto allowed, allowed_items(options, model, rated));
  STRADS_ASSIGN_OR_RETURN(auto writer, ResultWriter::open(options.common.out));
  return write_all(options, {model, rated, options.top, std::move(allowed)}, users, *threads, writer);
}

}  // namespace strads::mf
