#include "data/files/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "data/text/text.hpp"

namespace strads::data {

namespace {

Status cannot_write(const std::string& path, int error) {
  return Status::input(
      path + ": cannot write: " + std::strerror(error) +
      (error == EFBIG ? "; raise the limit of file sizes (ulimit -f)" : "; check the folder and the free space"));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_in_folder(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// Where the bytes go.
struct Target {
  int error = 0;                        // errno
  std::string path;                     // of the file that is replaced or made; empty: `descriptor` is written to
  int descriptor = -1;                  // of what is no regular file
  std::optional<struct stat> replaced;  // what `path` is now
};

// The number of a descriptor of this process that the name stands for, as /proc/self/fd/1 does. Opening such a name
// would begin a second place in a file that standard output is redirected to, and a socket cannot be opened at all.
std::optional<int> descriptor_of(const std::string& path) {
  std::uint64_t number = 0;
  if (!parse_count(name_in_folder(path), number) || number > 1U << 30) return std::nullopt;
  const std::unique_ptr<char, void (*)(void*)> folder(::realpath(folder_of(path).c_str(), nullptr), std::free);
  const std::string own = "/proc/" + std::to_string(::getpid()) + "/fd";
  if (folder == nullptr || own != folder.get()) return std::nullopt;
  return static_cast<int>(number);
}

// What the last of the links names, whether it is there or not.
Target target_of(std::string path) {
  constexpr int kLinksMax = 40;  // as the system
  for (int links = 0; links <= kLinksMax; ++links) {
    if (const auto given = descriptor_of(path)) {
      const int copy = ::fcntl(*given, F_DUPFD_CLOEXEC, 0);
      return {.error = copy < 0 ? errno : 0, .path = {}, .descriptor = copy, .replaced = {}};
    }
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) {
      return {.error = errno == ENOENT ? 0 : errno, .path = path, .descriptor = -1, .replaced = {}};
    }
    if (S_ISREG(found.st_mode)) return {.error = 0, .path = path, .descriptor = -1, .replaced = found};
    if (S_ISDIR(found.st_mode)) return {.error = EISDIR, .path = path, .descriptor = -1, .replaced = {}};
    if (!S_ISLNK(found.st_mode)) {
      const int opened = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
      return {.error = opened < 0 ? errno : 0, .path = {}, .descriptor = opened, .replaced = {}};
    }
    std::string named(4096, '\0');  // PATH_MAX
    const ssize_t length = ::readlink(path.c_str(), named.data(), named.size());
    if (length < 0) return {.error = errno, .path = path, .descriptor = -1, .replaced = {}};
    named.resize(static_cast<std::size_t>(length));
    path = named.starts_with('/') ? named : folder_of(path) + "/" + named;
  }
  return {.error = ELOOP, .path = path, .descriptor = -1, .replaced = {}};
}

// Owner before mode: a new owner takes the set-user-id bits away. Who may not give a file away keeps it, without these
// bits.
void keep_owner_and_mode(int descriptor, const struct stat& old) {
  mode_t mode = old.st_mode & 07777U;
  struct stat made {};
  const bool same = ::fstat(descriptor, &made) == 0 && made.st_uid == old.st_uid && made.st_gid == old.st_gid;
  if (!same && ::fchown(descriptor, old.st_uid, old.st_gid) != 0 &&
      ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) != 0) {
    mode &= 0777U;
  }
  // Of file systems without modes, and of files of others: the bytes are what was asked for.
  (void)!::fchmod(descriptor, mode);
}

// Two writers of one name, threads or processes, must not share a temporary file.
std::string temporary_name(const std::string& path) {
  static std::atomic<std::uint64_t> counter{0};
  return path + ".tmp" + std::to_string(::getpid()) + '-' + std::to_string(counter.fetch_add(1));
}

}  // namespace

int sync_descriptor(int descriptor) {
  int result = 0;
  do {  // a signal may come where a disk or its network is slow
    result = ::fsync(descriptor);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

Status sync_folder_of(const std::string& path) {
  const int folder = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return cannot_write(path, errno);
  const int error = sync_descriptor(folder);
  ::close(folder);
  // Some file systems cannot sync a folder and say EINVAL; the rename is as safe there as it gets.
  return error == 0 || error == EINVAL ? Status{} : cannot_write(path, error);
}

AtomicFile::~AtomicFile() {
  discard();
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept {
  *this = std::move(other);
}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this == &other) return *this;
  discard();
  path_ = std::move(other.path_);
  target_ = std::move(other.target_);
  temporary_ = std::exchange(other.temporary_, {});
  unfinished_ = std::exchange(other.unfinished_, kNotNoted);
  descriptor_ = std::exchange(other.descriptor_, -1);
  return *this;
}

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  forget_unfinished_file(std::exchange(unfinished_, kNotNoted));
  descriptor_ = -1;
  temporary_.clear();
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  Target target = target_of(path);
  if (target.error != 0) return cannot_write(path, target.error);
  AtomicFile file;
  file.path_ = path;
  file.descriptor_ = target.descriptor;
  if (target.path.empty()) return file;
  const std::string temporary = temporary_name(target.path);
  // What replaces a private file is private from the start.
  const mode_t mode = target.replaced ? 0600 : 0666;
  file.descriptor_ = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file.descriptor_ < 0) return cannot_write(path, errno);
  file.target_ = std::move(target.path);
  file.temporary_ = temporary;
  file.unfinished_ = note_unfinished_file(temporary);
  if (target.replaced) keep_owner_and_mode(file.descriptor_, *target.replaced);
  return file;
}

Status AtomicFile::write(std::string_view bytes) {
  STRADS_CHECK(descriptor_ >= 0, "write comes between create and commit");
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot_write(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status AtomicFile::commit() {
  STRADS_CHECK(descriptor_ >= 0, "commit is called once, after create");
  if (!target_.empty()) {
    if (const int error = sync_descriptor(descriptor_); error != 0) return cannot_write(path_, error);
  }
  // Where a signal comes, the descriptor is closed all the same.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) return cannot_write(path_, errno);
  if (target_.empty()) return {};
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) return cannot_write(path_, errno);
  temporary_.clear();
  forget_unfinished_file(std::exchange(unfinished_, kNotNoted));
  return sync_folder_of(target_);
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  STRADS_ASSIGN_OR_RETURN(auto file, AtomicFile::create(path));
  if (Status status = file.write(bytes); !status.ok()) return status;
  return file.commit();
}

}  // namespace strads::data
