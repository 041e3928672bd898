#include "data/files/zip_archive.hpp"

namespace strads::data {

Result<ZipArchive> open_zip(std::string_view bytes, const std::string& path) {
  ZipError error;
  ZipSource source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get()));
  ZipArchive archive(source ? zip_open_from_source(source.get(), ZIP_RDONLY, error.get()) : nullptr);
  if (!archive) {
    return Status::input(path + ": no readable zip archive (" + error.text() + "): cut off or damaged; write it again");
  }
  static_cast<void>(source.release());  // the archive's
  return archive;
}

Result<OpenMember> open_member(zip_t* archive, const std::string& name, std::uint64_t archive_bytes,
                               const std::string& where, const std::string& missing) {
  constexpr std::uint64_t kDeflateMax = 1032;  // largest ratio that deflate can reach
  zip_stat_t about;
  if (zip_stat(archive, name.c_str(), 0, &about) != 0) return Status::input(missing);
  if ((about.valid & ZIP_STAT_SIZE) == 0 || about.size / kDeflateMax > archive_bytes) {
    return Status::input(where + ": claims " + std::to_string(about.size) + " bytes, more than the file can hold");
  }
  OpenMember member{ZipMember(zip_fopen_index(archive, about.index, 0)), about.size};
  if (!member.file) return Status::input(where + ": cannot be unzipped (" + zip_strerror(archive) + ")");
  return member;
}

Result<std::string> read_member(const OpenMember& member, const std::string& where) {
  std::string bytes(member.size, '\0');
  std::uint64_t have = 0;
  while (have < bytes.size()) {
    const zip_int64_t count = zip_fread(member.file.get(), bytes.data() + have, bytes.size() - have);
    if (count <= 0) return Status::input(where + ": cut off or damaged after " + std::to_string(have) + " bytes");
    have += static_cast<std::uint64_t>(count);
  }
  char more = 0;  // the read past the end is what compares the checksum
  if (zip_fread(member.file.get(), &more, 1) != 0) return Status::input(where + ": damaged, the checksum is wrong");
  return bytes;
}

}  // namespace strads::data
