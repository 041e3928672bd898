#include "lda/check/check_topics.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace strads::lda {
namespace {

constexpr double kLogJointTolerance = 1e-9;

/// Counts of the last row and how its log Gammas add up.
class PlainRow {
 public:
  explicit PlainRow(std::size_t topics) : counts_(topics, 0) {}
  void add(std::uint16_t topic) { counts_[topic] += 1; }
  /// sum_k ln Gamma(c_k + prior_k) - ln Gamma(prior_k); the counts are 0 afterwards.
  template <class Prior>
  double close(Prior&& prior) {
    double sum = 0;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      if (counts_[k] > 0) sum += std::lgamma(counts_[k] + prior(k)) - std::lgamma(prior(k));
      counts_[k] = 0;
    }
    return sum;
  }

 private:
  std::vector<double> counts_;
};

}  // namespace

double plain_log_joint(const Documents& documents, const LdaSolution& solution) {
  const std::size_t topics = solution.topics;
  double alpha = 0, sum = 0;
  for (const double each : solution.alpha) alpha += each;
  // Tokens of each word, one word after the other.
  std::vector<std::vector<std::uint16_t>> by_word(documents.vocabulary);
  std::vector<double> totals(topics, 0);
  PlainRow row(topics);
  std::uint64_t token = 0;
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    double length = 0;
    for (std::uint64_t entry = documents.begins[d]; entry < documents.begins[d + 1]; ++entry) {
      for (std::uint32_t n = 0; n < documents.counts[entry]; ++n, ++length) {
        const std::uint16_t topic = solution.assignments[token++];
        by_word[documents.words[entry]].push_back(topic);
        totals[topic] += 1;
        row.add(topic);
      }
    }
    sum +=
        std::lgamma(alpha) - std::lgamma(length + alpha) + row.close([&](std::size_t k) { return solution.alpha[k]; });
  }
  for (const auto& tokens : by_word) {
    for (const std::uint16_t topic : tokens) row.add(topic);
    sum += row.close([&](std::size_t) { return solution.beta; });
  }
  const double beta = solution.beta * documents.vocabulary;
  for (const double total : totals) sum += std::lgamma(beta) - std::lgamma(total + beta);
  return sum;
}

Status check_topics(const LdaData& data, const LdaSolution& solution) {
  std::vector<std::uint64_t> totals(solution.topics, 0);
  if (solution.assignments.size() != data.tokens()) {
    return Status::internal(std::to_string(solution.assignments.size()) + " topics of " +
                            std::to_string(data.tokens()) + " tokens");
  }
  for (std::size_t token = 0; token < solution.assignments.size(); ++token) {
    const std::uint16_t topic = solution.assignments[token];
    if (topic >= solution.topics) {
      return Status::internal("token " + std::to_string(token) + " has topic " + std::to_string(topic) + " of " +
                              std::to_string(solution.topics));
    }
    ++totals[topic];
  }
  for (std::size_t k = 0; k < totals.size(); ++k) {
    if (solution.totals.size() == totals.size() && totals[k] == solution.totals[k]) continue;
    return Status::internal("topic " + std::to_string(k) + " has " + std::to_string(totals[k]) +
                            " tokens, and the run counted others");
  }
  const double recomputed = plain_log_joint(*data.documents, solution);
  if (std::abs(recomputed - solution.log_joint) <= kLogJointTolerance * std::abs(recomputed) + 1e-3) return {};
  return Status::internal("the log joint of the topics is " + std::to_string(recomputed) + ", and the run measured " +
                          std::to_string(solution.log_joint));
}

}  // namespace strads::lda
