#include "mf/run/fit_data.hpp"

#include <algorithm>
#include <utility>

#include "strads/program/run.hpp"

namespace strads::mf {

Result<std::shared_ptr<MfData>> load_mf(const RatingsInput& input, std::shared_ptr<Chunks> threads,
                                        const std::function<void(double share)>& progress) {
  auto read = load_ratings(input, *threads, progress);
  if (!read.ok()) return read.status();
  // Nobody else knows these ratings yet, so that the large arrays can move on without a copy.
  const auto ratings = std::const_pointer_cast<Ratings>(std::move(read).value());
  auto data = prepare_mf(ratings, input.seed, std::move(threads));
  if (!data.ok()) return data.status();
  data.value()->reload = [input, fingerprint = ratings->fingerprint]() -> Result<std::shared_ptr<const Triplets>> {
    SerialChunks serial;
    auto again = load_ratings(input, serial);
    if (!again.ok()) return unread(again.status());
    if (again.value()->fingerprint != fingerprint) return unread(changed_since(input.path));
    return std::shared_ptr<const Triplets>(again.value(), &again.value()->train);
  };
  return data;
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
