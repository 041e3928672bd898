// What a worker computes: one update, passes over a block, or whole problems.
#include <algorithm>
#include <numeric>
#include <utility>

#include "strads/base/random.hpp"
#include "strads/policies/policy_slice.hpp"
#include "svm/model/svm_model.hpp"
#include "svm/solver/dual_solver.hpp"

namespace strads::svm {

Push SvmModel::push(const State& base, const Block& block, Chunks& chunks) const {
  const auto& state = static_cast<const SvmState&>(base);
  if (block.kind == kSolveProblems && block.content.values.size() == kFields<BlockWords>) {
    return solve_problems(state, block, chunks);
  }
  return block.kind == kUpdateBestOfBlock ? best_update(state, block) : sweep_block(state, block);
}

std::uint64_t SvmModel::push_flops(const Block& block) const {
  if (block.kind == kSolveProblems) return std::uint64_t{1} << 40;
  std::uint64_t flops = 0;
  for (const VarId j : block.content.ids) flops += 4 * problems_.samples().entries(problems_.place_of(j).sample) + 10;
  return block.kind == kUpdateBestOfBlock ? flops : flops * std::min(block.sweeps, 10U) + 2 * problems_.shape().width;
}

Push SvmModel::best_update(const SvmState& base, const Block& block) const {
  Push push;
  VarId best = block.content.ids.front();
  CoordinateMove most;
  for (const VarId j : block.content.ids) {
    const SvmProblems::Place at = problems_.place_of(j);
    const DualBox& box = problems_.box(at.problem);
    const double value = base.alpha[j], *const w = base.w.data() + at.problem * problems_.shape().width;
    const double gradient =
        box.sign(at.sample) * problems_.samples().dot(at.sample, w) - 1 + box.diagonal(at.sample) * value;
    const CoordinateMove move = move_in_box(value, gradient, problems_.curvature(at), box.upper(at.sample));
    push.cost.flops += 2 * problems_.samples().entries(at.sample) + 10;
    if (move.decrease <= most.decrease) continue;
    best = j;
    most = move;
  }
  push.cost.updates = 1;
  push.cost.streamed = push.cost.scattered = push.cost.flops;
  if (most.delta == 0) return push;
  push.deltas = {{best}, {most.delta}};
  push.predicted = most.decrease;
  return push;
}

Push SvmModel::sweep_block(const SvmState& base, const Block& block) const {
  Push push;
  const auto& ids = block.content.ids;
  for (std::size_t begin = 0, end = 0; begin < ids.size(); begin = end) {
    const std::size_t problem = problems_.place_of(ids[begin]).problem;
    std::vector<std::uint32_t> members;
    std::vector<double> values;
    for (; end < ids.size() && problems_.place_of(ids[end]).problem == problem; ++end) {
      members.push_back(problems_.place_of(ids[end]).sample);
      values.push_back(base.alpha[ids[end]]);
    }
    const auto of_problem = std::span(base.w).subspan(problem * problems_.shape().width, problems_.shape().width);
    std::vector<double> w(of_problem.begin(), of_problem.end());
    const Solved solved = DualSolver(problems_.samples(), problems_.box(problem), members, values, w)
                              .sweep(block.sweeps, block.tolerance);
    for (std::size_t k = begin; k < end; ++k) {
      const double delta = values[k - begin] - base.alpha[ids[k]];
      if (delta == 0) continue;
      push.deltas.ids.push_back(ids[k]);
      push.deltas.values.push_back(delta);
    }
    push.predicted += solved.decrease;
    push.cost.flops += solved.flops;
    push.cost.updates += solved.updates;
  }
  push.cost.streamed = push.cost.swept = push.cost.flops;
  return push;
}

/// A group of SvmModel::solve_problems().
struct SvmModel::Attempt {
  std::size_t problem = 0;
  std::vector<double> alpha;
  Solved solved;
};

void SvmModel::solve_one(const SvmState& base, const BlockWords& words, Attempt& attempt, Chunks& chunks) const {
  const PayloadShape& shape = problems_.shape();
  std::vector<std::uint32_t> members(shape.samples);
  std::iota(members.begin(), members.end(), 0U);
  const auto alpha = std::span(base.alpha).subspan(attempt.problem * shape.samples, shape.samples);
  attempt.alpha.assign(alpha.begin(), alpha.end());
  const auto of_problem = std::span(base.w).subspan(attempt.problem * shape.width, shape.width);
  std::vector<double> w(of_problem.begin(), of_problem.end());
  const bool goes_on = shape.problems > 1 && std::ranges::any_of(attempt.alpha, [](double a) { return a > 0; });
  attempt.solved = DualSolver(problems_.samples(), problems_.box(attempt.problem), members, attempt.alpha, w)
                       .solve({words.relative_gap, words.flops_max, goes_on},
                              CounterRng(seed_, Purpose::visits, attempt.problem, words.stream), chunks);
}

/// Several problems are solved side by side, kSideBySide at a time, until the round has done about as much work as so
/// many may do: the rest has to wait for the next barrier. The first one is another each round, so that one that
/// rounding keeps from its end does not keep the others from theirs.
Push SvmModel::solve_problems(const SvmState& base, const Block& block, Chunks& chunks) const {
  const auto words = read_fields<BlockWords>(block.content.values);
  std::vector<Attempt> attempts(block.content.ids.size());
  const std::uint64_t begin = words.stream * kSideBySide % problems_.shape().problems;
  for (std::size_t k = 0; k < attempts.size(); ++k)
    attempts[k].problem = problems_.place_of(block.content.ids[k]).problem;
  const auto first = std::ranges::find_if(attempts, [&](const Attempt& own) { return own.problem >= begin; });
  std::rotate(attempts.begin(), first, attempts.end());
  std::size_t taken = 0;
  if (attempts.size() == 1) {
    solve_one(base, words, attempts[taken++], chunks);
  } else {
    std::uint64_t flops = 0;
    while (taken < attempts.size() && 2 * flops < kSideBySide * words.flops_max) {
      const std::size_t end = std::min(attempts.size(), taken + kSideBySide);
      chunks.for_each(end - taken, [&, first = taken](std::size_t which) {
        SerialChunks serial;
        solve_one(base, words, attempts[first + which], serial);
      });
      for (; taken < end; ++taken) flops += attempts[taken].solved.flops;
    }
  }
  attempts.resize(taken);
  std::ranges::sort(attempts, {}, &Attempt::problem);
  Push push;
  push.tally.assign(3, 0);
  for (const Attempt& own : attempts) {
    push.deltas.values.push_back(static_cast<double>(own.problem));
    push.deltas.values.push_back(own.solved.decrease);
    push.deltas.values.insert(push.deltas.values.end(), own.alpha.begin(), own.alpha.end());
    push.predicted += own.solved.decrease;
    push.cost.flops += own.solved.flops;
    push.cost.updates += own.solved.updates;
    add_tally(std::vector<std::uint64_t>{own.solved.sweeps, own.solved.face_steps, own.solved.conjugate_iterations},
              push.tally);
  }
  push.cost.streamed = push.cost.swept = push.cost.flops;
  return push;
}

}  // namespace strads::svm
