#include "sim/audit/audit_text.hpp"

#include <array>
#include <charconv>

#include "sim/audit/audit_hashes.hpp"

namespace strads::sim {

std::string text_of(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string hex_of(std::uint64_t value) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = kDigits[value & 15];
  return text;
}

void Difference::compare(const char* field, const Payload& found, const Payload& expected) {
  if (hash_of(found) == hash_of(expected)) return;
  compare((std::string(field) + ".ids count").c_str(), std::uint64_t{found.ids.size()}, expected.ids.size());
  compare((std::string(field) + ".values count").c_str(), std::uint64_t{found.values.size()}, expected.values.size());
  for (std::size_t i = 0; i < found.ids.size() && !any(); ++i)
    compare((std::string(field) + ".ids[" + std::to_string(i) + "]").c_str(), std::uint64_t{found.ids[i]},
            std::uint64_t{expected.ids[i]});
  for (std::size_t i = 0; i < found.values.size() && !any(); ++i)
    compare((std::string(field) + ".values[" + std::to_string(i) + "]").c_str(), found.values[i], expected.values[i]);
  compare((std::string(field) + ".bulk count").c_str(), std::uint64_t{found.bulk.size()}, expected.bulk.size());
  for (std::size_t i = 0; i < found.bulk.size() && !any(); ++i)
    compare((std::string(field) + ".bulk[" + std::to_string(i) + "]").c_str(), found.bulk[i], expected.bulk[i]);
}

void Difference::compare(const char* field, const SharedFloats& found, const SharedFloats& expected) {
  compare((std::string(field) + " size").c_str(), std::uint64_t{found.size()}, expected.size());
  for (std::size_t i = 0; i < found.size() && !any(); ++i)
    compare((std::string(field) + "[" + std::to_string(i) + "]").c_str(), double{found.view()[i]},
            double{expected.view()[i]});
}

void Difference::keep(const std::string& field, const std::string& found, const std::string& expected) {
  if (any()) return;
  found_ = field + " = " + found;
  expected_ = expected;
}

}  // namespace strads::sim
