#include "strads_sim/swarm/swarm_disk.hpp"

#include <cstdlib>  // mkdtemp
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "strads/base/status.hpp"
#include "strads/program/checkpoint_file.hpp"
#include "strads/program/program.hpp"

namespace strads::simulator {
namespace {

namespace fs = std::filesystem;

/// In memory where that is possible: thousands of seeds wait for a disk otherwise.
fs::path parent_folder() {
  const fs::path memory = "/dev/shm";
  std::error_code none;
  return fs::is_directory(memory, none) ? memory : fs::temp_directory_path();
}

class Folder {
 public:
  Folder() : path_((parent_folder() / "strads-sim-XXXXXX").string()) {
    STRADS_CHECK(mkdtemp(path_.data()) != nullptr, "a temporary folder can be made");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Contents by path.
  [[nodiscard]] std::map<fs::path, std::string> files() const {
    std::map<fs::path, std::string> contents;
    for (const auto& entry : fs::directory_iterator(path_)) {
      std::ifstream file(entry.path(), std::ios::binary);
      contents[entry.path()] = {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    return contents;
  }

 private:
  std::string path_;
};

void overwrite(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  STRADS_CHECK(file.flush().good(), "a temporary file can be written");
}

Checkpoint checkpoint_of(const std::shared_ptr<const RunCheckpoint>& run) {
  Checkpoint checkpoint;
  checkpoint.identity.build = build_id();
  checkpoint.runs.push_back({.at = run});
  return checkpoint;
}

}  // namespace

std::shared_ptr<const RunCheckpoint> kept_on_disk(std::span<const std::shared_ptr<const RunCheckpoint>> written,
                                                  sim::DiskState state, CounterRng& random) {
  const Folder folder;
  std::map<fs::path, std::string> before;
  for (const auto& run : written) {
    before = folder.files();
    const Status status = write_checkpoint(folder.path(), checkpoint_of(run));
    STRADS_CHECK(status.ok(), status.message());
  }
  for (const auto& [path, content] : folder.files()) {
    const auto old = before.find(path);
    if (old != before.end() && old->second == content) continue;  // the one before
    const std::size_t at = random.below(content.size());
    std::string spoilt = content;
    if (state == sim::DiskState::flipped_byte) {
      spoilt[at] = static_cast<char>(spoilt[at] ^ static_cast<char>(1 + random.below(255)));
      overwrite(path, spoilt);
    } else if (state == sim::DiskState::truncated) {
      overwrite(path, spoilt.substr(0, at));
    } else if (state == sim::DiskState::write_cut_off) {
      overwrite(path.string() + ".tmp", spoilt.substr(0, at));
      if (old == before.end()) {
        fs::remove(path);
      } else {
        overwrite(path, old->second);
      }
    }
  }
  auto found = read_checkpoint(folder.path());
  return found.ok() ? found.value().checkpoint.runs.at(0).at : nullptr;
}

}  // namespace strads::simulator
