#include "lda/infer/infer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "lda/solvers/token_random.hpp"
#include "strads/base/hash.hpp"

namespace strads::lda {
namespace {

constexpr std::uint64_t kDocumentsOfPiece = 64;

}  // namespace

WordShares shares_in(std::span<const float> phi, std::size_t topics) {
  return [phi, topics, words = phi.size() / topics](std::uint32_t word, float* to) {
    for (std::size_t k = 0; k < topics; ++k) to[k] = phi[k * words + word];
  };
}

DocumentInference::DocumentInference(WordShares shares, std::span<const double> alpha, const InferSettings& settings)
    : shares_(std::move(shares)),
      settings_(settings),
      alpha_(alpha.begin(), alpha.end()),
      counts_(alpha.size()),
      sums_(alpha.size()) {
  for (const double each : alpha) whole_ += each;
}

void DocumentInference::infer(const Documents& documents, std::uint64_t document, float* theta) {
  lay_out(documents, document);
  const std::size_t topics = alpha_.size();
  std::fill(counts_.begin(), counts_.end(), 0.0F);
  std::vector<double> mean(topics, 0);
  for (std::size_t i = 0; i < topics_of_.size(); ++i) {
    topics_of_[i] = below(number_of(row_key(key_, 0), i), static_cast<std::uint32_t>(topics));
    ++counts_[topics_of_[i]];
  }
  // Sweeps 1 ... N; the later half, at least one, is averaged.
  const std::uint32_t sweeps = std::max(settings_.sweeps, std::uint32_t{1}), kept_from = sweeps / 2 + 1;
  for (std::uint32_t sweep = 1; sweep <= sweeps && !topics_of_.empty(); ++sweep) {
    const std::uint64_t own = row_key(key_, sweep);
    for (std::size_t i = 0; i < topics_of_.size(); ++i) draw(i, unit_of_high(number_of(own, i)));
    if (sweep < kept_from) continue;
    for (std::size_t k = 0; k < topics; ++k) mean[k] += static_cast<double>(counts_[k]);
  }
  const double kept = topics_of_.empty() ? 1 : sweeps - kept_from + 1;
  const double divisor = static_cast<double>(topics_of_.size()) + whole_;
  for (std::size_t k = 0; k < topics; ++k) {
    theta[k] = static_cast<float>((mean[k] / kept + static_cast<double>(alpha_[k])) / divisor);
  }
}

/// Its tokens, and phi of its words, K floats each.
void DocumentInference::lay_out(const Documents& documents, std::uint64_t document) {
  const std::size_t topics = alpha_.size();
  Hash64 hash;
  hash.update_u64(settings_.seed);
  hash.update_u64(static_cast<std::uint64_t>(TokenDraw::infer));
  const std::uint64_t begin = documents.begins[document], end = documents.begins[document + 1];
  rows_.resize((end - begin) * topics);
  row_of_.clear();
  std::size_t row = 0;
  for (std::uint64_t entry = begin; entry < end; ++entry, ++row) {
    const std::uint32_t word = documents.words[entry], count = documents.counts[entry];
    hash.update_u64(word);
    hash.update_u64(count);
    shares_(word, rows_.data() + row * topics);
    row_of_.insert(row_of_.end(), count, row);
  }
  topics_of_.assign(row_of_.size(), 0);
  key_ = hash.digest();
}

void DocumentInference::draw(std::size_t token, double unit) {
  const std::size_t topics = alpha_.size();
  const float* const row = rows_.data() + row_of_[token] * topics;
  --counts_[topics_of_[token]];
  float sum = 0;
  for (std::size_t k = 0; k < topics; ++k) {
    sum += row[k] * (counts_[k] + alpha_[k]);
    sums_[k] = sum;
  }
  const auto at = std::upper_bound(sums_.begin(), sums_.end(), static_cast<float>(unit * static_cast<double>(sum)));
  topics_of_[token] = static_cast<std::uint32_t>(std::min(at - sums_.begin(), std::ssize(sums_) - 1));
  ++counts_[topics_of_[token]];
}

double log_likelihood_of(const Documents& documents, std::uint64_t document, std::span<const float> theta,
                         const WordShares& shares) {
  std::vector<float> of_word(theta.size());
  double sum = 0;
  for (std::uint64_t entry = documents.begins[document]; entry < documents.begins[document + 1]; ++entry) {
    shares(documents.words[entry], of_word.data());
    double probability = 0;
    for (std::size_t k = 0; k < theta.size(); ++k) probability += double{theta[k]} * double{of_word[k]};
    // A word of no topic at all, in files of another program, is as good as impossible.
    sum += documents.counts[entry] * std::log(std::max(probability, std::numeric_limits<double>::min()));
  }
  return sum;
}

double perplexity_of(double log_likelihood, std::uint64_t tokens) {
  if (tokens == 0) return std::numeric_limits<double>::quiet_NaN();
  return std::exp(-log_likelihood / static_cast<double>(tokens));
}

std::vector<float> infer_topics(const Documents& documents, std::span<const float> phi, std::span<const double> alpha,
                                const InferSettings& settings, Chunks& chunks) {
  const std::size_t topics = alpha.size();
  std::vector<float> theta(documents.size() * topics);
  chunks.for_each((documents.size() + kDocumentsOfPiece - 1) / kDocumentsOfPiece, [&](std::size_t piece) {
    DocumentInference inference(shares_in(phi, topics), alpha, settings);
    const std::uint64_t first = piece * kDocumentsOfPiece;
    for (std::uint64_t d = first; d < std::min(documents.size(), first + kDocumentsOfPiece); ++d) {
      inference.infer(documents, d, theta.data() + d * topics);
    }
  });
  return theta;
}

}  // namespace strads::lda
