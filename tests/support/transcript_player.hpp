// Carries out the commands of a transcript. CONTRIBUTING.md, "Transcripts", lists them for those who write stories.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/transcript_cluster.hpp"

namespace strads::support {

/// One story: a cluster and what was done to it so far.
class StoryPlayer {
 public:
  StoryPlayer();

  /// What happened, a line each; "nothing" when nothing did. A command that cannot be carried out gives one line that
  /// begins with kStoryErrorPrefix: a story that shows one is wrong whatever it expects.
  [[nodiscard]] std::vector<std::string> play(const std::vector<std::string>& commands);

 private:
  using Words = std::vector<std::string>;
  using Handler = void (StoryPlayer::*)(const Words&);

  void play_one(const std::string& command);
  [[nodiscard]] StoryCluster& cluster();

  void on_cluster(const Words& words);
  void on_phase(const Words& words);
  void on_joint(const Words& words);
  void on_verify(const Words& words);
  void on_start(const Words& words);
  void on_begin(const Words& words);
  void on_deliver(const Words& words) { cluster().deliver(selector_of(words)); }
  void on_again(const Words& words) { cluster().deliver_again(selector_of(words)); }
  void on_lose(const Words& words) { cluster().lose(selector_of(words)); }
  void on_hold(const Words& words) { cluster().hold(selector_of(words)); }
  void on_release(const Words& words) { cluster().release(selector_of(words)); }
  void on_settle(const Words& words);
  void on_forge(const Words& words);
  void on_pause(const Words& words) { cluster().pause(task_selector_of(words)); }
  void on_run(const Words& words) { cluster().run_first(task_selector_of(words)); }
  void on_resume(const Words& words) { cluster().resume(task_selector_of(words)); }
  void on_quiet(const Words& words);
  void on_wait(const Words& words);
  void on_roster(const Words& words);
  void on_finish(const Words& words);
  void on_forget(const Words& words);
  void on_crash(const Words& words);
  void on_show(const Words& words);

  [[nodiscard]] Selector selector_of(const Words& words);
  [[nodiscard]] TaskSelector task_selector_of(const Words& words);
  /// Reads "node 1" or "driver" at words[at] and moves on; nothing when something else is there.
  [[nodiscard]] std::optional<std::uint32_t> process_at(const Words& words, std::size_t& at);
  /// The processes that `words` name, or all that are alive.
  [[nodiscard]] std::vector<std::uint32_t> processes_of(const Words& words);

  static const std::map<std::string, Handler>& handlers();

  StoryOptions options_;
  bool described_ = false;  ///< `cluster` was given
  std::unique_ptr<StoryCluster> cluster_;
  std::vector<std::string> lines_;
};

inline constexpr const char* kStoryErrorPrefix = "error: ";

}  // namespace strads::support
