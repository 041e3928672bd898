#include "support/transcript.hpp"

#include <algorithm>
#include <utility>

#include "support/transcript_player.hpp"

namespace strads::support {

namespace {

constexpr std::string_view kRule = "----";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_comment(const std::string& line) {
  return line.empty() || line.front() == '#';
}

std::string comment_text(const std::string& line) {
  const std::size_t begin = line.find_first_not_of("# ");
  return begin == std::string::npos ? std::string() : line.substr(begin);
}

void append(std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) text += line + '\n';
}

/// Longest common subsequence from each pair of positions on: lengths, (a + 1) x (b + 1).
std::vector<std::vector<std::size_t>> common_lengths(const std::vector<std::string>& a,
                                                     const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> length(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t k = b.size(); k-- > 0;) {
      length[i][k] = a[i] == b[k] ? length[i + 1][k + 1] + 1 : std::max(length[i + 1][k], length[i][k + 1]);
    }
  }
  return length;
}

std::vector<std::string> marked_lines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto length = common_lengths(a, b);
  std::vector<std::string> marked;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() || k < b.size()) {
    if (i < a.size() && k < b.size() && a[i] == b[k]) {
      marked.push_back("  " + a[i++]);
      ++k;
    } else if (k == b.size() || (i < a.size() && length[i + 1][k] >= length[i][k + 1])) {
      marked.push_back("- " + a[i++]);
    } else {
      marked.push_back("+ " + b[k++]);
    }
  }
  return marked;
}

}  // namespace

Result<Story> read_story(const std::string& name, std::string_view text) {
  Story story;
  const std::vector<std::string> lines = lines_of(text);
  if (lines.empty() || lines.front().substr(0, 2) != "# ") {
    return Status::input(name + ":1: expected a title: # A sentence that says what must hold");
  }
  story.title = lines.front().substr(2);
  std::size_t at = 1;
  while (at < lines.size() && !lines[at].empty() && is_comment(lines[at])) {
    if (std::string prose = comment_text(lines[at]); !prose.empty()) story.prose.push_back(std::move(prose));
    ++at;
  }
  StoryStep step{
      .before = {lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(at)}, .commands = {}, .expected = {}};
  while (at < lines.size()) {
    if (is_comment(lines[at]) && step.commands.empty()) {
      step.before.push_back(lines[at++]);
      continue;
    }
    if (lines[at].empty()) break;
    if (lines[at] != kRule) {
      step.commands.push_back(lines[at++]);
      continue;
    }
    ++at;
    while (at < lines.size() && !lines[at].empty() && lines[at] != kRule) step.expected.push_back(lines[at++]);
    if (at < lines.size() && lines[at] == kRule) {
      // Rewriting would take the next command for something that was shown.
      return Status::input(name + ':' + std::to_string(at + 1) + ": expected an empty line before the next command");
    }
    story.steps.push_back(std::exchange(step, {}));
  }
  if (!step.commands.empty()) {
    return Status::input(name + ':' + std::to_string(at + 1) + ": commands without a line ---- after them");
  }
  if (story.steps.empty()) return Status::input(name + ": no commands; a story begins with the command cluster");
  story.after = std::move(step.before);
  return story;
}

std::string Story::text() const {
  std::string text;
  for (const StoryStep& step : steps) {
    append(text, step.before);
    append(text, step.commands);
    append(text, {std::string(kRule)});
    append(text, step.expected);
  }
  append(text, after);
  return text;
}

Story played(const Story& story) {
  Story found = story;
  StoryPlayer player;
  for (StoryStep& step : found.steps) step.expected = player.play(step.commands);
  return found;
}

std::vector<std::string> errors_of(const Story& story) {
  std::vector<std::string> errors;
  for (const StoryStep& step : story.steps) {
    for (const std::string& line : step.expected) {
      if (line.starts_with(kStoryErrorPrefix)) errors.push_back(line);
    }
  }
  return errors;
}

std::string difference(std::string_view expected, std::string_view found) {
  constexpr std::size_t kAround = 2;
  const std::vector<std::string> marked = marked_lines(lines_of(expected), lines_of(found));
  std::string text;
  std::size_t shown = 0;  // lines before it are in `text`, or are not to be
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked[i].front() == ' ') continue;
    const std::size_t begin = std::max(shown, i - std::min(i, kAround));
    if (begin > shown && shown > 0) text += "  ...\n";
    const std::size_t end = std::min(marked.size(), i + kAround + 1);
    for (std::size_t line = begin; line < end; ++line) text += marked[line] + '\n';
    shown = std::max(shown, end);
  }
  return text;
}

}  // namespace strads::support
