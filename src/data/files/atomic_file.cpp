#include "data/files/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

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
  const std::string temporary = temporary_name(path);
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return cannot_write(path, errno);
  AtomicFile file;
  file.path_ = path;
  file.temporary_ = temporary;
  file.descriptor_ = descriptor;
  file.unfinished_ = note_unfinished_file(temporary);
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
  if (const int error = sync_descriptor(descriptor_); error != 0) return cannot_write(path_, error);
  // Where a signal comes, the descriptor is closed all the same.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) return cannot_write(path_, errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return cannot_write(path_, errno);
  temporary_.clear();
  forget_unfinished_file(std::exchange(unfinished_, kNotNoted));
  return sync_folder_of(path_);
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  auto file = AtomicFile::create(path);
  if (!file.ok()) return file.status();
  if (Status status = file.value().write(bytes); !status.ok()) return status;
  return file.value().commit();
}

}  // namespace strads::data
