#include "mf/ranking/protocols.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "strads/base/hash.hpp"

namespace strads::mf {
namespace {

/// Numbers of ids, in the order in which they come.
struct Numbered {
  std::vector<std::uint32_t> of_line;
  std::vector<std::string_view> names;
};

Numbered numbered(const std::vector<std::string>& ids) {
  Numbered out;
  std::unordered_map<std::string_view, std::uint32_t> places;
  out.of_line.reserve(ids.size());
  for (const std::string& id : ids) {
    const auto [place, is_new] = places.try_emplace(id, static_cast<std::uint32_t>(out.names.size()));
    if (is_new) out.names.push_back(id);
    out.of_line.push_back(place->second);
  }
  return out;
}

void update_text(Hash64& hash, std::string_view text) {
  hash.update_u64(text.size());
  hash.update(std::as_bytes(std::span(text.data(), text.size())));
}

std::uint64_t drawn(std::uint64_t seed, std::string_view user, std::string_view item) {
  Hash64 hash;
  hash.update_u64(seed);
  update_text(hash, user);
  update_text(hash, item);
  return hash.digest();
}

/// Lines of each user, in the order of the file.
std::vector<std::vector<std::size_t>> lines_by_user(const Numbered& users) {
  std::vector<std::vector<std::size_t>> out(users.names.size());
  for (std::size_t line = 0; line < users.of_line.size(); ++line) out[users.of_line[line]].push_back(line);
  return out;
}

/// Of all lines of a pair, those of a user with one item, `kept` is to be found.
void hold_out(const std::vector<std::size_t>& lines, const Numbered& items, std::size_t kept,
              std::vector<SplitPart>& parts) {
  for (const std::size_t line : lines) {
    if (items.of_line[line] == items.of_line[kept]) parts[line] = SplitPart::left_out;
  }
  parts[kept] = SplitPart::test;
}

}  // namespace

std::vector<SplitPart> leave_last_out(const RatingEvents& events) {
  const Numbered users = numbered(events.users), items = numbered(events.items);
  std::vector<SplitPart> parts(events.users.size(), SplitPart::train);
  for (const auto& lines : lines_by_user(users)) {
    std::size_t last = lines.front();
    bool has_others = false;
    for (const std::size_t line : lines) {
      if (events.times[line] >= events.times[last]) last = line;
    }
    for (const std::size_t line : lines) has_others = has_others || items.of_line[line] != items.of_line[last];
    if (!has_others) continue;
    hold_out(lines, items, last, parts);
  }
  return parts;
}

std::vector<SplitPart> strong_generalisation(const RatingEvents& events, const StrongSplit& split) {
  constexpr std::size_t kLeastPairs = 5;
  const Numbered users = numbered(events.users), items = numbered(events.items);
  std::vector<std::pair<std::uint64_t, std::string_view>> order;
  for (const std::string_view name : users.names) order.emplace_back(drawn(split.seed, name, ""), name);
  std::sort(order.begin(), order.end());
  order.resize(static_cast<std::size_t>(std::floor(split.users * static_cast<double>(order.size()))));
  std::unordered_map<std::string_view, bool> held;  // looked up only
  for (const auto& [hash, name] : order) held.emplace(name, true);

  std::vector<bool> is_known(items.names.size(), false);
  for (std::size_t line = 0; line < events.users.size(); ++line) {
    if (!held.contains(events.users[line])) is_known[items.of_line[line]] = true;
  }
  std::vector<SplitPart> parts(events.users.size(), SplitPart::train);
  const auto by_user = lines_by_user(users);
  for (std::uint32_t user = 0; user < by_user.size(); ++user) {
    if (!held.contains(users.names[user])) continue;
    std::map<std::pair<std::uint64_t, std::string_view>, std::size_t> last;  // line of each item
    for (const std::size_t line : by_user[user]) {
      const std::uint32_t item = items.of_line[line];
      parts[line] = is_known[item] ? SplitPart::given : SplitPart::left_out;
      if (is_known[item]) {
        last[std::pair(drawn(split.seed, users.names[user], items.names[item]), items.names[item])] = line;
      }
    }
    if (last.size() < kLeastPairs) continue;
    auto left = static_cast<std::size_t>(std::floor(split.test * static_cast<double>(last.size())));
    for (auto pair = last.begin(); left > 0; ++pair, --left) hold_out(by_user[user], items, pair->second, parts);
  }
  return parts;
}

}  // namespace strads::mf
