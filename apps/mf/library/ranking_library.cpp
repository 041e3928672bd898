#include "mf/library/ranking_library.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "mf/commands/slim_command.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/factors/slim_files.hpp"
#include "mf/library/settled_call.hpp"
#include "mf/output/slim_output.hpp"
#include "mf/ranking/best_items.hpp"
#include "mf/ranking/held_out.hpp"
#include "mf/ranking/judged_lists.hpp"
#include "mf/ranking/ranked_figures.hpp"
#include "mf/ranking/rated_items.hpp"
#include "mf/ranking/scorer.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_directory.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

std::vector<std::string> names_of(const IdTable& ids) {
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < ids.size(); ++k) names.emplace_back(ids.name(k));
  return names;
}

void take_solution(const SlimResult& fit, WeightsResult& out) {
  const SlimData& data = *fit.data;
  const SlimSolution& solution = fit.solution;
  out.users = names_of(*fit.ratings->users);
  out.items = names_of(*fit.ratings->items);
  for (std::uint32_t user = 0; user < data.users(); ++user) {
    out.user_counts.push_back(static_cast<std::uint32_t>(data.items_of(user).size()));
  }
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (std::uint32_t item = 0; item < data.items(); ++item) {
    out.item_counts.push_back(static_cast<std::uint32_t>(data.users_of(item).size()));
    const ItemFigures& figures = solution.columns[item].figures;
    out.objectives.push_back(solution.solved[item] ? figures.objective : kNone);
    out.gaps.push_back(solution.solved[item] ? figures.gap : kNone);
  }
  out.weights = weights_by_row(solution);
  out.objective = solution.objective;
  out.worst_gap = solution.worst_gap;
}

/// A model in memory as what the commands read from a folder.
Result<Scorer> scorer_of(const RankingModel& model) {
  Scorer scorer;
  if (model.weights != nullptr) {
    auto weights = std::make_shared<SlimWeights>();
    STRADS_ASSIGN_OR_RETURN(weights->ids.ids[1], make_ids(kIdsFile[1], model.weights->items));
    weights->ids.ids[0] = weights->ids.ids[1];  // take_users() says who they are
    weights->ids.counts[1] = model.weights->item_counts;
    weights->weights = model.weights->weights;
    weights->lowest_positive = model.lowest_positive;
    scorer.ids = weights->ids;
    scorer.weights = std::move(weights);
    return scorer;
  }
  STRADS_ASSIGN_OR_RETURN(auto of_result, factor_model_of(*model.factors));
  scorer.factors = std::make_shared<const FactorModel>(std::move(of_result));
  scorer.ids = static_cast<const ModelIds&>(*scorer.factors);
  return scorer;
}

Result<std::shared_ptr<const Ratings>> ratings_of(const RatingsInMemory& held, Chunks& chunks) {
  RatingsInput input;
  input.in_memory = std::make_shared<const RatingsInMemory>(held);
  return load_ratings(input, chunks);
}

bool are_items(const std::vector<std::uint64_t>& begins, const std::vector<std::uint32_t>& items, std::uint64_t known) {
  if (begins.empty() || begins.front() != 0 || begins.back() != items.size()) return false;
  for (std::size_t user = 0; user + 1 < begins.size(); ++user) {
    if (begins[user] > begins[user + 1]) return false;
    for (std::uint64_t at = begins[user]; at < begins[user + 1]; ++at) {
      if (items[at] >= known || (at > begins[user] && items[at] <= items[at - 1])) return false;
    }
  }
  return true;
}

Summary summary_of_weights(const WeightsResult& result) {
  Summary summary;
  summary.add("program", "mf fit");
  summary.add(kModelFormat, kModelFilesFormat);
  summary.add("stop_reason", result.stop_reason);
  summary.add("finished", result.finished);
  summary.add("objective", result.objective);
  summary.add("worst_gap", result.worst_gap);
  summary.add("nonzeros", std::uint64_t{result.weights.values.size()});
  summary.add("model_hash", result.model_hash);
  summary.add("users", std::uint64_t{result.users.size()});
  summary.add("items", std::uint64_t{result.items.size()});
  if (result.features > 0) summary.add("features", result.features);
  summary.add("version", version());
  summary.add("build", build_id());
  return summary;
}

}  // namespace

Result<WeightsResult> call_weights(const FactorCall& call) {
  FitOptions options;
  OptionTable table = fit_option_table(options);
  FactorCall slim = call;
  slim.options.push_back({"solver", "slim"});
  WeightsResult out;
  if (Status settled = settle_call(slim, options, table, out.notes); !settled.ok()) return settled;
  SlimResult fit;
  Status ran = slim_in_process(options, table, fit);
  if (!has_results(ran)) return ran;
  note_outcome(fit, table, out);
  out.finished = fit.finished;
  take_solution(fit, out);
  out.model_hash = fit.model_hash;
  return out;
}

Status save_weights(const WeightsResult& result, const std::string& directory, bool force) {
  SlimWeights model;
  STRADS_ASSIGN_OR_RETURN(model.ids.ids[0], make_ids(kIdsFile[0], result.users));
  STRADS_ASSIGN_OR_RETURN(model.ids.ids[1], make_ids(kIdsFile[1], result.items));
  model.ids.counts[0] = result.user_counts;
  model.ids.counts[1] = result.item_counts;
  model.weights = result.weights;
  const std::vector<std::string> own = {kWeightsFile, kIdsFile[0], kIdsFile[1], kConfigFile};
  STRADS_ASSIGN_OR_RETURN(auto run, RunDirectory::open(directory, force, own));
  if (Status done = write_slim_model(run, model); !done.ok()) return done;
  if (Status done = run.write(kConfigFile, result.config); !done.ok()) return done;
  return run.finish(summary_of_weights(result));
}

Result<SavedWeights> load_weights(const std::string& directory) {
  SavedWeights out;
  STRADS_ASSIGN_OR_RETURN(SlimWeights model, read_slim_model(directory));
  FitOptions options;
  OptionTable table = fit_option_table(options);
  if (Status read = read_fit_options(directory, options, table); !read.ok()) return read;
  STRADS_ASSIGN_OR_RETURN(out.summary, read_file(directory + "/" + kSummaryFile));
  WeightsResult& result = out.result;
  result.users = names_of(*model.ids.ids[0]);
  result.items = names_of(*model.ids.ids[1]);
  result.user_counts = std::move(model.ids.counts[0]);
  result.item_counts = std::move(model.ids.counts[1]);
  result.weights = std::move(model.weights);
  result.config = table.config(kExecutionSections);
  return out;
}

Result<EvaluateResult> call_evaluate(const EvaluateCall& call) {
  const auto threads = make_threads(call.threads);
  STRADS_ASSIGN_OR_RETURN(Scorer model, scorer_of(call.model));
  STRADS_ASSIGN_OR_RETURN(const auto train, ratings_of(call.train, *threads));
  const Triplets* const parts[] = {&train->train};
  model.take_users(*train, parts);
  const RatedItems rated = rated_by_user(*train, parts, model.ids);
  STRADS_ASSIGN_OR_RETURN(const auto test, ratings_of(call.test, *threads));
  const HeldOut held_out = held_out_of_ratings(*test, call.relevant, model.ids, rated);
  const std::vector<std::uint32_t> users = held_out.users();
  if (users.empty()) {
    return Status::input("of " + std::to_string(held_out.pairs) +
                         " test pairs none is left to be found: expected pairs of users of the train pairs that are "
                         "not among these");
  }
  const ListQuestion question{model.ids, rated, held_out, users};
  const auto by_model = judged_lists(question, call.ks, *model.ranker(), *threads);
  const std::uint32_t items = model.ids.known(Side::items);
  const auto popular = rank_by_scores(scores_of_popularity(rated, items), items);
  const auto by_popularity = judged_lists(question, call.ks, *popular, *threads);
  const RankingSums* const sums[] = {&*by_model, &*by_popularity};
  EvaluateResult out;
  for (const RankedFigure& one : ranked_figures(call.ks, sums)) {
    out.figures.push_back({one.k, std::string(one.ranked_by), std::string(one.metric), one.mean, one.standard_error});
  }
  out.users = users.size();
  out.pairs = held_out.items.size();
  return out;
}

Result<std::vector<std::vector<RankedItem>>> call_recommend(const WeightsLists& call) {
  const std::uint64_t items = call.weights->width;
  if (!are_items(call.begins, call.items, items) || !are_items(call.out_begins, call.out_items, items) ||
      call.begins.size() != call.out_begins.size()) {
    return Status::input("rows of users: expected numbers of the model's items, ascending in each row");
  }
  const auto threads = make_threads(call.threads);
  auto positives = std::make_shared<RatedItems>();
  positives->begins = call.begins;
  positives->items = call.items;
  RatedItems left_out;
  left_out.begins = call.out_begins;
  left_out.items = call.out_items;
  auto weights = std::make_shared<SlimWeights>();
  weights->weights = *call.weights;
  const auto ranker = rank_by_scores(scores_of_weights(std::move(weights), std::move(positives)),
                                     static_cast<std::uint32_t>(items), call.allowed);
  std::vector<std::uint32_t> users(call.begins.size() - 1);
  std::iota(users.begin(), users.end(), 0U);
  std::vector<std::vector<RankedItem>> out(users.size());
  const auto lists = lists_of_all(*ranker, users, call.top, left_out, TieOrder::item, *threads);
  for (std::size_t user = 0; user < lists.size(); ++user) {
    for (const Candidate& one : lists[user]) out[user].push_back({one.item, one.score});
  }
  return out;
}

}  // namespace strads::mf
