// Under a sanitizer everything takes 10 to 40 times as long: what a test repeats with other numbers or in other shapes
// it repeats less often there. No test is left out, and a build without sanitizers repeats all.
#pragma once

namespace strads::support {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

/// How often: `all` times, or `fewer` under a sanitizer.
template <class Count>
constexpr Count repetitions(Count all, Count fewer) {
  return kSanitized ? fewer : all;
}

}  // namespace strads::support
