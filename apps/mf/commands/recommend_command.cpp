// `mf recommend`: the best items of each user.
#include <algorithm>
#include <utility>

#include "mf/commands/commands.hpp"
#include "mf/factors/model_files.hpp"
#include "mf/options/fit_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/result_files.hpp"

namespace strads::mf {
namespace {

/// Users of one piece of work. Their scores of one stretch of items stay in a cache while factors are added.
constexpr std::size_t kRecommendedAtOnce = 4;
constexpr std::size_t kItemsAtOnce = 1024;
/// Users whose lines are in memory at once.
constexpr std::size_t kBatch = 4096;

/// The rated items of each user, ascending.
struct Rated {
  std::vector<std::uint64_t> begins;
  std::vector<std::uint32_t> items;
  std::uint64_t unknown = 0;  ///< pairs of other users or items than the model's

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t user) const {
    return std::span(items).subspan(begins[user], begins[user + 1] - begins[user]);
  }
};

Rated rated_by_user(const Ratings& ratings, const FactorModel& model) {
  const Triplets& pairs = ratings.train;
  std::vector<std::uint32_t> users(ratings.users->size()), items(ratings.items->size());
  for (std::uint32_t k = 0; k < users.size(); ++k) users[k] = model.ids[0]->find(ratings.users->name(k));
  for (std::uint32_t k = 0; k < items.size(); ++k) items[k] = model.ids[1]->find(ratings.items->name(k));
  const auto known = [&](std::size_t t) {
    return users[pairs.users[t]] < model.size(Side::users) && items[pairs.items[t]] < model.size(Side::items);
  };
  Rated rated;
  rated.begins.assign(std::size_t{model.size(Side::users)} + 1, 0);
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    if (known(t)) ++rated.begins[users[pairs.users[t]] + std::size_t{1}];
  }
  for (std::size_t k = 1; k < rated.begins.size(); ++k) rated.begins[k] += rated.begins[k - 1];
  rated.unknown = pairs.size() - rated.begins.back();
  rated.items.resize(rated.begins.back());
  auto next = rated.begins;
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    if (known(t)) rated.items[next[users[pairs.users[t]]]++] = items[pairs.items[t]];
  }
  for (std::uint32_t user = 0; user < model.size(Side::users); ++user) {
    std::sort(rated.items.begin() + static_cast<std::ptrdiff_t>(rated.begins[user]),
              rated.items.begin() + static_cast<std::ptrdiff_t>(rated.begins[user + 1]));
  }
  return rated;
}

struct Candidate {
  float score = 0;
  std::uint32_t item = 0;

  /// Better ones first; of equal ones the item that comes first.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.score != b.score ? a.score > b.score : a.item < b.item;
  }
};

/// The best `top` of what it is shown, in a heap whose front is the worst.
class Best {
 public:
  explicit Best(std::size_t top) : top_(top) {}
  void offer(const Candidate& candidate) {
    if (heap_.size() == top_) {
      if (!(candidate < heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end());
  }
  [[nodiscard]] std::vector<Candidate> sorted() {
    std::sort_heap(heap_.begin(), heap_.end());
    return std::move(heap_);
  }

 private:
  std::size_t top_;
  std::vector<Candidate> heap_;
};

/// Finds the best items of users, a few at a time.
class Recommender {
 public:
  Recommender(const FactorModel& model, const Rated& rated, std::size_t top)
      : model_(model), rated_(rated), top_(std::min<std::size_t>(top, model.size(Side::items))) {
    // Feature by feature, so that the inner loop runs over items: sums of one score keep their order.
    const std::size_t items = model.size(Side::items);
    features_.resize(items * model.rank);
    for (std::size_t j = 0; j < items; ++j) {
      for (std::size_t k = 0; k < model.rank; ++k) features_[k * items + j] = model.factors[1][j * model.rank + k];
    }
  }

  /// `users`: at most kRecommendedAtOnce. Cost: 2 rank flops an item and user.
  [[nodiscard]] std::vector<std::vector<Candidate>> best_of(std::span<const std::uint32_t> users) const {
    std::vector<Best> best(users.size(), Best(top_));
    std::vector<std::size_t> seen(users.size(), 0);
    std::vector<float> scores(kRecommendedAtOnce * kItemsAtOnce);
    const std::uint32_t items = model_.size(Side::items);
    for (std::uint32_t begin = 0; begin < items; begin += kItemsAtOnce) {
      const auto count = std::min<std::uint32_t>(kItemsAtOnce, items - begin);
      add_products(users, begin, count, scores);
      for (std::size_t u = 0; u < users.size(); ++u) {
        const auto rated = rated_.of(users[u]);
        const float base = model_.mean + model_.biases[0][users[u]];
        for (std::uint32_t j = 0; j < count; ++j) {
          const std::uint32_t item = begin + j;
          while (seen[u] < rated.size() && rated[seen[u]] < item) ++seen[u];
          if (seen[u] < rated.size() && rated[seen[u]] == item) continue;
          best[u].offer({(base + model_.biases[1][item]) + scores[u * kItemsAtOnce + j], item});
        }
      }
    }
    std::vector<std::vector<Candidate>> out;
    out.reserve(best.size());
    for (Best& of_user : best) out.push_back(of_user.sorted());
    return out;
  }

 private:
  void add_products(std::span<const std::uint32_t> users, std::uint32_t begin, std::uint32_t count,
                    std::vector<float>& scores) const {
    std::fill(scores.begin(), scores.end(), 0.0F);
    const std::size_t items = model_.size(Side::items);
    for (std::size_t k = 0; k < model_.rank; ++k) {
      const float* feature = features_.data() + k * items + begin;
      for (std::size_t u = 0; u < users.size(); ++u) {
        const float w = model_.row(Side::users, users[u])[k];
        float* out = scores.data() + u * kItemsAtOnce;
        for (std::uint32_t j = 0; j < count; ++j) out[j] += w * feature[j];
      }
    }
  }

  const FactorModel& model_;
  const Rated& rated_;
  std::size_t top_;
  std::vector<float> features_;  ///< rank x items
};

/// The lines of some users, in their order, whoever computed them.
std::string lines_of(const Recommender& recommender, const FactorModel& model, std::span<const std::uint32_t> users,
                     Chunks& chunks) {
  std::vector<std::string> texts((users.size() + kRecommendedAtOnce - 1) / kRecommendedAtOnce);
  chunks.for_each(texts.size(), [&](std::size_t piece) {
    const std::size_t begin = piece * kRecommendedAtOnce;
    const auto here = users.subspan(begin, std::min(kRecommendedAtOnce, users.size() - begin));
    const auto best = recommender.best_of(here);
    for (std::size_t u = 0; u < here.size(); ++u) {
      for (std::size_t place = 0; place < best[u].size(); ++place) {
        const Candidate& candidate = best[u][place];
        const float shown = std::clamp(candidate.score, model.lowest, model.highest);
        texts[piece].append(model.ids[0]->name(here[u])).append("\t").append(std::to_string(place + 1)).append("\t");
        texts[piece].append(model.ids[1]->name(candidate.item)).append("\t");
        texts[piece].append(short_text(double{shown}, 9)).append("\n");
      }
    }
  });
  std::string all;
  for (const auto& text : texts) all += text;
  return all;
}

/// Ids of a file, one a line; all users without one. Errors: input.
Result<std::vector<std::uint32_t>> chosen_users(const RecommendOptions& options, const FactorModel& model) {
  std::vector<std::uint32_t> users;
  if (options.users.empty()) {
    for (std::uint32_t k = 0; k < model.size(Side::users); ++k) users.push_back(k);
    return users;
  }
  const auto known = [&](std::string_view id) { return model.ids[0]->find(id) < model.size(Side::users); };
  STRADS_ASSIGN_OR_RETURN(const auto ids, load_users(options.users, known));
  std::uint64_t unknown = 0;
  for (const std::string& id : ids) {
    known(id) ? users.push_back(model.ids[0]->find(id)) : void(++unknown);
  }
  if (unknown > 0 && !options.common.quiet) {
    print_note("mf", std::to_string(unknown) + " users of " + options.users +
                         " are unknown to the model and left out; mf fold-in gives them factors");
  }
  if (users.empty()) {
    return Status::input(options.users + ": names no user of the model, expected ids as in " + options.model + "/" +
                         kIdsFile[0] + ", one a line or in a column that the first line calls user");
  }
  return users;
}

/// --ratings, or the file that the model was fitted to. Errors: input.
Result<std::shared_ptr<const Ratings>> rated_pairs(const RecommendOptions& options, Chunks& chunks) {
  RatingsInput input;
  input.path = options.ratings;
  input.columns = options.columns;
  input.duplicates = Duplicates::last;
  if (input.path.empty()) {
    FitOptions fit;
    OptionTable table = fit_option_table(fit);
    if (Status read = read_fit_options(options.model, fit, table); !read.ok()) return read;
    input.path = fit.input.path;
    input.columns = fit.input.columns;
    if (input.path.empty()) {
      return Status::usage(options.model +
                           ": was fitted to ratings that lay in another program's memory, so that the " +
                           "rated pairs are not known here: give --ratings FILE with them");
    }
  }
  auto ratings = load_ratings(input, chunks);
  if (ratings.ok() || !options.ratings.empty()) return ratings;
  return Status::input(ratings.status().message() + "; the model was fitted to this file, give --ratings FILE where " +
                       "it is elsewhere now");
}

/// How the pairs were read, and those that leave nothing out. Errors: input: none is of the model.
Status say_rated(const RecommendOptions& options, const Ratings& ratings, const Rated& rated) {
  const std::uint64_t pairs = ratings.train.size();
  if (rated.unknown == pairs) {
    return Status::input((options.ratings.empty() ? "the ratings that the model was fitted to" : options.ratings) +
                         ": none of its " + std::to_string(pairs) +
                         " pairs is of the model, so that nothing would be " + "left out; the first is user '" +
                         std::string(ratings.users->name(ratings.train.users[0])) + "' and item '" +
                         std::string(ratings.items->name(ratings.train.items[0])) + "', expected ids as in " +
                         options.model + "/" + kIdsFile[0] + " and " + kIdsFile[1]);
  }
  if (options.common.quiet) return {};
  if (!options.ratings.empty()) {
    for (const std::string& note : ratings.notes) print_note("mf", note);
  }
  if (rated.unknown > 0) {
    print_note("mf", "of " + std::to_string(pairs) + " rated pairs " + std::to_string(rated.unknown) +
                         " have a user or an item that the model does not know");
  }
  return {};
}

Status write_all(const RecommendOptions& options, const FactorModel& model, const Rated& rated,
                 std::span<const std::uint32_t> users, Chunks& chunks, ResultWriter& writer) {
  const Recommender recommender(model, rated, options.top);
  const Stopwatch watch;
  auto progress = ProgressPrinter::for_stderr(options.common.quiet);
  if (Status done = writer.write("user\trank\titem\tprediction\n"); !done.ok()) return done;
  for (std::size_t begin = 0; begin < users.size(); begin += kBatch) {
    const auto here = users.subspan(begin, std::min(kBatch, users.size() - begin));
    if (Status done = writer.write(lines_of(recommender, model, here, chunks)); !done.ok()) return done;
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
  STRADS_ASSIGN_OR_RETURN(const auto model, read_factor_model(options.model));
  STRADS_ASSIGN_OR_RETURN(const auto users, chosen_users(options, model));
  const auto threads = make_threads(options.threads);
  Rated rated;
  {
    STRADS_ASSIGN_OR_RETURN(const auto ratings, rated_pairs(options, *threads));
    rated = rated_by_user(*ratings, model);
    if (Status said = say_rated(options, *ratings, rated); !said.ok()) return said;
  }
  STRADS_ASSIGN_OR_RETURN(auto writer, ResultWriter::open(options.common.out));
  return write_all(options, model, rated, users, *threads, writer);
}

}  // namespace strads::mf
