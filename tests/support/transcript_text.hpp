// Words of a transcript: how its lines are split, how messages are written in it and read from it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/address.hpp"

namespace strads::support {

/// A command that cannot be carried out as written. Thrown by whatever reads commands, caught by StoryPlayer.
struct StoryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "deliver node 0 <- Commit changes=[1 2]" as five words and `changes=[1 2]`: brackets and quotes keep a word
/// together.
[[nodiscard]] std::vector<std::string> words_of(std::string_view line);

using Field = std::pair<std::string, std::string>;
/// "version=1" as its two halves. A StoryError when there is no "=".
[[nodiscard]] Field field_of(const std::string& word);

/// With as few digits as it needs: "4", "0.5".
[[nodiscard]] std::string short_number(double number);
/// A whole word as a number. A StoryError when it is none.
[[nodiscard]] std::int64_t integer_of(std::string_view word);
/// "[1 2]" as numbers.
[[nodiscard]] std::vector<std::uint32_t> list_of(std::string_view word);

/// "worker 2", "node 0", "coordinator".
[[nodiscard]] std::string short_text(const wire::Address& address);
/// One line, for people: "Assign round=3 index=0 base=2 block=[4 7]". Names, versions and steps are always shown, other
/// fields only when they differ from their defaults, numbers that only a model understands and counted costs never. A
/// payload is [ids], [id:value ...] when it has as many values, or [ids | values].
[[nodiscard]] std::string short_text(const wire::Message& message);
/// Only what tells it from others: "Assign round=3 index=0".
[[nodiscard]] std::string name_text(const wire::Message& message);

/// The reverse, for messages that nobody of the run has sent: all fields may be given, those left out have their
/// defaults. A StoryError for an unknown type or field.
[[nodiscard]] wire::Message message_of(const std::string& type, const std::vector<Field>& fields);

/// "Assign".
[[nodiscard]] std::string type_of(const wire::Message& message);
[[nodiscard]] bool is_message_type(std::string_view name);
/// Whether the message's fields have the values that `fields` give as text. A StoryError when one is not a field of it.
[[nodiscard]] bool has_fields(const wire::Message& message, const std::vector<Field>& fields);

}  // namespace strads::support
