#include "lda/output/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "regression/picture.hpp"
#include "regression/svg.hpp"
#include "strads/program/program.hpp"

namespace strads::lda {
namespace {

using lasso::svg_box;
using lasso::svg_line;
using lasso::svg_text;

// Pixels of the picture of topics.
constexpr double kMargin = 14, kTitleHeight = 58;
constexpr double kRowHeight = 32, kNumberWidth = 40, kShareWidth = 130;
constexpr double kWordWidth = 96, kWordBar = 56;

constexpr const char* kSmall = " font-size=\"9.5\" fill=\"#444\"";
constexpr const char* kFaint = "stroke=\"#e4e4e4\" stroke-width=\"1\"";

std::string fill_of(std::size_t colour) {
  return std::string("fill=\"") + lasso::kSvgColours[colour] + "\"";
}

std::string percent(double share, int digits) {
  return short_text(100 * share, digits);
}

/// Where a topic's parts stand, and what full bars mean.
struct TopicRows {
  double share_full = 0;  ///< of the tokens
  double word_full = 0;   ///< of a topic
  double words_left = kMargin + kNumberWidth + kShareWidth + 46;

  [[nodiscard]] double bar_left() const { return kMargin + kNumberWidth; }
  [[nodiscard]] double width() const { return words_left + kWordWidth * kWordsDrawn + kMargin; }
};

std::string row_of(const TopicModel& model, std::uint32_t topic, double share, const TopicRows& rows, double top) {
  const double base = top + 14;
  std::string out = svg_text(kMargin + kNumberWidth - 8, base + 1, "end", std::to_string(topic + 1));
  const double length = kShareWidth * share / rows.share_full;
  out += svg_box(rows.bar_left(), top + 4, length, 14, fill_of(0));
  out += svg_text(rows.bar_left() + length + 4, base, "start", percent(share, 3), kSmall);
  double left = rows.words_left;
  for (const std::uint32_t word : top_words(model, topic, kWordsDrawn)) {
    const double weight = model.row(topic)[word], bar = std::max(0.5, kWordBar * weight / rows.word_full);
    out += svg_text(left, base, "start", lasso::shortened_to(model.words[word], kWordWidth - 8));
    out += svg_box(left, top + 19, bar, 5, fill_of(4));
    out += svg_text(left + bar + 3, top + 25, "start", percent(weight, 2), kSmall);
    left += kWordWidth;
  }
  return out;
}

/// Grid and numbers of the bars of shares.
std::string axis_of(const TopicRows& rows, double top, double bottom) {
  std::string out;
  for (const double tick : lasso::ticks_of({0, 100 * rows.share_full}, 4)) {
    const double x = rows.bar_left() + kShareWidth * tick / (100 * rows.share_full);
    out += svg_line(x, top, x, bottom, kFaint);
    out += svg_text(x, top - 4, "middle", short_text(tick, 4), kSmall);
  }
  out += svg_text(rows.bar_left(), top - 17, "start", "share of the tokens, %", kSmall);
  out += svg_text(kMargin + kNumberWidth - 8, top - 4, "end", "topic", kSmall);
  out += svg_text(rows.words_left, top - 4, "start", "most probable words, and their shares of the topic, %", kSmall);
  return out;
}

std::vector<std::pair<double, double>> points_of(std::span<const CurvePoint> points, double CurvePoint::*value) {
  std::vector<std::pair<double, double>> found;
  for (const CurvePoint& point : points) {
    if (std::isfinite(point.*value)) found.emplace_back(point.sweep, point.*value);
  }
  return found;
}

lasso::Picture curve_of(const std::vector<std::pair<double, double>>& points, const std::string& title,
                        const std::string& label, double sweeps, std::size_t colour) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const auto& point : points) values.push_back(point.second);
  lasso::Picture picture(title, "sweeps", label, {0, std::max(1.0, sweeps)}, lasso::range_of(values));
  picture.line(points, colour);
  for (const auto& point : points) picture.dot(point.first, point.second, 0, colour);
  return picture;
}

}  // namespace

std::string topics_picture(const TopicModel& model, const std::string& title) {
  std::vector<std::uint32_t> order(model.topics);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(
      order, [&](std::uint32_t a, std::uint32_t b) { return model.topic_tokens[a] > model.topic_tokens[b]; });
  order.resize(std::min(model.topics, kTopicsDrawn));
  const auto tokens =
      static_cast<double>(std::accumulate(model.topic_tokens.begin(), model.topic_tokens.end(), std::uint64_t{0}));
  const auto share_of = [&](std::uint32_t topic) {
    return tokens > 0 ? static_cast<double>(model.topic_tokens[topic]) / tokens : 0;
  };
  TopicRows rows;
  double drawn = 0;
  for (const std::uint32_t topic : order) {
    drawn += share_of(topic);
    rows.share_full = std::max(rows.share_full, share_of(topic));
    const auto row = model.row(topic);
    if (!row.empty()) rows.word_full = std::max(rows.word_full, double{*std::max_element(row.begin(), row.end())});
  }
  rows.share_full = std::max(rows.share_full, 1e-6);
  rows.word_full = std::max(rows.word_full, 1e-6);
  const double top = kMargin + kTitleHeight, bottom = top + kRowHeight * static_cast<double>(order.size());
  std::string content = axis_of(rows, top, bottom);
  const std::string which = order.size() < model.topics ? "the " + std::to_string(order.size()) + " largest of " +
                                                              std::to_string(model.topics) + " topics, " +
                                                              percent(drawn, 3) + " % of the tokens"
                                                        : std::to_string(model.topics) + " topics, the largest first";
  content += svg_text(kMargin, kMargin + 10, "start",
                      lasso::shortened_to(title + ": " + which, rows.width() - 2 * kMargin), " font-weight=\"bold\"");
  for (std::size_t place = 0; place < order.size(); ++place) {
    const double at = top + kRowHeight * static_cast<double>(place);
    content += row_of(model, order[place], share_of(order[place]), rows, at);
  }
  return lasso::svg_file(rows.width(), bottom + kMargin, content);
}

std::string curve_picture(std::span<const CurvePoint> points, const std::string& title) {
  double sweeps = 0;
  for (const CurvePoint& point : points) sweeps = std::max(sweeps, point.sweep);
  const auto joints = points_of(points, &CurvePoint::log_joint), held = points_of(points, &CurvePoint::perplexity);
  std::vector<lasso::Picture> pictures;
  pictures.push_back(curve_of(joints, title + ": log joint of words and topics", "log joint a token, nats", sweeps, 0));
  if (!held.empty()) {
    pictures.push_back(curve_of(held, title + ": held-out documents, by completion", "held-out perplexity", sweeps, 1));
  }
  return lasso::stacked(pictures);
}

}  // namespace strads::lda
