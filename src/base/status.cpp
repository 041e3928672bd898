#include "strads/base/status.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "strads/base/last_words.hpp"

namespace strads {
namespace {

constexpr int kAborted = 134;  // as shells say it
std::atomic<SayFailure> say_failure{nullptr};

}  // namespace

void set_last_words(SayFailure say) {
  say_failure = say;
}

SayFailure last_words() {
  return say_failure;
}

void check_failed(const char* file, int line, const char* expression, std::string_view why) {
  std::array<char, 2000> text{};
  std::snprintf(text.data(), text.size(), "%s:%d: internal error: expected %s: %.*s", file, line, expression,
                static_cast<int>(why.size()), why.data());
  if (const SayFailure say = last_words(); say != nullptr) {
    say(text.data(), kAborted);
  } else {
    std::fprintf(stderr, "%s\nThis is a bug; please report it with the command line.\n", text.data());
  }
  std::abort();
}

}  // namespace strads
