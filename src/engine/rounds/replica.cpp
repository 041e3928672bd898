#include "engine/rounds/replica.hpp"

#include <utility>

#include "strads/base/status.hpp"
#include "wire/size.hpp"

namespace strads::engine {

Replica::Replica(const Model& model, std::uint32_t depth, Advanced advanced)
    : model_(model), depth_(depth), advanced_(std::move(advanced)) {}

void Replica::start() {
  current_ = model_.make_state();
}

void Replica::on_commit(const wire::Commit& commit, Effects& effects) {
  if (commit.version <= version_ || early_.contains(commit.version) || (applying_ && commit.version == version_ + 1)) {
    ++repeated_commits_;  // a repetition after a reconnect: applying it twice would break r = y - X beta
    return;
  }
  ++progress_mark_;
  bytes_taken_ += wire::encoded_size_of(commit);
  early_.keep(commit.version, commit);
  apply_next(effects);
}

std::shared_ptr<const State> Replica::at(Version v) const {
  if (v == version_) return in_place_ ? nullptr : current_;
  const auto found = older_.find(v);
  return found == older_.end() ? nullptr : found->second;
}

std::shared_ptr<State> Replica::state_to_change() {
  // In place when nobody else can read this version: no task holds it and no later round may ask for it.
  if (depth_ == 1 && current_.use_count() == 1) return current_;
  return current_->clone();
}

void Replica::apply_next(Effects& effects) {
  if (paused_ || applying_ || early_.empty() || early_.next() != version_ + 1) return;
  applying_ = true;
  auto commit = std::make_shared<wire::Commit>(early_.take_next());
  std::shared_ptr<const Direction> direction;
  if (const auto found = directions_.find(commit->version); found != directions_.end()) {
    direction = found->second;
    directions_.erase(directions_.begin(), std::next(found));
  }
  auto next = commit->step == 0 ? current_ : state_to_change();
  in_place_ = commit->step != 0 && next == current_;
  effects.tasks.push_back({.kind = TaskKind::apply,
                           .run =
                               [this, next, commit, direction](Chunks& chunks) {
                                 Cost cost;
                                 if (commit->step != 0)
                                   model_.apply(*next, commit->changes, commit->step, direction.get(), chunks, cost);
                                 return cost;
                               },
                           .done = [this, next, commit](Effects& out) { finish(next, *commit, out); },
                           .flops = commit->step == 0 ? 0 : commit->flops_path,
                           .name = {commit->version}});
}

void Replica::finish(const std::shared_ptr<State>& next, const wire::Commit& commit, Effects& effects) {
  ++progress_mark_;
  applying_ = false;
  in_place_ = false;
  if (depth_ > 1) older_[version_] = current_;
  current_ = next;
  ++version_;
  while (!older_.empty() && older_.begin()->first <= version_ - static_cast<Version>(depth_))
    older_.erase(older_.begin());
  advanced_(commit, effects);
  apply_next(effects);
}

void Replica::resume(Effects& effects) {
  paused_ = false;
  apply_next(effects);
}

void Replica::recompute(std::function<void(Effects&)> done, Effects& effects) {
  STRADS_CHECK(!applying_ && paused_, "a barrier has nothing in flight");
  auto next = state_to_change();
  effects.tasks.push_back({.kind = TaskKind::recompute,
                           .run =
                               [this, next](Chunks& chunks) {
                                 Cost cost;
                                 model_.recompute(*next, chunks, cost);
                                 return cost;
                               },
                           .done =
                               [this, next, done = std::move(done)](Effects& out) {
                                 current_ = next;
                                 older_.clear();
                                 done(out);
                               },
                           .flops = 1U << 30,
                           .name = {version_}});
}

}  // namespace strads::engine
