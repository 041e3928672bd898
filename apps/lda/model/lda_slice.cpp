#include "lda/model/lda_slice.hpp"

#include <utility>

#include "lda/model/lda_model.hpp"
#include "lda/problem/packed_topics.hpp"

namespace strads::lda {

LdaSlice::LdaSlice(const LdaModel& model, std::vector<VarId> variables)
    : model_(model), variables_(std::move(variables)) {}

Payload LdaSlice::refresh(const State& of_run, Chunks&, Cost&) {
  const auto& state = static_cast<const LdaState&>(of_run);
  Payload status;
  auto& values = status.values;
  append_fields(Head{.sweep = state.sweep,
                     .phase = state.fresh.empty() ? state.phase : 0,
                     .beta = state.beta,
                     .drift = state.drift},
                values);
  for (const auto* part :
       {&state.alpha, &state.totals, &state.documents_measured, &state.words_measured, &state.held_out_measured}) {
    values.insert(values.end(), part->begin(), part->end());
  }
  if (!state.verified || variables_.empty()) return status;
  std::vector<std::uint16_t> topics;
  for (const RowTopics& page : model_.topics_of_slice(state, model_.slice_of(variables_[0]))) {
    status.ids.insert(status.ids.end(), page.rows.begin(), page.rows.end());
    topics.insert(topics.end(), page.topics.begin(), page.topics.end());
  }
  status.bulk.push_back(pack_topics(topics));
  return status;
}

double LdaSlice::workload(VarId j) const {
  const LdaData& data = model_.data();
  const auto documents = static_cast<VarId>(data.documents->size());
  const std::uint64_t tokens =
      j < documents ? data.token_begins[j + std::size_t{1}] - data.token_begins[j] : data.word_tokens[j - documents];
  return static_cast<double>(tokens);
}

Block LdaSlice::make_block(std::vector<VarId> variables) const {
  Block block;
  block.content.ids = std::move(variables);
  return block;
}

std::optional<std::vector<Block>> LdaSlice::schedule(Round, const PhasePlan& phase, CounterRng&) {
  std::vector<Block> blocks;
  // An empty plan says that there are no rounds; one that says otherwise comes from a stranger.
  if (variables_.empty() || phase.content.values.empty()) return blocks;
  auto plan = read_fields<Plan>(phase.content.values);
  const std::uint32_t slice = model_.slice_of(variables_[0]);
  for (const std::uint32_t page : model_.pages_of_slice(plan, slice)) {
    plan.page = page;
    if (model_.tokens_of(plan) == 0) continue;
    Block block;
    // A part of cells has documents of all slices: its name is one of this slice, whose turn it is.
    const VarId name = model_.variable_of(plan);
    block.content.ids = {model_.slice_of(name) == slice ? name : variables_[0]};
    block.content.values = phase.content.values;
    write_fields(plan, block.content.values);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace strads::lda
