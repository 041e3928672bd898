// Any bytes into the readers of what runs leave behind, behind the checksums that random bytes never pass: no crash, no
// undefined behaviour, no memory far beyond what came in; and what is read is written and read again as the same bytes.
// The first byte chooses, modulo 5, what the rest is:
//   0, 1, 2   a checkpoint, model.bin, path.bin: an archive; from 128 on with a right header before it
//   3, 4      model.bin and path.bin from before there were archives
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "program/output/checkpoint_archive.hpp"
#include "regression/model_archive.hpp"
#include "regression/plain_model.hpp"

namespace {

using strads::Checkpoint;
using strads::Result;
using strads::lasso::FittedModel;
using strads::lasso::FittedPath;

/// Up to the first class: signature with its length, version, four sizes, order of bytes.
constexpr std::size_t kHeaderSize = 8 + 22 + 2 + 4 + 4;

void require(bool condition) {
  if (!condition) std::abort();
}

Result<std::string> write(const Checkpoint& checkpoint) {
  return strads::archive_checkpoint("", checkpoint);
}
Result<Checkpoint> read(std::string_view archive, const Checkpoint* /*what*/) {
  return strads::read_checkpoint_archive(archive);
}
template <class T>
Result<std::string> write(const T& fitted) {
  return strads::lasso::to_model_content(fitted);
}
template <class T>
Result<T> read(std::string_view content, const T* /*what*/) {
  return strads::lasso::from_model_content<T>("f", content);
}

template <class T>
void check_round_trip(const T& object) {
  const auto once = write(object);
  require(once.ok());
  const auto again = read(once.value(), static_cast<const T*>(nullptr));
  require(again.ok() && write(again.value()).value() == once.value());
}

template <class T>
void read_archive(std::string_view rest, bool with_header) {
  static const std::string empty = write(T{}).value();
  static const std::string header = empty.substr(0, empty.find("serialization") - 8 + kHeaderSize);
  const auto object =
      read(with_header ? header + std::string(rest) : std::string(rest), static_cast<const T*>(nullptr));
  if (object.ok()) {
    check_round_trip(object.value());
  } else {
    require(!object.status().message().empty());
  }
}

template <class T>
void read_plain(std::string_view rest) {
  const auto fitted = strads::lasso::from_plain_content<T>(rest);
  if (fitted.has_value()) check_round_trip(*fitted);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const bool with_header = data[0] >= 128;
  switch (data[0] % 5) {
    case 0:
      read_archive<Checkpoint>(rest, with_header);
      break;
    case 1:
      read_archive<FittedModel>(rest, with_header);
      break;
    case 2:
      read_archive<FittedPath>(rest, with_header);
      break;
    case 3:
      read_plain<FittedModel>(rest);
      break;
    default:
      read_plain<FittedPath>(rest);
      break;
  }
  return 0;
}
