#include "svm/model/svm_state.hpp"

#include <algorithm>
#include <span>

#include "strads/base/all_finite.hpp"

namespace strads::svm {

namespace {
constexpr std::size_t kNumbers = 2;
}

SvmState::SvmState(const PayloadShape& shape)
    : alpha(shape.variables(), 0.0), w(shape.problems * shape.width, 0.0), kept(shape.problems * shape.width, 0.0) {}

Payload SvmState::content() const {
  Payload content;
  content.values = {objective, static_cast<double>(first)};
  for (const auto* numbers : {&alpha, &w, &kept}) {
    content.values.insert(content.values.end(), numbers->begin(), numbers->end());
  }
  return content;
}

std::optional<SvmState> SvmState::of(const Payload& content, const PayloadShape& shape) {
  SvmState state(shape);
  const std::span<const double> values(content.values);
  if (!content.ids.empty() || !content.bulk.empty() || !all_finite(values)) return std::nullopt;
  if (values.size() != kNumbers + state.alpha.size() + state.w.size() + state.kept.size()) return std::nullopt;
  if (!is_count(values[1])) return std::nullopt;
  state.objective = values[0];
  state.first = static_cast<std::uint64_t>(values[1]);
  auto rest = values.subspan(kNumbers);
  for (auto* numbers : {&state.alpha, &state.w, &state.kept}) {
    std::ranges::copy(rest.first(numbers->size()), numbers->begin());
    rest = rest.subspan(numbers->size());
  }
  return state;
}

}  // namespace strads::svm
