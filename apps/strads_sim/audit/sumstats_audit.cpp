#include "strads_sim/audit/sumstats_audit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <utility>

#include "strads/base/payload_fields.hpp"
#include "strads/engine/progress.hpp"
#include "sumstats/model/summary_judge.hpp"
#include "sumstats/problem/block_record.hpp"
#include "sumstats/problem/packed_doubles.hpp"

namespace strads::simulator {
namespace {

using About = sim::AuditFinding::About;

constexpr double kFigureNear = 1e-12;    ///< what two ways of adding up may differ by: correlations are at most 1
constexpr double kToleranceNear = 1e-6;  ///< of the tolerance, in which rounding may decide
constexpr std::size_t kPointHead = 3;    ///< objective, gap, nonzeros

std::string figure_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

std::string regions_text(const std::vector<std::vector<VarId>>& blocks) {
  std::string text = "blocks";
  for (const auto& block : blocks) {
    text += " {";
    for (const VarId region : block) text += (text.back() == '{' ? "" : " ") + std::to_string(region);
    text += "}";
  }
  return text;
}

}  // namespace

SumstatsAudit::SumstatsAudit(const std::shared_ptr<const sumstats::SummaryProblem>& problem,
                             const AuditedSumstats& asked)
    : asked_(asked), plain_(*problem, asked), solved_(problem->blocks()) {}

void SumstatsAudit::begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) {
  expect(About::certificate, problem == Payload{}, "a problem that says something", "nothing: all nodes have it");
  slices_ = slices;
}

bool SumstatsAudit::is_open(std::uint32_t block) const {
  return plain_.gap_at_zero(block) > 0 && !solved_[block].has_value();
}

std::uint64_t SumstatsAudit::open_count() const {
  std::uint64_t count = 0;
  for (std::uint32_t block = 0; block < plain_.blocks(); ++block) count += is_open(block) ? 1 : 0;
  return count;
}

/// Summed over all blocks and points: those that are not solved are empty.
double SumstatsAudit::objective() const {
  double sum = 0;
  for (const auto& solved : solved_) sum += solved.has_value() ? solved->objective : 0;
  return sum;
}

void SumstatsAudit::judged(const PhasePlan& plan, Version version) {
  where_ = "the barrier at version " + std::to_string(version);
  limit_ = limit_ || finishes();
  const std::uint64_t open = open_count();
  if (plan.verdict != PhasePlan::Verdict::go_on) {
    expect(About::policy, open == 0 || limit_, "an end with " + std::to_string(open) + " open blocks",
           "none, or a limit");
    return;
  }
  const auto said = find_fields<sumstats::PhaseTurn>(plan.content.values);
  expect(About::policy, said.has_value() && said->open == open && open > 0,
         said.has_value() ? std::to_string(said->open) + " open blocks" : "no turn",
         std::to_string(open) + ", at least one");
  expect(About::policy, plan.blocks_max == asked_.engine.workers && plan.rounds_max == asked_.engine.schedulers,
         std::to_string(plan.rounds_max) + " rounds of " + std::to_string(plan.blocks_max) + " blocks",
         "one of each scheduler, a block for each worker");
}

void SumstatsAudit::certified(const Certificate& certificate) {
  double gap = 0, worst = 0, near = kFigureNear;
  std::uint64_t nonzeros = 0, done = 0, surely = 0, perhaps = 0;
  for (std::uint32_t block = 0; block < plain_.blocks(); ++block) {
    if (is_open(block)) {
      gap += plain_.gap_at_zero(block);
      continue;
    }
    ++done;
    if (!solved_[block].has_value()) {
      ++surely, ++perhaps;
      continue;
    }
    const Solved& solved = *solved_[block];
    gap += solved.gap;
    worst = std::max(worst, solved.worst);
    nonzeros += solved.nonzeros;
    surely += solved.surely == plain_.points() ? 1 : 0;
    perhaps += solved.perhaps == plain_.points() ? 1 : 0;
    near += kFigureNear * static_cast<double>(plain_.points());
  }
  const double found = certificate.objective, now = objective();
  expect(About::certificate, std::abs(found - now) <= near, "objective = " + figure_digits(found),
         figure_digits(now) + ", from plain columns");
  expect(About::certificate, std::abs(certificate.gap - gap) <= near, "gap = " + figure_digits(certificate.gap),
         figure_digits(gap) + ", from plain columns");
  const auto& figures = certificate.figures;
  if (figures.size() != sumstats::kFigures) {
    return expect(About::certificate, false, std::to_string(figures.size()) + " figures", "four");
  }
  expect(About::certificate,
         figures[sumstats::kFigureBlocks] == plain_.blocks() &&
             figures[sumstats::kFigureSolved] == static_cast<double>(done) && certificate.nonzeros == nonzeros,
         figure_digits(figures[sumstats::kFigureSolved]) + " blocks solved, " + std::to_string(certificate.nonzeros) +
             " nonzeros",
         std::to_string(done) + " and " + std::to_string(nonzeros));
  const double said = figures[sumstats::kFigureCertified];
  expect(About::certificate, static_cast<double>(surely) <= said && said <= static_cast<double>(perhaps),
         figure_digits(said) + " blocks certified", std::to_string(perhaps) + ", by gaps from plain columns");
  expect(About::certificate,
         std::abs(figures[sumstats::kFigureWorst] - worst) <= asked_.grid.tolerance * 1e-3 + kFigureNear,
         "worst gap = " + figure_digits(figures[sumstats::kFigureWorst]), figure_digits(worst));
}

std::vector<SumstatsAudit::Brought> SumstatsAudit::records_of(const Payload& payload, std::size_t before) {
  constexpr std::size_t kHead = kFields<sumstats::RecordHead>;
  std::vector<Brought> all;
  auto heads = std::span(payload.values).subspan(before);
  for (const SharedFloats& floats : payload.bulk) {
    const auto head = read_fields<sumstats::RecordHead>(heads);
    const auto own = heads.first(kHead);
    Brought& record = all.emplace_back();
    record.block = static_cast<std::uint32_t>(head.block);
    record.head.assign(own.begin(), own.end());
    record.doubles = sumstats::unpacked(floats.view(), head.length);
    heads = heads.subspan(kHead);
  }
  return all;
}

void SumstatsAudit::check_point(const std::string& name, std::size_t point, double said_objective, double said_gap,
                                const PlainRegions::Figures& is, Solved& solved) {
  const std::string at = name + " at point " + std::to_string(point) + " with ";
  expect(About::certificate, std::abs(said_objective - is.objective) <= kFigureNear,
         at + "an objective of " + figure_digits(said_objective), figure_digits(is.objective) + ", from plain columns");
  expect(About::certificate, std::abs(said_gap - is.gap) <= kFigureNear, at + "a gap of " + figure_digits(said_gap),
         figure_digits(is.gap) + ", from plain columns");
  expect(About::certificate, is.objective <= kFigureNear, at + "an objective of " + figure_digits(is.objective),
         "at most 0, that of no coefficients");
  const double wanted = asked_.grid.tolerance * std::abs(is.objective);
  expect(About::certificate, is.gap <= wanted * (1 + kToleranceNear) + kFigureNear,
         at + "a gap of " + figure_digits(is.gap), "at most " + figure_digits(wanted));
  solved.objective += is.objective;
  solved.gap += is.gap;
  solved.surely += is.gap <= wanted * (1 - kToleranceNear) - kFigureNear ? 1 : 0;
  solved.perhaps += is.gap <= wanted * (1 + kToleranceNear) + kFigureNear ? 1 : 0;
  // What is said, since it was found to be right: its own rounding is a large share of a small objective.
  if (said_gap > plain_.rounding(point) && said_objective != 0) {
    solved.worst = std::max(solved.worst, said_gap / std::abs(said_objective));
  }
}

void SumstatsAudit::check_head(const std::string& name, const Solved& solved) {
  const auto head = read_fields<sumstats::RecordHead>(solved.head);
  const double near = kFigureNear * static_cast<double>(plain_.points());
  expect(About::certificate, std::abs(head.objective - solved.objective) <= near,
         name + " with objectives that add up to " + figure_digits(head.objective), figure_digits(solved.objective));
  expect(About::certificate, std::abs(head.gap - solved.gap) <= near,
         name + " with gaps that add up to " + figure_digits(head.gap), figure_digits(solved.gap));
  expect(About::certificate, head.nonzeros == solved.nonzeros,
         name + " with " + std::to_string(head.nonzeros) + " nonzeros", std::to_string(solved.nonzeros));
  expect(About::certificate, solved.surely <= head.certified && head.certified <= solved.perhaps,
         name + " with " + std::to_string(head.certified) + " certified points", std::to_string(solved.perhaps));
}

/// Reads a record: places, then for each point its figures, a bit a place, and the coefficients of those that are set.
std::optional<SumstatsAudit::Solved> SumstatsAudit::looked_at(Brought brought) {
  const std::string name = "block " + std::to_string(brought.block);
  Solved solved;
  solved.head = std::move(brought.head);
  solved.doubles = std::move(brought.doubles);
  const std::vector<double>& all = solved.doubles;
  const std::size_t places = read_fields<sumstats::RecordHead>(solved.head).places;
  const std::size_t masks = (places + sumstats::kPlacesOfMask - 1) / sumstats::kPlacesOfMask;
  std::size_t at = places;
  for (std::size_t point = 0; point < plain_.points(); ++point) {
    const double said_objective = all[at], said_gap = all[at + 1], count = all[at + 2];
    std::vector<double> b(plain_.size_of(brought.block), 0.0);
    std::size_t value = at + kPointHead + masks;
    for (std::size_t k = 0; k < places; ++k) {
      const double mask = all[at + kPointHead + k / sumstats::kPlacesOfMask];
      const double bit = std::floor(mask / std::ldexp(1.0, static_cast<int>(k % sumstats::kPlacesOfMask)));
      if (std::fmod(bit, 2.0) != 1) continue;
      b[static_cast<std::size_t>(all[k])] = all[value++];
      ++solved.nonzeros;
    }
    const auto found = static_cast<double>(value - at - kPointHead - masks);
    expect(About::certificate, found == count, name + " with " + figure_digits(count) + " nonzeros at a point",
           figure_digits(found) + " coefficients");
    check_point(name, point, said_objective, said_gap, plain_.figures(brought.block, point, b), solved);
    at = value;
  }
  check_head(name, solved);
  return solved;
}

void SumstatsAudit::committed(const sim::AuditedCommit& commit) {
  where_ = "commit " + std::to_string(commit.version);
  limit_ = limit_ || commit.last;
  std::vector<VarId> open;
  for (const VarId block : slices_[commit.scheduler]) {
    if (is_open(block)) open.push_back(block);
  }
  const auto expected = plain_.round_of(open);
  expect(About::policy, commit.blocks == expected, regions_text(commit.blocks),
         regions_text(expected) + ": heaviest first, each to the worker with least");
  std::vector<VarId> asked, brought;
  for (const auto& block : commit.blocks) asked.insert(asked.end(), block.begin(), block.end());
  for (Brought& record : records_of(*commit.changes, 0)) {
    const std::uint32_t block = record.block;
    brought.push_back(block);
    expect(About::policy, is_open(block), "block " + std::to_string(block) + " solved again", "each block once");
    solved_[block] = looked_at(std::move(record));
  }
  expect(About::certificate, brought == asked, std::to_string(brought.size()) + " records", "those of its blocks");
  const double now = objective(), near = kFigureNear * static_cast<double>(plain_.points() * plain_.blocks());
  expect(About::certificate, std::abs(commit.objective - now) <= near, "objective = " + figure_digits(commit.objective),
         figure_digits(now) + ", from plain columns");
}

void SumstatsAudit::ended(const RunEnd& end) {
  where_ = "the end";
  const bool all = open_count() == 0;
  expect(About::certificate, end.stop_reason == (all ? sumstats::kStopCertified : kStopLimit),
         "\"" + end.stop_reason + "\"", all ? "\"converged\": every block is certified" : "\"limit\"");
  std::vector<bool> is_there(plain_.blocks(), false);
  for (const Payload& status : end.statuses) {
    for (const Brought& record : records_of(status, kFields<sumstats::SliceReport>)) {
      const auto& solved = solved_[record.block];
      expect(About::certificate, solved.has_value() && solved->head == record.head && solved->doubles == record.doubles,
             "another record of block " + std::to_string(record.block) + " in the reports of the slices",
             "the one of its commit");
      is_there[record.block] = true;
    }
  }
  for (std::uint32_t block = 0; block < plain_.blocks(); ++block) {
    expect(About::certificate, is_there[block] == solved_[block].has_value(),
           "block " + std::to_string(block) + (is_there[block] ? " reported" : " missing"),
           "all that commits have brought");
  }
}

}  // namespace strads::simulator
