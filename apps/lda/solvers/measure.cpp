// Parts of the log joint and of the fixed point of alpha and beta (Minka 2000, "Estimating a Dirichlet distribution",
// eq. 55; Griffiths and Steyvers 2004, eqs. 2 and 3).
#include <cstdint>
#include <span>
#include <vector>

#include "lda/problem/special.hpp"
#include "lda/solvers/lda_solver.hpp"

namespace strads::lda {
namespace {

/// Calls each(topic, count) for the topics of one row, in the order of their first tokens, and leaves `counts` zero.
template <class Each>
void for_topics(std::span<const std::uint16_t> row, std::vector<std::uint32_t>& counts, Each&& each) {
  for (const std::uint16_t topic : row) ++counts[topic];
  for (const std::uint16_t topic : row) {
    if (counts[topic] == 0) continue;
    each(topic, counts[topic]);
    counts[topic] = 0;
  }
}

void write_sum(const FixedSum& sum, std::span<double> to) {
  const auto [high, low] = sum.parts();
  to[0] = high;
  to[1] = low;
}

std::vector<double> measured_documents(const LdaSolver& solver, const RowTopics& page, std::span<const double> alpha) {
  const std::size_t topics = alpha.size();
  const bool optimises = solver.options().optimise;
  const auto& begins = solver.data().token_begins;
  std::vector<std::uint32_t> counts(topics);
  std::vector<FixedSum> numerators(topics);
  FixedSum log_joint, divisor;
  double whole = 0;
  for (const double each : alpha) whole += each;
  std::size_t at = 0;
  for (const std::uint32_t document : page.rows) {
    const std::uint64_t length = begins[document + 1] - begins[document];
    double row = -log_rising(whole, length);
    for_topics(std::span(page.topics).subspan(at, length), counts, [&](std::uint16_t topic, std::uint32_t count) {
      row += log_rising(alpha[topic], count);
      if (optimises) numerators[topic].add(digamma_rising(alpha[topic], count));
    });
    log_joint.add(row);
    if (optimises) divisor.add(digamma_rising(whole, length));
    at += length;
  }
  std::vector<double> sums(measure_size(Work::measure_documents, topics));
  write_sum(log_joint, std::span(sums).subspan(kMeasureLogJoint));
  write_sum(divisor, std::span(sums).subspan(kMeasureDivisor));
  for (std::size_t k = 0; k < topics; ++k) {
    write_sum(numerators[k], std::span(sums).subspan(kMeasureNumerators + 2 * k));
  }
  return sums;
}

std::vector<double> measured_words(const LdaSolver& solver, const RowTopics& page, double beta) {
  std::vector<std::uint32_t> counts(solver.options().topics);
  FixedSum log_joint, numerator;
  std::size_t at = 0;
  for (const std::uint32_t word : page.rows) {
    const std::uint64_t length = solver.data().word_tokens[word];
    double row = 0, of_beta = 0;
    for_topics(std::span(page.topics).subspan(at, length), counts, [&](std::uint16_t, std::uint32_t count) {
      row += log_rising(beta, count);
      if (solver.options().optimise) of_beta += digamma_rising(beta, count);
    });
    log_joint.add(row);
    numerator.add(of_beta);
    at += length;
  }
  std::vector<double> sums(measure_size(Work::measure_words, 0));
  write_sum(log_joint, std::span(sums).subspan(kMeasureLogJoint));
  write_sum(numerator, std::span(sums).subspan(kMeasureBeta));
  return sums;
}

}  // namespace

std::vector<double> measured(const LdaSolver& solver, const LdaState& state, const Plan& plan, const Prior& prior) {
  const auto page = static_cast<std::uint32_t>(plan.page);
  if (plan.kind() == Work::measure_documents) {
    return measured_documents(solver, solver.by_document(state, page), prior.alpha);
  }
  return measured_words(solver, solver.by_word(state, page), prior.beta);
}

}  // namespace strads::lda
