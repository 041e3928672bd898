// What fuzz targets do with any response that was read: code it as two classes, or refuse it.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "data/samples/two_classes.hpp"

namespace strads {

inline void code_or_refuse(const data::SampleIds& ids, data::RowValues& response) {
  Response wanted;
  wanted.two_classes = true;
  const std::vector<std::uint8_t> kept(response.values.size(), 1);
  const auto coded = data::code_two_classes(wanted, {"fuzz", ids}, kept, response);
  if (!coded.ok()) return;
  std::uint64_t samples[3] = {0, 0, 0};
  for (const double value : response.values) {
    if (value != 0 && value != 1 && !std::isnan(value)) __builtin_trap();
    ++samples[std::isnan(value) ? 2 : value == 1 ? 1 : 0];
  }
  if (samples[0] != coded.value().samples[0] || samples[1] != coded.value().samples[1]) __builtin_trap();
  if (coded.value().names[0] == coded.value().names[1] && samples[0] + samples[1] > 0) __builtin_trap();
}

}  // namespace strads
