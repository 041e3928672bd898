#include "strads/program/kept_data.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace strads {
namespace {

/// Two writes within a tick of the system's clock, 10 ms at most, leave the same times. A file that was written so
/// shortly before it was read could be another one afterwards and look the same.
constexpr std::int64_t kClockTick = 100'000'000;

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// A network file system asks its server again when a file is opened, and not for every stat(). What is no regular
/// file is let be: a pipe would give its bytes to whoever opens it.
std::optional<FileIdentity> identity_of(const std::string& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  const bool known = ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
  ::close(descriptor);
  if (!known) return std::nullopt;
  return FileIdentity{found.st_dev, found.st_ino, static_cast<std::uint64_t>(found.st_size), nanoseconds(found.st_mtim),
                      nanoseconds(found.st_ctim)};
}

}  // namespace

std::optional<std::vector<FileIdentity>> identities(const std::vector<std::string>& files) {
  std::vector<FileIdentity> all;
  for (const std::string& file : files) {
    const auto found = identity_of(file);
    if (!found.has_value()) return std::nullopt;
    all.push_back(*found);
  }
  return all;
}

std::int64_t nanoseconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

KeptData::Moment KeptData::look_at(const std::vector<std::string>& files) const {
  const std::int64_t now = now_();  // before: what is written after this moment is no older
  return {identities(files), now};
}

bool KeptData::is_as_it_was(const Moment& moment) const {
  const bool same = moment.files.has_value() && moment.files == files_;
  if (same && say_) say_("goes on with the data kept from an earlier run");
  return same;
}

bool KeptData::may_be_kept(const Moment& before, const std::vector<std::string>& files) {
  const auto is_old = [&](const FileIdentity& file) {
    return std::max(file.changed, file.written) < before.now - kClockTick;
  };
  if (!before.files.has_value() || !std::ranges::all_of(*before.files, is_old)) return false;
  if (identities(files) != before.files) return false;  // changed while they were read
  files_ = before.files;
  if (say_) say_("has read the data, and keeps them for the next run");
  return true;
}

void KeptData::forget() {
  if (!data_.has_value()) return;
  key_.reset();
  data_.reset();
  files_.reset();
  ::malloc_trim(0);  // small parts of it would stay in this process
}

}  // namespace strads
