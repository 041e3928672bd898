#include "strads_sim/audit/plain_topics.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace strads::simulator {
namespace {

constexpr double kRowSlack = 1.0 / 2097152;  ///< half of the unit in which the model adds up rows
constexpr double kLogNear = 1e-10;           ///< relative: logarithms of products or of Gamma functions
constexpr double kLeastPrior = 1e-5, kLargestPrior = 1e4;

/// log (a (a + 1) ... (a + n - 1)).
double log_of_rising(double a, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::log(a + static_cast<double>(i));
  return sum;
}

/// 1 / a + 1 / (a + 1) + ... + 1 / (a + n - 1).
double sum_of_inverses(double a, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += 1 / (a + static_cast<double>(i));
  return sum;
}

/// numerator / denominator x prior, and what it may be off.
std::pair<double, double> minka_step(double prior, double numerator, double numerator_slack, double denominator,
                                     double denominator_slack) {
  const double next = prior * numerator / denominator;
  const double slack = prior * numerator_slack / denominator + next * (denominator_slack / denominator + kLogNear);
  return {std::clamp(next, kLeastPrior, kLargestPrior), slack};
}

/// Block of each row: a slice's rows go to its blocks, slice x blocks + block.
std::vector<std::uint64_t> dealt(const std::vector<std::vector<VarId>>& rows_of_slices,
                                 const std::vector<std::uint64_t>& lengths, std::uint32_t blocks) {
  std::vector<std::uint64_t> block_of(lengths.size(), 0);
  for (std::size_t s = 0; s < rows_of_slices.size(); ++s) {
    std::vector<std::pair<std::uint64_t, VarId>> rows;
    for (const VarId row : rows_of_slices[s]) rows.emplace_back(lengths[row], row);
    std::ranges::sort(rows, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    std::vector<std::uint64_t> loads(blocks, 0);
    for (const auto& [length, row] : rows) {
      const auto least = std::ranges::min_element(loads) - loads.begin();
      loads[static_cast<std::size_t>(least)] += length;
      block_of[row] = s * blocks + static_cast<std::uint64_t>(least);
    }
  }
  return block_of;
}

}  // namespace

PlainTokens::PlainTokens(std::shared_ptr<const Documents> documents, const AuditedLda& asked)
    : documents_(std::move(documents)), asked_(asked), first_{0} {
  for (std::uint32_t d = 0; d < documents_->size(); ++d) {
    for (std::uint64_t entry = documents_->begins[d]; entry < documents_->begins[d + 1]; ++entry) {
      document_.insert(document_.end(), documents_->counts[entry], d);
      word_.insert(word_.end(), documents_->counts[entry], documents_->words[entry]);
    }
    first_.push_back(document_.size());
  }
}

void PlainTokens::deal(const std::vector<std::vector<VarId>>& slices) {
  std::vector<std::uint64_t> of_document(documents_->size(), 0), of_word(documents_->vocabulary, 0);
  for (const std::uint32_t d : document_) ++of_document[d];
  for (const std::uint32_t w : word_) ++of_word[w];
  std::vector<std::vector<VarId>> documents(slices.size()), words(slices.size());
  for (std::size_t s = 0; s < slices.size(); ++s) {
    for (const VarId j : slices[s]) {
      if (j < of_document.size()) documents[s].push_back(j);
      if (j >= of_document.size()) words[s].push_back(j - static_cast<VarId>(of_document.size()));
    }
  }
  block_of_document_ = dealt(documents, of_document, asked_.engine.workers);
  block_of_word_ = dealt(words, of_word, asked_.engine.workers);
}

std::vector<std::size_t> PlainTokens::by_word(const std::vector<std::size_t>& tokens) const {
  std::vector<std::size_t> sorted = tokens;
  std::ranges::stable_sort(sorted, [this](std::size_t a, std::size_t b) { return word_[a] < word_[b]; });
  return sorted;
}

std::vector<std::size_t> PlainTokens::tokens_of_block(bool of_words, std::uint64_t block) const {
  std::vector<std::size_t> tokens;
  for (std::size_t t = 0; t < size(); ++t) {
    const std::uint64_t own = of_words ? block_of_word_[word_[t]] : block_of_document_[document_[t]];
    if (own == block) tokens.push_back(t);
  }
  return of_words ? by_word(tokens) : tokens;
}

std::vector<std::size_t> PlainTokens::tokens_of_cell(std::uint64_t cell) const {
  const std::uint64_t workers = asked_.engine.workers, blocks = blocks_of_words();
  std::vector<std::size_t> tokens;
  for (std::size_t t = 0; t < size(); ++t) {
    const std::uint64_t part = block_of_document_[document_[t]] % workers;
    const std::uint64_t block = block_of_word_[word_[t]] % workers % blocks;
    if (part * blocks + block == cell) tokens.push_back(t);
  }
  return by_word(tokens);
}

std::vector<std::size_t> PlainTokens::tokens_of_measure(bool of_words, std::uint64_t block) const {
  if (asked_.sampler == "delayed") return tokens_of_block(of_words, block);
  const std::uint64_t blocks = of_words ? blocks_of_words() : asked_.engine.workers;
  std::vector<std::size_t> tokens;
  for (std::size_t t = 0; t < size(); ++t) {
    const std::uint64_t own = of_words ? block_of_word_[word_[t]] : block_of_document_[document_[t]];
    if (own % asked_.engine.workers % blocks == block) tokens.push_back(t);
  }
  return tokens;
}

std::vector<double> PlainTokens::totals(const std::vector<std::uint16_t>& topics) const {
  std::vector<double> counts(asked_.topics, 0);
  for (const std::uint16_t topic : topics) counts[topic] += 1;
  return counts;
}

PlainMeasure PlainTokens::measure(const std::vector<std::uint16_t>& topics, const std::vector<double>& alpha,
                                  double beta) const {
  const std::size_t count = asked_.topics, words = documents_->vocabulary;
  std::vector<std::vector<std::size_t>> of_document(documents(), std::vector<std::size_t>(count, 0));
  std::vector<std::vector<std::size_t>> of_word(words, std::vector<std::size_t>(count, 0));
  std::vector<std::size_t> of_topic(count, 0);
  for (std::size_t t = 0; t < size(); ++t) {
    ++of_document[document_[t]][topics[t]];
    ++of_word[word_[t]][topics[t]];
    ++of_topic[topics[t]];
  }
  const auto rows = static_cast<double>(documents() + words);
  const double whole_beta = beta * static_cast<double>(words);
  double whole_alpha = 0, sum = 0, size = 0, divisor = 0, of_beta = 0, of_totals = 0;
  for (const double each : alpha) whole_alpha += each;
  std::vector<double> numerators(count, 0);
  const auto add = [&](double term) {
    sum += term;
    size += std::abs(term);
  };
  for (std::size_t d = 0; d < documents(); ++d) {
    const std::size_t length = first_[d + 1] - first_[d];
    add(-log_of_rising(whole_alpha, length));
    divisor += sum_of_inverses(whole_alpha, length);
    for (std::size_t k = 0; k < count; ++k) {
      add(log_of_rising(alpha[k], of_document[d][k]));
      numerators[k] += sum_of_inverses(alpha[k], of_document[d][k]);
    }
  }
  for (const auto& counts : of_word) {
    for (const std::size_t tokens : counts) {
      add(log_of_rising(beta, tokens));
      of_beta += sum_of_inverses(beta, tokens);
    }
  }
  for (const std::size_t tokens : of_topic) {
    add(-log_of_rising(whole_beta, tokens));
    of_totals += sum_of_inverses(whole_beta, tokens);
  }
  PlainMeasure found;
  found.log_joint = sum;
  found.log_joint_slack = rows * kRowSlack + kLogNear * size;
  const double slack = rows * kRowSlack;
  for (std::size_t k = 0; k < count; ++k) {
    const auto [next, off] = minka_step(alpha[k], numerators[k], slack, divisor, slack);
    found.alpha.push_back(next);
    found.alpha_slack.push_back(off);
  }
  std::tie(found.beta, found.beta_slack) = minka_step(beta, of_beta, slack, static_cast<double>(words) * of_totals, 0);
  return found;
}

}  // namespace strads::simulator
