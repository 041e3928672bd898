#include "data/genotypes/unpacked.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "data/files/atomic_file.hpp"
#include "data/genotypes/bed.hpp"
#include "strads/base/hash.hpp"

namespace strads::data {

namespace {

static_assert(std::endian::native == std::endian::little, "dosages are stored as they are mapped");

constexpr std::uint64_t kUnpackedHeader = 128;
constexpr std::uint64_t kWriteAtOnce = std::uint64_t{1} << 22;
constexpr std::uint64_t kEdge = std::uint64_t{1} << 16;  ///< bytes at either end of a .pgen that its fingerprint has

// The head of the file: whose columns these are, and how they lie.
struct UnpackedHead {
  std::array<char, 24> magic{"STRADS unpacked .pgen 1"};
  std::uint64_t source_size = 0, source_seconds = 0, source_nanoseconds = 0, source_edges = 0;
  std::uint64_t samples = 0, variants = 0, storage = 0;

  friend bool operator==(const UnpackedHead&, const UnpackedHead&) = default;
};
static_assert(sizeof(UnpackedHead) <= kUnpackedHeader);

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

Result<UnpackedHead> head_of(const PgenReader& reader, const MappedFile& pgen) {
  struct stat about {};
  if (::stat(pgen.path().c_str(), &about) != 0) return Status::input(pgen.path() + ": is gone, expected it to stay");
  UnpackedHead head;
  head.source_size = pgen.bytes().size();
  head.source_seconds = static_cast<std::uint64_t>(about.st_mtim.tv_sec);
  head.source_nanoseconds = static_cast<std::uint64_t>(about.st_mtim.tv_nsec);
  Hash64 hash;
  const std::string_view bytes = pgen.bytes();
  hash.update(as_bytes(bytes.substr(0, kEdge)));
  hash.update(as_bytes(bytes.substr(bytes.size() - std::min<std::uint64_t>(kEdge, bytes.size()))));
  head.source_edges = hash.digest();
  head.samples = reader.samples();
  head.variants = reader.variants();
  const bool dosages = reader.with_dosages() > 0;
  head.storage = static_cast<std::uint64_t>(dosages ? Storage::dosage_u16 : Storage::genotype_2bit);
  return head;
}

std::uint64_t stride_of(const UnpackedHead& head) {
  return head.storage == static_cast<std::uint64_t>(Storage::dosage_u16) ? 2 * head.samples : bed_stride(head.samples);
}

// Maps the file iff it is there, whole, and of this .pgen.
std::shared_ptr<const MappedFile> find_unpacked(const std::string& path, const UnpackedHead& head) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return nullptr;
  const auto file = MappedFile::open(path);
  if (!file.ok()) return nullptr;
  const std::string_view bytes = file.value()->bytes();
  if (bytes.size() != kUnpackedHeader + head.variants * stride_of(head)) return nullptr;
  UnpackedHead found;
  std::memcpy(&found, bytes.data(), sizeof found);
  return found == head ? file.value() : nullptr;
}

// Holds the lock of a file as long as it lives. A hint: where the file system has no locks, several processes write.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ >= 0) (void)::flock(descriptor_, LOCK_EX);
  }
  ~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int descriptor_;
};

Status with_advice(const Status& status) {
  return status.ok() ? status
                     : Status(status.code(), status.message() +
                                                 "; the columns of the .pgen are unpacked there: --scratch DIR names "
                                                 "another folder");
}

// Appends the columns, some megabytes at a time.
Status write_columns(PgenReader& reader, const MappedFile& pgen, bool dosages, AtomicFile& file) {
  PgenCalls calls;
  std::string buffer;
  std::uint64_t released = 0;
  constexpr std::array<std::uint16_t, 4> kOfCode{0, kDosageOfACopy, 2 * kDosageOfACopy, kMissingDosage};
  for (std::uint64_t j = 0; j < reader.variants(); ++j) {
    if (Status read = reader.next(calls); !read.ok()) return read;
    if (!dosages) {
      to_bed_codes(calls.codes, reader.samples());
      buffer.append(reinterpret_cast<const char*>(calls.codes.data()), calls.codes.size());
    } else {
      if (!calls.has_dosages) {
        calls.dosages.resize(reader.samples());
        for (std::uint64_t i = 0; i < reader.samples(); ++i) {
          calls.dosages[i] = kOfCode[(calls.codes[i / 4] >> (2 * (i % 4))) & 3U];
        }
      }
      buffer.append(reinterpret_cast<const char*>(calls.dosages.data()), 2 * calls.dosages.size());
    }
    if (buffer.size() < kWriteAtOnce && j + 1 < reader.variants()) continue;
    if (Status written = file.write(buffer); !written.ok()) return with_advice(written);
    buffer.clear();
    pgen.release(std::exchange(released, reader.position()), reader.position());
  }
  return {};
}

Status write_unpacked(PgenReader& reader, const MappedFile& pgen, const UnpackedHead& head, const std::string& path) {
  auto file = AtomicFile::create(path);
  if (!file.ok()) return with_advice(file.status());
  std::string start(kUnpackedHeader, '\0');
  std::memcpy(start.data(), &head, sizeof head);
  if (Status written = file.value().write(start); !written.ok()) return with_advice(written);
  const bool dosages = reader.with_dosages() > 0;
  if (Status written = write_columns(reader, pgen, dosages, file.value()); !written.ok()) return written;
  return with_advice(file.value().commit());
}

}  // namespace

std::string unpacked_path(const std::string& pgen, const std::string& scratch) {
  if (scratch.empty()) return pgen + ".unpacked";
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(pgen, unknown);
  // Files of one name from several folders may share a scratch folder.
  std::uint64_t hash = xxh3(as_bytes(whole.lexically_normal().string()));
  std::string digits;
  for (int k = 0; k < 16; ++k, hash >>= 4) digits += "0123456789abcdef"[hash & 15U];
  return (std::filesystem::path(scratch) / (whole.filename().string() + '.' + digits + ".unpacked")).string();
}

Result<UnpackedGenotypes> unpacked_genotypes(PgenReader reader, const std::shared_ptr<const MappedFile>& pgen,
                                             const std::string& scratch) {
  UnpackedGenotypes out;
  out.stride = bed_stride(reader.samples());
  if (reader.mode() == PgenMode::bed) {
    out.file = pgen;
    out.offset = kBedHeader;
    out.found = true;
    return out;
  }
  STRADS_ASSIGN_OR_RETURN(const auto head, head_of(reader, *pgen));
  const std::string path = unpacked_path(pgen->path(), scratch);
  out.storage = static_cast<Storage>(head.storage);
  out.offset = kUnpackedHeader;
  out.stride = stride_of(head);
  out.file = find_unpacked(path, head);
  out.found = out.file != nullptr;
  if (out.found) return out;
  const FileLock lock(pgen->path());
  out.file = find_unpacked(path, head);  // whoever had the lock may have made it
  if (out.file != nullptr) return out;
  if (Status written = write_unpacked(reader, *pgen, head, path); !written.ok()) return written;
  out.file = find_unpacked(path, head);
  if (out.file == nullptr) return Status::input(path + ": is gone right after it was written; is it being removed?");
  return out;
}

}  // namespace strads::data
