// What a version of a factorization holds, as arrays, and the version that such arrays were.
//
// values: those of the version, where its pages are, where those are that its sweep began with (ccd), and then, if
// other factors are kept as the best ones, their values and where their pages are. bulk: one array for each place of a
// page, empty where the floats are elsewhere.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mf/model/mf_model.hpp"
#include "strads/base/all_finite.hpp"

namespace strads::mf {
namespace {

/// Where the floats of a page are. What versions share stays shared, which is the same on all nodes.
enum class Origin : std::uint8_t {
  own,    ///< in bulk
  blank,  ///< as the run began: Page::is_blank()
  same    ///< of pages beside `pages`: those of the same place there
};
constexpr double kOrigins = 3;

/// The single numbers of a version, but for its evaluation and its weights.
struct Numbers {
  double error = 0;
  double met = 0;  ///< SweepSoFar
  std::uint64_t cells = 0;
  double swept = 0;
  std::uint64_t fault = 0;
  std::uint64_t has_phase = 0, phase = 0;
  double fresh_error = 0;
  std::uint64_t fresh_pages = 0;
  double best_validation = 0;
  std::uint64_t is_best = 0, has_kept = 0, verified = 0;

  template <class Self, class Visit>
  static constexpr void fields(Self& numbers, Visit&& visit) {
    visit(numbers.error);
    visit(numbers.met);
    visit(numbers.cells);
    visit(numbers.swept);
    visit(numbers.fault);
    visit(numbers.has_phase);
    visit(numbers.phase);
    visit(numbers.fresh_error);
    visit(numbers.fresh_pages);
    visit(numbers.best_validation);
    visit(numbers.is_best);
    visit(numbers.has_kept);
    visit(numbers.verified);
  }
};

void append_values(const MfState& state, std::vector<double>& values) {
  append_fields(Numbers{.error = state.error,
                        .met = state.so_far.error,
                        .cells = state.so_far.cells,
                        .swept = state.swept,
                        .fault = static_cast<std::uint64_t>(state.fault),
                        .has_phase = state.phase.has_value() ? 1U : 0U,
                        .phase = state.phase.value_or(0),
                        .fresh_error = state.fresh_error,
                        .fresh_pages = state.fresh_pages,
                        .best_validation = state.best_validation,
                        .is_best = state.is_best ? 1U : 0U,
                        .has_kept = state.kept != nullptr ? 1U : 0U,
                        .verified = state.verified ? 1U : 0U},
                values);
  append_fields(state.evaluation, values);
  values.insert(values.end(), state.weights.begin(), state.weights.end());
  for (std::size_t side = 0; side < kSides; ++side) {
    values.insert(values.end(), state.penalties[side].begin(), state.penalties[side].end());
    values.insert(values.end(), state.so_far.penalties[side].begin(), state.so_far.penalties[side].end());
  }
}

/// `beside`: pages of the same version, not given back before these; nullptr: none.
void append_pages(const Pages& pages, const Pages* beside, Payload& all) {
  for (std::size_t page = 0; page < pages.held.size(); ++page) {
    SharedFloats floats = pages.held[page]->floats();
    Origin origin = Origin::own;
    if (pages.held[page]->is_blank()) {
      origin = Origin::blank;
    } else if (beside != nullptr && floats.size() > 0 && pages.table[page] == beside->table[page]) {
      origin = Origin::same;  // not of a page without rows, whose floats are at no place
    }
    all.values.push_back(static_cast<double>(origin));
    all.bulk.push_back(origin == Origin::own ? std::move(floats) : SharedFloats());
  }
}

/// Reads what the functions above have written, in the same order. After something that does not fit nothing does.
class ContentReader {
 public:
  ContentReader(const Payload& content, const MfSolver& solver)
      : values_(content.values), bulk_(content.bulk), solver_(solver) {}

  /// Into a version of the model, whose arrays say how long they are. No value: they are other ones.
  std::optional<Numbers> values(MfState& to) {
    const auto numbers = fields<Numbers>();
    const auto evaluation = fields<Evaluation>();
    if (!numbers || !evaluation || numbers->fault >= kFaults || !array(to.weights)) return std::nullopt;
    if (!std::ranges::all_of(to.weights, [](double weight) { return weight > 0; })) return std::nullopt;
    for (std::size_t side = 0; side < kSides; ++side) {
      if (!array(to.penalties[side]) || !array(to.so_far.penalties[side])) return std::nullopt;
    }
    for (const std::uint64_t flag : {numbers->has_phase, numbers->is_best, numbers->has_kept, numbers->verified}) {
      if (flag > 1) return std::nullopt;
    }
    to.evaluation = *evaluation;
    to.error = numbers->error;
    to.so_far.error = numbers->met;
    to.so_far.cells = numbers->cells;
    to.swept = numbers->swept;
    to.fault = static_cast<Fault>(numbers->fault);
    to.phase = numbers->has_phase == 1 ? std::optional(numbers->phase) : std::nullopt;
    to.fresh_error = numbers->fresh_error;
    to.fresh_pages = numbers->fresh_pages;
    to.best_validation = numbers->best_validation;
    to.is_best = numbers->is_best == 1;
    return numbers;
  }

  /// `to`: as a run begins. Every page becomes one of its own, which nobody else releases.
  bool pages(Side side, Pages& to, const Pages* beside) {
    for (std::size_t page = 0; page < to.held.size(); ++page) {
      if (values_.empty() || bulk_.empty()) return false;
      const double origin = std::exchange(values_, values_.subspan(1))[0];
      const SharedFloats& floats = std::exchange(bulk_, bulk_.subspan(1))[0];
      if (!is_count(origin) || origin >= kOrigins) return false;
      const auto from = static_cast<Origin>(origin);
      if (floats.size() != (from == Origin::own ? solver_.page_floats(side, page) : 0)) return false;
      if (from == Origin::own) {
        to.set(page, floats);
      } else if (from == Origin::blank) {
        if (!to.held[page]->is_blank()) return false;
        to.set_blank(page, to.held[page]->floats());
      } else {
        if (beside == nullptr || beside->held[page]->is_blank()) return false;
        to.set(page, beside->held[page]->floats());
      }
    }
    return true;
  }

  [[nodiscard]] bool at_end() const { return values_.empty() && bulk_.empty(); }

 private:
  template <class T>
  std::optional<T> fields() {
    const std::optional<T> found = find_fields<T>(values_);
    if (found) values_ = values_.subspan(kFields<T>);
    return found;
  }
  bool array(std::vector<double>& to) {
    if (values_.size() < to.size()) return false;
    std::ranges::copy(values_.first(to.size()), to.begin());
    values_ = values_.subspan(to.size());
    return true;
  }

  std::span<const double> values_;
  std::span<const SharedFloats> bulk_;
  const MfSolver& solver_;
};

}  // namespace

Payload MfState::content() const {
  Payload all;
  append_values(*this, all.values);
  for (const Pages& side : pages) append_pages(side, nullptr, all);
  for (std::size_t side = 0; side < kSides; ++side) append_pages(start[side], &pages[side], all);
  if (kept == nullptr) return all;
  append_values(*kept, all.values);
  for (std::size_t side = 0; side < kSides; ++side) append_pages(kept->pages[side], &pages[side], all);
  return all;
}

std::unique_ptr<State> MfModel::restore_state(const Payload& content) const {
  if (!content.ids.empty() || !all_finite(content)) return nullptr;
  const std::unique_ptr<State> made = make_state();
  const auto& begin = static_cast<const MfState&>(*made);
  auto state = std::make_unique<MfState>(begin);
  ContentReader reader(content, *solver_);
  const auto numbers = reader.values(*state);
  if (!numbers || numbers->verified == 1) return nullptr;
  const auto each_side = [](auto&& read) { return read(Side::users) && read(Side::items); };
  if (!each_side([&](Side side) { return reader.pages(side, state->of(side), nullptr); })) return nullptr;
  if (!each_side([&](Side side) { return reader.pages(side, state->start[mf::index_of(side)], &state->of(side)); })) {
    return nullptr;
  }
  if (numbers->has_kept == 1) {
    auto best = std::make_shared<MfState>(begin);
    const auto of_best = reader.values(*best);
    if (!of_best || of_best->has_kept + of_best->verified > 0) return nullptr;
    if (!each_side([&](Side side) { return reader.pages(side, best->of(side), &state->of(side)); })) return nullptr;
    for (const Side side : {Side::users, Side::items}) {
      Pages& start = best->start[mf::index_of(side)];
      if (!start.held.empty()) start = best->of(side);
    }
    state->kept = std::move(best);
  }
  return reader.at_end() ? std::unique_ptr<State>(std::move(state)) : nullptr;
}

}  // namespace strads::mf
