// Content of a sealed file, little-endian: number (u64), version of Boost's archives (u32), length of the build id
// (u32), build id, archive. What stands before the archive can be read by every build: it says who may read the rest.
#include "strads/program/checkpoint_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "data/files/atomic_file.hpp"
#include "program/options/config_file.hpp"
#include "program/output/archive_file.hpp"
#include "program/output/checkpoint_archive.hpp"
#include "strads/program/program.hpp"
#include "strads/program/run_folder.hpp"
#include "strads/program/sealed_file.hpp"

namespace strads {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCheckpointMagic = "STRADSCP";
constexpr std::uint32_t kCheckpointVersion = 1;
constexpr const char* kCheckpointNames[] = {"checkpoint-0.bin", "checkpoint-1.bin"};
constexpr const char* kCheckpointRemedy = "start a new run, without --resume";

struct CheckpointFront {
  std::uint64_t number;  ///< each checkpoint has a higher one than that before
  std::uint32_t archive_version;
  std::uint32_t build_size;
};
static_assert(sizeof(CheckpointFront) == 16);

/// A file whose checksum is right.
struct WholeCheckpoint {
  std::string path;
  std::string content;
  CheckpointFront front;

  [[nodiscard]] std::size_t archive_at() const { return sizeof front + front.build_size; }
  [[nodiscard]] std::string build() const { return content.substr(sizeof front, front.build_size); }
};

std::string path_in(const std::string& folder, const char* name) {
  return (fs::path(folder) / name).string();
}

Result<WholeCheckpoint> read_whole_checkpoint(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(auto content, read_sealed_file(path, kCheckpointMagic, kCheckpointVersion, ""));
  CheckpointFront front{};
  if (content.size() >= sizeof front) {
    std::memcpy(&front, content.data(), sizeof front);
    if (front.build_size <= content.size() - sizeof front) return WholeCheckpoint{path, std::move(content), front};
  }
  return Status::input(path + ": too short for a checkpoint");
}

Status make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return {};
  if (folder.has_parent_path() && folder.parent_path() != folder) {
    if (Status parent = make_folder(folder.parent_path()); !parent.ok()) return parent;
  }
  if (!fs::create_directory(folder, error) && error) {
    return Status::input(folder.string() + ": cannot be made a folder: " + error.message());
  }
  return data::sync_folder_of(folder.string());
}

/// What writers left that were killed: it may be as long as a checkpoint.
void remove_cut_off_writes(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    for (const char* whole : kCheckpointNames) {
      if (name.starts_with(std::string(whole) + ".tmp")) fs::remove(at->path(), ignored);
    }
  }
}

Status expect_this_build(const std::string& found, const std::string& wanted) {
  if (found == wanted) return {};
  return Status::input("the checkpoint was written by build " + found + " of the program, this is build " + wanted +
                       ", whose results may differ in the last bits; go on with that build, or " + kCheckpointRemedy);
}

/// Reads the archive, unless another program wrote it.
Result<Checkpoint> checkpoint_of(const WholeCheckpoint& whole) {
  auto checkpoint = read_checkpoint_archive(std::string_view(whole.content).substr(whole.archive_at()));
  if (!checkpoint.ok()) return Status::input(whole.path + ": " + checkpoint.status().message());
  return checkpoint;
}

Status expect_own_archive(const WholeCheckpoint& whole) {
  if (Status build = expect_this_build(whole.build(), build_id()); !build.ok()) {
    return Status::input(whole.path + ": " + build.message());
  }
  const auto own = archive_version();
  if (whole.front.archive_version == own) return {};
  return Status::input(whole.path + ": written with version " + std::to_string(whole.front.archive_version) +
                       " of Boost's archives, this Boost has version " + std::to_string(own) +
                       "; go on with that one, or " + kCheckpointRemedy);
}

const ConfigLine* find_line(const std::vector<ConfigLine>& lines, const ConfigLine& like) {
  const auto at = std::find_if(lines.begin(), lines.end(), [&](const ConfigLine& line) {
    return line.section == like.section && line.name == like.name;
  });
  return at == lines.end() ? nullptr : &*at;
}

Status other_option(const ConfigLine& named, const ConfigLine* found, const ConfigLine* wanted) {
  const auto value = [](const ConfigLine* line) { return line == nullptr ? "none" : "'" + line->value + "'"; };
  return Status::usage("the checkpoint was written with " + value(found) + " for the option " + named.name +
                       " of section [" + named.section + "], this run has " + value(wanted) +
                       "; give it the value of the checkpoint, or " + kCheckpointRemedy);
}

Status expect_same_options(const std::string& found_text, const std::string& wanted_text) {
  const auto found = read_config_lines("options of the checkpoint", found_text);
  if (!found.ok()) return Status::input(found.status().message());
  STRADS_ASSIGN_OR_RETURN(const auto wanted, read_config_lines("options of the run", wanted_text));
  for (const auto& line : wanted) {
    const ConfigLine* other = find_line(found.value(), line);
    if (other == nullptr || other->value != line.value) return other_option(line, other, &line);
  }
  for (const auto& line : found.value()) {
    if (find_line(wanted, line) == nullptr) return other_option(line, &line, nullptr);
  }
  return {};
}

}  // namespace

Status write_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  if (Status made = make_folder(folder); !made.ok()) return made;
  remove_cut_off_writes(folder);
  // The file to replace: the older one, before all one that is not whole.
  std::uint64_t newest = 0;
  std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
  std::string replaced;
  for (const char* name : kCheckpointNames) {
    const std::string path = path_in(folder, name);
    const auto whole = read_whole_checkpoint(path);
    const std::uint64_t number = whole.ok() ? whole.value().front.number : 0;
    if (number < oldest) {
      oldest = number;
      replaced = path;
    }
    newest = std::max(newest, number);
  }
  const std::string& build = checkpoint.identity.build;
  const CheckpointFront front{newest + 1, archive_version(), static_cast<std::uint32_t>(build.size())};
  auto content =
      archive_checkpoint(std::string(reinterpret_cast<const char*>(&front), sizeof front) + build, checkpoint);
  if (!content.ok()) return Status::input(replaced + ": " + content.status().message());
  return write_sealed_file(replaced, kCheckpointMagic, kCheckpointVersion, content.value());
}

Result<FoundCheckpoint> read_checkpoint(const std::string& folder) {
  std::vector<WholeCheckpoint> whole;
  std::vector<std::string> wrong;
  for (const char* name : kCheckpointNames) {
    const std::string path = path_in(folder, name);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    auto file = read_whole_checkpoint(path);
    if (!file.ok()) {
      wrong.push_back(file.status().message());
    } else if (whole.empty() || whole.front().front.number > file.value().front.number) {
      whole.push_back(std::move(file).value());
    } else {
      whole.insert(whole.begin(), std::move(file).value());
    }
  }
  for (auto& file : whole) {  // the newest first
    if (Status own = expect_own_archive(file); !own.ok()) return own;
    const std::string path = file.path;
    auto checkpoint = checkpoint_of(file);
    if (!checkpoint.ok()) {
      wrong.push_back(checkpoint.status().message());
      continue;
    }
    FoundCheckpoint found{std::move(checkpoint).value(), {}};
    for (const auto& why : wrong) {
      found.notes.push_back("a checkpoint is passed over, the run goes on from " + path + ": " + why);
    }
    return found;
  }
  if (wrong.empty()) {
    const fs::path run = fs::path(folder).parent_path();
    std::error_code ignored;
    if (fs::exists(run / kSummaryFile, ignored)) {
      return Status::input(folder + ": there is no checkpoint, since the run in " + run.string() +
                           " has ended; its results are there");
    }
    return Status::input(folder + ": there is no checkpoint, expected " + kCheckpointNames[0] + " or " +
                         kCheckpointNames[1] + "; " + kCheckpointRemedy);
  }
  std::string all = folder + ": no checkpoint is whole; " + kCheckpointRemedy;
  for (const auto& why : wrong) all += "; " + why;
  return Status::input(all);
}

Status expect_same(const CheckpointIdentity& found, const CheckpointIdentity& wanted) {
  if (Status build = expect_this_build(found.build, wanted.build); !build.ok()) return build;
  if (found.command != wanted.command) {
    return Status::usage("the checkpoint is one of " + found.command + ", this is " + wanted.command +
                         "; go on with that command, or " + kCheckpointRemedy);
  }
  if (found.simd != wanted.simd) {
    return Status::usage("the checkpoint was written with the kernels of " + found.simd + ", this run uses those of " +
                         wanted.simd + ", whose results differ in the last bits; give --simd " + found.simd + ", or " +
                         kCheckpointRemedy);
  }
  // Before the data: which files are read is among the options.
  if (Status options = expect_same_options(found.config, wanted.config); !options.ok()) return options;
  if (found.fingerprint == wanted.fingerprint) return {};
  return Status::input("the checkpoint was written for other data: fingerprint " + std::to_string(found.fingerprint) +
                       ", now it is " + std::to_string(wanted.fingerprint) +
                       "; was a file changed? Give the data of the checkpoint, or " + kCheckpointRemedy);
}

}  // namespace strads
