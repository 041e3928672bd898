#include "program/status/status_board.hpp"

#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "program/files/read_file.hpp"
#include "strads/program/program.hpp"

namespace strads {
namespace {

constexpr double kLineSeconds = 0.2;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string roles_of(const NodeReport& node) {
  const auto list = [](const char* what, const std::vector<std::uint32_t>& roles) {
    if (roles.empty()) return std::string();
    std::string text = what;
    for (std::size_t k = 0; k < roles.size(); ++k) text += (k == 0 ? " " : ",") + std::to_string(roles[k]);
    return text;
  };
  const std::string schedulers = list("S", node.schedulers), workers = list("P", node.workers);
  return schedulers + (schedulers.empty() || workers.empty() ? "" : " ") + workers;
}

const char* state_of(const NodeState& node) {
  if (node.report.lost) return "lost";
  if (node.left) return "left";
  if (node.silent) return "silent";
  return node.late ? "slow" : "ok";
}

StatusNode shown(const NodeState& node) {
  const NodeReport& report = node.report;
  return {report.rank,
          report.name,
          roles_of(report),
          node.stage,
          state_of(node),
          report.process,
          node.seconds_since_word,
          report.updates,
          report.blocks,
          report.messages,
          report.bytes,
          report.seconds_running,
          report.seconds_busy,
          report.seconds_waiting,
          report.memory_peak};
}

std::string_view take_field(std::string_view& rest) {
  const auto end = rest.find(',');
  const auto field = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return field;
}

/// Points that came after the change `after`; they are in order.
std::vector<StatusPoint> points_after(const std::vector<StatusPoint>& points, std::uint64_t after) {
  const auto first = std::ranges::upper_bound(points, after, {}, [](const StatusPoint& point) { return point.number; });
  return {first, points.end()};
}

/// So that a new page of a long run does not get all of it at once: cuts the points behind the first `most`, and says
/// which change is the last that is left whole.
std::uint64_t cut_points(std::vector<StatusRun>& runs, std::size_t most, std::uint64_t last) {
  std::vector<std::uint64_t> numbers;
  for (const StatusRun& run : runs) {
    for (const StatusPoint& point : run.points) numbers.push_back(point.number);
  }
  if (numbers.size() <= most) return last;
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(most - 1));
  const std::uint64_t cut = numbers[most - 1];
  for (StatusRun& run : runs) std::erase_if(run.points, [cut](const StatusPoint& point) { return point.number > cut; });
  return cut;
}

}  // namespace

StatusBoard::StatusBoard(StatusFacts facts) {
  view_.facts = std::move(facts);
  view_.stage = "starting";
}

StatusBoard::Run& StatusBoard::run_at(std::size_t place) {
  while (runs_.size() <= place) {
    Run run{{}, PointHistory(runs_.empty() ? kPointsMax : kPointsMax / 10)};
    run.shown.place = runs_.size();
    run.shown.state = "waiting";
    runs_.push_back(std::move(run));
    next_point_.push_back(0);
    view_.runs_total = std::max(view_.runs_total, runs_.size());
  }
  return runs_[place];
}

void StatusBoard::note_stage(std::string_view stage, bool ready) {
  const std::lock_guard lock(mutex_);
  view_.stage = stage;
  view_.ready = ready;
  ++view_.number;
}

void StatusBoard::expect_runs(std::vector<std::string> names) {
  const std::lock_guard lock(mutex_);
  if (names.empty()) return;
  ++view_.number;
  const std::size_t points = std::clamp(kPointsAll / names.size(), kPointsMax / 100, kPointsMax);
  run_at(names.size() - 1);
  for (std::size_t place = 0; place < names.size(); ++place) {
    runs_[place].history = PointHistory(points);
    runs_[place].shown.name = std::move(names[place]);
    runs_[place].changed = view_.number;
  }
}

void StatusBoard::note_event(std::size_t run, const ProgressEvent& event, double seconds) {
  const bool is_commit = event.kind == ProgressEvent::Kind::commit;
  if (is_commit && run < next_point_.size() && seconds < next_point_[run]) return;
  const std::lock_guard lock(mutex_);
  Run& of = run_at(run);
  ++view_.number;
  of.changed = view_.number;
  of.shown.state = "running";
  view_.solving = seconds;
  if (event.kind == ProgressEvent::Kind::started) return;
  const Certificate& known = event.certificate;
  StatusPoint point;
  point.number = view_.number;
  point.seconds = seconds;
  point.updates = event.totals.updates;
  point.rounds = event.totals.rounds;
  point.phase = event.phase;
  point.objective = is_commit ? event.objective : known.objective;
  point.gap = known.gap >= 0 && known.objective > 0 ? known.relative_gap : -1;
  point.nonzeros = known.nonzeros;
  view_.updates += point.updates - of.shown.now.updates;
  view_.rounds += point.rounds - of.shown.now.rounds;
  view_.phases += event.phase - of.phases;
  of.phases = event.phase;
  of.shown.now = point;
  of.history.add(point);
  next_point_[run] = of.history.next();
}

void StatusBoard::note_run_end(std::size_t run, const RunEnd& end) {
  const std::lock_guard lock(mutex_);
  Run& of = run_at(run);
  of.changed = ++view_.number;
  ++view_.runs_ended;
  of.shown.state = end.certificate.converged ? "converged" : end.stop_reason.empty() ? "ended" : end.stop_reason;
}

void StatusBoard::note_line(std::string line, double seconds) {
  next_line_ = seconds + kLineSeconds;
  const std::lock_guard lock(mutex_);
  view_.line = std::move(line);
  ++view_.number;
}

void StatusBoard::note_figures(std::string_view header, std::string_view row) {
  const std::lock_guard lock(mutex_);
  view_.figures.clear();
  while (!header.empty()) {
    const auto name = take_field(header), value = take_field(row);
    view_.figures.emplace_back(name, value);
  }
  ++view_.number;
}

void StatusBoard::note_nodes(const std::vector<NodeState>& nodes) {
  last_look_ = Stopwatch();
  looked_ = true;
  const std::lock_guard lock(mutex_);
  view_.nodes.clear();
  for (const NodeState& node : nodes) view_.nodes.push_back(shown(node));
  nodes_changed_ = ++view_.number;
}

void StatusBoard::note_message(std::string_view level, std::string_view text) {
  const std::lock_guard lock(mutex_);
  messages_.push_back({++view_.number, seconds_since_1970(), std::string(level), std::string(text)});
  if (messages_.size() > kMessagesMax) messages_.pop_front();
}

void StatusBoard::note_end(int code, std::string reason) {
  const std::lock_guard lock(mutex_);
  view_.end = StatusEnd{code, std::move(reason)};
  view_.stage = "ended";
  view_.ready = false;
  ++view_.number;
}

bool StatusBoard::is_ready() const {
  const std::lock_guard lock(mutex_);
  return view_.ready;
}

std::uint64_t StatusBoard::number() const {
  const std::lock_guard lock(mutex_);
  return view_.number;
}

StatusView StatusBoard::view(std::uint64_t after, std::size_t points_max) const {
  const std::unique_lock lock(mutex_);
  StatusView view = view_;
  view.whole = after == 0;
  view.elapsed = since_start_.seconds();
  view.has_nodes = view.whole || nodes_changed_ > after;
  if (!view.has_nodes) view.nodes.clear();
  for (const Run& run : runs_) {
    if (run.changed <= after) continue;
    view.runs.push_back(run.shown);
    if (points_max > 0) view.runs.back().points = points_after(run.history.points(), after);
  }
  if (points_max > 0) view.number = cut_points(view.runs, points_max, view.number);
  for (const StatusMessage& message : messages_) {
    if (message.number > after && message.number <= view.number) view.messages.push_back(message);
  }
  return view;
}

StatusMemory memory_of_process() {
  StatusMemory memory;
  constexpr std::uint64_t kKibibyte = 1024;
  if (const auto status = read_whole_file("/proc/self/status"); status.ok()) {
    const auto bytes_of = [&](std::string_view name) -> std::uint64_t {
      const auto at = status.value().find(name);
      return at == std::string::npos
                 ? 0
                 : kKibibyte * std::strtoull(status.value().c_str() + at + name.size(), nullptr, 10);
    };
    memory.resident = bytes_of("\nVmRSS:");
    memory.peak = bytes_of("\nVmHWM:");
  }
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0) {
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    memory.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  }
  return memory;
}

StatusFacts facts_of_process(std::string command) {
  StatusFacts facts;
  facts.command = std::move(command);
  facts.version = version();
  facts.build = build_id();
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) == 0) facts.host = name;
  facts.process = static_cast<std::uint64_t>(::getpid());
  facts.started = seconds_since_1970();
  facts.instance = random_hex(8);
  return facts;
}

std::string random_hex(std::size_t bytes) {
  std::string text;
  for (std::size_t k = 0; k < bytes; ++k) {
    unsigned char byte = 0;
    while (::getrandom(&byte, 1, 0) != 1) {
    }
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace strads
