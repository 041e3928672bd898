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

/// Topics stand in rows of `columns`, with zeros behind the last one. So their weights are summed by columns, many side
/// by side, and a draw looks at the sums of columns and then into one: about 2 sqrt(K) steps of which each needs the
/// last.
struct Grid {
  std::size_t rows = 1, columns = 1;
};
Grid grid_of(std::size_t topics) {
  constexpr std::size_t kSideBySide = 8;
  Grid grid;
  while (grid.rows * grid.rows * 2 < topics) grid.rows *= 2;
  grid.columns = (topics + grid.rows - 1) / grid.rows;
  grid.columns = (grid.columns + kSideBySide - 1) / kSideBySide * kSideBySide;
  return grid;
}

/// sums[c]: row[k] (counts[k] + alpha[k]) over the topics k of column c, in their order.
void sum_columns(const Grid& grid, const float* row, const float* counts, const float* alpha, float* __restrict sums) {
  const std::size_t columns = grid.columns;
  for (std::size_t c = 0; c < columns; ++c) sums[c] = row[c] * (counts[c] + alpha[c]);
  for (std::size_t r = 1; r < grid.rows; ++r) {
    row += columns, counts += columns, alpha += columns;
    for (std::size_t c = 0; c < columns; ++c) sums[c] += row[c] * (counts[c] + alpha[c]);
  }
}

}  // namespace

WordShares shares_in(std::span<const float> phi, std::size_t topics) {
  return [phi, topics, words = phi.size() / topics](std::uint32_t word, float* to) {
    for (std::size_t k = 0; k < topics; ++k) to[k] = phi[k * words + word];
  };
}

DocumentInference::DocumentInference(WordShares shares, std::span<const double> alpha, const InferSettings& settings)
    : shares_(std::move(shares)),
      settings_(settings),
      topics_(alpha.size()),
      alpha_(alpha.begin(), alpha.end()),
      sums_(grid_of(alpha.size()).columns) {
  alpha_.resize(grid_of(alpha.size()).rows * sums_.size(), 0.0F);
  counts_.resize(alpha_.size());
  for (const double each : alpha) whole_ += each;
}

void DocumentInference::infer(const Documents& documents, std::uint64_t document, float* theta) {
  lay_out(documents, document);
  const std::size_t topics = topics_;
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
  const std::size_t stride = alpha_.size();
  Hash64 hash;
  hash.update_u64(settings_.seed);
  hash.update_u64(static_cast<std::uint64_t>(TokenDraw::infer));
  const std::uint64_t begin = documents.begins[document], end = documents.begins[document + 1];
  rows_.assign((end - begin) * stride, 0.0F);
  row_of_.clear();
  std::size_t row = 0;
  for (std::uint64_t entry = begin; entry < end; ++entry, ++row) {
    const std::uint32_t word = documents.words[entry], count = documents.counts[entry];
    hash.update_u64(word);
    hash.update_u64(count);
    shares_(word, rows_.data() + row * stride);
    row_of_.insert(row_of_.end(), count, row);
  }
  topics_of_.assign(row_of_.size(), 0);
  key_ = hash.digest();
}

void DocumentInference::draw(std::size_t token, double unit) {
  const float* const row = rows_.data() + row_of_[token] * alpha_.size();
  --counts_[topics_of_[token]];
  const Grid grid{alpha_.size() / sums_.size(), sums_.size()};
  sum_columns(grid, row, counts_.data(), alpha_.data(), sums_.data());
  float sum = 0;
  for (float& column : sums_) column = sum += column;
  const auto x = static_cast<float>(unit * static_cast<double>(sum));
  const auto found = std::upper_bound(sums_.begin(), sums_.end(), x) - sums_.begin();
  const auto column = static_cast<std::size_t>(std::min(found, std::ssize(sums_) - 1));
  float before = column == 0 ? 0.0F : sums_[column - 1];
  // By rounding the topics of a column may add up to less than x: then it is its last one with any weight.
  std::size_t topic = 0;
  for (std::size_t k = column; k < topics_; k += grid.columns) {
    const float weight = row[k] * (counts_[k] + alpha_[k]);
    if (weight > 0) topic = k;
    before += weight;
    if (before > x) break;
  }
  topics_of_[token] = static_cast<std::uint32_t>(topic);
  ++counts_[topic];
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
