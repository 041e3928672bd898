#include "lda/topics/completion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "lda/infer/infer.hpp"
#include "lda/problem/special.hpp"

namespace strads::lda {
namespace {

/// Documents of one piece of work.
constexpr std::size_t kDocumentsAtOnce = 64;

}  // namespace

double Completion::perplexity() const {
  return perplexity_of(log_likelihood, tokens);
}

Completion completed(const TopicModel& model, std::span<const float> theta, const Documents& asked, Chunks& chunks) {
  const std::size_t topics = model.topics;
  const auto documents = static_cast<std::size_t>(asked.size());
  std::vector<FixedSum> sums((documents + kDocumentsAtOnce - 1) / kDocumentsAtOnce);
  chunks.for_each(sums.size(), [&](std::size_t piece) {
    const WordShares shares = shares_in(model.phi, topics);
    const std::size_t begin = piece * kDocumentsAtOnce, end = std::min(documents, begin + kDocumentsAtOnce);
    for (std::size_t d = begin; d < end; ++d) {
      sums[piece].add(log_likelihood_of(asked, d, theta.subspan(d * topics, topics), shares));
    }
  });
  double high = 0, low = 0;
  for (const FixedSum& sum : sums) {
    const auto parts = sum.parts();
    high += parts.first;
    low += parts.second;
  }
  Completion out;
  out.tokens = asked.tokens;
  out.log_likelihood = FixedSum::value(high, low);
  return out;
}

}  // namespace strads::lda
