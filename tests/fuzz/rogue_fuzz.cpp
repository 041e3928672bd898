// A member of the cluster that says anything: whatever a node or the driver tells the others, with a valid key, in the
// name of the roles that it holds, nobody crashes, and the run ends or stands still. What it says passes the filters of
// the transport (codec, may_say(), acceptable()) and then the engine's own roles with real models, tiny data and real
// tasks. The input is read as: which problem; who the rogue is and whether tasks wait for their turn; then again and
// again how many of the rogue's messages travel as they are, and what happens to the next one. A short input goes on
// with numbers drawn from it: also the first seconds without a corpus are whole scripts.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fuzz/input.hpp"
#include "fuzz/rogue_cluster.hpp"
#include "strads/base/hash.hpp"
#include "strads/base/random.hpp"

namespace {

using namespace strads;
using fuzz::Input;

constexpr std::uint64_t kHonestMax = 3000;     ///< events: an honest run of any problem takes fewer
constexpr std::uint64_t kAfterwardsMax = 250;  ///< events after the last lie: what it does shows in a phase or two
constexpr std::size_t kScriptBytes = 80;       ///< about ten lies
constexpr std::size_t kOverheardMax = 64;      ///< messages that the rogue remembers

// --- numbers, lists and payloads that are nearly right ---

template <class T>
requires std::is_integral_v<T>
void change(T& number, Input& input) {
  const auto how = input.next<std::uint8_t>();
  switch (how % 8) {
    case 0:
      number = input.next<T>();
      break;
    case 1:
      number = static_cast<T>(static_cast<std::uint64_t>(number) + 1);
      break;
    case 2:
      number = static_cast<T>(static_cast<std::uint64_t>(number) - 1);
      break;
    case 3:
      number = std::numeric_limits<T>::max();
      break;
    case 4:
      number = std::numeric_limits<T>::min();
      break;
    case 5:
      number = static_cast<T>(std::uint64_t{1} << (input.next<std::uint8_t>() % (8 * sizeof(T))));
      break;
    default:
      number = static_cast<T>(input.next<std::uint8_t>());
  }
}

void change(double& number, Input& input) {
  constexpr std::array kNumbers = {0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   0.5,
                                   2.0,
                                   1e-300,
                                   1e300,
                                   -1e300,
                                   5e-324,
                                   1e155,
                                   -7.0,
                                   1e15,
                                   1e16,
                                   1.5e19,
                                   4294967296.0,
                                   9007199254740993.0,
                                   1e-9,
                                   1e9,
                                   std::numeric_limits<double>::max(),
                                   std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
  const auto how = input.next<std::uint8_t>();
  if (how % 4 == 0) number = static_cast<double>(input.next<std::int8_t>());
  if (how % 4 == 1) number = input.next<double>();
  if (how % 4 == 2) number = kNumbers[input.next<std::uint8_t>() % kNumbers.size()];
  if (how % 4 == 3) number = (how & 4) != 0 ? -number : std::nextafter(number * (1 + how / 8), 0.0);
}

void change(float& number, Input& input) {
  constexpr std::array kNumbers = {0.0F, -1.0F, 1e-38F, 3e38F, -3e38F, 1e19F, 1e-45F, 7.0F};
  const auto how = input.next<std::uint8_t>();
  number = how < 128 ? kNumbers[how % kNumbers.size()] : input.next<float>();
}

void change(std::string& text, Input& input) {
  fuzz::fill(text, input);
}

void change(SharedFloats& array, Input& input);

/// One of it is changed, doubled, moved or taken away, or its length is.
template <class T>
void change(std::vector<T>& list, Input& input) {
  const auto how = input.next<std::uint8_t>();
  const auto at = list.empty() ? 0 : input.next<std::uint8_t>() % list.size();
  const auto place = list.begin() + static_cast<std::ptrdiff_t>(at);
  if (list.empty() || how % 16 == 0) {
    list.resize(input.next<std::uint8_t>());
  } else if (how % 16 == 1) {
    list.erase(place);
  } else if (how % 16 == 2) {
    const T copy = *place;
    list.insert(place, copy);
  } else if (how % 16 == 3) {
    std::swap(*place, list.front());
  } else if (how % 16 == 4) {
    list.resize(at);
  } else {
    change(*place, input);
  }
}

void change(SharedFloats& array, Input& input) {
  const auto how = input.next<std::uint8_t>();
  std::size_t size = array.size();
  if (how % 4 == 0) size = input.next<std::uint8_t>();
  if (how % 4 == 1) size += how / 4;
  SharedFloats changed(size);  // others share the array
  for (std::size_t k = 0; k < size; ++k) changed.writable()[k] = k < array.size() ? array.view()[k] : 0.0F;
  if (size > 0) change(changed.writable()[input.next<std::uint8_t>() % size], input);
  array = changed;
}

void change(Payload& payload, Input& input) {
  const auto how = input.next<std::uint8_t>() % 8;
  if (how < 3) {
    change(payload.ids, input);
  } else if (how < 7 || payload.bulk.empty()) {
    change(payload.values, input);
  } else {
    change(payload.bulk, input);
  }
}

// --- messages ---

/// One field, or a payload in several places.
void change(wire::Message& message, Input& input) {
  std::visit(
      [&input]<class M>(M& said) {
        std::size_t count = 0;
        M::fields(said, [&count](const char*, auto&, const char*) { ++count; });
        if (count == 0) return;
        const std::size_t chosen = input.next<std::uint8_t>() % (2 * count);
        std::size_t at = 0;
        M::fields(said, [&]<class T>(const char*, T& field, const char*) {
          // Half of all changes are changes of the payload.
          const bool chosen_payload = chosen >= count && std::is_same_v<T, Payload>;
          if (at++ == chosen || chosen_payload) change(field, input);
        });
      },
      message);
}

/// The payload of a message, if it has one.
const Payload* payload_of(const wire::Message& message) {
  const Payload* found = nullptr;
  std::visit(
      [&found]<class M>(const M& said) {
        M::fields(said, [&found]<class T>(const char*, const T& field, const char*) {
          if constexpr (std::is_same_v<T, Payload>) found = &field;
        });
      },
      message);
  return found;
}

/// Of any type. Either every bit of it comes from the input, or its numbers are small and its payload is `like`.
wire::Message forged(Input& input, const Payload* like) {
  wire::Message message;
  const auto type = input.next<std::uint8_t>() % std::variant_size_v<wire::Message>;
  std::size_t at = 0;
  wire::for_each_message_type([&]<class M>(std::type_identity<M>) {
    if (at++ != type) return;
    M made;
    M::fields(made, [&]<class T>(const char*, T& field, const char*) {
      if constexpr (std::is_same_v<T, Payload>) {
        if (like != nullptr) field = *like;
      } else if constexpr (std::is_integral_v<T>) {
        if (like != nullptr) field = static_cast<T>(input.next<std::int8_t>());
      }
      if (like == nullptr) fuzz::fill(field, input);
    });
    message = std::move(made);
  });
  return message;
}

/// Does with the rogue's messages what the input says.
class Script final : public fuzz::Rogue {
 public:
  Script(Input& input, std::uint32_t rogue) : input_(input), rogue_(rogue), as_they_are_(input.next<std::uint8_t>()) {}

  void overhear(const wire::Message& message) override {
    if (overheard_.size() < kOverheardMax)
      overheard_.push_back(message);
    else
      overheard_[next_++ % kOverheardMax] = message;
  }

  [[nodiscard]] bool is_done() const override { return input_.empty(); }

  std::vector<Said> instead_of(const Said& said) override {
    std::vector<Said> spoken = std::move(late_);
    late_.clear();
    if (input_.empty() || as_they_are_ > 0) {
      if (as_they_are_ > 0) --as_they_are_;
      spoken.insert(spoken.begin(), said);
      return spoken;
    }
    speak(said, spoken);
    as_they_are_ = input_.next<std::uint8_t>() % 32;
    return spoken;
  }

 private:
  void speak(const Said& said, std::vector<Said>& spoken) {
    enum Act : std::uint8_t { lose, twice, late, forge, dress, recall, kActs };
    constexpr std::uint8_t kChanges = 4;  // in ten acts: the shortest way to what is nearly right
    Said own = said;
    switch (input_.next<std::uint8_t>() % (kActs + kChanges)) {
      case lose:
        return;
      case twice:
        spoken.push_back(said);
        break;
      case late:
        late_.push_back(said);
        return;
      case forge:
        spoken.push_back({somebody(), forged(input_, nullptr)});
        break;
      case dress:
        spoken.push_back({somebody(), forged(input_, payload_of(memory(said.message)))});
        break;
      case recall:
        own.message = memory(said.message);
        own.to = somebody();
        changes(own.message);
        spoken.push_back(own);
        own = said;
        break;
      default:
        changes(own.message);
    }
    spoken.push_back(own);
  }

  void changes(wire::Message& message) {
    for (int left = 1 + input_.next<std::uint8_t>() % 4; left > 0; --left) change(message, input_);
  }

  [[nodiscard]] std::uint32_t somebody() {
    return (rogue_ + 1 + input_.next<std::uint8_t>() % (fuzz::kProcesses - 1)) % fuzz::kProcesses;
  }

  /// One of the last messages that anybody has sent.
  [[nodiscard]] const wire::Message& memory(const wire::Message& otherwise) {
    const auto which = input_.next<std::uint8_t>();
    return overheard_.empty() ? otherwise : overheard_[which % overheard_.size()];
  }

  Input& input_;
  std::uint32_t rogue_;
  std::uint32_t as_they_are_;  ///< so many messages
  std::vector<Said> late_;     ///< behind the next one
  std::vector<wire::Message> overheard_;
  std::size_t next_ = 0;  ///< of those overheard: the oldest
};

/// Without a rogue every problem is solved: else the messages that matter are never reached.
bool honest_runs_converge() {
  class Honest final : public fuzz::Rogue {
   public:
    std::vector<Said> instead_of(const Said& said) override { return {said}; }
    void overhear(const wire::Message&) override {}
    [[nodiscard]] bool is_done() const override { return true; }
  };
  return std::ranges::all_of(fuzz::problems(), [](const fuzz::Problem& problem) {
    return std::ranges::all_of(std::array{false, true}, [&problem](bool tasks_wait) {
      Honest honest;
      fuzz::RogueCluster cluster(problem, fuzz::kDriver, tasks_wait, honest);
      cluster.run(kHonestMax);
      return cluster.converged();
    });
  });
}

std::vector<std::uint8_t> script_of(std::span<const std::uint8_t> given) {
  std::vector<std::uint8_t> script(given.begin(), given.end());
  Hash64 hash;
  hash.update(std::as_bytes(given));
  CounterRng random(hash.digest(), Purpose::tests);
  while (script.size() < kScriptBytes) script.push_back(static_cast<std::uint8_t>(random.below(256)));
  return script;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool sound = honest_runs_converge();
  if (!sound) std::abort();
  const auto bytes = script_of(std::span(data, size));
  Input input{bytes};
  const auto& problem = fuzz::problems()[input.next<std::uint8_t>() % fuzz::problems().size()];
  const auto rogue = input.next<std::uint8_t>();
  Script script(input, rogue % fuzz::kProcesses);
  fuzz::RogueCluster(problem, rogue % fuzz::kProcesses, (rogue / 64) % 2 == 1, script).run(kAfterwardsMax);
  return 0;
}
