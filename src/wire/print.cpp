#include "wire/print.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <string_view>
#include <system_error>

#include "strads/base/status.hpp"

namespace strads::wire {
namespace {

constexpr std::size_t kItemsShown = 8;
constexpr std::size_t kCharactersShown = 64;

template <class T>
std::string number_text(T number) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  STRADS_CHECK(end.ec == std::errc(), "32 characters hold any number");
  return {buffer.data(), end.ptr};
}

template <class T>
std::string array_text(const std::vector<T>& items) {
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(items.size(), kItemsShown); ++i) {
    if (i > 0) text += ' ';
    text += number_text(items[i]);
  }
  if (items.size() > kItemsShown) text += " ... " + std::to_string(items.size());
  return text + ']';
}

template <class T>
std::string field_text(const std::string& name, const T& value) {
  return name + '=' + number_text(value);
}

template <class T>
std::string field_text(const std::string& name, const std::vector<T>& items) {
  return name + '=' + array_text(items);
}

/// Quoted. A peer may send any byte: only printable ASCII goes into a log as it is.
std::string field_text(const std::string& name, const std::string& text) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string quoted = name + "=\"";
  for (const char c : std::string_view(text).substr(0, kCharactersShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (byte >= 0x20 && byte < 0x7f) {
      quoted += c;
    } else {
      quoted += std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15];
    }
  }
  quoted += '"';
  if (text.size() > kCharactersShown) quoted += " ... " + std::to_string(text.size());
  return quoted;
}

std::string field_text(const std::string& name, const Payload& payload) {
  std::string text = name + ".ids=" + array_text(payload.ids) + ' ' + name + ".values=" + array_text(payload.values);
  if (payload.bulk.empty()) return text;
  std::vector<std::size_t> sizes;
  for (const SharedFloats& array : payload.bulk) sizes.push_back(array.size());
  return text + ' ' + name + ".bulk_sizes=" + array_text(sizes);
}

template <class T>
std::string type_name() {
  if constexpr (std::same_as<T, Payload>) {
    return "payload";
  } else if constexpr (std::same_as<T, std::string>) {
    return "string";
  } else if constexpr (requires { typename T::value_type; }) {
    return type_name<typename T::value_type>() + "[]";
  } else if constexpr (std::same_as<T, double>) {
    return "f64";
  } else {
    return (std::signed_integral<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
  }
}

/// A bar inside a cell would end the cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

std::string to_text(const Message& message) {
  return std::visit(
      []<class M>(const M& m) {
        std::string text = M::kName;
        M::fields(m,
                  [&text](const char* name, const auto& field, const char*) { text += ' ' + field_text(name, field); });
        return text;
      },
      message);
}

std::string message_table() {
  std::string table = "| message | field | type | meaning |\n| --- | --- | --- | --- |\n";
  for_each_message_type([&table]<class M>(std::type_identity<M>) {
    table += "| **" + std::string(M::kName) + "** (" + std::to_string(M::kType) + ") | | | " + cell(M::kSays) + " |\n";
    const M example;
    M::fields(example, [&table]<class T>(const char* name, const T&, const char* meaning) {
      table += "| | `" + std::string(name) + "` | " + type_name<T>() + " | " + cell(meaning) + " |\n";
    });
  });
  return table;
}

}  // namespace strads::wire
