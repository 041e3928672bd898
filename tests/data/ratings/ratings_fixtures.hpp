// What the tests of ratings share.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "data/fixtures.hpp"
#include "data/ratings/ratings.hpp"
#include "strads/data/ratings.hpp"

namespace strads::data {

/// A thread for each of the first four pieces, the others after them, from the last to the first.
class FourThreads final : public Chunks {
 public:
  void for_each(std::size_t count, const std::function<void(std::size_t)>& piece) override {
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = count; i-- > 0;) {
          if (i % 4 == t) piece(i);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

using Loaded = Result<std::shared_ptr<const Ratings>>;

inline Loaded load_file(const RatingsInput& input) {
  SerialChunks chunks;
  return load_ratings(input, chunks, {}, {});
}

/// The ratings of a text, written to a file called "f".
inline Loaded load_text(std::string_view text, RatingsInput input = {}) {
  const TempFolder folder;
  input.path = folder.write("f", text);
  return load_file(input);
}

inline float value_of(const Ratings& ratings, const Triplets& part, std::size_t k) {
  return part.codes.empty() ? part.values[k] : ratings.levels[part.codes[k]];
}

/// "user item value" of each rating of a part, in order.
inline std::vector<std::string> listed(const Ratings& ratings, const Triplets& part) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < part.size(); ++k) {
    char value[32];
    std::snprintf(value, sizeof value, "%g", static_cast<double>(value_of(ratings, part, k)));
    const auto name = [](const IdTable& ids, std::uint32_t id) {
      return id < ids.size() ? std::string(ids.name(id)) : std::string("?");
    };
    out.push_back(name(*ratings.users, part.users[k]) + ' ' + name(*ratings.items, part.items[k]) + ' ' + value);
  }
  return out;
}

/// The training ratings of a text, or its message.
inline std::vector<std::string> read(std::string_view text, const RatingsInput& input = {}) {
  const auto loaded = load_text(text, input);
  if (!loaded.ok()) return {loaded.status().message()};
  return listed(*loaded.value(), loaded.value()->train);
}

using List = std::vector<std::string>;

}  // namespace strads::data
