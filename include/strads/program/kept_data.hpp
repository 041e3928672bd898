// What a node that stays keeps of one run for the next one: the data set, so that it is not read again. Layer: program.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "strads/base/status.hpp"

namespace strads {

/// Tells a file from what it was before, as far as the system knows it.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t written = 0;  ///< nanoseconds since 1970
  std::int64_t changed = 0;  ///< the same of its description, which also changes where `written` is set back

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// Those of all these files. Nothing: one of them is no regular file, or cannot be opened.
[[nodiscard]] std::optional<std::vector<FileIdentity>> identities(const std::vector<std::string>& files);

[[nodiscard]] std::int64_t nanoseconds_since_1970();

/// One data set at most: another one takes its place, and its memory is given back before the other one is read. What
/// is kept is const, or used as if it were: no bit of a run depends on whether its data were kept. Not thread-safe.
class KeptData {
 public:
  /// Keeps nothing.
  KeptData() = default;
  /// `say`: is told whether a data set was read or had been kept. `now`: nanoseconds since 1970.
  explicit KeptData(std::function<void(const std::string& line)> say,
                    std::function<std::int64_t()> now = nanoseconds_since_1970)
      : keeps_(true), say_(std::move(say)), now_(std::move(now)) {}

  /// True: what get() gives may be asked for again, by another run.
  [[nodiscard]] bool keeps() const { return keeps_; }

  /// What `read()`, a Result of something that is cheap to copy, gives; or gave for an equal key, while none of
  /// `files` has changed since. `key`: everything but the content of `files` that decides what is read. `files`: all
  /// that are read.
  template <class Key, class Read>
  [[nodiscard]] std::invoke_result_t<Read> get(const Key& key, const std::vector<std::string>& files, Read&& read) {
    using Data = std::decay_t<decltype(std::declval<std::invoke_result_t<Read>&>().value())>;
    if (!keeps_) return read();
    const Moment before = look_at(files);
    const Key* known = std::any_cast<Key>(&key_);
    const Data* data = std::any_cast<Data>(&data_);
    if (known != nullptr && data != nullptr && *known == key && is_as_it_was(before)) return *data;
    forget();
    auto loaded = read();
    if (!loaded.ok() || !may_be_kept(before, files)) return loaded;
    key_ = key;
    data_ = loaded.value();
    return loaded;
  }

 private:
  /// Files, and the time at which they were looked at.
  struct Moment {
    std::optional<std::vector<FileIdentity>> files;
    std::int64_t now = 0;  ///< nanoseconds since 1970
  };
  [[nodiscard]] Moment look_at(const std::vector<std::string>& files) const;
  [[nodiscard]] bool is_as_it_was(const Moment& moment) const;
  [[nodiscard]] bool may_be_kept(const Moment& before, const std::vector<std::string>& files);
  void forget();

  bool keeps_ = false;
  std::function<void(const std::string& line)> say_;
  std::function<std::int64_t()> now_;
  std::any key_, data_;
  std::optional<std::vector<FileIdentity>> files_;
};

}  // namespace strads
