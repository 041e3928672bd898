// The program stradsd.
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include "daemon/standing_node.hpp"
#include "program/cluster/key_file.hpp"
#include "program/cluster/local_processes.hpp"
#include "program/process/load_failure.hpp"
#include "program/process/signals.hpp"
#include "program/status/status_page.hpp"
#include "strads/daemon/daemon.hpp"
#include "strads/program/build_facts.hpp"
#include "strads/program/event_log.hpp"
#include "strads/program/execution_options.hpp"
#include "strads/program/option_table.hpp"
#include "strads/program/program.hpp"
#include "strads/program/progress_printer.hpp"
#include "strads/program/run_cluster.hpp"
#include "strads/transport/threads.hpp"
#include "transport/sockets/addresses.hpp"
#include "wire/printable.hpp"

namespace strads {
namespace {

namespace fs = std::filesystem;

// --- options --------------------------------------------------------------------------------------------------------

struct DaemonOptions {
  CommonOptions common;
  NodeOptions node;
  std::vector<std::string> roles = {"scheduler", "worker"};
  std::uint32_t threads = 0;
  std::uint32_t slots = 1;
  std::string data_dir;
  KeyOptions keys;
  StatusOptions status;
  std::string new_key;
  bool die_with_parent = false;
  bool watch_stdin = false;
};

void add_node_options(OptionTable& table, DaemonOptions& options) {
  const OptionSection rows = table.section("");
  rows.common().text("join", "ENDPOINT",
                     "the driver's --listen endpoint as seen from here, e.g. tcp://192.168.1.10:5570",
                     &options.node.join);
  rows.common().list("roles", "ROLES", "roles that this node accepts: scheduler, worker or both", &options.roles);
  rows.common().text("name", "NAME", "how people know this node; without it: the host's name", &options.node.name);
  rows.common().text("address", "ADDRESS",
                     "where other nodes reach this one; without it: the address of the route to the driver",
                     &options.node.address);
  rows.common().count("threads", "N", "threads that execute, 0 = all cores that it may use; never changes the result",
                      &options.threads, {.min = 0, .max = 4096});
  rows.common().count("slots", "N",
                      "so many stradsd share this machine: --threads 0 is this one's part of the cores that they may "
                      "use; never changes the result",
                      &options.slots, {.min = 1, .max = 9999});
  rows.common().unit("seconds").number("start-seconds", "S", "leave when the driver was not reached by then",
                                       &options.node.start_seconds, {.min = 0, .max = 86400, .min_open = true});
  rows.common().flag("stay",
                     "wait for the next driver when a run has ended; data stay in memory for runs on the same ones",
                     &options.node.stays);
  rows.common().text("data-dir", "DIR", "data files are in DIR under their names, instead of at the driver's paths",
                     &options.data_dir);
  add_key_options(table, options.keys, "");
  rows.common().text("new-key", "FILE",
                     "make the key of a run, write it into a new FILE of mode 0600 (-: to stdout), and exit",
                     &options.new_key);
}

void add_process_options(OptionTable& table, DaemonOptions& options) {
  const OptionSection rows = table.section("");
  rows.common().flag("die-with-parent", "leave when the process that started this one has ended",
                     &options.die_with_parent);
  rows.common().flag("watch-stdin",
                     "leave when stdin is closed: the launcher or its connection went away; in a run only when its "
                     "driver is gone too, unless the line 'leave' came before",
                     &options.watch_stdin);
  rows.common().flag("quiet", "errors only", &options.common.quiet);
  add_log_option(rows, options.common);
  rows.flag("help", "these lines", &options.common.help);
  rows.common().flag("help-all", "all options with ranges and defaults", &options.common.help_all);
  rows.common().flag("version",
                     "print version and build id and exit; processes of one run must have the same; with --verbose "
                     "also compiler, kernels, and libraries with their licences",
                     &options.common.version);
}

OptionTable daemon_option_table(DaemonOptions& options) {
  OptionTable table("stradsd",
                    "stradsd: a node of a run; it holds a replica, maps the data and has the roles that it is dealt\n"
                    "usage: stradsd --join ENDPOINT [options]\n");
  add_node_options(table, options);
  add_status_options(table, options.status, "");
  add_process_options(table, options);
  return table;
}

Status settle(DaemonOptions& options, const OptionTable& table) {
  if (options.node.join.empty()) {
    return Status::usage("no driver: give --join ENDPOINT, as the driver's --listen says (--help shows the options)");
  }
  if (!options.node.join.starts_with("tcp://") && !options.node.join.starts_with("ipc://")) {
    return Status::usage("--join: found '" + options.node.join + "', expected tcp://ADDRESS:PORT or ipc://PATH");
  }
  if (options.node.stays && table.given("start-seconds")) {
    return Status::usage("--stay waits for drivers without limit: leave --start-seconds out");
  }
  options.node.roles = {false, false};
  for (const auto& role : options.roles) {
    if (role != "scheduler" && role != "worker") {
      return Status::usage("--roles: found '" + role + "', expected scheduler, worker or scheduler,worker");
    }
    (role == "scheduler" ? options.node.roles.scheduler : options.node.roles.worker) = true;
  }
  options.node.threads = threads_wanted(options.threads, options.slots);
  options.node.build = build_id();
  STRADS_ASSIGN_OR_RETURN(options.node.key, key_of_run(options.keys, options.node.join, KeyHolder::node));
  if (options.keys.insecure) print_note("stradsd", kInsecureWarning);
  return {};
}

// --- reasons to leave -----------------------------------------------------------------------------------------------

std::atomic<int> signal_caught{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not take a lock");

extern "C" void on_leave_signal(int number) {
  // A second Ctrl-C does not wait for an orderly goodbye. SIGTERM may well come twice: a parent of several threads
  // that is killed sends its children one for each thread that they pass to.
  if (signal_caught.exchange(number) != 0 && number == SIGINT) ::_exit(128 + number);
}

/// A launcher whose nodes stay writes to their stdin every two seconds. From a connection that breaks without a word,
/// nothing else is heard.
constexpr double kLauncherSilence = 10;

/// A launcher that ends its nodes writes it before it closes their stdin. Without it the launcher or its connection may
/// have been lost by accident: the run has a connection of its own.
constexpr std::string_view kLauncherSaysLeave = "leave";

/// Asked by the node's loop every now and then; keeps the first answer that holds in a run as well.
class LeaveWatch {
 public:
  explicit LeaveWatch(const DaemonOptions& options) : watch_stdin_(options.watch_stdin), stays_(options.node.stays) {
    handle_end_signals(on_leave_signal);
    // Where the launcher's connection breaks, nobody reads what this node says: no reason to end.
    if (watch_stdin_) ::signal(SIGPIPE, SIG_IGN);
    if (!options.die_with_parent) return;
    parent_ = ::getppid();
    // The signal comes when the thread ends that has started this process; nodes that stay serve other threads as well.
    if (!options.node.stays) ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  }

  std::optional<LeaveRequest> request() {
    if (!request_.has_value() || request_->spares_run) request_ = look();
    return request_;
  }
  /// The process that started this one is no longer its parent. Process 1 adopts those whose parent ended before they
  /// could look.
  [[nodiscard]] bool parent_is_gone() const { return parent_ != 0 && (::getppid() != parent_ || parent_ == 1); }
  /// The same of a parent that is about to end: its threads end one by one, and the first of them, or a connection that
  /// it closes, may already have told us to leave. Waits for at most half a second. A node that stays is not told by
  /// it.
  [[nodiscard]] bool parent_goes_away() const {
    for (int k = 0; k < 100 && !stays_ && parent_ != 0 && !parent_is_gone(); ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return parent_is_gone();
  }

 private:
  [[nodiscard]] std::optional<LeaveRequest> look() {
    if (parent_is_gone()) return LeaveRequest{"the process that started this one has ended", true};
    if (const int number = signal_caught.load(); number != 0) {
      return LeaveRequest{"signal " + std::to_string(number) + " (" + ::strsignal(number) + ")", false};
    }
    stdin_closed_ = watch_stdin_ && (stdin_closed_ || stdin_is_closed());
    if (told_to_leave_) return LeaveRequest{"the launcher ends this node", true};
    if (stdin_closed_) return LeaveRequest{"stdin was closed: the launcher or its connection went away", true, true};
    if (stays_ && launcher_heard_.has_value() && launcher_heard_->seconds() > kLauncherSilence) {
      return LeaveRequest{"no sign of life from the launcher for " + short_text(kLauncherSilence) + " s", true, true};
    }
    return std::nullopt;
  }
  bool stdin_is_closed() {
    for (;;) {
      pollfd stdin_poll{STDIN_FILENO, POLLIN, 0};
      if (::poll(&stdin_poll, 1, 0) <= 0) return false;
      if ((stdin_poll.revents & POLLIN) == 0) return true;  // hung up, or not open at all
      char words[256];
      const auto count = ::read(STDIN_FILENO, words, sizeof words);
      if (count <= 0) return true;
      const std::string_view said(words, static_cast<std::size_t>(count));
      told_to_leave_ = told_to_leave_ || said.find(kLauncherSaysLeave) != std::string_view::npos;
      launcher_heard_ = Stopwatch();
    }
  }

  bool watch_stdin_;
  bool stays_;
  bool stdin_closed_ = false;
  bool told_to_leave_ = false;
  std::optional<Stopwatch> launcher_heard_;  ///< since it wrote last; empty: it never did
  pid_t parent_ = 0;                         ///< 0: nobody asked
  std::optional<LeaveRequest> request_;
};

// --- the run --------------------------------------------------------------------------------------------------------

/// Absolute paths stay, relative ones begin where the driver was started; with --data-dir only the name counts.
PathRule path_rule(const std::string& data_dir, const std::string& driver_folder) {
  return [data_dir, driver_folder](const std::string& path) {
    if (path.empty()) return path;
    if (!data_dir.empty()) return (fs::path(data_dir) / fs::path(path).filename()).string();
    return (fs::path(driver_folder) / path).string();
  };
}

Result<LoadedModel> load_model(std::span<const DaemonModel> models, const DaemonOptions& options,
                               const RunDescription& run, KeptData& kept) {
  std::string known;
  for (const auto& model : models) {
    if (model.program == run.program) {
      const PathRule rule = path_rule(options.data_dir, run.folder);
      std::vector<std::string> named;  // files that the options of the run name: nothing else is opened
      auto loaded = model.load(
          run.config, [&](const std::string& path) { return named.emplace_back(rule(path)); }, kept);
      if (loaded.ok()) return loaded;
      // Whoever answers at --join gets to hear that it failed; what was read is said here alone.
      print_error("stradsd", Status(loaded.status().code(), wire::printable(loaded.status().message())));
      return for_the_driver(loaded.status(), named);
    }
    known += (known.empty() ? "" : ", ") + model.program;
  }
  return Status::cluster("the driver runs '" + wire::printable(run.program, wire::kNameMax) +
                         "', expected one of: " + known + "; use the stradsd of the driver's release");
}

/// The page of a node, if there is one, of what it says and does.
class NodePage {
 public:
  NodePage(StatusPage* page, bool stays) : board_(page == nullptr ? nullptr : &page->board()), stays_(stays) { idle(); }
  /// It waits for a driver: who stays is ready for one.
  void idle() {
    if (board_ != nullptr) board_->note_stage("waiting for a driver", stays_);
  }
  void note(const char* level, const std::string& line) {
    if (board_ != nullptr) board_->note_message(level, line);
  }
  /// For NodeHooks::beat.
  void note_beat(const NodeState& node) {
    if (board_ == nullptr) return;
    board_->note_nodes({node});
    board_->note_stage(node.stage, true);
  }

 private:
  StatusBoard* board_;
  bool stays_;
};

Status work(const DaemonOptions& options, std::span<const DaemonModel> models, StatusPage* status) {
  LeaveWatch watch(options);
  NodePage page(status, options.node.stays);
  NodeHooks hooks;
  hooks.say = [&page, quiet = options.common.quiet](const std::string& line) {
    page.note("info", line);
    if (!quiet) print_line("stradsd", line);
  };
  if (status != nullptr) hooks.beat = [&page](const NodeState& node) { page.note_beat(node); };
  const std::string name = options.node.name.empty() ? transport::host_name() : options.node.name;
  const auto say_own = [&](const std::string& line) { hooks.say(name + ": " + line); };
  const auto say_end = [&](const std::string& line) {
    page.idle();
    say_own(line);
  };
  KeptData kept = options.node.stays ? KeptData(say_own) : KeptData();
  hooks.load = [&](const RunDescription& run) { return load_model(models, options, run, kept); };
  const auto clean_up = [&](const Status& outcome) {
    const bool in_order = outcome.ok() && !watch.request().has_value();
    if (in_order ? watch.parent_is_gone() : watch.parent_goes_away()) remove_abandoned_folder(options.node.join);
  };
  hooks.leave_requested = [&watch] { return watch.request(); };
  hooks.cannot_wait = [&clean_up, status](const Status& outcome) {
    clean_up(outcome);
    if (status != nullptr) (void)status->finish(outcome);
    end_program("stradsd", outcome);
  };
  hooks.memory_peak = peak_rss_bytes;
  const auto complain = [&](const std::string& line) {
    page.idle();
    page.note("warning", name + ": " + line);
    print_note("stradsd", name + ": " + line);
  };
  Status outcome =
      options.node.stays ? serve_drivers(options.node, hooks, say_end, complain) : run_node(options.node, hooks);
  clean_up(outcome);
  return outcome;
}

}  // namespace

void visit_daemon_table(const TableVisit& visit) {
  DaemonOptions options;
  visit(daemon_option_table(options));
}

std::string daemon_options_markdown() {
  return markdown_of(visit_daemon_table);
}

int run_daemon(int argc, char** argv, std::span<const DaemonModel> models) {
  return run_program("stradsd", [&] {
    DaemonOptions options;
    OptionTable table = daemon_option_table(options);
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    choose_log_format(arguments);
    if (asks_for_version_details(arguments)) {
      std::fputs(version_details("stradsd").c_str(), stdout);
      return Status();
    }
    if (Status parsed = table.parse(arguments); !parsed.ok()) return parsed;
    if (answered(table, options.common, "stradsd")) return Status();
    if (!options.new_key.empty()) return write_new_key(options.new_key);
    if (Status settled = settle(options, table); !settled.ok()) return settled;
    STRADS_ASSIGN_OR_RETURN(const auto page, StatusPage::open(options.status, "stradsd"));
    Status outcome = work(options, models, page.get());
    if (page != nullptr) {
      if (Status written = page->finish(outcome); !written.ok()) print_note("stradsd", written.message());
    }
    return outcome;
  });
}

}  // namespace strads
