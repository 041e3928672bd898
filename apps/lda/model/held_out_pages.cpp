#include "lda/model/held_out_pages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "lda/problem/special.hpp"

namespace strads::lda {
namespace {

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

std::uint64_t tokens_in(const Documents& documents, std::uint64_t document) {
  const auto begin = documents.counts.begin() + static_cast<std::ptrdiff_t>(documents.begins[document]);
  const auto end = documents.counts.begin() + static_cast<std::ptrdiff_t>(documents.begins[document + 1]);
  return std::accumulate(begin, end, std::uint64_t{0});
}

}  // namespace

HeldOutPages::HeldOutPages(std::shared_ptr<const LdaData> data, const LdaOptions& options)
    : data_(std::move(data)), options_(options) {}

void HeldOutPages::place(const Placement& placement) {
  if (evaluation_interval(*data_, options_) == 0) return;
  const DocumentHalves& halves = *data_->held_out;
  std::vector<std::uint32_t> used;
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (std::uint32_t s = 0; s < placement.slices.size(); ++s) {
    if (placement.slices[s].empty()) continue;
    used.push_back(s);
    smallest = std::min(smallest, placement.slices[s].size());
  }
  const double counting = counting_work(*data_, options_);
  const double worth = std::max(1.0, std::floor((evaluation_work(*data_, options_) - counting) / (4 * counting)));
  const double most = static_cast<double>(std::min<std::size_t>(placement.workers, used.size() * smallest));
  const auto count = static_cast<std::uint32_t>(std::min(worth, most));
  std::vector<std::uint64_t> tokens(halves.seen.size());
  for (std::size_t d = 0; d < tokens.size(); ++d) tokens[d] = tokens_in(halves.seen, d) + tokens_in(halves.asked, d);
  std::vector<std::vector<std::uint32_t>> all(1, std::vector<std::uint32_t>(tokens.size()));
  std::iota(all[0].begin(), all[0].end(), 0U);
  pages_ = deal_rows(tokens, all, count);
  for (std::uint32_t page = 0; page < count; ++page) {
    const std::uint32_t slice = used[page % used.size()];
    slices_.push_back(slice);
    variables_.push_back(placement.slices[slice][page / used.size()]);
  }
}

std::uint64_t HeldOutPages::flops_of(std::uint64_t page) const {
  return tokens_of(page) / 2 * kInferSweeps * 2 * options_.topics + data_->tokens();
}

std::vector<std::uint32_t> HeldOutPages::of_slice(std::uint32_t slice) const {
  std::vector<std::uint32_t> own;
  for (std::uint32_t page = 0; page < size(); ++page) {
    if (slices_[page] == slice) own.push_back(page);
  }
  return own;
}

HeldOutPages::PageShares HeldOutPages::shares_of(const LdaSolver& solver, const LdaState& state, std::uint64_t page,
                                                 double beta) const {
  const std::size_t topics = options_.topics;
  PageShares shares{std::vector<std::uint32_t>(data_->vocabulary(), kNoPlace), {}};
  std::uint32_t words = 0;
  for (const Documents* half : {&data_->held_out->seen, &data_->held_out->asked}) {
    for (const std::uint32_t d : pages_.rows[page]) {
      for (std::uint64_t entry = half->begins[d]; entry < half->begins[d + std::size_t{1}]; ++entry) {
        std::uint32_t& place = shares.place[half->words[entry]];
        if (place == kNoPlace) place = words++;
      }
    }
  }
  shares.phi.resize(words * topics);
  std::vector<std::uint32_t> counts(topics, 0);
  const double whole_beta = static_cast<double>(data_->vocabulary()) * beta;
  for (std::uint32_t of_words = 0; of_words < solver.pages_of(Work::measure_words); ++of_words) {
    const RowTopics rows = solver.by_word(state, of_words);
    const std::uint16_t* topic = rows.topics.data();
    for (const std::uint32_t word : rows.rows) {
      const std::uint16_t* const end = topic + data_->word_tokens[word];
      if (shares.place[word] == kNoPlace) {
        topic = end;
        continue;
      }
      for (; topic != end; ++topic) ++counts[*topic];
      float* const phi = shares.phi.data() + shares.place[word] * topics;
      for (std::size_t k = 0; k < topics; ++k) {
        phi[k] = static_cast<float>((counts[k] + beta) / (state.totals[k] + whole_beta));
        counts[k] = 0;
      }
    }
  }
  return shares;
}

std::vector<double> HeldOutPages::measured(const LdaSolver& solver, const LdaState& state, std::uint64_t page,
                                           const Prior& prior) const {
  const std::size_t topics = options_.topics;
  const PageShares of_page = shares_of(solver, state, page, prior.beta);
  const WordShares shares = [&of_page, topics](std::uint32_t word, float* to) {
    std::copy_n(of_page.phi.data() + of_page.place[word] * topics, topics, to);
  };
  DocumentInference inference(shares, prior.alpha, {.seed = data_->seed, .sweeps = kInferSweeps});
  std::vector<float> theta(topics);
  FixedSum sum;
  for (const std::uint32_t d : pages_.rows[page]) {
    inference.infer(data_->held_out->seen, d, theta.data());
    sum.add(log_likelihood_of(data_->held_out->asked, d, theta, shares));
  }
  const auto parts = sum.parts();
  return {parts.first, parts.second};
}

}  // namespace strads::lda
