// Pictures of a fit: its topics, and how good they were while it ran.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "lda/topics/topic_model.hpp"

namespace strads::lda {

inline constexpr const char* kTopicsPicture = "topics.svg";
inline constexpr const char* kCurvePicture = "curve.svg";

/// At most so many topics are drawn, and so many words of each.
inline constexpr std::uint32_t kTopicsDrawn = 30, kWordsDrawn = 8;

/// A row for each of the largest topics, the largest first: its number, a bar of its share of the tokens, its most
/// probable words with bars of their shares of the topic. `title`: what was fitted.
[[nodiscard]] std::string topics_picture(const TopicModel& model, const std::string& title);

/// What was measured after a sweep; NaN: this was not.
struct CurvePoint {
  double sweep = 0;
  double log_joint = std::numeric_limits<double>::quiet_NaN();   ///< nats a token
  double perplexity = std::numeric_limits<double>::quiet_NaN();  ///< of held-out documents
};
/// Log joint a token against sweeps and below it, where there is one, held-out perplexity.
[[nodiscard]] std::string curve_picture(std::span<const CurvePoint> points, const std::string& title);

}  // namespace strads::lda
