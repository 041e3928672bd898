// A transcript: a protocol story as text, its commands and what they must show in one file, in the manner of
// etcd-io/raft. CONTRIBUTING.md, "Transcripts", says how to write one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"

namespace strads::support {

/// Some commands and the lines that they must print.
struct StoryStep {
  std::vector<std::string> before;  ///< comments and empty lines in front of it
  std::vector<std::string> commands;
  std::vector<std::string> expected;
};

struct Story {
  std::string title;               ///< first line, without "# "
  std::vector<std::string> prose;  ///< the lines of the comment that follows it, not empty
  std::vector<StoryStep> steps;
  std::vector<std::string> after;  ///< comments and empty lines at the end

  /// The file: the inverse of read_story().
  [[nodiscard]] std::string text() const;
};

/// `name` is for messages. Refused: no title, commands without a line "----", a story without commands.
[[nodiscard]] Result<Story> read_story(const std::string& name, std::string_view text);

/// The same story with what its commands really show.
[[nodiscard]] Story played(const Story& story);
/// What its commands show that must not be in any story: commands that could not be carried out.
[[nodiscard]] std::vector<std::string> errors_of(const Story& story);

/// Lines that differ, marked - (expected) and + (found), each with two lines around it; empty when there are none.
[[nodiscard]] std::string difference(std::string_view expected, std::string_view found);

}  // namespace strads::support
