#include "mf/slim/slim_slice.hpp"

#include <algorithm>
#include <utility>

#include "mf/slim/slim_payloads.hpp"

namespace strads::mf {

SlimSlice::SlimSlice(const SlimModel& model, std::vector<VarId> variables)
    : model_(model),
      variables_(std::move(variables)),
      blocks_(deal_items(variables_, model.work(), model.turns(), model.workers())) {}

Payload SlimSlice::refresh(const State& state, Chunks&, Cost& cost) {
  const auto& now = static_cast<const SlimState&>(state);
  SliceReport report{.turn = model_.turns()};
  for (const VarId item : variables_) {
    const ItemWeights* const column = now.columns[item].get();
    if (column == nullptr) {
      report.objective += model_.half_norm(item);
      continue;
    }
    const ItemFigures& figures = column->figures;
    report.objective += figures.objective;
    report.gap += figures.gap;
    report.nonzeros += column->rows.size();
    ++report.solved;
    if (figures.gap <= model_.options().tolerance * figures.objective) ++report.certified;
    if (figures.objective > 0) report.worst_gap = std::max(report.worst_gap, figures.gap / figures.objective);
  }
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const auto is_open = [&](VarId item) { return now.columns[item] == nullptr; };
    if (std::ranges::none_of(blocks_[block], is_open)) continue;
    report.turn = block / model_.workers();
    break;
  }
  cost.flops += variables_.size();
  Payload status = payload_of(report);
  if (!now.verified) return status;
  ColumnWriter writer;
  for (const VarId item : variables_) {
    if (now.columns[item] != nullptr) writer.add(item, *now.columns[item]);
  }
  writer.append_to(status);
  return status;
}

Block SlimSlice::make_block(std::vector<VarId> variables) const {
  Block block;
  block.content.ids = std::move(variables);
  return block;
}

std::optional<std::vector<Block>> SlimSlice::schedule(Round, const PhasePlan& plan, CounterRng&) {
  std::vector<Block> blocks;
  // An empty plan says that there are no rounds; one that says otherwise comes from a stranger.
  if (plan.content.values.empty()) return blocks;
  const auto turn = read_fields<PhaseTurn>(plan.content.values).turn;
  if (turn >= model_.turns()) return blocks;
  for (std::uint32_t place = 0; place < model_.workers(); ++place) {
    const auto& items = blocks_[turn * model_.workers() + place];
    if (!items.empty()) blocks.push_back(make_block(items));
  }
  return blocks;
}

}  // namespace strads::mf
