// Objects as bytes: Boost.Serialization's binary archive with class versions, and the content of a file that builds of
// other releases read. Layer: program. Besides this layer it is included by files *_archive.cpp of programs, which say
// in Boost's non-intrusive form what of their classes is archived.
#pragma once

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/serialization/collection_size_type.hpp>
#include <boost/serialization/item_version_type.hpp>
#include <boost/serialization/version.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <sstream>
#include <streambuf>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "strads/base/status.hpp"

namespace strads {

/// Reads what boost::archive::binary_oarchive wrote. Boost's own reader believes every length. This one compares them
/// with the bytes that are left before it makes room, so that a wrong one ends as an exception and not the process by
/// its memory. Nothing is read through a pointer or tracked.
class ArchiveReader final : public boost::archive::binary_iarchive_impl<ArchiveReader, char, std::char_traits<char>> {
  using Base = boost::archive::binary_iarchive_impl<ArchiveReader, char, std::char_traits<char>>;

 public:
  /// Reads the header. Throws when it is not that of an archive.
  explicit ArchiveReader(std::streambuf& bytes);
  /// Throws where fewer bytes are left than `count` things of `size` bytes take.
  void expect(std::uint64_t count, std::size_t size);
  /// Throws where bytes are left.
  void expect_end();

 private:
  friend class boost::archive::load_access;
  friend class boost::archive::detail::interface_iarchive<ArchiveReader>;
  friend class boost::archive::basic_binary_iarchive<ArchiveReader>;
  friend class boost::archive::basic_binary_iprimitive<ArchiveReader, char, std::char_traits<char>>;

  template <class T>
  void load_override(T& value) {
    Base::load_override(value);
  }
  void load_override(boost::serialization::collection_size_type& count) {
    Base::load_override(count);
    expect(std::as_const(count), 1);
  }
  using Base::load;
  void load(bool& value);  // not every byte is one
  void load(boost::archive::tracking_type& tracked);
  void load(std::string& text);
};

/// A list of objects, which grows as they are read: Boost's own makes room for `count` of them at once, each of which
/// may take hundreds of times a byte.
template <class T, class Allocator>
requires std::is_class_v<T>
void load(ArchiveReader& archive, std::vector<T, Allocator>& list, const unsigned /*version*/) {
  boost::serialization::collection_size_type count;
  boost::serialization::item_version_type item_version;
  archive >> count >> item_version;
  list.clear();
  for (std::size_t left = std::as_const(count); left > 0; --left) archive >> list.emplace_back();
}

/// Throws where the class has a later version in an archive than in this program. REQUIRES: called by serialize() of
/// every class whose archives other builds read; its versions count from 1 (BOOST_CLASS_VERSION).
void expect_class_version(const char* name, unsigned found, int known);
template <class T>
void expect_class_version(const char* name, unsigned found) {
  expect_class_version(name, found, boost::serialization::version<T>::value);
}

/// The format of the archives that this Boost writes, the last one that it reads.
[[nodiscard]] std::uint32_t archive_version();

/// What was thrown while an archive was written or read, as an error of the input.
[[nodiscard]] Status archive_failure(const std::exception& thrown);

/// Bytes that somebody else owns as a stream to read.
class BytesBuffer final : public std::streambuf {
 public:
  explicit BytesBuffer(std::string_view bytes) {
    char* begin = const_cast<char*>(bytes.data());  // std::streambuf takes what it only reads as not const
    setg(begin, begin, begin + bytes.size());
  }
};

/// A stream to write whose bytes are handed on in pieces.
class PieceBuffer final : public std::streambuf {
 public:
  /// `take` outlives the buffer.
  explicit PieceBuffer(const std::function<Status(std::string_view)>& take) : take_(take) { pieces_.reserve(kPiece); }
  /// Hands on what is left. Errors: those of `take`; after the first one it is not called any more.
  [[nodiscard]] Status finish();

 protected:
  int_type overflow(int_type letter) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18;
  const std::function<Status(std::string_view)>& take_;
  std::string pieces_;
  Status outcome_;
};

/// Hands `front` and the archive of an object on in pieces. Errors: input: no memory; those of `take`.
template <class T>
[[nodiscard]] Status archive_in_pieces(std::string_view front, const T& object,
                                       const std::function<Status(std::string_view)>& take) {
  PieceBuffer buffer(take);
  try {
    buffer.sputn(front.data(), static_cast<std::streamsize>(front.size()));
    // The archive writes its last bytes when it goes.
    boost::archive::binary_oarchive(static_cast<std::streambuf&>(buffer)) << object;
  } catch (const std::exception& error) {
    const Status taken = buffer.finish();
    return taken.ok() ? archive_failure(error) : taken;
  }
  return buffer.finish();
}

/// Appends the archive of an object to `front`. Errors: input: no memory.
template <class T>
[[nodiscard]] Result<std::string> to_archive(std::string front, const T& object) {
  try {
    std::ostringstream stream(std::move(front), std::ios::binary | std::ios::ate);
    // The archive writes its last bytes when it goes.
    boost::archive::binary_oarchive(stream) << object;
    return std::move(stream).str();
  } catch (const std::exception& error) {
    return archive_failure(error);
  }
}

/// The object whose archive this is, from its first byte to its last. Any bytes may be given: they end as an object or
/// as an error, in memory of a small multiple of their number. Errors: input, without a path.
template <class T>
[[nodiscard]] Result<T> from_archive(std::string_view archive) {
  try {
    BytesBuffer bytes(archive);
    T object;
    ArchiveReader reader(bytes);
    reader >> object;
    reader.expect_end();
    return object;
  } catch (const std::exception& error) {  // Boost's own are among them
    return archive_failure(error);
  }
}

/// What stands before the archive in a file that other releases read; every release can read it. Layout, little-endian:
/// version of Boost's archives (u32), length of the release (u32), release that wrote the file ("0.1.0").
struct ReleaseFront {
  std::string release;
  std::string_view archive;  ///< what follows
};
[[nodiscard]] std::string release_front();
/// `advice`: what to do with a file that is of no use here. Errors: input, with the path: too short; written with a
/// later Boost.
[[nodiscard]] Result<ReleaseFront> read_release_front(const std::string& path, std::string_view content,
                                                      std::string_view advice);
/// The error about a file of which the archive cannot be read.
[[nodiscard]] Status release_failure(const std::string& path, const std::string& release, const Status& why,
                                     std::string_view advice);

/// The content of a file that holds one object, and back; a seal goes around it (write_sealed_file()). `advice`: what
/// else to do than to take another release: "fit the model again". Errors: input: no memory; not such a file, written
/// by a later release, with a later Boost.
template <class T>
[[nodiscard]] Result<std::string> to_archive_content(const T& object) {
  return to_archive(release_front(), object);
}
template <class T>
[[nodiscard]] Result<T> from_archive_content(const std::string& path, std::string_view content,
                                             std::string_view advice) {
  STRADS_ASSIGN_OR_RETURN(const auto front, read_release_front(path, content, advice));
  auto object = from_archive<T>(front.archive);
  if (!object.ok()) return release_failure(path, front.release, object.status(), advice);
  return object;
}

}  // namespace strads

// As that of boost::archive::binary_oarchive is: arrays of numbers lie there as they do in memory.
BOOST_SERIALIZATION_USE_ARRAY_OPTIMIZATION(strads::ArchiveReader)
