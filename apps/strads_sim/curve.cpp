#include "strads_sim/curve.hpp"

#include "strads/engine/progress.hpp"
#include "strads/program/program.hpp"

namespace strads::simulator {
namespace {

constexpr double kGrowth = 1.005;

}  // namespace

std::string Curve::row(const ProgressEvent& event, double seconds) const {
  const bool certified = event.kind == ProgressEvent::Kind::barrier;
  return exact_text(seconds) + "," + std::to_string(event.totals.updates) + "," + std::to_string(event.totals.rounds) +
         "," + std::to_string(event.blocks) + "," +
         exact_text(certified ? event.certificate.objective : event.objective) + "," +
         (certified ? exact_text(event.certificate.relative_gap) : std::string()) + "\n";
}

void Curve::record(const ProgressEvent& event, double seconds) {
  if (columns_.row) {
    if (const auto line = columns_.row(event, seconds); !line.empty()) rows_ += line + "\n";
    return;
  }
  if (event.kind == ProgressEvent::Kind::started) return;
  const bool keep = event.kind == ProgressEvent::Kind::barrier || seconds >= kGrowth * kept_seconds_;
  if (!keep) {
    last_ = row(event, seconds);
    return;
  }
  rows_ += row(event, seconds);
  last_.clear();
  kept_seconds_ = seconds;
}

std::string Curve::csv() const {
  const std::string header = columns_.row ? columns_.header : "seconds,updates,rounds,blocks,objective,relative_gap";
  return header + "\n" + rows_ + last_;
}

}  // namespace strads::simulator
