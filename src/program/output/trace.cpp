#include <algorithm>
#include <utility>

#include "strads/engine/progress.hpp"
#include "strads/program/program.hpp"
#include "strads/program/trace.hpp"

namespace strads {
namespace {

constexpr std::uint64_t kCommitsKeptMax = 2000;  // some 200 KiB of text

}  // namespace

void Trace::record(const ProgressEvent& event, double seconds) {
  if (columns_.row) {
    if (auto line = columns_.row(event, seconds); !line.empty()) keep(true, std::move(line));
    return;
  }
  if (event.kind == ProgressEvent::Kind::started) return;
  const bool barrier = event.kind == ProgressEvent::Kind::barrier;
  if (barrier) last_ = event.certificate;
  if (!barrier && commits_++ % stride_ != 0) return;
  // A commit knows its objective; gap and nonzeros are those of the last barrier.
  const double objective = barrier ? event.certificate.objective : event.objective;
  std::string line = exact_text(seconds);
  const auto add = [&line](const std::string& field) { line += "," + field; };
  add(barrier ? (event.verified ? "verified" : "barrier") : "commit");
  add(std::to_string(event.totals.rounds));
  add(std::to_string(event.phase));
  add(exact_text(objective));
  add(last_.gap >= 0 && last_.objective > 0 ? exact_text(last_.gap) : "");
  add(last_.gap >= 0 && last_.objective > 0 ? exact_text(last_.relative_gap) : "");
  add(std::to_string(last_.nonzeros));
  add(std::to_string(event.totals.updates));
  add(std::to_string(event.totals.updates_path));
  add(std::to_string(event.totals.flops));
  add(std::to_string(event.totals.flops_path));
  add(std::to_string(event.blocks));
  add(exact_text(event.step));
  keep(barrier, std::move(line));
  if (!barrier && ++commits_kept_ > kCommitsKeptMax) {
    stride_ *= 2;
    std::erase_if(rows_, [this](const Row& row) { return !row.barrier && (row.commit - 1) % stride_ != 0; });
    commits_kept_ = static_cast<std::uint64_t>(
        std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return !row.barrier; }));
  }
}

void Trace::keep(bool barrier, std::string line) {
  if (barrier) last_barrier_ = line;
  if (shown_ != nullptr) {
    if (barrier) shown_->show_status(header(), line);
    shown_->append(shown_name_, line + "\n");
  }
  rows_.push_back({barrier, commits_, std::move(line)});
}

std::pair<std::string_view, std::string_view> Trace::last_barrier() const {
  return {last_barrier_.empty() ? std::string_view() : header(), last_barrier_};
}

void Trace::show(std::shared_ptr<LiveFiles> files, std::string name) {
  shown_ = std::move(files);
  shown_name_ = std::move(name);
  shown_->append(shown_name_, csv());
}

std::string_view Trace::header() const {
  if (columns_.row) return columns_.header;
  return "seconds,event,round,phase,objective,gap,relative_gap,nonzeros,updates,updates_path,flops,flops_path,blocks,"
         "step";
}

std::string Trace::csv() const {
  std::string out(header());
  out += "\n";
  for (const auto& row : rows_) out += row.line + "\n";
  return out;
}

}  // namespace strads
