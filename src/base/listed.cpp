#include "strads/base/listed.hpp"

#include <cstddef>

namespace strads {

std::string listed(std::span<const std::string> words, const char* last) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    text += (k == 0 ? "" : k + 1 == words.size() ? last : ", ") + words[k];
  }
  return text;
}

}  // namespace strads
