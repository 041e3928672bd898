// What every program of the project shares around a run: options, run directory, progress, signals, log, summary.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strads/base/chunks.hpp"
#include "strads/base/nearest_name.hpp"
#include "strads/base/refusals.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"
#include "strads/program/live_files.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/transport/cluster.hpp"

namespace strads {

/// The project's version, e.g. "0.1.0".
[[nodiscard]] std::string_view version();

/// 16 hex digits: the same for programs built from the same sources with the same compiler and flags, wherever their
/// source trees lie; else different. Written by cmake/BuildId.cmake.
[[nodiscard]] std::string build_id();

// --- options: each written once -------------------------------------------------------------------------------------

/// What a person reads about one option.
struct OptionText {
  std::string name;         ///< without the dashes
  std::string placeholder;  ///< what stands for the value in the help; "" for choices, on|off and flags
  std::string effect;       ///< what it does and costs; --help shows it up to the first "; "
  std::string section;      ///< of the config file; "": command line only (--help, --force)
  bool common = false;      ///< shown by --help; otherwise by --help-all alone
  std::string unit = {};    ///< "seconds"; "" where there is none
};

/// Values that a number may have.
struct Range {
  double min = 0;
  double max = 1e300;
  bool min_open = false;  ///< min itself is refused
  bool max_open = false;
};

/// The options of one command: command line, config file, effective config, help, documents and validation come from
/// this one list. An option writes into a variable of the caller; what stands there at the time of the declaration is
/// the default. The variables outlive the table.
class OptionTable {
 public:
  /// `command`: "lasso fit"; `usage`: lines shown above the options.
  OptionTable(std::string command, std::string usage);

  /// A switch without a value. In a config file: name = on|off.
  void flag(OptionText text, bool* target);
  /// name on|off.
  void on_off(OptionText text, bool* target);
  void text(OptionText text, std::string* target);
  /// Values separated by commas.
  void list(OptionText text, std::vector<std::string>* target);
  void choice(OptionText text, std::string* target, std::vector<std::string> choices);
  void number(OptionText text, double* target, Range range);
  void number(OptionText text, std::optional<double>* target, Range range);
  void count(OptionText text, std::uint32_t* target, Range range);
  void count(OptionText text, std::uint64_t* target, Range range);
  void count(OptionText text, std::optional<std::uint64_t>* target, Range range);
  /// --name[=N]: a count whose value may be left out, which means `implied`.
  void optional_count(OptionText text, std::uint32_t* target, Range range, std::uint32_t implied);
  /// At most one of the two may be given. A flag on the command line sets aside the other one of a config file.
  /// REQUIRES: both declared.
  void exclusive(std::string_view first, std::string_view second);

  /// Of the options declared so far, only these are shown by --help; --help-all has all.
  void show_only(std::span<const std::string_view> names);

  /// Reads the arguments after the command's name, and the file of --config where one is declared; flags win.
  /// Errors: usage: unknown name (with the nearest one), missing or refused value, an option given twice. Nothing is
  /// assigned then. Config files: with path and line; a file that cannot be read is an input error.
  [[nodiscard]] Status parse(std::span<const std::string> arguments);
  /// Reads a config file alone (--cost-model).
  [[nodiscard]] Status parse_config(const std::string& path);
  /// Reads the text of a config file; `origin` stands for its path in messages.
  [[nodiscard]] Status parse_config_text(const std::string& origin, std::string_view text);

  [[nodiscard]] const std::string& command() const { return command_; }
  [[nodiscard]] const std::string& usage() const { return usage_; }
  /// True iff the command line or a config file named the option.
  [[nodiscard]] bool given(std::string_view name) const;

  /// At most 24 lines when the table declares few enough common options; no line over 100 columns.
  [[nodiscard]] std::string help() const;
  /// Every option with unit, range, default and full effect.
  [[nodiscard]] std::string help_all() const;
  /// The effective options as a config file that gives the same run when it is read back. Sections in `left_out` are
  /// not in it.
  [[nodiscard]] std::string config(std::span<const std::string_view> left_out = {}) const;
  /// A table in Markdown for docs/OPTIONS.md.
  [[nodiscard]] std::string markdown() const;

  using Target = std::variant<bool*, std::string*, std::vector<std::string>*, double*, std::optional<double>*,
                              std::uint32_t*, std::uint64_t*, std::optional<std::uint64_t>*>;
  enum class Kind : std::uint8_t { flag, on_off, text, list, choice, number, count };
  /// One row of the table. For this layer's own files; programs use the functions above.
  struct Option {
    OptionText text;
    Kind kind = Kind::text;
    Target target;
    Range range;
    std::vector<std::string> choices;
    std::string fallback;  ///< the default, as text
    std::string implied;   ///< the value of --name alone; "" where one must be given
    bool given = false;
  };
  [[nodiscard]] const std::vector<Option>& options() const { return options_; }

 private:
  struct Given {
    std::string value;
    std::string where;  ///< "--name" or "file.ini:12: name"
    bool from_command_line = false;
  };
  using Assignments = std::map<std::size_t, Given>;  // by position in options_

  void declare(OptionText text, Kind kind, Target target, Range range = {}, std::vector<std::string> choices = {});
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] std::string nearest(std::string_view name) const;
  [[nodiscard]] Status read_config(const std::string& path, Assignments& out) const;
  [[nodiscard]] Status read_resumed(const Assignments& flags, Assignments& out) const;
  [[nodiscard]] Status take_config(const std::string& origin, std::string_view text, Assignments& out) const;
  [[nodiscard]] Status settle_exclusions(Assignments& assignments) const;
  [[nodiscard]] Status assign(const Assignments& assignments);

  std::string command_;
  std::string usage_;
  std::vector<Option> options_;
  std::vector<std::pair<std::size_t, std::size_t>> exclusions_;
};

/// Options that all commands have.
struct CommonOptions {
  bool help = false, help_all = false, version = false, print_config = false;
  bool quiet = false, force = false;
  std::string config, out;
};
/// --out, --force, --quiet, --config, --print-config, --help, --help-all, --version. `out_effect` says what --out does
/// there; `run_directory`: --out names a directory, so that --force makes sense.
void add_common_options(OptionTable& table, CommonOptions& options, std::string out_placeholder, std::string out_effect,
                        bool run_directory);

/// Options of the machine that executes a run: they never change the bits, except --simd.
struct MachineOptions {
  std::uint32_t threads = 0;  ///< 0: as many as it may use
  std::string simd = "auto";
  bool encode_messages = false;
};
/// --schedulers, --workers, --depth, --seed, --max-rounds and --threads, --simd, --encode-messages.
void add_engine_options(OptionTable& table, EngineOptions& engine, MachineOptions& machine);
/// Errors: usage, when D > S.
[[nodiscard]] Status check_engine_options(const EngineOptions& engine);

/// How the endpoints of a run are protected, for drivers and stradsd alike.
struct KeyOptions {
  std::string key;        ///< file of the run's key; "-": it comes on stdin
  bool insecure = false;  ///< no key, and that is meant
};
/// --key and --insecure. `section`: of a config file.
void add_key_options(OptionTable& table, KeyOptions& options, const std::string& section);

/// Options of a run on several processes: they say who executes and never change the bits.
struct ClusterOptions {
  std::uint32_t processes = 0;      ///< start so many local stradsd; 0: embedded, unless `listen` is given
  std::string listen;               ///< tcp://ADDRESS:PORT or ipc://PATH
  std::uint32_t nodes = 1;          ///< with `listen`: so many must join
  std::vector<std::string> expect;  ///< names of the nodes, to say who is missing
  double start_seconds = 60;
  double lease_seconds = 15;
  std::string endpoint_file;  ///< the endpoint is written there once the driver listens
  std::string stradsd;        ///< program of the local processes; "": beside this program
  KeyOptions keys;            ///< of `listen`

  /// False: the run is embedded.
  [[nodiscard]] bool wanted() const { return processes > 0 || !listen.empty(); }
};
/// Section [cluster]: --processes, --listen, --nodes, --expect, --key, --insecure, --start-seconds, --lease,
/// --endpoint-file, --stradsd.
void add_cluster_options(OptionTable& table, ClusterOptions& options);
/// Errors: usage: an endpoint of no known form, an option that goes with another one, more names than nodes.
[[nodiscard]] Status check_cluster_options(const OptionTable& table, const ClusterOptions& options);
/// The sections of a program's options that say how and where it is executed and written: nodes are not told.
inline constexpr std::string_view kExecutionSections[] = {"machine", "cluster", "output", "checkpoint"};

/// Applies --simd to this process. Errors: usage, when the CPU lacks it.
[[nodiscard]] Status use_simd(const std::string& name);

/// Answers --help, --help-all, --version and --print-config on stdout. True: answered, the command is done.
[[nodiscard]] bool answered(const OptionTable& table, const CommonOptions& options, std::string_view program);

// --- files ----------------------------------------------------------------------------------------------------------

/// Writes a file under a temporary name and renames it: readers see the old file or the whole new one. A second SIGINT
/// waits for the rename. Errors: input, with the path and the system's reason.
[[nodiscard]] Status write_file(const std::string& path, std::string_view content);

/// A whole file as one string. Errors: input, with the path and the system's reason.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

/// A long result that is written piece by piece: a file that appears under its name when it is complete, or stdout.
class ResultWriter {
 public:
  /// "": stdout. Errors: input, with the path and the system's reason.
  [[nodiscard]] static Result<ResultWriter> open(const std::string& path);
  ~ResultWriter();
  ResultWriter(ResultWriter&&) noexcept;
  ResultWriter& operator=(ResultWriter&&) noexcept;

  [[nodiscard]] Status write(std::string_view piece);
  /// Everything is there: call once, at the end. Without it a file is never seen.
  [[nodiscard]] Status commit();

 private:
  struct State;
  ResultWriter();
  std::unique_ptr<State> state_;
};

/// Facts about a run in the order in which they were added, written as JSON.
class Summary {
 public:
  struct Entry;
  using Value = std::variant<bool, std::uint64_t, double, std::string, std::vector<std::string>,
                             std::vector<std::uint32_t>, std::vector<Entry>, std::vector<std::vector<Entry>>>;
  struct Entry {
    std::string name;
    Value value;
  };

  void add(std::string name, bool value) { put(std::move(name), value); }
  void add(std::string name, std::uint64_t value) { put(std::move(name), value); }
  void add(std::string name, std::uint32_t value) { put(std::move(name), std::uint64_t{value}); }
  /// Not finite: null.
  void add(std::string name, double value) { put(std::move(name), value); }
  void add(std::string name, std::string_view value) { put(std::move(name), std::string(value)); }
  void add(std::string name, const char* value) { put(std::move(name), std::string(value)); }
  void add(std::string name, std::vector<std::string> values) { put(std::move(name), std::move(values)); }
  void add(std::string name, std::vector<std::uint32_t> values) { put(std::move(name), std::move(values)); }
  void add(std::string name, const Summary& nested) { put(std::move(name), nested.entries_); }
  /// A list of objects.
  void add(std::string name, const std::vector<Summary>& list) {
    std::vector<std::vector<Entry>> objects;
    objects.reserve(list.size());
    for (const auto& object : list) objects.push_back(object.entries_);
    put(std::move(name), std::move(objects));
  }

  /// Indented JSON, newline at the end; numbers so that they read back as the same bits.
  [[nodiscard]] std::string json() const;

 private:
  void put(std::string name, Value value) { entries_.push_back({std::move(name), std::move(value)}); }
  std::vector<Entry> entries_;
};

/// What a process did not take: `refused`, in all, and `refused_by_kind`.
void add_refusals(Summary& facts, const Refusals& refusals);

/// The directory of --out: one run's files, the summary last, so that its presence says that the others are complete.
/// Until finish() all of them lie in a hidden folder of it; then they are put into their places, and what an earlier
/// run wrote goes. A run that does not come so far leaves the directory as it was. Locked while the object lives.
class RunDirectory {
 public:
  /// No directory: write() does nothing and says ok.
  RunDirectory();
  /// Removes what was not finished, and the directory if it was made for it and is empty.
  ~RunDirectory();
  RunDirectory(RunDirectory&&) noexcept;
  RunDirectory& operator=(RunDirectory&&) noexcept;

  /// Creates the directory where needed. `own_files`: names that the run is going to write, "folder/name" for those of
  /// its parts: a file of such a name that no finished run wrote there is refused at once, not after hours. `force`: a
  /// finished run may be in it, which finish() replaces. Errors: usage: finished run, not a directory, another run
  /// writes there, a file in the way; input: the system's reason.
  [[nodiscard]] static Result<RunDirectory> open(const std::string& path, bool force,
                                                 std::span<const std::string> own_files);
  /// The folder of a part of the run, with a summary of its own. Its files come into their places with those of the
  /// whole run, which has to be told of them (note_file). REQUIRES: finished before the whole run is.
  [[nodiscard]] RunDirectory part(const std::string& name) const;

  [[nodiscard]] bool exists() const { return state_ != nullptr; }
  [[nodiscard]] const std::string& path() const;
  /// Files written so far, in order, without repetition.
  [[nodiscard]] const std::vector<std::string>& files() const;
  /// Where the caller writes this file, in a folder that is there; after finish() where it lies.
  [[nodiscard]] std::string path_of(std::string_view name) const;
  /// Files that grow where those of the run lie until it is finished. REQUIRES: exists().
  [[nodiscard]] std::shared_ptr<LiveFiles> live_files() const;
  /// Tells that the caller wrote this file itself.
  void note_file(std::string_view name);
  [[nodiscard]] Status write(std::string_view name, std::string_view content);
  /// Adds the list of files with their hashes, writes summary.json, and puts all into place.
  [[nodiscard]] Status finish(Summary summary);
  /// The run has failed: log.txt, unless the directory holds a finished run or a foreign file of this name.
  void keep_log_of_failure(std::string_view text) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What happened and when, kept in memory until it is written as log.txt. Thread-safe.
class Log {
 public:
  Log();
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void info(std::string_view line);
  void warn(std::string_view line);
  void error(std::string_view line);
  /// All lines so far, each with local time and level.
  [[nodiscard]] std::string text() const;
  /// Shows them, and those to come, in the file `name`.
  void show(std::shared_ptr<LiveFiles> files, const std::string& name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// --- while it runs --------------------------------------------------------------------------------------------------

/// Seconds since its construction, by the monotonic clock.
class Stopwatch {
 public:
  Stopwatch();
  [[nodiscard]] double seconds() const;

 private:
  std::int64_t start_nanoseconds_;
};

/// A pool of `threads` threads (0: as many as it may use) for what a program computes outside of a run. Pieces of
/// a for_each are taken by the caller and by the pool's threads.
[[nodiscard]] std::shared_ptr<Chunks> make_threads(unsigned threads);

/// VmHWM of this process: the most memory it ever held, mapped pages included. 0 where the system does not say.
[[nodiscard]] std::uint64_t peak_rss_bytes();

/// Shows a run on stderr: on a terminal one live line, else a plain line after 1, 2, 4, 8 ... seconds (every 60 later).
class ProgressPrinter {
 public:
  using Write = std::function<void(std::string_view)>;
  /// What a line says about an event.
  using Line = std::function<std::string(const ProgressEvent& event, double seconds)>;
  /// `live`: redraw one line. `write` receives exactly what goes out. `line`: of the program; without it rounds,
  /// objective, gap, nonzeros and updates a second.
  ProgressPrinter(bool live, Write write, Line line = {});
  /// What programs use: stderr, live iff that is a terminal; nothing with `quiet`.
  static ProgressPrinter for_stderr(bool quiet, Line line = {});

  void show(const ProgressEvent& event, double seconds);
  /// The same for work that is no run: reading a file, predicting.
  void show_text(const std::function<std::string()>& text, double seconds);
  /// Clears the live line, so that what follows starts at the margin.
  void finish();

 private:
  bool live_;
  Write write_;
  Line line_;
  bool line_open_ = false;
  double next_ = 0;
  double interval_ = 1;
};

/// The rows of trace.csv: every barrier, and of the commits an even selection that stays under a few thousand; or what
/// the program says.
class Trace {
 public:
  /// A program's own table.
  struct Columns {
    std::string header;  ///< names separated by commas
    /// The fields of a row, separated by commas; "": this event has none.
    std::function<std::string(const ProgressEvent& event, double seconds)> row;
  };
  Trace() = default;
  explicit Trace(Columns columns) : columns_(std::move(columns)) {}

  void record(const ProgressEvent& event, double seconds);
  /// Header and rows. Numbers read back as the same bits.
  [[nodiscard]] std::string csv() const;
  /// Shows the rows to come in the file `name`, also those that are left out of csv() when there are many more, and the
  /// last that is no commit's as status.json.
  void show(std::shared_ptr<LiveFiles> files, std::string name);

 private:
  struct Row {
    bool barrier = false;
    std::uint64_t commit = 0;  ///< number among the commits seen
    std::string line;
  };
  [[nodiscard]] std::string_view header() const;
  void keep(bool barrier, std::string line);

  Columns columns_;
  std::shared_ptr<LiveFiles> shown_;
  std::string shown_name_;
  std::vector<Row> rows_;
  std::uint64_t commits_ = 0;
  std::uint64_t commits_kept_ = 0;
  std::uint64_t stride_ = 1;
  Certificate last_;
};

/// SIGINT, SIGTERM or SIGHUP (unless it is ignored, as under nohup): finish_requested() turns true. A second SIGINT, or
/// a SIGTERM a second later, ends the process with 128 + its number, after the file that is being written. Call once,
/// from commands that finish in order.
void install_signal_handlers();
[[nodiscard]] bool finish_requested();

// --- on several processes -------------------------------------------------------------------------------------------

/// What a program tells the nodes of its run.
struct ClusterTask {
  std::string program;                                ///< "lasso fit": which DaemonModel a node takes
  std::string config;                                 ///< the table's config() without kExecutionSections
  std::shared_ptr<const RunCheckpoint> resumes = {};  ///< where the first run goes on; null: it begins
  std::string first = {};                             ///< which run of a list the first one is; "": that of the program
  bool prints = true;                                 ///< warnings go to stderr; false: to DriverHooks::say alone
};

/// How the run is executed, for people: "2 processes over ipc", "3 nodes over tcp".
[[nodiscard]] std::string cluster_text(const ClusterOptions& options);
/// "embedded", "ipc" or "tcp".
[[nodiscard]] std::string transport_name(const ClusterOptions& options);

/// run_driver() with what the user asked for: starts the local processes of --processes in process groups of their own
/// (Ctrl-C of a terminal reaches this program alone) and ends them always, or listens at --listen and writes the
/// endpoint file. `hooks`: say, observe and finish_requested are the caller's; the others are filled in here.
/// What local processes wrote to stderr is told to hooks.say at the end.
/// Errors as run_driver(); cluster also: stradsd cannot be started. REQUIRES: options.wanted().
[[nodiscard]] ClusterRun run_cluster(const std::function<Result<std::shared_ptr<Model>>()>& make_model,
                                     const EngineOptions& engine, const MachineOptions& machine,
                                     const ClusterOptions& options, const ClusterTask& task, DriverHooks hooks);

/// Where a node finds a file that the driver's options name.
using PathRule = std::function<std::string(const std::string& path)>;

/// The option table of a program, with what its rows write to: for a program that adds rows of its own.
struct ProgramOptions {
  std::shared_ptr<OptionTable> table;
  const CommonOptions* common = nullptr;
  const MachineOptions* machine = nullptr;
  const ClusterOptions* cluster = nullptr;
  /// After parse(): checks what concerns several options at once and fills in what was left open, so that the table's
  /// config() is what a fit would write. May be empty.
  std::function<Status()> settle = {};
};

/// Long arrays of floats come in large pages where the system has them. Call before there are threads.
void use_large_pages();

/// Runs a program's body and turns its outcome into an exit code. Errors go to stderr as "NAME: error: ..."; an
/// exception, also one of another thread, ends with 70 and its message. StatusCode::input ends what the machine lacks:
/// memory, threads, a stdout that takes everything; and a mapped file that is shortened meanwhile, by its name.
[[nodiscard]] int run_program(const char* name, const std::function<Status()>& body);
/// Prints the outcome as run_program() would and ends the process at once, although threads of it still load or
/// compute: nobody waits for them any more.
[[noreturn]] void end_program(const char* name, const Status& outcome);
/// "NAME: note: ..." on stderr.
void print_note(std::string_view name, std::string_view text);

/// Shortest text that reads back as the same double.
[[nodiscard]] std::string exact_text(double value);
/// `digits` significant digits, for people.
[[nodiscard]] std::string short_text(double value, int digits = 6);

}  // namespace strads
