#include "lasso/report/round_trace.hpp"

#include <cstddef>

#include "strads/base/status.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"

namespace strads::lasso {
namespace {

constexpr const char* kHeader = "round\tscheduler\tblock\tworker\tvariables\tdeltas\tstep\tdrawn\tconflicts\n";
constexpr std::size_t kBufferBytes = 1U << 16U;  ///< small rounds share a write

/// The deltas name the changed variables in the order of their block; the others have 0.
void add_lists(const RoundBlock& block, std::string& out) {
  std::string deltas;
  std::size_t changed = 0;
  for (const VarId j : block.variables) {
    if (!deltas.empty()) out += ',';
    out += std::to_string(std::uint64_t{j} + 1);
    const bool is_changed = changed < block.deltas.ids.size() && block.deltas.ids[changed] == j;
    if (!deltas.empty()) deltas += ',';
    deltas += is_changed ? exact_text(block.deltas.values[changed++]) : "0";
  }
  STRADS_CHECK(changed == block.deltas.ids.size(), "every delta belongs to a variable of its block");
  out += '\t' + deltas;
}

}  // namespace

std::string round_rows(const RoundRecord& round) {
  std::string out, draws = "\t\t";
  if (round.draws.drawn > 0) {
    draws = '\t' + std::to_string(round.draws.drawn) + '\t' + std::to_string(round.draws.conflicts);
  }
  for (std::size_t b = 0; b < round.blocks.size(); ++b) {
    const RoundBlock& block = round.blocks[b];
    out += std::to_string(round.round) + '\t' + std::to_string(round.scheduler) + '\t' + std::to_string(b) + '\t' +
           std::to_string(block.worker) + '\t';
    add_lists(block, out);
    out += '\t' + exact_text(round.step) + draws + '\n';
  }
  return out;
}

Result<RoundTrace> RoundTrace::open(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(auto file, ResultWriter::open(path));
  RoundTrace trace(std::move(file));
  trace.rows_ = kHeader;
  return trace;
}

void RoundTrace::record(const RoundRecord& round) {
  if (!outcome_.ok()) return;
  rows_ += round_rows(round);
  if (rows_.size() >= kBufferBytes) write_out();
}

void RoundTrace::write_out() {
  outcome_ = file_.write(rows_);
  rows_.clear();
}

Status RoundTrace::finish() {
  if (outcome_.ok()) write_out();
  return outcome_.ok() ? file_.commit() : outcome_;
}

}  // namespace strads::lasso
