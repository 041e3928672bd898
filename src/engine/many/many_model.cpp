#include "engine/many/many_model.hpp"

#include <algorithm>
#include <limits>

#include "engine/planning/slices.hpp"
#include "strads/base/hash.hpp"

namespace strads::engine {

namespace {

/// Names a slice: no two hold the same variable. kNobody: it is empty.
constexpr VarId kNobody = std::numeric_limits<VarId>::max();
VarId first_of(std::span<const VarId> slice) {
  return slice.empty() ? kNobody : slice.front();
}

}  // namespace

Payload ManyState::content() const {
  std::vector<Payload> contents;
  for (const auto& part : parts) contents.push_back(part == nullptr ? Payload{} : part->content());
  Payload all = pack(contents);
  all.values.insert(all.values.end(), objectives.begin(), objectives.end());
  return all;
}

double ManyState::objective() const {
  double sum = 0;
  for (const double of_part : objectives) sum += of_part;
  return sum;
}

ManyModel::ManyModel(std::vector<std::shared_ptr<Model>> parts, const EngineOptions& engine, PartEnded ended)
    : parts_(std::move(parts)), engine_(engine), ended_(std::move(ended)) {
  STRADS_CHECK(!parts_.empty(), "many models are at least one");
  for (const auto& part : parts_) {
    STRADS_CHECK(part->variables() < std::numeric_limits<VarId>::max() - firsts_.back(), "variables have numbers");
    firsts_.push_back(firsts_.back() + part->variables());
  }
}

std::vector<Deal> ManyModel::deals() const {
  std::vector<Deal> all;
  for (const auto& part : parts_) {
    const auto own = part->deals();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::uint64_t ManyModel::fingerprint() const {
  Hash64 hash;
  for (const auto& part : parts_) hash.update_u64(part->fingerprint());
  return hash.digest();
}

std::size_t ManyModel::part_of(VarId variable) const {
  return static_cast<std::size_t>(std::upper_bound(firsts_.begin(), firsts_.end(), variable) - firsts_.begin()) - 1;
}

std::vector<VarId> ManyModel::within(std::size_t part, std::span<const VarId> variables) const {
  const auto begin = std::lower_bound(variables.begin(), variables.end(), firsts_[part]);
  const auto end = std::lower_bound(begin, variables.end(), firsts_[part + 1]);
  std::vector<VarId> own(begin, end);
  for (VarId& j : own) j -= firsts_[part];
  return own;
}

void ManyModel::place(const Placement& placement) {
  slice_firsts_.clear();
  for (const auto& slice : placement.slices) slice_firsts_.push_back(first_of(slice));
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    std::vector<std::vector<VarId>> own;
    for (const auto& slice : placement.slices) own.push_back(within(i, slice));
    parts_[i]->place({own, placement.workers, placement.workers_here});
  }
}

std::uint32_t ManyModel::scheduler_of(const std::vector<VarId>& variables) const {
  const auto found = std::find(slice_firsts_.begin(), slice_firsts_.end(), first_of(variables));
  STRADS_CHECK(found != slice_firsts_.end(), "slices are made of what was dealt");
  return static_cast<std::uint32_t>(found - slice_firsts_.begin());
}

std::unique_ptr<Slice> ManyModel::make_slice(std::vector<VarId> variables) {
  std::vector<std::unique_ptr<Slice>> own;
  for (std::size_t i = 0; i < parts_.size(); ++i) own.push_back(parts_[i]->make_slice(within(i, variables)));
  const std::uint32_t scheduler = scheduler_of(variables);
  return std::make_unique<ManySlice>(*this, std::move(own), std::move(variables), scheduler);
}

std::unique_ptr<Judge> ManyModel::make_judge() const {
  std::vector<ManyJudge::PartJudge> own;
  for (const auto& part : parts_) own.push_back({part->make_judge(), part->acceptable(PayloadKind::status, {})});
  return std::make_unique<ManyJudge>(std::move(own), engine_.schedulers, ended_);
}

void ManyModel::begin(const Payload& problem) {
  const auto problems = unpack(problem, parts_.size());
  STRADS_CHECK(problems.has_value(), "acceptable() has looked at the problem");
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i]->begin((*problems)[i]);
}

void ManyModel::enter_phase(const PhasePlan& plan) {
  const auto phase = ManyPhase::decode(plan.content, parts_.size(), engine_.schedulers);
  if (!phase.has_value()) return;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (phase->jobs[i].action == Job::Action::run) parts_[i]->enter_phase(phase->jobs[i].plan);
  }
}

std::unique_ptr<State> ManyModel::make_state() const {
  auto state = std::make_unique<ManyState>();
  for (const auto& part : parts_) {
    state->parts.emplace_back(part->make_state());
    state->objectives.push_back(part->objective(*state->parts.back()));
  }
  return state;
}

// --- payloads ---

std::optional<ManyModel::Tagged> ManyModel::block_of(const Payload& payload) const {
  const auto part = tag_of(payload, parts_.size() + 1);
  if (!part.has_value()) return std::nullopt;
  Tagged tagged{*part, payload};
  tagged.own.values.pop_back();
  if (*part == parts_.size()) return tagged;
  for (VarId& j : tagged.own.ids) {
    if (j < firsts_[*part] || j >= firsts_[*part + 1]) return std::nullopt;
    j -= firsts_[*part];
  }
  return tagged;
}

std::optional<ManyModel::Tagged> ManyModel::deltas_of(const Payload& payload) const {
  if (payload.ids.empty()) return block_of(payload);
  // The engine compares the ids with those of the block, and wants a value for each: there is no room for a number.
  if (payload.ids[0] >= variables()) return std::nullopt;
  Tagged tagged{part_of(payload.ids[0]), payload};
  for (VarId& j : tagged.own.ids) {
    if (j < firsts_[tagged.part] || j >= firsts_[tagged.part + 1]) return std::nullopt;
    j -= firsts_[tagged.part];
  }
  return tagged;
}

bool ManyModel::accepts(PayloadKind kind, const std::optional<Tagged>& tagged) const {
  if (!tagged.has_value()) return false;
  if (tagged->part < parts_.size()) return parts_[tagged->part]->acceptable(kind, tagged->own);
  return tagged->own.bulk.empty() && read_housekeeping(tagged->own.values, parts_.size()).has_value();
}

bool ManyModel::accepts_all(PayloadKind kind, const Payload& packed) const {
  const auto own = unpack(packed, parts_.size());
  if (!own.has_value()) return false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i]->acceptable(kind, (*own)[i])) return false;
  }
  return true;
}

bool ManyModel::accepts_status(const Payload& payload) const {
  const auto status = ManyStatus::decode(payload, parts_.size());
  if (!status.has_value()) return false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Payload& own = status->parts[i];
    if (own != Payload{} && !parts_[i]->acceptable(PayloadKind::status, own)) return false;
  }
  return true;
}

bool ManyModel::accepts_changes(const Payload& payload) const {
  const auto commit = ManyCommit::decode(payload, parts_.size());
  return commit.has_value() && std::all_of(commit->changes.begin(), commit->changes.end(), [this](const auto& change) {
           return parts_[change.part]->acceptable(PayloadKind::changes, change.own);
         });
}

bool ManyModel::accepts_phase(const Payload& payload) const {
  if (payload == Payload{}) return true;
  const auto phase = ManyPhase::decode(payload, parts_.size(), engine_.schedulers);
  if (!phase.has_value()) return false;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Job& job = phase->jobs[i];
    if (job.runs() && !parts_[i]->acceptable(PayloadKind::phase, job.plan.content)) return false;
  }
  return true;
}

bool ManyModel::acceptable(PayloadKind kind, const Payload& payload) const {
  switch (kind) {
    case PayloadKind::ready:
    case PayloadKind::start:
      return accepts_all(kind, payload);
    case PayloadKind::status:
      return accepts_status(payload);
    case PayloadKind::block:
      return !payload.ids.empty() && accepts(kind, block_of(payload));
    case PayloadKind::deltas:
      return accepts(kind, deltas_of(payload));
    case PayloadKind::changes:
      return accepts_changes(payload);
    case PayloadKind::phase:
      return accepts_phase(payload);
  }
  return false;
}

// --- rounds ---

namespace {

Block own_block(const Block& block, Payload own) {
  return {std::move(own), block.kind, block.sweeps, block.tolerance};
}

}  // namespace

std::uint64_t ManyModel::push_flops(const Block& block) const {
  auto tagged = block_of(block.content);
  if (!tagged.has_value() || tagged->part == parts_.size()) return 0;
  return parts_[tagged->part]->push_flops(own_block(block, std::move(tagged->own)));
}

Push ManyModel::push(const State& base, const Block& block, Chunks& chunks) const {
  auto tagged = block_of(block.content);
  STRADS_CHECK(tagged.has_value(), "a block names its part");
  const double tag = static_cast<double>(tagged->part);
  Push push;
  if (tagged->part == parts_.size()) {
    push.deltas.values = std::move(tagged->own.values);
  } else if (const auto& state = static_cast<const ManyState&>(base).parts[tagged->part]; state != nullptr) {
    push = parts_[tagged->part]->push(*state, own_block(block, std::move(tagged->own)), chunks);
    for (VarId& j : push.deltas.ids) j += firsts_[tagged->part];
    if (!push.deltas.ids.empty()) return push;
  }
  push.deltas.values.push_back(tag);
  return push;
}

std::optional<std::vector<ManyModel::PartDeltas>> ManyModel::by_part(std::span<const Payload> deltas) const {
  std::vector<PartDeltas> all;
  for (const Payload& block : deltas) {
    auto tagged = deltas_of(block);
    if (!tagged.has_value() || (!all.empty() && tagged->part < all.back().part)) return std::nullopt;
    if (all.empty() || tagged->part != all.back().part) all.push_back({tagged->part, {}});
    all.back().own.push_back(std::move(tagged->own));
  }
  return all;
}

const Direction* ManyDirection::of(std::size_t part) const {
  const auto found = std::find_if(parts.begin(), parts.end(), [part](const auto& own) { return own.first == part; });
  return found == parts.end() ? nullptr : found->second.get();
}

std::shared_ptr<const Direction> ManyModel::combine(std::span<const Payload> deltas, Chunks& chunks, Cost& cost) const {
  const auto all = by_part(deltas);
  if (!all.has_value()) return nullptr;
  auto direction = std::make_shared<ManyDirection>();
  for (const auto& [part, own] : *all) {
    if (part < parts_.size()) direction->parts.emplace_back(part, parts_[part]->combine(own, chunks, cost));
  }
  return direction;
}

Pull ManyModel::pull(const State& now, std::span<const Payload> deltas, const Direction* direction) const {
  const auto& state = static_cast<const ManyState&>(now);
  Pull pull{.step = 0, .objective = state.objective(), .realised = 0, .changes = {}};
  // Each answer may be acceptable and still be of another part than its block was: a stranger's.
  const auto all = by_part(deltas);
  if (!all.has_value() || direction == nullptr) return pull;
  ManyCommit commit;
  auto objectives = state.objectives;
  for (const auto& [part, own] : *all) {
    if (part == parts_.size()) {
      commit.housekeeping = own[0].values;
    } else if (state.parts[part] != nullptr) {
      Pull of_part =
          parts_[part]->pull(*state.parts[part], own, static_cast<const ManyDirection*>(direction)->of(part));
      objectives[part] = of_part.objective;
      pull.realised += of_part.realised;
      if (of_part.step == 0) continue;
      commit.changes.push_back({part, of_part.step, of_part.objective, of_part.realised, std::move(of_part.changes)});
    }
  }
  pull.changes = commit.encode();
  pull.step = pull.changes == Payload{} ? 0 : 1;
  pull.objective = 0;
  for (const double of_part : objectives) pull.objective += of_part;
  return pull;
}

void ManyModel::apply(State& whole, const Payload& changes, double, const Direction* direction, Chunks& chunks,
                      Cost& cost) const {
  auto& state = static_cast<ManyState&>(whole);
  const auto commit = ManyCommit::decode(changes, parts_.size());
  if (!commit.has_value()) return;  // of another process, which acceptable() has not seen
  for (const auto& change : commit->changes) {
    auto& part = state.parts[change.part];
    if (part == nullptr) continue;
    const Direction* own =
        direction == nullptr ? nullptr : static_cast<const ManyDirection*>(direction)->of(change.part);
    // Other versions may share it.
    std::shared_ptr<State> next = part->clone();
    parts_[change.part]->apply(*next, change.own, change.step, own, chunks, cost);
    part = std::move(next);
    state.objectives[change.part] = change.objective;
  }
  if (!commit->housekeeping.empty()) keep_house(state, commit->housekeeping, chunks, cost);
}

void ManyModel::keep_house(ManyState& state, std::span<const double> actions, Chunks& chunks, Cost& cost) const {
  const auto known = read_housekeeping(actions, parts_.size());
  if (!known.has_value()) return;
  for (const auto& [part, action] : *known) {
    if (action == Job::Action::release) {
      state.parts[part].reset();
    } else {
      recompute_part(state, part, chunks, cost);
    }
  }
}

void ManyModel::recompute_part(ManyState& state, std::size_t part, Chunks& chunks, Cost& cost) const {
  if (state.parts[part] == nullptr) return;
  std::shared_ptr<State> next = state.parts[part]->clone();
  parts_[part]->recompute(*next, chunks, cost);
  state.objectives[part] = parts_[part]->objective(*next);
  state.parts[part] = std::move(next);
}

void ManyModel::recompute(State& state, Chunks& chunks, Cost& cost) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    recompute_part(static_cast<ManyState&>(state), i, chunks, cost);
  }
}

double ManyModel::objective(const State& state) const {
  return static_cast<const ManyState&>(state).objective();
}

Payload ManyModel::without_remarks(const Payload& changes) const {
  auto commit = ManyCommit::decode(changes, parts_.size());
  if (!commit.has_value()) return changes;
  commit->remarks.clear();
  return commit->encode();
}

bool ManyModel::is_joint(const PhasePlan& plan, const Payload& block) const {
  const auto phase = ManyPhase::decode(plan.content, parts_.size(), engine_.schedulers);
  const auto tagged = block_of(block);
  if (!phase.has_value() || !tagged.has_value() || tagged->part == parts_.size()) return false;
  const Job& job = phase->jobs[tagged->part];
  return job.runs() && parts_[tagged->part]->is_joint(job.plan, tagged->own);
}

}  // namespace strads::engine

namespace strads {

std::shared_ptr<Model> many_models(std::vector<std::shared_ptr<Model>> parts, const EngineOptions& engine,
                                   PartEnded ended) {
  return std::make_shared<engine::ManyModel>(std::move(parts), engine, std::move(ended));
}

}  // namespace strads
