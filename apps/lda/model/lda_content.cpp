// What a version of a topic model holds, as arrays, and the version that such arrays were.
//
// values: Numbers, alpha, totals, the measures; then, of a phase that was cut off, for each of its blocks the page,
// how many sums and these. bulk: the pages, then those of the blocks.
#include <algorithm>
#include <memory>
#include <span>

#include "lda/model/lda_model.hpp"
#include "lda/problem/packed_topics.hpp"
#include "strads/base/all_finite.hpp"

namespace strads::lda {
namespace {

struct Numbers {
  std::uint64_t order = 0, sweep = 0, phase = 0, verified = 0, fresh = 0;
  double beta = 0, drift = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& numbers, Visit&& visit) {
    visit(numbers.order);
    visit(numbers.sweep);
    visit(numbers.phase);
    visit(numbers.verified);
    visit(numbers.fresh);
    visit(numbers.beta);
    visit(numbers.drift);
  }
};

}  // namespace

Payload LdaState::content() const {
  Payload all;
  append_fields(Numbers{.order = static_cast<std::uint64_t>(order),
                        .sweep = sweep,
                        .phase = phase,
                        .verified = verified ? 1U : 0U,
                        .fresh = fresh.size(),
                        .beta = beta,
                        .drift = drift},
                all.values);
  for (const auto* part : {&alpha, &totals, &documents_measured, &words_measured, &held_out_measured}) {
    all.values.insert(all.values.end(), part->begin(), part->end());
  }
  all.bulk = pages;
  for (const FreshPage& page : fresh) {
    all.values.push_back(static_cast<double>(page.page));
    all.values.push_back(static_cast<double>(page.sums.size()));
    all.values.insert(all.values.end(), page.sums.begin(), page.sums.end());
    all.bulk.push_back(page.topics);
  }
  return all;
}

/// A run goes on from barriers at which phases are whole, so that nothing is fresh.
std::unique_ptr<State> LdaModel::restore_state(const Payload& content) const {
  const std::size_t topics = options_.topics;
  if (!content.ids.empty() || !all_finite(std::span(content.values))) return nullptr;
  const auto numbers = find_fields<Numbers>(content.values);
  if (!numbers || numbers->order >= kOrders || numbers->verified != 0 || numbers->fresh != 0) return nullptr;
  const auto order = static_cast<Order>(numbers->order);
  if (!solver_->is_order(order) || !(numbers->beta > 0)) return nullptr;
  std::span<const double> rest = std::span(content.values).subspan(kFields<Numbers>);
  auto state = std::make_unique<LdaState>();
  state->documents_measured.resize(measure_size(Work::measure_documents, topics));
  state->words_measured.resize(measure_size(Work::measure_words, topics));
  state->held_out_measured.resize(measure_size(Work::held_out, topics));
  state->alpha.resize(topics);
  state->totals.resize(topics);
  for (auto* part :
       {&state->alpha, &state->totals, &state->documents_measured, &state->words_measured, &state->held_out_measured}) {
    if (rest.size() < part->size()) return nullptr;
    std::copy(rest.begin(), rest.begin() + std::ssize(*part), part->begin());
    rest = rest.subspan(part->size());
  }
  const auto is_prior = [](double each) { return each > 0; };
  if (!rest.empty() || !std::all_of(state->alpha.begin(), state->alpha.end(), is_prior)) return nullptr;
  const auto floats = solver_->floats_in(order);
  if (!std::ranges::equal(content.bulk, floats, {}, &SharedFloats::size)) return nullptr;
  for (const SharedFloats& page : content.bulk) {
    if (!all_below(page, options_.topics)) return nullptr;
  }
  state->order = order;
  state->sweep = numbers->sweep;
  state->phase = numbers->phase;
  state->beta = numbers->beta;
  state->drift = numbers->drift;
  state->pages = content.bulk;
  return state;
}

}  // namespace strads::lda
