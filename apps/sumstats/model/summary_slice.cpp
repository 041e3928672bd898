#include "sumstats/model/summary_slice.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace strads::sumstats {

SummarySlice::SummarySlice(const SummaryModel& model, std::vector<VarId> variables)
    : model_(model), variables_(std::move(variables)), is_open_(model.problem().blocks(), false), is_begun_(is_open_) {}

Payload SummarySlice::scan(Chunks& chunks, Cost& cost) {
  const SummaryProblem& problem = model_.problem();
  std::vector<VarId> columns;
  for (const VarId block : variables_) {
    const auto own = std::span(problem.variants).subspan(problem.begins[block], problem.size_of(block));
    columns.insert(columns.end(), own.begin(), own.end());
  }
  problem.columns->prepare(columns, chunks);
  cost.flops += columns.size() * problem.columns->rows();
  return {};
}

Payload SummarySlice::refresh(const State& state, Chunks&, Cost& cost) {
  const auto& now = static_cast<const SummaryState&>(state);
  SliceReport report;
  for (const VarId j : variables_) {
    is_open_[j] = is_open(now, j);
    is_begun_[j] = is_open_[j] && now.records[j] != nullptr;
    if (is_open_[j]) ++report.open;
    if (is_begun_[j]) ++report.begun;
    if (now.records[j] == nullptr) {
      if (is_open_[j]) {
        report.gap += model_.gap_at_zero_of(j);
      } else {
        ++report.certified;
      }
      continue;
    }
    const RecordHead& head = now.records[j]->head;
    report.objective += head.objective;
    report.gap += head.gap;
    report.worst = std::max(report.worst, head.worst);
    report.nonzeros += head.nonzeros;
    report.turns += head.turns;
    if (head.certified == model_.grid().size()) ++report.certified;
  }
  cost.flops += variables_.size();
  Payload status = payload_of(report);
  if (!now.verified) return status;
  for (const VarId j : variables_) {
    if (now.records[j] != nullptr) append_record(*now.records[j], status);
  }
  return status;
}

Block SummarySlice::make_block(std::vector<VarId> variables) const {
  Block block;
  block.content.ids = std::move(variables);
  return block;
}

std::optional<std::vector<Block>> SummarySlice::schedule(Round, const PhasePlan& plan, CounterRng&) {
  std::vector<Block> blocks;
  // An empty plan says that there are no rounds.
  if (plan.content.values.empty()) return blocks;
  std::vector<VarId> drawn;
  for (const VarId j : variables_) {
    if (is_open_[j]) drawn.push_back(j);
  }
  std::ranges::stable_sort(drawn, std::greater<>(),
                           [&](VarId j) { return std::pair(is_begun_[j] ? 1 : 0, define_sampling(j)); });
  std::uint64_t work = 0;
  std::size_t count = 0;
  while (count < drawn.size() && (count < model_.workers() || work < model_.work_of_turn())) {
    work += model_.work_of(drawn[count++]);
  }
  drawn.resize(count);
  // The heaviest first, each to the worker that has least.
  std::ranges::stable_sort(drawn, std::greater<>(), [&](VarId j) { return model_.work_of(j); });
  std::vector<std::vector<VarId>> places(model_.workers());
  using Entry = std::tuple<std::uint64_t, std::size_t>;  // work, place
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lightest;
  for (std::size_t place = 0; place < places.size(); ++place) lightest.emplace(0, place);
  for (const VarId j : drawn) {
    const auto [load, place] = lightest.top();
    lightest.pop();
    places[place].push_back(j);
    lightest.emplace(load + model_.work_of(j) + 1, place);
  }
  for (auto& own : places) {
    if (own.empty()) continue;
    std::ranges::sort(own);
    blocks.push_back(make_block(std::move(own)));
  }
  return blocks;
}

void SummarySlice::committed(const RoundOutcome& outcome, std::vector<VarId>&) {
  if (!outcome.own) return;
  for (const VarId j : outcome.drawn) is_open_[j] = false;
}

}  // namespace strads::sumstats
