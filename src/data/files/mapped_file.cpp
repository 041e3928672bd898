#include "data/files/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "data/files/mapped_ranges.hpp"
#include "data/files/memory_limit.hpp"
#include "data/files/unpack.hpp"

namespace strads::data {

namespace {

// Closes the descriptor on every way out.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

Status cannot(const char* what, const std::string& path, int error) {
  return Status::input(path + ": cannot " + what + ": " + std::strerror(error) +
                       "; check the name and the permissions");
}

/// Nobody knows how much will come: room is asked for whenever it must grow.
Status read_all(int descriptor, const std::string& path, std::uint64_t memory, std::string& out) {
  constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;
  for (;;) {
    const std::size_t before = out.size();
    if (before + kReadAtOnce > out.capacity()) {
      const std::size_t wanted = 2 * before + kReadAtOnce;
      Status fits =
          expect_memory(path, "is no regular file, and reading on after " + std::to_string(before) + " bytes takes",
                        wanted, "write it into a file, which is mapped, or use a larger machine", memory);
      if (!fits.ok()) return fits;
      out.reserve(wanted);
    }
    out.resize(before + kReadAtOnce);
    const ssize_t count = ::read(descriptor, out.data() + before, kReadAtOnce);
    out.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count == 0) return {};
    if (count < 0 && errno != EINTR) return cannot("read", path, errno);
  }
}

// "7f01c000-7f02c000 r--s ...": the first line about a mapping in /proc/self/smaps. False for the lines that follow it.
bool parse_range(std::string_view line, std::uint64_t& begin, std::uint64_t& end) {
  const char* const last = line.data() + line.size();
  const auto first = std::from_chars(line.data(), last, begin, 16);
  if (first.ec != std::errc() || first.ptr == last || *first.ptr != '-') return false;
  const auto second = std::from_chars(first.ptr + 1, last, end, 16);
  return second.ec == std::errc() && second.ptr != last && *second.ptr == ' ';
}

// "Rss:                 124 kB"
std::uint64_t parse_resident(std::string_view line) {
  constexpr std::string_view kLabel = "Rss:";
  if (line.substr(0, kLabel.size()) != kLabel) return 0;
  const std::size_t digits = std::min(line.find_first_not_of(' ', kLabel.size()), line.size());
  std::uint64_t kibibytes = 0;
  std::from_chars(line.data() + digits, line.data() + line.size(), kibibytes);
  return 1024 * kibibytes;
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path, std::uint64_t memory) {
  const Descriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (descriptor.number < 0) return cannot("open", path, errno);
  struct stat about {};
  if (::fstat(descriptor.number, &about) != 0) return cannot("open", path, errno);
  if (S_ISDIR(about.st_mode)) return Status::input(path + ": is a folder, expected a file");
  const std::shared_ptr<MappedFile> file(new MappedFile(path));
  if (!S_ISREG(about.st_mode)) {
    if (Status status = read_all(descriptor.number, path, memory, file->read_); !status.ok()) return status;
    file->bytes_ = file->read_;
  } else if (about.st_size > 0) {  // an empty file cannot be mapped: its bytes are the empty view
    const auto size = static_cast<std::size_t>(about.st_size);
    void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.number, 0);
    if (mapping == MAP_FAILED) return cannot("map", path, errno);
    file->mapping_ = mapping;
    file->bytes_ = std::string_view(static_cast<const char*>(mapping), size);
    note_mapped_range({reinterpret_cast<std::uintptr_t>(mapping), size, file->path_.c_str()});
  }
  return std::shared_ptr<const MappedFile>(file);
}

MappedFile::~MappedFile() {
  if (mapping_ == nullptr) return;
  forget_mapped_range(reinterpret_cast<std::uintptr_t>(mapping_));
  ::munmap(mapping_, bytes_.size());
}

void MappedFile::release(std::uint64_t begin, std::uint64_t end) const {
  if (mapping_ == nullptr) return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  if (end != bytes_.size()) end = end / page * page;  // the rest of the last page belongs to nobody else
  if (begin >= end) return;
  // A hint only: when it fails, the pages stay where they are.
  (void)::madvise(static_cast<char*>(mapping_) + begin, end - begin, MADV_DONTNEED);
}

void MappedFile::use_small_pages() const {
  if (mapping_ == nullptr) return;
  // Also a hint: kernels without large pages refuse it.
  std::call_once(small_pages_, [&] { (void)::madvise(mapping_, bytes_.size(), MADV_NOHUGEPAGE); });
}

void MappedFile::read_when_expected() const {
  if (mapping_ == nullptr) return;
  (void)::madvise(mapping_, bytes_.size(), MADV_RANDOM);
  expected_only_ = true;
}

void MappedFile::expect(std::uint64_t begin, std::uint64_t end) const {
  if (!expected_only_) return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  begin = begin / page * page;
  end = std::min<std::uint64_t>(end, bytes_.size());
  // A hint: without it the pages are read when they are touched.
  if (begin < end) (void)::madvise(static_cast<char*>(mapping_) + begin, end - begin, MADV_WILLNEED);
}

std::uint64_t MappedFile::resident() const {
  if (mapping_ == nullptr) return 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(mapping_), end = begin + bytes_.size();
  std::ifstream lines("/proc/self/smaps");
  std::uint64_t from = 0, to = 0, sum = 0;
  for (std::string line; std::getline(lines, line);) {
    if (parse_range(line, from, to)) continue;
    // A mapping may be listed in parts, but shares none with other files.
    if (from >= begin && from < end) sum += parse_resident(line);
  }
  return sum;
}

Result<InputFile> InputFile::open(const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(auto file, MappedFile::open(path));
  InputFile source;
  source.file_ = file;
  const std::string_view bytes = source.file_->bytes();
  if (is_gzip(bytes) || is_zstd(bytes)) {
    STRADS_ASSIGN_OR_RETURN(auto text, is_gzip(bytes) ? gunzip(bytes, path) : unpack_zstd(bytes, path));
    source.unpacked_ = std::make_shared<const std::string>(std::move(text));
  }
  return source;
}

InputFile InputFile::with_text(std::string text) const {
  InputFile other = *this;
  other.unpacked_ = std::make_shared<const std::string>(std::move(text));
  return other;
}

std::shared_ptr<const void> InputFile::owner() const {
  if (unpacked_) return unpacked_;
  return file_;
}

}  // namespace strads::data
