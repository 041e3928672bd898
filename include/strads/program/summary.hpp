// Facts about a run, in order.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "strads/base/refusals.hpp"

namespace strads {

/// Facts about a run in the order in which they were added, written as JSON.
class Summary {
 public:
  struct Entry;
  using Value = std::variant<bool, std::uint64_t, double, std::string, std::vector<std::string>,
                             std::vector<std::uint32_t>, std::vector<Entry>, std::vector<std::vector<Entry>>>;
  struct Entry {
    std::string name;
    Value value;
  };

  void add(std::string name, bool value) { append(std::move(name), value); }
  void add(std::string name, std::uint64_t value) { append(std::move(name), value); }
  void add(std::string name, std::uint32_t value) { append(std::move(name), std::uint64_t{value}); }
  /// Not finite: null.
  void add(std::string name, double value) { append(std::move(name), value); }
  void add(std::string name, std::string_view value) { append(std::move(name), std::string(value)); }
  void add(std::string name, const char* value) { append(std::move(name), std::string(value)); }
  void add(std::string name, std::vector<std::string> values) { append(std::move(name), std::move(values)); }
  void add(std::string name, std::vector<std::uint32_t> values) { append(std::move(name), std::move(values)); }
  void add(std::string name, const Summary& nested) { append(std::move(name), nested.entries_); }
  /// A list of objects.
  void add(std::string name, const std::vector<Summary>& list) {
    std::vector<std::vector<Entry>> objects;
    objects.reserve(list.size());
    for (const auto& object : list) objects.push_back(object.entries_);
    append(std::move(name), std::move(objects));
  }

  /// Indented JSON, newline at the end; numbers so that they read back as the same bits.
  [[nodiscard]] std::string json() const;

 private:
  void append(std::string name, Value value) { entries_.push_back({std::move(name), std::move(value)}); }
  std::vector<Entry> entries_;
};

/// A text in double quotes as JSON has it; what is not UTF-8 becomes U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

/// What a process did not take: `refused`, in all, and `refused_by_kind`.
void add_refusals(Summary& facts, const Refusals& refusals);

}  // namespace strads
