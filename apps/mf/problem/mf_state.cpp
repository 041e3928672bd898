#include "mf/problem/mf_state.hpp"

#include <algorithm>

namespace strads::mf {

Pages Pages::apart() const {
  Pages own{.held = {}, .table = table};
  own.held.reserve(held.size());
  for (const auto& page : held) own.held.push_back(std::make_shared<Page>(page->floats(), page->is_blank()));
  return own;
}

std::unique_ptr<State> MfState::clone() const {
  return std::make_unique<MfState>(*this);
}

void MfState::set_penalties(Side side, std::size_t page, std::span<const double> of_page) {
  std::copy(of_page.begin(), of_page.end(),
            penalties[mf::index_of(side)].begin() + static_cast<std::ptrdiff_t>(page * sums()));
}

std::vector<double> MfState::penalty_sums(Side side) const {
  const auto& by_page = penalties[mf::index_of(side)];
  std::vector<double> total(sums());
  for (std::size_t at = 0; at < by_page.size(); ++at) total[at % sums()] += by_page[at];
  return total;
}

double MfState::objective(double lambda) const {
  return error + lambda * (weighted_penalty(penalty_sums(Side::users), weights, Side::users) +
                           weighted_penalty(penalty_sums(Side::items), weights, Side::items));
}

double weighted_penalty(std::span<const double> sums, std::span<const double> weights, Side side) {
  double total = sums.back();
  for (std::size_t k = 0; k < weights.size(); ++k) {
    total += side == Side::users ? weights[k] * sums[k] : sums[k] / weights[k];
  }
  return total;
}

}  // namespace strads::mf
