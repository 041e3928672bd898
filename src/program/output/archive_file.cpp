#include "program/output/archive_file.hpp"

#include <boost/archive/archive_exception.hpp>
#include <boost/archive/basic_archive.hpp>
#include <boost/archive/impl/basic_binary_iarchive.ipp>
#include <boost/archive/impl/basic_binary_iprimitive.ipp>
#include <cstring>
#include <new>
#include <stdexcept>

#include "strads/program/program.hpp"
#include "wire/printable.hpp"

// What Boost's library holds for its own readers only.
template class boost::archive::basic_binary_iarchive<strads::ArchiveReader>;
template class boost::archive::basic_binary_iprimitive<strads::ArchiveReader, char, std::char_traits<char>>;

namespace strads {
namespace {

constexpr std::size_t kReleaseMax = 64;  ///< of a name that is shown

/// Of an archive's header: signature with its length, version, sizes of four types, order of bytes.
constexpr std::streamsize kHeaderSize = 8 + 22 + 2 + 4 + 4;

struct FrontNumbers {
  std::uint32_t archive_version;
  std::uint32_t release_size;
};
static_assert(sizeof(FrontNumbers) == 8);

std::string who_wrote(const std::string& release) {
  return "written by release " + wire::printable(release, kReleaseMax) + ", this is release " + std::string(version());
}

std::string what_to_do(const std::string& release, std::string_view advice) {
  return "use release " + wire::printable(release, kReleaseMax) + " or a later one, or " + std::string(advice);
}

}  // namespace

ArchiveReader::ArchiveReader(std::streambuf& bytes) : Base(bytes, boost::archive::no_codecvt) {
  // Boost takes the end of the bytes for a version.
  if (m_sb.in_avail() < kHeaderSize) throw std::runtime_error("too short for its header");
  init(boost::archive::no_codecvt);
}

void ArchiveReader::expect(std::uint64_t count, std::size_t size) {
  const auto left = static_cast<std::uint64_t>(m_sb.in_avail());
  if (count > left / size) {
    throw std::runtime_error("a length of " + std::to_string(count) + ", but " + std::to_string(left) +
                             " bytes are left");
  }
}

void ArchiveReader::expect_end() {
  if (m_sb.in_avail() > 0) throw std::runtime_error("something follows the end of the archive");
}

void ArchiveReader::load(bool& value) {
  std::uint8_t byte = 0;
  Base::load(byte);
  if (byte > 1) throw std::runtime_error("neither yes nor no: " + std::to_string(byte));
  value = byte == 1;
}

void ArchiveReader::load(boost::archive::tracking_type& tracked) {
  bool value = false;
  load(value);
  if (value) throw std::runtime_error("an object that is tracked, expected none");
  tracked = boost::archive::tracking_type(false);
}

void ArchiveReader::load(std::string& text) {
  std::uint64_t size = 0;
  Base::load(size);
  expect(size, 1);
  text.resize(size);
  if (size > 0) load_binary(text.data(), size);
}

void expect_class_version(const char* name, unsigned found, int known) {
  if (found >= 1 && found <= static_cast<unsigned>(known)) return;
  throw std::runtime_error("version " + std::to_string(found) + " of " + name + ", expected at most " +
                           std::to_string(known));
}

std::uint32_t archive_version() {
  const auto version = boost::archive::BOOST_ARCHIVE_VERSION();
  return static_cast<std::uint16_t>(version);
}

Status archive_failure(const std::exception& thrown) {
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr) return Status::input("archive: not enough memory");
  return Status::input(std::string("archive: ") + thrown.what());
}

std::string release_front() {
  const std::string_view release = version();
  const FrontNumbers numbers{archive_version(), static_cast<std::uint32_t>(release.size())};
  return std::string(reinterpret_cast<const char*>(&numbers), sizeof numbers).append(release);
}

Result<ReleaseFront> read_release_front(const std::string& path, std::string_view content, std::string_view advice) {
  FrontNumbers numbers{};
  if (content.size() >= sizeof numbers) std::memcpy(&numbers, content.data(), sizeof numbers);
  if (content.size() < sizeof numbers || numbers.release_size > content.size() - sizeof numbers) {
    return Status::input(path + ": too short for its kind; " + std::string(advice));
  }
  content.remove_prefix(sizeof numbers);
  ReleaseFront front{std::string(content.substr(0, numbers.release_size)), content.substr(numbers.release_size)};
  if (numbers.archive_version <= archive_version()) return front;
  return Status::input(path + ": version " + std::to_string(numbers.archive_version) +
                       " of Boost's archives, the Boost of this program reads up to " +
                       std::to_string(archive_version()) + "; " + who_wrote(front.release) +
                       "; build this release with a Boost as late as that one's, or " + std::string(advice));
}

Status release_failure(const std::string& path, const std::string& release, const Status& why,
                       std::string_view advice) {
  return Status::input(path + ": " + why.message() + "; " + who_wrote(release) + "; " + what_to_do(release, advice));
}

Status PieceBuffer::finish() {
  if (outcome_.ok() && !pieces_.empty()) outcome_ = take_(pieces_);
  pieces_.clear();
  return outcome_;
}

PieceBuffer::int_type PieceBuffer::overflow(int_type letter) {
  if (traits_type::eq_int_type(letter, traits_type::eof())) return traits_type::not_eof(letter);
  const char byte = traits_type::to_char_type(letter);
  return xsputn(&byte, 1) == 1 ? letter : traits_type::eof();
}

std::streamsize PieceBuffer::xsputn(const char* bytes, std::streamsize count) {
  pieces_.append(bytes, static_cast<std::size_t>(count));
  if (pieces_.size() >= kPiece && !finish().ok()) return 0;
  return outcome_.ok() ? count : 0;
}

}  // namespace strads
