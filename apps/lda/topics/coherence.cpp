#include "lda/topics/coherence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strads::lda {
namespace {

constexpr std::uint32_t kNoList = 0xffff'ffff;

std::uint64_t in_both(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t common = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      ++common, ++i, ++j;
    } else {
      a[i] < b[j] ? ++i : ++j;
    }
  }
  return common;
}

double npmi_of(std::uint64_t first, std::uint64_t second, std::uint64_t both, std::uint64_t documents) {
  if (both == 0) return -1;
  if (both == documents) return 1;
  const auto all = static_cast<double>(documents);
  const double p = static_cast<double>(both) / all;
  return std::log(p / (static_cast<double>(first) / all) / (static_cast<double>(second) / all)) / -std::log(p);
}

}  // namespace

Coherence npmi(const TopicModel& model, const Documents& documents, std::uint32_t top) {
  std::vector<std::vector<std::uint32_t>> words;
  std::vector<std::uint32_t> list_of(model.vocabulary(), kNoList);
  std::uint32_t lists = 0;
  for (std::uint32_t k = 0; k < model.topics; ++k) {
    words.push_back(top_words(model, k, top));
    for (const std::uint32_t word : words.back()) {
      if (list_of[word] == kNoList) list_of[word] = lists++;
    }
  }
  std::vector<std::vector<std::uint64_t>> holders(lists);
  std::uint64_t with_words = 0;
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    with_words += documents.begins[d] < documents.begins[d + 1] ? 1 : 0;
    for (std::uint64_t k = documents.begins[d]; k < documents.begins[d + 1]; ++k) {
      const std::uint32_t list = list_of[documents.words[k]];
      if (list != kNoList) holders[list].push_back(d);
    }
  }
  Coherence out;
  double sum = 0;
  std::uint64_t counted = 0;
  for (const auto& of_topic : words) {
    double topic = 0;
    std::uint64_t pairs = 0;
    for (std::size_t i = 0; i < of_topic.size(); ++i) {
      for (std::size_t j = i + 1; j < of_topic.size(); ++j, ++pairs) {
        const auto& a = holders[list_of[of_topic[i]]];
        const auto& b = holders[list_of[of_topic[j]]];
        out.pairs_unseen += a.empty() || b.empty() ? 1 : 0;
        topic += npmi_of(a.size(), b.size(), in_both(a, b), with_words);
      }
    }
    out.of_topic.push_back(pairs > 0 ? topic / static_cast<double>(pairs) : std::numeric_limits<double>::quiet_NaN());
    if (pairs == 0) continue;
    sum += out.of_topic.back();
    ++counted;
  }
  out.mean = counted > 0 ? sum / static_cast<double>(counted) : std::numeric_limits<double>::quiet_NaN();
  return out;
}

}  // namespace strads::lda
