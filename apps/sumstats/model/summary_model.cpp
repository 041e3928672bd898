#include "sumstats/model/summary_model.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "strads/base/hash.hpp"
#include "sumstats/model/summary_judge.hpp"
#include "sumstats/model/summary_slice.hpp"
#include "sumstats/solver/block_solver.hpp"
#include "sumstats/solver/block_work.hpp"

namespace strads::sumstats {

Payload SummaryState::content() const {
  Payload content{{}, {verified ? 1.0 : 0.0}};
  for (const auto& record : records) {
    if (record != nullptr) append_record(*record, content);
  }
  return content;
}

SummaryModel::SummaryModel(std::shared_ptr<const SummaryProblem> problem, Grid grid, const EngineOptions& engine,
                           const TurnSize& turn)
    : problem_(std::move(problem)),
      grid_(std::move(grid)),
      workers_(engine.workers),
      work_of_push_(turn.work_of_push),
      paused_(engine.workers) {
  Hash64 hash;
  hash.update_u64(problem_->fingerprint);
  for (const auto* list : {&grid_.shrinks, &grid_.lambdas}) hash.update(std::as_bytes(std::span(*list)));
  hash.update_f64(grid_.tolerance);
  fingerprint_ = hash.digest();
  std::uint64_t all = 0, open = 0;
  for (std::uint32_t block = 0; block < problem_->blocks(); ++block) {
    gaps_.push_back(gap_at_zero(*problem_, grid_, block));
    work_.push_back(work_of_block(*problem_, grid_, block).weight());
    all += work_.back();
    open += gaps_.back() > 0 ? 1 : 0;
  }
  // Turns of like size, so that the last one has as much to deal as the others.
  const std::uint64_t places = std::uint64_t{engine.workers} * engine.schedulers;
  const std::uint64_t most = turn.work_of_place * places;
  std::uint64_t turns = (all + most / 2) / most;
  if (turn.blocks_of_place > 0) turns = std::min(turns, open / (turn.blocks_of_place * places));
  // One turn takes all, also of slices that have more than others.
  work_of_turn_ = turns <= 1 ? std::numeric_limits<std::uint64_t>::max() : all / (turns * engine.schedulers) + 1;
}

std::unique_ptr<Slice> SummaryModel::make_slice(std::vector<VarId> variables) {
  return std::make_unique<SummarySlice>(*this, std::move(variables));
}

std::unique_ptr<Judge> SummaryModel::make_judge() const {
  return std::make_unique<SummaryJudge>(problem_->blocks(), workers_);
}

std::unique_ptr<State> SummaryModel::make_state() const {
  auto state = std::make_unique<SummaryState>();
  state->records.resize(problem_->blocks());
  return state;
}

std::unique_ptr<State> SummaryModel::restore_state(const Payload& content) const {
  if (!well_formed_content(content, *problem_, grid_)) return nullptr;
  auto state = std::make_unique<SummaryState>();
  state->records.resize(problem_->blocks());
  static_cast<void>(fold(*state, content, kContentHead));
  state->verified = content.values[0] == 1;
  return state;
}

std::uint64_t SummaryModel::push_flops(const Block& block) const {
  std::uint64_t all = 0;
  for (const VarId own : block.content.ids) all += work_[own];
  return all;
}

Push SummaryModel::push(const State& base, const Block& block, Chunks& chunks) const {
  const auto& now = static_cast<const SummaryState&>(base);
  Push push;
  SolverCounts counts;
  std::unique_ptr<BlockSolver> solver;
  for (const VarId own : block.content.ids) {
    // The others come in a later turn.
    if (counts.work() >= work_of_push_) break;
    const StoredRecord* const record = now.records[own].get();
    if (record != nullptr && record->head.going == 0) continue;
    std::vector<BlockSolution> solutions(grid_.size());
    if (record != nullptr) {
      const BlockProgress progress = progress_of(*record, *problem_, grid_.size());
      solutions = solutions_of(*record, grid_.size());
      solver = paused_.take(own, progress);
      if (solver == nullptr) {
        solver = std::make_unique<BlockSolver>(*problem_, grid_, chunks);
        solver->go_on(own, progress);
      }
      solver->use(chunks);
    } else {
      if (solver == nullptr) solver = std::make_unique<BlockSolver>(*problem_, grid_, chunks);
      solver->begin(own);
    }
    const SolverCounts before = solver->counts();
    const bool is_done = solver->advance(work_of_push_ - counts.work(), solutions);
    counts.add(solver->counts().since(before));
    StoredRecord next = is_done ? record_of(own, solutions, grid_) : cut_off(*solver, solutions);
    next.head.turns = (record == nullptr ? 0 : record->head.turns) + 1;
    push.predicted += (record == nullptr ? 0.0 : record->head.objective) - next.head.objective;
    append_record(next, push.deltas);
    release_block(*problem_, own);
    if (!is_done) paused_.keep(std::exchange(solver, nullptr));
  }
  push.cost = {.flops = counts.flops, .bytes = 0, .updates = counts.updates};
  push.cost.tiled = counts.products;
  push.cost.streamed = counts.passes;
  push.cost.local = static_cast<std::uint64_t>(kSweepSlower * static_cast<double>(counts.local));
  push.cost.fresh = counts.fresh;
  push.tally = {counts.sweeps, counts.checks, counts.fallbacks};
  return push;
}

StoredRecord SummaryModel::cut_off(const BlockSolver& solver, std::span<BlockSolution> solutions) const {
  const BlockProgress progress = solver.progress();
  const std::vector<double> gaps = gaps_at_zero(*problem_, grid_, solver.block());
  for (std::size_t k = progress.point; k < solutions.size(); ++k) solutions[k] = {0, gaps[k], {}, {}};
  return record_of(solver.block(), solutions, grid_, progress);
}

double SummaryModel::fold(SummaryState& state, const Payload& records, std::size_t before) const {
  double lost = 0;
  each_record(records, before, [&](const StoredRecord& record) {
    auto& own = state.records[record.head.block];
    lost += (own == nullptr ? 0.0 : own->head.objective) - record.head.objective;
    own = std::make_shared<const StoredRecord>(record);
  });
  state.objective -= lost;
  return lost;
}

Pull SummaryModel::pull(const State& now, std::span<const Payload> deltas, const Direction*) const {
  Pull pull;
  for (const Payload& block : deltas) {
    pull.changes.values.insert(pull.changes.values.end(), block.values.begin(), block.values.end());
    pull.changes.bulk.insert(pull.changes.bulk.end(), block.bulk.begin(), block.bulk.end());
    each_record(block, 0, [&](const StoredRecord& record) {
      const auto& own = static_cast<const SummaryState&>(now).records[record.head.block];
      pull.realised += (own == nullptr ? 0.0 : own->head.objective) - record.head.objective;
    });
  }
  pull.objective = static_cast<const SummaryState&>(now).objective - pull.realised;
  return pull;
}

void SummaryModel::apply(State& state, const Payload& changes, double, const Direction*, Chunks&, Cost&) const {
  static_cast<void>(fold(static_cast<SummaryState&>(state), changes, 0));
}

void SummaryModel::recompute(State& state, Chunks&, Cost&) const {
  static_cast<SummaryState&>(state).verified = true;
}

std::shared_ptr<Model> make_summary_model(std::shared_ptr<const SummaryProblem> problem, const Grid& grid,
                                          const EngineOptions& engine, const TurnSize& turn) {
  return std::make_shared<SummaryModel>(std::move(problem), grid, engine, turn);
}

}  // namespace strads::sumstats
