// Any message survives its journey, whatever the order and repetition of its chunks; one with a NaN or an infinity
// among its payload values or floats is refused. The input is read as: type, then the fields one after the other.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wire/framing.hpp"

namespace {

using namespace strads;

/// Hands out the input, then zeros.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(sizeof value, bytes_.size());
    if (size > 0) std::memcpy(&value, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return value;
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

template <class T>
void fill(T& field, Input& input) {
  field = input.take<T>();
}

/// Length: up to 255, or with a first byte of 255 up to 512 Ki, so that some messages need several chunks.
std::size_t take_length(Input& input) {
  const auto length = input.take<std::uint8_t>();
  return length < 255 ? length : std::size_t{8} * input.take<std::uint16_t>();
}

/// Of a string or a list in the control body, which must fit one frame.
std::size_t take_control_length(Input& input) {
  return take_length(input) % 4096;
}

void fill(std::string& text, Input& input) {
  text.resize(take_control_length(input));
  for (char& c : text) c = static_cast<char>(input.take<std::uint8_t>());
}

template <class T>
void fill(std::vector<T>& numbers, Input& input) {
  numbers.resize(take_control_length(input));
  for (T& number : numbers) number = input.take<T>();
}

void fill(Payload& payload, Input& input) {
  payload.ids.resize(take_length(input));
  payload.values.resize(take_length(input));
  for (std::size_t i = 0; i < std::min<std::size_t>(payload.ids.size(), 64); ++i) payload.ids[i] = input.take<VarId>();
  for (std::size_t i = 0; i < std::min<std::size_t>(payload.values.size(), 64); ++i)
    payload.values[i] = input.take<double>();
  payload.bulk.resize(input.take<std::uint8_t>() % 8);
  for (SharedFloats& array : payload.bulk) {
    array = SharedFloats(take_length(input));
    std::ranges::fill(array.writable(), 0.0F);
    for (float& value : array.writable().first(std::min<std::size_t>(array.size(), 64))) value = input.take<float>();
  }
}

void require(bool condition) {
  if (!condition) std::abort();
}

template <class M>
bool payloads_are_finite(const M& message) {
  bool finite = true;
  M::fields(message, [&finite]<class T>(const char*, const T& field, const char*) {
    if constexpr (std::same_as<T, Payload>) {
      for (const double value : field.values) finite = finite && std::isfinite(value);
      for (const SharedFloats& array : field.bulk) {
        for (const float value : array.view()) finite = finite && std::isfinite(value);
      }
    }
  });
  return finite;
}

/// Each chunk twice, the last one first.
Result<wire::Message> journey(const std::vector<wire::Frames>& chunks) {
  wire::Decoder decoder;
  for (std::size_t i = chunks.size(); i-- > 0;) {
    for (int times = 0; times < 2; ++times) {
      const auto result = decoder.feed(chunks[i]);
      if (!result.ok()) return result.status();
      if (!result.value().has_value()) continue;
      require(i == 0);
      return *result.value();
    }
  }
  std::abort();
}

template <class M>
void check(Input& input) {
  M message;
  M::fields(message, [&input](const char*, auto& field, const char*) { fill(field, input); });
  const wire::HeaderInfo from{.run_id = input.take<std::uint64_t>(), .epoch = 1, .sender = 2, .incarnation = 3};
  const auto chunks = wire::encode(message, from);
  const Result<wire::Message> decoded = journey(chunks);
  require(decoded.ok() == payloads_are_finite(message));
  // NaN control fields are not equal to themselves, so that encodings are compared instead of messages.
  if (decoded.ok()) require(wire::encode(decoded.value(), from) == chunks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(std::span(data, size));
  const auto type = input.take<std::uint8_t>() % std::variant_size_v<wire::Message>;
  std::size_t at = 0;
  wire::for_each_message_type([&]<class M>(std::type_identity<M>) {
    if (at++ == type) check<M>(input);
  });
  return 0;
}
