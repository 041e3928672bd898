#include "support/transcript_player.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/planning/slices.hpp"

namespace strads::support {

namespace {

std::uint32_t rank_of(std::string_view word) {
  const std::int64_t number = integer_of(word);
  if (number < 0 || number > 1'000'000) throw StoryError("\"" + std::string(word) + "\" is not a rank");
  return static_cast<std::uint32_t>(number);
}

std::optional<wire::Role> role_of(std::string_view word) {
  if (word == "coordinator") return wire::Role::coordinator;
  if (word == "scheduler") return wire::Role::scheduler;
  if (word == "worker") return wire::Role::worker;
  if (word == "node") return wire::Role::node;
  return std::nullopt;
}

/// Reads "worker 1" or "coordinator" at words[at] and moves on.
std::optional<wire::Address> address_at(const std::vector<std::string>& words, std::size_t& at) {
  if (at >= words.size()) return std::nullopt;
  const auto role = role_of(words[at]);
  if (!role.has_value()) return std::nullopt;
  ++at;
  if (*role == wire::Role::coordinator) return wire::Address{*role, 0};
  if (at == words.size()) throw StoryError("the number of the " + words[at - 1] + " is missing");
  return wire::Address{*role, rank_of(words[at++])};
}

std::vector<Field> fields_from(const std::vector<std::string>& words, std::size_t at) {
  std::vector<Field> fields;
  for (; at < words.size(); ++at) fields.push_back(field_of(words[at]));
  return fields;
}

void skip_arrow(const std::vector<std::string>& words, std::size_t& at) {
  if (at < words.size() && words[at] == "<-") ++at;
}

std::string without_quotes(const std::string& word) {
  return word.size() >= 2 && word.front() == '"' ? word.substr(1, word.size() - 2) : word;
}

void check_places(const std::vector<std::uint32_t>& places, std::uint32_t count, std::uint32_t nodes) {
  const bool exist = std::all_of(places.begin(), places.end(), [nodes](std::uint32_t n) { return n < nodes; });
  if (!places.empty() && (places.size() != count || !exist)) {
    throw StoryError("schedulers_on and workers_on name one existing node for each of them");
  }
}

void set_option(StoryOptions& options, const std::string& name, const std::string& value) {
  EngineOptions& engine = options.engine;
  Script& script = options.script;
  const std::map<std::string, std::function<void()>> setters = {
      {"nodes", [&] { options.nodes = rank_of(value); }},
      {"schedulers", [&] { engine.schedulers = rank_of(value); }},
      {"workers", [&] { engine.workers = rank_of(value); }},
      {"depth", [&] { engine.depth = rank_of(value); }},
      {"seed", [&] { engine.seed = rank_of(value); }},
      {"rounds_max", [&] { engine.rounds_max = rank_of(value); }},
      {"variables", [&] { script.variables = rank_of(value); }},
      {"step", [&] { script.step = static_cast<double>(integer_of(value)); }},
      {"schedulers_on", [&] { options.scheduler_nodes = list_of(value); }},
      {"workers_on", [&] { options.worker_nodes = list_of(value); }},
      {"refusal", [&] { script.refusal = Status::input(without_quotes(value)); }},
      {"never_drawn",
       [&] {
         script.p = [never = list_of(value)](VarId j) {
           return std::find(never.begin(), never.end(), j) == never.end() ? 1.0 : 0.0;
         };
       }},
      {"ends_phase_at",
       [&] {
         for (const std::uint32_t version : list_of(value)) script.ends_phase_at.insert(version);
       }},
  };
  const auto found = setters.find(name);
  if (found == setters.end()) throw StoryError("cluster has no option \"" + name + "\"");
  found->second();
}

/// What lives where, so that a reader need not work it out.
std::vector<std::string> layout_of(const StoryOptions& options) {
  const engine::Roster roster = options.roster();
  const auto slices = engine::deal_slices(options.engine.seed, options.script.variables, options.engine.schedulers, 1);
  std::vector<std::string> lines;
  for (std::uint32_t n = 0; n < options.nodes; ++n) {
    std::string line;
    for (std::uint32_t s = 0; s < roster.schedulers.size(); ++s) {
      if (roster.schedulers[s] != n) continue;
      std::string ids;
      for (const VarId j : slices[s]) ids += (ids.empty() ? "" : " ") + std::to_string(j);
      line += ", scheduler " + std::to_string(s) + " of [" + ids + "]";
    }
    for (std::uint32_t w = 0; w < roster.workers.size(); ++w) {
      if (roster.workers[w] == n) line += ", worker " + std::to_string(w);
    }
    if (roster.coordinator == n) line += ", coordinator";
    lines.push_back("node " + std::to_string(n) + ": " + (line.empty() ? "a replica" : line.substr(2)));
  }
  if (options.driver) lines.push_back("driver: coordinator");
  return lines;
}

void check_options(const StoryOptions& options) {
  const EngineOptions& engine = options.engine;
  if (options.nodes == 0 || engine.workers == 0 || engine.depth == 0 || engine.depth > engine.schedulers) {
    throw StoryError("a cluster has nodes, workers and 1 <= depth <= schedulers");
  }
  check_places(options.scheduler_nodes, engine.schedulers, options.nodes);
  check_places(options.worker_nodes, engine.workers, options.nodes);
}

}  // namespace

StoryPlayer::StoryPlayer() {
  options_.engine.workers = 1;
  // Heavier variables come first: which block is which does not depend on the order in which they were drawn.
  options_.script.workload = [](VarId j) { return 1000.0 - j; };
}

std::vector<std::string> StoryPlayer::play(const std::vector<std::string>& commands) {
  lines_.clear();
  for (const std::string& command : commands) {
    try {
      play_one(command);
    } catch (const StoryError& error) {
      lines_.push_back(kStoryErrorPrefix + command + ": " + error.what());
      return lines_;
    }
  }
  if (lines_.empty()) lines_.push_back("nothing");
  return lines_;
}

void StoryPlayer::play_one(const std::string& command) {
  Words words = words_of(command);
  if (words.empty()) throw StoryError("there is no command");
  const auto found = handlers().find(words.front());
  if (found == handlers().end()) throw StoryError("there is no command \"" + words.front() + "\"");
  words.erase(words.begin());
  (this->*found->second)(words);
  if (cluster_ == nullptr) return;
  for (std::string& line : cluster_->take_lines()) lines_.push_back(std::move(line));
}

const std::map<std::string, StoryPlayer::Handler>& StoryPlayer::handlers() {
  static const std::map<std::string, Handler> handlers = {
      {"cluster", &StoryPlayer::on_cluster}, {"phase", &StoryPlayer::on_phase},     {"joint", &StoryPlayer::on_joint},
      {"verify", &StoryPlayer::on_verify},   {"start", &StoryPlayer::on_start},     {"begin", &StoryPlayer::on_begin},
      {"deliver", &StoryPlayer::on_deliver}, {"again", &StoryPlayer::on_again},     {"lose", &StoryPlayer::on_lose},
      {"hold", &StoryPlayer::on_hold},       {"release", &StoryPlayer::on_release}, {"settle", &StoryPlayer::on_settle},
      {"forge", &StoryPlayer::on_forge},     {"pause", &StoryPlayer::on_pause},     {"run", &StoryPlayer::on_run},
      {"resume", &StoryPlayer::on_resume},   {"quiet", &StoryPlayer::on_quiet},     {"roster", &StoryPlayer::on_roster},
      {"finish", &StoryPlayer::on_finish},   {"forget", &StoryPlayer::on_forget},   {"crash", &StoryPlayer::on_crash},
      {"show", &StoryPlayer::on_show},       {"wait", &StoryPlayer::on_wait}};
  return handlers;
}

StoryCluster& StoryPlayer::cluster() {
  if (!described_) throw StoryError("a story begins with the command cluster");
  if (cluster_ == nullptr) cluster_ = std::make_unique<StoryCluster>(options_);
  return *cluster_;
}

// ---- what a story begins with ----

void StoryPlayer::on_cluster(const Words& words) {
  if (described_) throw StoryError("a story has one cluster");
  for (const std::string& word : words) {
    if (word == "driver") {
      options_.driver = true;
      continue;
    }
    const auto [name, value] = field_of(word);
    set_option(options_, name, value);
  }
  check_options(options_);
  described_ = true;
  lines_ = layout_of(options_);
}

void StoryPlayer::on_phase(const Words& words) {
  if (cluster_ != nullptr) throw StoryError("verdicts are fixed before the start");
  PhasePlan plan = go_on(1);
  for (const auto& [name, value] : fields_from(words, 0)) {
    if (name == "rounds") {
      plan.rounds_max = rank_of(value);
    } else if (name == "blocks") {
      plan.blocks_max = rank_of(value);
    } else if (name == "updates") {
      plan.updates_max = rank_of(value);
    } else {
      throw StoryError("phase has rounds, blocks and updates, but no \"" + name + "\"");
    }
  }
  options_.script.phases.push_back(plan);
}

void StoryPlayer::on_joint(const Words& words) {
  if (cluster_ != nullptr) throw StoryError("verdicts are fixed before the start");
  if (words.size() != 1) throw StoryError("joint needs the variables of its block: joint [0 3]");
  PhasePlan plan = go_on(1);
  plan.mode = PhasePlan::Mode::joint;
  plan.content.ids = list_of(words.front());
  options_.script.phases.push_back(plan);
}

void StoryPlayer::on_verify(const Words&) {
  if (cluster_ != nullptr) throw StoryError("verdicts are fixed before the start");
  options_.script.phases.push_back(verify());
}

void StoryPlayer::on_start(const Words& words) {
  for (const std::uint32_t process : processes_of(words)) {
    if (process < cluster().nodes()) cluster().start(process);
  }
}

void StoryPlayer::on_begin(const Words& words) {
  if (!words.empty()) throw StoryError("begin starts every node and settles briefly");
  cluster().speak_briefly(true);
  on_start({});
  cluster().settle();
  cluster().speak_briefly(false);
}

// ---- what happens then ----

void StoryPlayer::on_settle(const Words& words) {
  const bool briefly = words == Words{"briefly"};
  if (!briefly && !words.empty()) throw StoryError("settle, or settle briefly");
  cluster().speak_briefly(briefly);
  cluster().settle();
  cluster().speak_briefly(false);
}

void StoryPlayer::on_forge(const Words& words) {
  std::size_t at = 0;
  const auto to = address_at(words, at);
  skip_arrow(words, at);
  if (!to.has_value() || at >= words.size()) throw StoryError("write forge worker 0 <- Assign round=1 ...");
  cluster().forge({*to, message_of(words[at], fields_from(words, at + 1))});
}

void StoryPlayer::on_quiet(const Words& words) {
  for (const std::uint32_t process : processes_of(words)) cluster().quiet(process);
}

void StoryPlayer::on_wait(const Words& words) {
  if (words.size() != 1) throw StoryError("write wait 300: so many milliseconds");
  cluster().wait(1e-3 * rank_of(words.front()));
}

void StoryPlayer::on_roster(const Words& words) {
  Words who = words;
  if (who.empty()) throw StoryError("write roster node 0 workers=[1 1]");
  const auto [name, workers] = field_of(who.back());
  who.pop_back();
  if (name != "workers") throw StoryError("roster deals workers");
  for (const std::uint32_t process : processes_of(who)) {
    if (process < cluster().nodes()) cluster().roster(process, list_of(workers));
  }
}

void StoryPlayer::on_finish(const Words& words) {
  if (!words.empty()) throw StoryError("finish is asked of the coordinator, wherever it is");
  cluster().finish();
}

void StoryPlayer::on_forget(const Words& words) {
  Words who = words;
  Version version = -1;
  std::uint32_t phases = 0;
  while (!who.empty() && who.back().find('=') != std::string::npos) {
    const auto [name, value] = field_of(who.back());
    if (name != "version" && name != "verdicts") throw StoryError("forget has version and verdicts");
    if (name == "version") version = integer_of(value);
    if (name == "verdicts") phases = rank_of(value);
    who.pop_back();
  }
  for (const std::uint32_t process : processes_of(who)) cluster().forget(process, version, phases);
}

void StoryPlayer::on_crash(const Words& words) {
  for (const std::uint32_t process : processes_of(words)) cluster().crash(process);
}

void StoryPlayer::on_show(const Words& words) {
  if (words == Words{"wire"}) return cluster().show_wire();
  if (!words.empty() && words.front() == "replicas") {
    for (const std::uint32_t process : processes_of({words.begin() + 1, words.end()})) {
      if (process < cluster().nodes()) cluster().show_replica(process);
    }
    return;
  }
  for (const std::uint32_t process : processes_of(words)) cluster().show_process(process);
}

// ---- who and what is meant ----

std::optional<std::uint32_t> StoryPlayer::process_at(const Words& words, std::size_t& at) {
  if (at >= words.size()) return std::nullopt;
  if (words[at] == "driver") {
    if (!options_.driver) throw StoryError("there is no driver: the coordinator is on node 0");
    ++at;
    return cluster().nodes();
  }
  if (words[at] != "node") return std::nullopt;
  if (at + 1 == words.size()) throw StoryError("the number of the node is missing");
  const std::uint32_t rank = rank_of(words[at + 1]);
  if (rank >= cluster().nodes()) throw StoryError("there is no node " + words[at + 1]);
  at += 2;
  return rank;
}

std::vector<std::uint32_t> StoryPlayer::processes_of(const Words& words) {
  std::size_t at = 0;
  std::vector<std::uint32_t> processes;
  while (const auto process = process_at(words, at)) processes.push_back(*process);
  if (at < words.size()) throw StoryError("\"" + words[at] + "\" is not a process: write node 0 or driver");
  if (!processes.empty()) return processes;
  for (std::uint32_t process = 0; process < cluster().processes(); ++process) {
    if (cluster().alive(process)) processes.push_back(process);
  }
  return processes;
}

Selector StoryPlayer::selector_of(const Words& words) {
  Selector selector;
  std::size_t at = 0;
  selector.process = process_at(words, at);
  if (!selector.process.has_value()) selector.role = address_at(words, at);
  skip_arrow(words, at);
  if (at < words.size()) {
    selector.type = words[at++];
    if (!is_message_type(selector.type)) throw StoryError("there is no message \"" + selector.type + "\"");
    selector.fields = fields_from(words, at);
    // A field that does not exist would never match.
    static_cast<void>(has_fields(message_of(selector.type, {}), selector.fields));
  }
  return selector;
}

TaskSelector StoryPlayer::task_selector_of(const Words& words) {
  TaskSelector selector;
  std::size_t at = 0;
  selector.process = process_at(words, at);
  if (at + 1 != words.size()) throw StoryError("write pause push, or pause node 1 push");
  for (std::uint8_t kind = 0; kind <= static_cast<std::uint8_t>(engine::TaskKind::refresh); ++kind) {
    selector.kind = static_cast<engine::TaskKind>(kind);
    if (words[at] == text_of(selector.kind)) return selector;
  }
  throw StoryError("there is no task \"" + words[at] + "\"");
}

}  // namespace strads::support
