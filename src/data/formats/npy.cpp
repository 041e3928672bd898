#include "data/formats/npy.hpp"

#include <cmath>
#include <optional>

#include "data/text/text.hpp"

namespace strads::data {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// Reads the Python literal of the header: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  // Fills the array's type, order and shape. False when the text is no such literal.
  bool parse(NpyArray& array) {
    if (!accept('{')) return false;
    while (!accept('}')) {
      std::string_view key;
      if (!string(key) || !accept(':')) return false;
      if (key == "descr" ? !type(array) : key == "fortran_order" ? !order(array) : key != "shape" || !shape(array)) {
        return false;
      }
      ++keys_;
      if (!accept(',') && !next_is('}')) return false;
    }
    skip();
    return keys_ == 3 && has_type_ && has_shape_ && text_.empty();
  }

  [[nodiscard]] std::string_view descr() const noexcept { return descr_; }
  [[nodiscard]] bool byte_order_is_ours() const noexcept { return little_endian_; }

 private:
  void skip() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool next_is(char c) {
    skip();
    return !text_.empty() && text_.front() == c;
  }
  bool accept(char c) {
    if (!next_is(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool string(std::string_view& out) {
    skip();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return false;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return false;
    out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool type(NpyArray& array) {
    if (!string(descr_) || descr_.size() < 3) return false;
    has_type_ = true;
    little_endian_ = descr_[0] == '<' || descr_[0] == '|' || descr_[0] == '=';
    array.kind = descr_[1];
    if (!parse_count(descr_.substr(2), array.item_size) || array.item_size == 0) return false;
    if (array.kind == 'U') {
      if (array.item_size > 1024) return false;
      array.item_size *= 4;
    }
    return array.item_size <= 4096;
  }
  bool order(NpyArray& array) {
    skip();
    array.fortran = text_.substr(0, 4) == "True";
    const std::size_t length = array.fortran ? 4 : 5;
    if (!array.fortran && text_.substr(0, 5) != "False") return false;
    text_.remove_prefix(length);
    return true;
  }
  bool shape(NpyArray& array) {
    if (!accept('(') || has_shape_) return false;
    has_shape_ = true;
    while (!accept(')')) {
      skip();
      std::size_t digits = 0;
      while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9') ++digits;
      std::uint64_t size = 0;
      if (!parse_count(text_.substr(0, digits), size) || array.shape.size() == 8) return false;
      array.shape.push_back(size);
      text_.remove_prefix(digits);
      if (!accept(',') && !next_is(')')) return false;
    }
    return true;
  }

  std::string_view text_;
  std::string_view descr_;
  int keys_ = 0;
  bool has_type_ = false;
  bool has_shape_ = false;
  bool little_endian_ = false;
};

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

// Product of the shape times the item size, or nothing when it exceeds 64 bits.
std::optional<std::uint64_t> byte_count(NpyArray& array) {
  std::uint64_t bytes = array.item_size;
  for (const std::uint64_t size : array.shape) {
    if (__builtin_mul_overflow(array.count, size, &array.count)) return std::nullopt;
  }
  if (__builtin_mul_overflow(bytes, array.count, &bytes)) return std::nullopt;
  return bytes;
}

std::string shape_text(const NpyArray& array) {
  std::string out = "(";
  for (const std::uint64_t size : array.shape) out += (out.size() > 1 ? ", " : "") + std::to_string(size);
  return out + ")";
}

}  // namespace

bool is_npy(std::string_view bytes) {
  return bytes.substr(0, kMagic.size()) == kMagic;
}

Result<NpyArray> parse_npy(std::string_view bytes, const std::string& path) {
  if (!is_npy(bytes)) return Status::input(path + ": does not start with \\x93NUMPY, expected a .npy array");
  const Status cut_off = Status::input(path + ": ends inside the .npy header: the file is cut off; write it again");
  if (bytes.size() < 8) return cut_off;
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    return Status::input(path + ": .npy format version " + std::to_string(version) + ", expected 1, 2 or 3");
  }
  const std::uint64_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < 8 + length_bytes) return cut_off;
  const std::uint64_t length = little_endian(bytes.substr(8, length_bytes));
  NpyArray array;
  array.data_offset = 8 + length_bytes + length;
  if (bytes.size() < array.data_offset) return cut_off;
  const std::string_view text = bytes.substr(8 + length_bytes, length);
  HeaderParser header(text);
  if (!header.parse(array)) {
    return Status::input(path + ": .npy header " + in_quotes(text) +
                         ", expected {'descr': ..., 'fortran_order': ..., 'shape': ...} with a plain number type");
  }
  if (!header.byte_order_is_ours() || std::string_view("fiubSU").find(array.kind) == std::string_view::npos) {
    return Status::input(path + ": entries of type " + in_quotes(header.descr()) +
                         ", expected little-endian numbers; convert with .astype('<f8')");
  }
  const auto size = byte_count(array);
  if (!size || *size != bytes.size() - array.data_offset) {
    return Status::input(path + ": shape " + shape_text(array) + " of " + type_name(array) + " needs " +
                         (size ? std::to_string(*size) : std::string("more than 2^64")) + " bytes, but " +
                         std::to_string(bytes.size() - array.data_offset) +
                         " follow the header: the file is cut off or damaged; write it again");
  }
  array.data = bytes.substr(array.data_offset);
  return array;
}

std::string type_name(const NpyArray& array) {
  switch (array.kind) {
    case 'f':
      return "float" + std::to_string(8 * array.item_size);
    case 'i':
      return "int" + std::to_string(8 * array.item_size);
    case 'u':
      return "uint" + std::to_string(8 * array.item_size);
    case 'b':
      return "bool";
    default:
      return "strings";
  }
}

Result<std::vector<double>> read_npy_vector(std::string_view bytes, const std::string& path) {
  STRADS_ASSIGN_OR_RETURN(const NpyArray array, parse_npy(bytes, path));
  const bool one_column = array.shape.size() == 2 && array.shape[1] == 1;
  if (array.shape.size() != 1 && !one_column) {
    return Status::input(path + ": shape " + shape_text(array) + ", expected one dimension (a response)");
  }
  std::vector<double> out(array.count);
  const bool numbers = with_loader(array, [&](auto load) {
    for (std::uint64_t k = 0; k < array.count; ++k) out[k] = static_cast<double>(load(array.data, k));
  });
  if (!numbers) return Status::input(path + ": entries are " + type_name(array) + ", expected float32 or float64");
  for (std::uint64_t k = 0; k < out.size(); ++k) {
    if (std::isinf(out[k])) return Status::input(path + ": entry " + std::to_string(k + 1) + " is infinite");
  }
  return out;
}

}  // namespace strads::data
