#include "support/transcript_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <system_error>
#include <variant>

namespace strads::support {

namespace {

/// What a message is about.
constexpr std::string_view kNames[] = {"round", "index", "version", "scheduler", "phase", "verdict", "node", "phases"};
constexpr std::string_view kAlwaysShown[] = {"base", "step"};
/// What a computation cost or gained is not what these stories are about; the worker stands in the address.
constexpr std::string_view kNeverShown[] = {"flops",        "flops_path", "bytes",         "updates",
                                            "updates_path", "rounds",     "planned_early", "realised",
                                            "predicted",    "objective",  "worker",        "tally"};
constexpr std::string_view kVerdicts[] = {"go_on", "verify", "stop"};

bool among(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <class T>
std::string number_text(T number) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr};
}

template <class T>
T number_of(std::string_view text) {
  T number{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || text.empty()) {
    throw StoryError("\"" + std::string(text) + "\" is not a number of the kind expected here");
  }
  return number;
}

template <class T>
std::string items_text(const std::vector<T>& items) {
  std::string text;
  for (const T& item : items) text += (text.empty() ? "" : " ") + number_text(item);
  return text;
}

/// What stands between the brackets.
std::string_view inside(std::string_view word) {
  if (word.size() < 2 || word.front() != '[' || word.back() != ']') {
    throw StoryError("\"" + std::string(word) + "\" is not a list: write [1 2 3]");
  }
  return word.substr(1, word.size() - 2);
}

template <class T>
std::vector<T> items_of(std::string_view text) {
  std::vector<T> items;
  for (const std::string& word : words_of(text)) items.push_back(number_of<T>(word));
  return items;
}

/// Stories are told with ids and values; of arrays of floats only the sizes are shown.
std::string value_text(std::string_view name, const Payload& payload) {
  if (!payload.bulk.empty()) {
    std::vector<std::size_t> sizes;
    for (const SharedFloats& array : payload.bulk) sizes.push_back(array.size());
    return value_text(name, Payload{payload.ids, payload.values}) + "+floats[" + items_text(sizes) + ']';
  }
  if (payload.values.empty()) return '[' + items_text(payload.ids) + ']';
  if (payload.values.size() != payload.ids.size()) {
    return '[' + items_text(payload.ids) + " | " + items_text(payload.values) + ']';
  }
  std::string text;
  for (std::size_t i = 0; i < payload.ids.size(); ++i) {
    text += (i > 0 ? " " : "") + number_text(payload.ids[i]) + ':' + number_text(payload.values[i]);
  }
  return '[' + text + ']';
}

std::string value_text(std::string_view, const std::string& text) {
  return '"' + text + '"';
}

template <std::integral T>
std::string value_text(std::string_view, const std::vector<T>& items) {
  return '[' + items_text(items) + ']';
}

template <class T>
requires std::integral<T> || std::floating_point<T> std::string value_text(std::string_view name, T number) {
  if (name == "verdict" && number >= T{0} && number < T{3}) {
    return std::string(kVerdicts[static_cast<std::size_t>(number)]);
  }
  return number_text(number);
}

void read_value(std::string_view, std::string_view text, Payload& payload) {
  const std::string_view content = inside(text);
  if (const std::size_t bar = content.find('|'); bar != std::string_view::npos) {
    payload = {items_of<VarId>(content.substr(0, bar)), items_of<double>(content.substr(bar + 1))};
    return;
  }
  for (const std::string& word : words_of(content)) {
    const std::size_t colon = word.find(':');
    payload.ids.push_back(number_of<VarId>(std::string_view(word).substr(0, colon)));
    if (colon != std::string::npos)
      payload.values.push_back(number_of<double>(std::string_view(word).substr(colon + 1)));
  }
}

void read_value(std::string_view, std::string_view text, std::string& value) {
  value = text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

void read_value(std::string_view, std::string_view text, std::vector<std::uint32_t>& items) {
  items = list_of(text);
}

template <std::integral T>
void read_value(std::string_view, std::string_view text, std::vector<T>& items) {
  items = items_of<T>(inside(text));
}

template <class T>
requires std::integral<T> || std::floating_point<T>
void read_value(std::string_view name, std::string_view text, T& number) {
  const auto* verdict = std::find(std::begin(kVerdicts), std::end(kVerdicts), text);
  number = name == "verdict" && verdict != std::end(kVerdicts) ? static_cast<T>(verdict - std::begin(kVerdicts))
                                                               : number_of<T>(text);
}

}  // namespace

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  int brackets = 0;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (!quoted) brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c != ' ' || brackets > 0 || quoted) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

Field field_of(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) throw StoryError("\"" + word + "\" is not understood: expected name=value");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

std::string short_number(double number) {
  return number_text(number);
}

std::int64_t integer_of(std::string_view word) {
  return number_of<std::int64_t>(word);
}

std::vector<std::uint32_t> list_of(std::string_view word) {
  return items_of<std::uint32_t>(inside(word));
}

std::string short_text(const wire::Address& address) {
  static constexpr const char* kRoles[] = {"coordinator", "scheduler ", "worker ", "node "};
  const std::string role = kRoles[static_cast<std::size_t>(address.role)];
  return address.role == wire::Role::coordinator ? role : role + std::to_string(address.index);
}

std::string short_text(const wire::Message& message) {
  return std::visit(
      []<class M>(const M& m) {
        std::vector<std::string> defaults;
        const M example;
        M::fields(example, [&](const char* name, const auto& value, const char*) {
          defaults.push_back(value_text(name, value));
        });
        std::string text = M::kName;
        std::size_t at = 0;
        M::fields(m, [&](const char* name, const auto& value, const char*) {
          const std::string written = value_text(name, value);
          const bool shown = written != defaults[at++] || among(name, kNames) || among(name, kAlwaysShown);
          if (shown && !among(name, kNeverShown)) text += ' ' + std::string(name) + '=' + written;
        });
        return text;
      },
      message);
}

std::string name_text(const wire::Message& message) {
  return std::visit(
      []<class M>(const M& m) {
        std::string text = M::kName;
        M::fields(m, [&](const char* name, const auto& value, const char*) {
          if (among(name, kNames)) text += ' ' + std::string(name) + '=' + value_text(name, value);
        });
        return text;
      },
      message);
}

wire::Message message_of(const std::string& type, const std::vector<Field>& fields) {
  wire::Message message;
  bool found = false;
  wire::for_each_message_type([&]<class M>(std::type_identity<M>) {
    if (type == M::kName) {
      message = M{};
      found = true;
    }
  });
  if (!found) throw StoryError("there is no message \"" + type + "\"");
  for (const Field& pair : fields) {
    const std::string &name = pair.first, &text = pair.second;  // clang 14: lambdas capture no structured bindings
    bool known = false;
    std::visit(
        [&]<class M>(M& m) {
          M::fields(m, [&](const char* field, auto& value, const char*) {
            if (name != field) return;
            known = true;
            read_value(name, text, value);
          });
        },
        message);
    if (!known) throw StoryError(type + " has no field \"" + name + "\"");
  }
  return message;
}

std::string type_of(const wire::Message& message) {
  return std::visit([]<class M>(const M&) { return std::string(M::kName); }, message);
}

bool is_message_type(std::string_view name) {
  bool found = false;
  wire::for_each_message_type([&]<class M>(std::type_identity<M>) { found = found || name == M::kName; });
  return found;
}

bool has_fields(const wire::Message& message, const std::vector<Field>& fields) {
  bool all = true;
  for (const Field& pair : fields) {
    const std::string &name = pair.first, &text = pair.second;
    bool known = false;
    std::visit(
        [&]<class M>(const M& m) {
          M::fields(m, [&](const char* field, const auto& value, const char*) {
            if (name != field) return;
            known = true;
            all = all && value_text(name, value) == text;
          });
        },
        message);
    if (!known) throw StoryError(type_of(message) + " has no field \"" + name + "\"");
  }
  return all;
}

}  // namespace strads::support
