#include "engine/rounds/lateness.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace strads::engine {
namespace {

/// The lower median: of two nodes the faster one, so that a slow one is not the measure. 0: of none.
double typical(std::vector<double> paces) {
  std::erase(paces, 0.0);
  if (paces.empty()) return 0;
  const auto middle = paces.begin() + static_cast<std::ptrdiff_t>((paces.size() - 1) / 2);
  std::nth_element(paces.begin(), middle, paces.end());
  return *middle;
}

}  // namespace

void Lateness::begin_turn(Round round) {
  remember_turn();
  std::vector<double> paces;
  for (const auto& [node, seen] : turn_) paces.push_back(seen.pace);
  if (const double pace = typical(std::move(paces)); pace > 0) paces_.push_back(pace);
  if (paces_.size() > kTurns) paces_.erase(paces_.begin());
  turn_.clear();
  round_ = round;
  began_ = now_;
}

void Lateness::ask(std::uint32_t node, double flops) {
  const auto [at, first] = turn_.try_emplace(node);
  OfTurn& seen = at->second;
  if (first) seen.known_late = known_late(node);
  seen.flops += std::max(flops, 1.0);
  ++seen.blocks;
  ++seen.open;
}

void Lateness::answered(std::uint32_t node, bool itself) {
  const auto at = turn_.find(node);
  if (!knows_time() || at == turn_.end() || at->second.open == 0) return;
  OfTurn& seen = at->second;
  if (itself) {
    ++seen.own;
    note_own_answer(node, seen, seconds_out(), allowance(node));
  }
  if (--seen.open == 0) judge(node, seen);
  if (seen.open == 0 && seen.own == seen.blocks) seen.pace = std::max(seconds_out(), 1e-9) / seen.flops;
}

void Lateness::answered_after_another(Round round, std::uint32_t node) {
  if (!knows_time()) return;
  if (round == round_) {
    const auto at = turn_.find(node);
    if (at != turn_.end()) note_own_answer(node, at->second, seconds_out(), allowance(node));
    return;
  }
  for (Past& past : past_) {
    const auto at = past.late.find(node);
    if (past.round == round && at != past.late.end())
      note_own_answer(node, at->second, now_ - past.began, past.allowances[node]);
  }
}

void Lateness::note_own_answer(std::uint32_t node, OfTurn& seen, double seconds, double allowed) {
  if (seen.known_late && seconds <= allowed && ++seen.in_time == seen.blocks) debts_[node] = 0;
}

void Lateness::remember_turn() {
  Past past{round_, began_, {}, {}};
  for (const auto& [node, seen] : turn_) {
    if (!seen.known_late) continue;
    past.late.emplace(node, seen);
    past.allowances.emplace(node, allowance(node));
  }
  if (past.late.empty()) return;
  past_.push_back(std::move(past));
  if (past_.size() > kTurns) past_.erase(past_.begin());
}

void Lateness::judge(std::uint32_t node, const OfTurn& seen) {
  double& debt = debts_[node];
  if (seen.own == seen.blocks) {
    // Blocks of other turns may have been easier: what was answered is measured by its own turn alone.
    const double pace = pace_of_others(node);
    const double excess = pace > 0 ? seconds_out() - kWay - kAllowed * pace * seen.flops : 0;
    debt = excess > 0 ? debt + excess : 0;
  } else if (!seen.known_late) {
    debt = std::max(debt, kPatience);
  } else if (2 * seen.own >= seen.blocks) {
    debt = 0;  // others had its blocks as early as itself, and it was as fast
  }
}

double Lateness::pace_of_others(std::uint32_t node) const {
  std::vector<double> paces;
  for (const auto& [other, seen] : turn_) {
    if (other != node) paces.push_back(seen.pace);
  }
  return typical(std::move(paces));
}

double Lateness::allowance(std::uint32_t node) const {
  const auto at = turn_.find(node);
  double pace = pace_of_others(node);
  if (pace == 0 && !paces_.empty()) pace = *std::max_element(paces_.begin(), paces_.end());
  if (pace == 0 || at == turn_.end()) return std::numeric_limits<double>::infinity();
  return kWay + kAllowed * pace * at->second.flops;
}

double Lateness::debt(std::uint32_t node) const {
  const auto debt = debts_.find(node);
  return debt == debts_.end() ? 0 : debt->second;
}

bool Lateness::overdue(std::uint32_t node, std::size_t copies) const {
  if (!knows_time()) return false;
  const double allowed = allowance(node);
  if (copies > 0) return seconds_out() >= std::pow(kNextCopy, copies) * (allowed + kPatience);
  return seconds_out() - allowed + debt(node) >= kPatience;
}

}  // namespace strads::engine
