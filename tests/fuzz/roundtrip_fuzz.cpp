// Any message survives its journey, whatever the order and repetition of its chunks; one with a NaN or an infinity
// among its payload values or floats is refused. The input is read as: type, then the fields one after the other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "fuzz/finite.hpp"
#include "fuzz/input.hpp"
#include "wire/framing.hpp"

namespace {

using namespace strads;
using fuzz::Input;

void require(bool condition) {
  if (!condition) std::abort();
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
  M::fields(message, [&input](const char*, auto& field, const char*) { fuzz::fill(field, input); });
  const wire::HeaderInfo from{
      .cluster = input.next<std::uint64_t>(), .epoch = 1, .sender = 2, .incarnation = 3, .run = 4};
  const auto chunks = wire::encode(message, from);
  const Result<wire::Message> decoded = journey(chunks);
  require(decoded.ok() == fuzz::payloads_are_finite(message));
  // NaN control fields are not equal to themselves, so that encodings are compared instead of messages.
  if (decoded.ok()) require(wire::encode(decoded.value(), from) == chunks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(std::span(data, size));
  const auto type = input.next<std::uint8_t>() % std::variant_size_v<wire::Message>;
  std::size_t at = 0;
  wire::for_each_message_type([&]<class M>(std::type_identity<M>) {
    if (at++ == type) check<M>(input);
  });
  return 0;
}
