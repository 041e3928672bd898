// libFuzzer target: config files; what is read is written as a config file and read again as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "program/options/config_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lines = strads::read_config_lines("f", {reinterpret_cast<const char*>(data), size});
  if (!lines.ok()) return 0;
  std::string text;
  for (const auto& line : lines.value()) text += "[" + line.section + "]\n" + line.name + " = " + line.value + "\n";
  const auto again = strads::read_config_lines("f", text);
  if (!again.ok() || again.value().size() != lines.value().size()) std::abort();
  for (std::size_t k = 0; k < again.value().size(); ++k) {
    const auto &a = again.value()[k], &b = lines.value()[k];
    if (a.section != b.section || a.name != b.name || a.value != b.value) std::abort();
  }
  return 0;
}
