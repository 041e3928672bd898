// Messages with made-up contents, for every test that does not care what a message says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strads/base/random.hpp"
#include "wire/messages.hpp"

namespace strads::wire::testing {

template <std::integral T>
void fill(T& number, CounterRng& random, std::size_t /*items_max*/) {
  number = static_cast<T>(random.next());
}
inline void fill(double& number, CounterRng& random, std::size_t /*items_max*/) {
  number = (random.unit() - 0.5) * 1e6;
}
inline void fill(std::string& text, CounterRng& random, std::size_t items_max) {
  text.resize(static_cast<std::size_t>(random.below(items_max + 1)));
  for (char& c : text) c = static_cast<char>(random.below(256));
}
template <std::integral T>
void fill(std::vector<T>& numbers, CounterRng& random, std::size_t items_max) {
  numbers.resize(static_cast<std::size_t>(random.below(items_max + 1)));
  for (T& number : numbers) fill(number, random, 0);
}
inline void fill(Payload& payload, CounterRng& random, std::size_t items_max) {
  payload.ids.resize(static_cast<std::size_t>(random.below(items_max + 1)));
  payload.values.resize(static_cast<std::size_t>(random.below(items_max + 1)));
  for (VarId& id : payload.ids) fill(id, random, 0);
  for (double& value : payload.values) fill(value, random, 0);
  // Half of all payloads have arrays of floats, some of them empty.
  if (random.below(2) == 0) return;
  const std::size_t arrays = 1 + static_cast<std::size_t>(random.below(4));
  for (std::size_t k = 0; k < arrays; ++k) {
    SharedFloats& array = payload.bulk.emplace_back(static_cast<std::size_t>(random.below(items_max + 1)));
    for (float& value : array.writable()) value = static_cast<float>((random.unit() - 0.5) * 1e6);
  }
}

/// One message of type M; its arrays have up to items_max entries.
template <WireMessage M>
M random_message(CounterRng& random, std::size_t items_max) {
  M message;
  M::fields(message, [&](const char*, auto& field, const char*) { fill(field, random, items_max); });
  return message;
}

/// One message of each type.
inline std::vector<Message> one_of_each(std::uint64_t seed, std::size_t items_max) {
  CounterRng random(seed, Purpose::tests);
  std::vector<Message> messages;
  for_each_message_type(
      [&]<class M>(std::type_identity<M>) { messages.emplace_back(random_message<M>(random, items_max)); });
  return messages;
}

}  // namespace strads::wire::testing
