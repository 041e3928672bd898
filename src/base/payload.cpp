#include "strads/base/payload.hpp"

#include "strads/base/hash.hpp"

namespace strads {
namespace {

constexpr std::align_val_t kCacheLine{64};

FloatMemory float_memory = {[](std::size_t bytes) { return ::operator new(bytes, kCacheLine); },
                            [](void* memory, std::size_t) { ::operator delete(memory, kCacheLine); }};

}  // namespace

void use_float_memory(const FloatMemory& memory) {
  float_memory = memory;
}

SharedFloats::SharedFloats(std::size_t size) : size_(size) {
  if (size == 0) return;
  const std::size_t bytes = size * sizeof(float);
  auto* floats = static_cast<float*>(float_memory.allocate(bytes));
  data_ = std::shared_ptr<float[]>(floats, [bytes, give = float_memory.give](float* p) { give(p, bytes); });
}

std::uint64_t payload_hash(const Payload& payload) {
  Hash64 hash;
  const auto add = [&hash](auto numbers) {
    hash.update_u64(numbers.size());
    hash.update(std::as_bytes(numbers));
  };
  add(std::span(payload.ids));
  add(std::span(payload.values));
  for (const SharedFloats& floats : payload.bulk) add(floats.view());
  return hash.digest();
}

}  // namespace strads
