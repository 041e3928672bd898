// What the payloads of a support vector machine hold. Private to apps/svm. K problems over n samples each, w of `width`
// numbers: variable problem x n + sample.
//
// start    values: C, where the coordinator tells it
// block    ids: variables. kSolveProblems: the first variable of each problem that is to be solved whole; values: {the
//          relative gap wanted, flops of a problem at most, the stream that the order of samples comes from, which also
//          says with which problem to begin}
// deltas   ids, values: what changed. kSolveProblems: no ids; values: groups of {problem, decrease of f, n values of
//          alpha}, problems ascending: of those that were taken up
// changes  values: ChangeWords, K flags (the w before this commit is to be kept), then the values of deltas that are
//          committed with these ids, or without ids all groups
// phase    ids: problems that are not solved yet; values: PhaseWords, K flags as above
// status   values: first word of State, K x ProblemSums; at a verified barrier then alpha of the slice's variables,
//          which ids has, and of the slice of variable 0: K x width numbers w, and K x width of what is kept
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "strads/base/payload_fields.hpp"
#include "strads/engine/model.hpp"

namespace strads::svm {

/// A kind of block beside those of policies.
inline constexpr std::uint32_t kSolveProblems = 2;

/// The first two are those of policy_phase_of().
struct PhaseWords {
  double threshold = 0, inner_gap = 0;
  std::uint64_t first = 0;  ///< round that begins the phase, counted from 1

  template <class Self, class Visit>
  static constexpr void fields(Self& words, Visit&& visit) {
    visit(words.threshold);
    visit(words.inner_gap);
    visit(words.first);
  }
};

struct ChangeWords {
  std::uint64_t first = 0;  ///< PhaseWords::first of the phase
  double realised = 0;      ///< what f loses

  template <class Self, class Visit>
  static constexpr void fields(Self& words, Visit&& visit) {
    visit(words.first);
    visit(words.realised);
  }
};

/// Of a slice's samples of one problem; `norm`: of the whole w.
struct ProblemSums {
  double loss = 0;            ///< sum of C_i l(m_i)
  double linear = 0;          ///< sum of a_i
  double square = 0;          ///< sum of D_i a_i^2
  double norm = 0;            ///< ||w||^2
  double violation = 0;       ///< largest projected gradient
  std::uint64_t support = 0;  ///< a_i > 0
  std::uint64_t at_bound = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& sums, Visit&& visit) {
    visit(sums.loss);
    visit(sums.linear);
    visit(sums.square);
    visit(sums.norm);
    visit(sums.violation);
    visit(sums.support);
    visit(sums.at_bound);
  }
};

struct BlockWords {
  double relative_gap = 0;
  std::uint64_t flops_max = 0;
  std::uint64_t stream = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& words, Visit&& visit) {
    visit(words.relative_gap);
    visit(words.flops_max);
    visit(words.stream);
  }
};

struct PayloadShape {
  std::size_t problems = 1, samples = 0, width = 0;
  bool cost_is_told = false;

  [[nodiscard]] std::size_t variables() const { return problems * samples; }
  [[nodiscard]] std::size_t group() const { return 2 + samples; }
  [[nodiscard]] std::size_t change_head() const { return kFields<ChangeWords> + problems; }
  [[nodiscard]] std::size_t phase_size() const { return kFields<PhaseWords> + problems; }
  [[nodiscard]] std::size_t status_head() const { return 1 + problems * kFields<ProblemSums>; }
};

/// Calls see(problem, decrease, alpha) for each group of well-formed values.
template <class See>
void each_group(std::span<const double> values, std::size_t samples, const See& see) {
  for (; !values.empty(); values = values.subspan(2 + samples)) {
    see(static_cast<std::size_t>(values[0]), values[1], values.subspan(2, samples));
  }
}

/// Model::acceptable() of a model of this shape.
[[nodiscard]] bool well_formed(PayloadKind kind, const Payload& payload, const PayloadShape& shape);

}  // namespace strads::svm
