#include "mf/model/mf_slice.hpp"

namespace strads::mf {

MfSlice::MfSlice(const MfModel& model, std::vector<VarId> variables) : model_(model), variables_(std::move(variables)) {
  if (!variables_.empty()) {
    const VarId users = model.data().size(Side::users);
    const Side side = variables_[0] < users ? Side::users : Side::items;
    index_ = model.partition().of(side).slice_of(model.page_of(variables_[0]));
  }
}

Payload MfSlice::scan(Chunks&, Cost&) {
  return {};
}

void MfSlice::begin(const Payload&) {}

Payload MfSlice::refresh(const State& state, Chunks&, Cost&) {
  const auto& replica = static_cast<const MfState&>(state);
  const auto& partition = model_.partition();
  Payload status;
  auto& values = status.values;
  const SidePartition &users = partition.of(Side::users), &items = partition.of(Side::items);
  append_fields(StatusHead{.error = replica.error,
                           .fault = static_cast<std::uint64_t>(replica.fault),
                           .best_validation = replica.best_validation,
                           .users_imbalance = users.imbalance(),
                           .items_imbalance = items.imbalance(),
                           .users_split = users.any_split ? 1U : 0U,
                           .items_split = items.any_split ? 1U : 0U},
                values);
  // An evaluation that was cut off has looked at some users only.
  append_fields(replica.evaluation.blocks == users.full_pages ? replica.evaluation : Evaluation{}, values);
  for (const Side side : {Side::users, Side::items}) {
    const auto sums = replica.penalty_sums(side);
    values.insert(values.end(), sums.begin(), sums.end());
  }
  if (!replica.verified) return status;
  values.insert(values.end(), replica.weights.begin(), replica.weights.end());
  for (const Side side : {Side::users, Side::items}) {
    const SidePartition& own = partition.of(side);
    for (std::uint32_t page = 0; page < own.pages.size(); ++page) {
      if (own.slice_of(page) != index_ || own.pages[page].empty() || variables_.empty()) continue;
      for (const std::uint32_t row : own.pages[page]) status.ids.push_back(variable(side, row));
      status.bulk.push_back(model_.row_major(replica, side, page));
    }
  }
  return status;
}

void MfSlice::enter_phase(const PhasePlan&) {}

double MfSlice::define_sampling(VarId) const {
  return 1;
}

double MfSlice::define_dependency(VarId, VarId) const {
  return 0;
}

double MfSlice::workload(VarId j) const {
  const VarId users = model_.data().size(Side::users);
  return j < users ? model_.data().counts[0][j] : model_.data().counts[1][j - users];
}

Block MfSlice::make_block(std::vector<VarId> variables) const {
  Block block;
  block.content.ids = std::move(variables);
  return block;
}

VarId MfSlice::variable(Side side, std::uint32_t row) const {
  return side == Side::users ? row : model_.data().size(Side::users) + row;
}

Block MfSlice::block_of(Side side, std::uint32_t page, const PhasePlan& plan, double part) const {
  Block block;
  const auto& rows = model_.rows_of(side, page);
  if (rows.empty()) return block;
  block.content.ids = {variable(side, rows[0])};
  block.content.values = plan.content.values;
  Plan own = plan_of(plan.content.values);
  own.part = part;
  write_fields(own, block.content.values);
  return block;
}

std::optional<std::vector<Block>> MfSlice::schedule(Round round, const PhasePlan& plan, CounterRng&) {
  std::vector<Block> blocks;
  // An empty plan says that there are no rounds; one that says otherwise comes from a stranger.
  if (variables_.empty() || plan.content.values.empty()) return blocks;
  const std::span<const double> content = plan.content.values;
  const Side side = side_of(content);
  const SidePartition& own = model_.partition().of(side);
  const std::uint32_t split = own.split_page(index_);
  const bool first_turn = round < static_cast<Round>(plan_of(content).first + own.schedulers);
  if (work_of(content) == Work::update && own.any_split && first_turn) {
    for (std::uint32_t part = 0; part < own.workers; ++part) blocks.push_back(block_of(side, split, plan, part));
    return blocks;
  }
  for (std::uint32_t i = 0; i < own.workers; ++i) {
    blocks.push_back(block_of(side, index_ * own.workers + i, plan, -1));
  }
  // An evaluation takes split pages whole; at place P, which is the worker of their part 0.
  if (work_of(content) == Work::evaluate) blocks.push_back(block_of(side, split, plan, -1));
  return blocks;
}

void MfSlice::committed(const RoundOutcome&, std::vector<VarId>&) {}

}  // namespace strads::mf
