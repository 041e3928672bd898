#include "mf/grid/fit_data.hpp"

#include <algorithm>
#include <utility>

#include "mf/problem/positives.hpp"
#include "strads/program/program.hpp"

namespace strads::mf {
namespace {

/// The training pairs again.
std::function<Result<std::shared_ptr<const Triplets>>()> reload_positives(const RatingsInput& input,
                                                                          std::uint64_t fingerprint) {
  return [input, fingerprint]() -> Result<std::shared_ptr<const Triplets>> {
    SerialChunks serial;
    auto again = load_ratings(input, serial);
    if (!again.ok()) return unread(again.status());
    if (again.value()->fingerprint != fingerprint) return unread(changed_since(input.path));
    const auto ratings = std::const_pointer_cast<Ratings>(again.value());  // nobody else knows these either
    if (Status chosen = to_positives(input.positives, input.path, *ratings); !chosen.ok()) return unread(chosen);
    return std::shared_ptr<const Triplets>(ratings, &ratings->train);
  };
}

}  // namespace

Result<std::shared_ptr<MfData>> load_mf(const RatingsInput& input, std::shared_ptr<Chunks> threads,
                                        const std::function<void(double share)>& progress,
                                        const MakeStopLists& make_lists) {
  STRADS_ASSIGN_OR_RETURN(auto read, load_ratings(input, *threads, progress));
  // Nobody else knows these ratings yet, so that the large arrays can move on without a copy.
  const auto ratings = std::const_pointer_cast<Ratings>(std::move(read));
  if (input.positives.on) {
    // Nobody looks at errors of chosen pairs: what is held out is for mf evaluate, which reads it itself.
    const std::uint64_t held_out = ratings->test.size() + ratings->strangers.size();
    ratings->test = ratings->strangers = {};
    ratings->test_unknown = 0;
    std::shared_ptr<const StopLists> lists;
    if (make_lists) {
      STRADS_ASSIGN_OR_RETURN(lists, make_lists(*ratings, input));
    }
    if (Status chosen = to_positives(input.positives, input.path, *ratings); !chosen.ok()) return chosen;
    STRADS_ASSIGN_OR_RETURN(auto data, prepare_mf(ratings, input.seed, std::move(threads), true));
    data->held_out = held_out;
    data->stop_lists = std::move(lists);
    data->reload = reload_positives(input, ratings->fingerprint);
    return data;
  }
  if (const std::string text = about_values(*ratings, input.path); !text.empty()) ratings->notes.push_back(text);
  std::shared_ptr<const StopLists> lists;
  if (make_lists) {
    STRADS_ASSIGN_OR_RETURN(lists, make_lists(*ratings, input));
  }
  STRADS_ASSIGN_OR_RETURN(auto data, prepare_mf(ratings, input.seed, std::move(threads)));
  data->stop_lists = std::move(lists);
  data->reload = [input, fingerprint = ratings->fingerprint,
                  unit = data->unit]() -> Result<std::shared_ptr<const Triplets>> {
    SerialChunks serial;
    auto again = load_ratings(input, serial);
    if (!again.ok()) return unread(again.status());
    if (again.value()->fingerprint != fingerprint) return unread(changed_since(input.path));
    const auto train = std::const_pointer_cast<Ratings>(again.value());  // nobody else knows these either
    divide_values(train->train, unit);
    return std::shared_ptr<const Triplets>(train, &train->train);
  };
  return data;
}

std::string about_values(const Ratings& ratings, const std::string& name) {
  const std::size_t count = ratings.train.size() + ratings.validation.size() + ratings.test.size();
  if (ratings.lowest != ratings.highest || count < 2) return "";
  return name + ": all ratings are " + short_text(double{ratings.lowest}) +
         ": these are not ratings but a list of who has met what (implicit feedback), of which nothing can be "
         "learned " +
         "here; every prediction will be that number, and recommendations come in the order of the file: give "
         "numbers " +
         "that differ, as counts or a 0 for what was seen and not taken, or use a program for implicit feedback";
}

std::string about_unit(double unit) {
  if (unit == 1) return "";
  return "the ratings are divided by " + short_text(unit) +
         ", about their standard deviation, where they are fitted, so that --lambda and --rate mean what they mean for "
         "stars; all that is said and written is in the unit of the file";
}

Status check_blocks(std::uint64_t users, std::uint64_t items, const EngineOptions& engine) {
  constexpr std::uint64_t kAlways = 1024, kRows = 64;
  const std::uint64_t most = std::max(kAlways, (users + items) / kRows);
  const std::uint64_t blocks = std::uint64_t{engine.schedulers} * engine.workers;
  if (blocks <= most) return {};
  return Status::usage("--schedulers " + std::to_string(engine.schedulers) + " with --workers " +
                       std::to_string(engine.workers) + " make " + std::to_string(blocks) + " blocks of " +
                       std::to_string(users) + " users and " + std::to_string(items) + " items, expected at most " +
                       std::to_string(most) + ": give fewer workers");
}

Status unread(const Status& why) {
  print_note("mf", "the ratings of a lost worker cannot be read again: " + why.message());
  return why;
}

Status changed_since(const std::string& path) {
  return Status::input(path + ": has changed since the run began");
}

}  // namespace strads::mf
