// What the codec takes: payloads without a NaN or an infinity.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>

#include "strads/base/payload.hpp"

namespace strads::fuzz {

/// False: the decoder refuses the message.
template <class M>
bool payloads_are_finite(const M& message) {
  bool finite = true;
  M::fields(message, [&finite]<class T>(const char*, const T& field, const char*) {
    if constexpr (std::same_as<T, Payload>) {
      const auto is_finite = [](auto value) { return std::isfinite(value); };
      finite = finite && std::ranges::all_of(field.values, is_finite);
      for (const SharedFloats& array : field.bulk) finite = finite && std::ranges::all_of(array.view(), is_finite);
    }
  });
  return finite;
}

}  // namespace strads::fuzz
