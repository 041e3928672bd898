#include "strads_sim/audit/slim_audit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <utility>

#include "mf/slim/slim.hpp"
#include "mf/slim/slim_judge.hpp"
#include "mf/slim/slim_payloads.hpp"
#include "strads/base/payload_fields.hpp"
#include "strads/engine/progress.hpp"

namespace strads::simulator {
namespace {

using About = sim::AuditFinding::About;

constexpr double kColumnNear = 1e-9;  ///< of 1/2 ||a_j||^2: what two ways of adding up may differ by
constexpr double kShareNear = 1e-6;   ///< of the tolerance, in which rounding may decide

std::string column_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

std::string items_text(const std::vector<std::vector<VarId>>& blocks) {
  std::string text = "blocks";
  for (const auto& block : blocks) {
    text += " {";
    for (const VarId item : block) text += (text.back() == '{' ? "" : " ") + std::to_string(item);
    text += "}";
  }
  return text;
}

}  // namespace

SlimAudit::SlimAudit(const std::shared_ptr<const Ratings>& ratings, const AuditedSlim& asked)
    : asked_(asked), plain_(*ratings, asked), columns_(plain_.items()) {}

void SlimAudit::begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) {
  expect(About::certificate, problem == Payload{}, "a problem that says something", "nothing: all nodes have it");
  for (const auto& slice : slices) blocks_.push_back(plain_.blocks(slice));
}

/// Summed over all items: those that are not solved have no weights.
double SlimAudit::objective() const {
  double sum = 0;
  for (std::uint32_t item = 0; item < plain_.items(); ++item) {
    const Column& column = columns_[item];
    sum += column.weights.empty() ? plain_.half_norm(item) : plain_.figures(item, column.weights).objective;
  }
  return sum;
}

/// The first turn with an item that is not solved.
std::uint64_t SlimAudit::open_turn() const {
  std::uint64_t first = plain_.turns();
  for (const auto& of_slice : blocks_) {
    for (std::size_t block = 0; block < of_slice.size(); ++block) {
      const bool open =
          std::ranges::any_of(of_slice[block], [&](VarId item) { return columns_[item].weights.empty(); });
      if (open) first = std::min<std::uint64_t>(first, block / asked_.engine.workers);
    }
  }
  return first;
}

void SlimAudit::judged(const PhasePlan& plan, Version version) {
  where_ = "the barrier at version " + std::to_string(version);
  limit_ = limit_ || finishes();
  const std::uint64_t open = open_turn();
  if (plan.verdict != PhasePlan::Verdict::go_on) {
    expect(About::policy, open == plain_.turns() || limit_, "an end at turn " + std::to_string(open),
           "all of " + std::to_string(plain_.turns()) + " turns, or a limit");
    return;
  }
  const auto said = find_fields<mf::PhaseTurn>(plan.content.values);
  turn_ = said.has_value() ? said->turn : plain_.turns();
  expect(About::policy, turn_ == open && open < plain_.turns(), "turn " + std::to_string(turn_),
         std::to_string(open) + ", the first one with an item that is not solved");
  expect(About::policy, plan.blocks_max == asked_.engine.workers && plan.rounds_max == asked_.engine.schedulers,
         std::to_string(plan.rounds_max) + " rounds of " + std::to_string(plan.blocks_max) + " blocks",
         "one of each scheduler, a block for each worker");
}

void SlimAudit::certified(const Certificate& certificate) {
  const double found = certificate.objective, now = objective();
  expect(About::certificate, std::abs(found - now) <= kColumnNear * now, "objective = " + column_digits(found),
         column_digits(now) + ", from the pairs");
  if (certificate.figures.size() != mf::kSlimFigures) {
    return expect(About::certificate, false, std::to_string(certificate.figures.size()) + " figures", "four");
  }
  double solved = 0, surely = 0, perhaps = 0, worst = 0, near = 0;
  std::uint64_t nonzeros = 0;
  for (const Column& column : columns_) {
    if (column.weights.empty()) continue;
    const auto is = plain_.figures(column.item, column.weights);
    const double rounding = kColumnNear * plain_.half_norm(column.item);
    const double wanted = asked_.tolerance * is.objective;
    ++solved;
    nonzeros += column.nonzeros;
    surely += is.gap <= wanted * (1 - kShareNear) - rounding ? 1 : 0;
    perhaps += is.gap <= wanted * (1 + kShareNear) + rounding ? 1 : 0;
    if (!(is.objective > 0)) continue;
    worst = std::max(worst, is.gap / is.objective);
    near = std::max(near, rounding / is.objective);
  }
  const auto& figures = certificate.figures;
  expect(
      About::certificate, figures[mf::kSlimSolved] == solved && certificate.nonzeros == nonzeros,
      column_digits(figures[mf::kSlimSolved]) + " items solved, " + std::to_string(certificate.nonzeros) + " weights",
      column_digits(solved) + " and " + std::to_string(nonzeros));
  expect(About::certificate, surely <= figures[mf::kSlimCertified] && figures[mf::kSlimCertified] <= perhaps,
         column_digits(figures[mf::kSlimCertified]) + " items certified",
         column_digits(perhaps) + ", by gaps from the pairs");
  expect(About::certificate, std::abs(figures[mf::kSlimWorstGap] - worst) <= near,
         "worst gap = " + column_digits(figures[mf::kSlimWorstGap]), column_digits(worst));
}

std::vector<SlimAudit::Column> SlimAudit::columns_of(const Payload& payload, std::size_t head) {
  std::vector<float> floats;
  for (const SharedFloats& array : payload.bulk) floats.insert(floats.end(), array.view().begin(), array.view().end());
  std::vector<Column> columns;
  std::size_t next = 0;
  for (auto rest = std::span(payload.values).subspan(head); !rest.empty();
       rest = rest.subspan(kFields<mf::ColumnHead>)) {
    const auto about = read_fields<mf::ColumnHead>(rest);
    Column column{static_cast<std::uint32_t>(about.item), about.objective, about.gap,
                  std::vector<double>(plain_.items(), 0.0), about.rows};
    for (std::size_t k = next; k < next + about.rows; ++k) {
      column.weights[std::bit_cast<std::uint32_t>(floats[k])] = double{floats[k + about.rows]};
    }
    next += 2 * about.rows;
    columns.push_back(std::move(column));
  }
  return columns;
}

void SlimAudit::check_column(const Column& column) {
  const auto is = plain_.figures(column.item, column.weights);
  const double allowed = kColumnNear * plain_.half_norm(column.item);
  const std::string name = "item " + std::to_string(column.item) + " with ";
  expect(About::certificate, column.weights[column.item] == 0, name + "a weight for itself", "none");
  expect(About::certificate, std::ranges::all_of(column.weights, [](double w) { return w >= 0; }),
         name + "a weight below 0", "none");
  expect(About::certificate, std::abs(column.objective - is.objective) <= allowed,
         name + "an objective of " + column_digits(column.objective), column_digits(is.objective) + ", from the pairs");
  expect(About::certificate, std::abs(column.gap - is.gap) <= allowed, name + "a gap of " + column_digits(column.gap),
         column_digits(is.gap) + ", from the pairs");
  expect(About::certificate, is.gap <= asked_.tolerance * is.objective * (1 + kShareNear) + allowed,
         name + "a gap of " + column_digits(is.gap), "at most " + column_digits(asked_.tolerance * is.objective));
  expect(About::certificate, is.objective <= plain_.half_norm(column.item) + allowed,
         name + "an objective of " + column_digits(is.objective),
         "at most " + column_digits(plain_.half_norm(column.item)) + ", that of no weights");
}

void SlimAudit::committed(const sim::AuditedCommit& commit) {
  where_ = "commit " + std::to_string(commit.version);
  limit_ = limit_ || commit.last;
  std::vector<std::vector<VarId>> expected;
  const auto& of_slice = blocks_[commit.scheduler];
  for (std::size_t place = 0; place < asked_.engine.workers && turn_ < plain_.turns(); ++place) {
    const auto& block = of_slice[turn_ * asked_.engine.workers + place];
    if (!block.empty()) expected.push_back(block);
  }
  expect(About::policy, commit.blocks == expected, items_text(commit.blocks),
         items_text(expected) + ": longest first, each to the block with least");
  std::vector<VarId> items, brought;
  for (const auto& block : commit.blocks) items.insert(items.end(), block.begin(), block.end());
  for (Column& column : columns_of(*commit.changes, 0)) {
    brought.push_back(column.item);
    check_column(column);
    columns_[column.item] = std::move(column);
  }
  expect(About::certificate, brought == items, std::to_string(brought.size()) + " columns", "those of its blocks");
  const double now = objective();
  expect(About::certificate, std::abs(commit.objective - now) <= kColumnNear * now,
         "objective = " + column_digits(commit.objective), column_digits(now) + ", from the pairs");
}

void SlimAudit::ended(const RunEnd& end) {
  where_ = "the end";
  const std::string found = "\"" + end.stop_reason + "\"";
  const bool all = open_turn() == plain_.turns();
  expect(About::certificate, end.stop_reason == (all ? mf::kStopCertified : kStopLimit), found,
         all ? "\"converged\": every item is certified" : "\"limit\"");
  std::vector<bool> is_there(plain_.items(), false);
  for (const Payload& status : end.statuses) {
    for (const Column& column : columns_of(status, kFields<mf::SliceReport>)) {
      expect(About::certificate, column == columns_[column.item],
             "another column of item " + std::to_string(column.item) + " in the reports of the slices",
             "the one of its commit");
      is_there[column.item] = true;
    }
  }
  for (std::uint32_t item = 0; item < plain_.items(); ++item) {
    expect(About::certificate, is_there[item] != columns_[item].weights.empty(),
           "item " + std::to_string(item) + (is_there[item] ? " reported" : " missing"),
           "all that commits have brought");
  }
}

}  // namespace strads::simulator
