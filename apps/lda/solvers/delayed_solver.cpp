// `delayed`: within a half-sweep no token depends on another one's new topic, so that the bits depend on nothing but
// the data, the options and the seed. Tokens lie in the order of the last half-sweep; the next one gathers them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include "lda/solvers/half_sweep.hpp"
#include "lda/solvers/lda_solver.hpp"
#include "lda/solvers/token_random.hpp"

namespace strads::lda {
namespace {

class DelayedSolver final : public LdaSolver {
 public:
  using LdaSolver::LdaSolver;

  void place(const RowPages& documents, const RowPages& words) override {
    sides_[0].pages = documents;
    sides_[1].pages = words;
    for (std::size_t d = 0; d + 1 < data_->token_begins.size(); ++d) {
      lengths_.push_back(data_->token_begins[d + 1] - data_->token_begins[d]);
    }
    for (std::size_t side = 0; side < 2; ++side) {
      const RowPages& other = sides_[1 - side].pages;
      const auto bits = static_cast<std::uint32_t>(std::bit_width(std::max<std::uint64_t>(other.longest(), 2) - 1));
      const auto pages = static_cast<std::uint64_t>(other.rows.size());
      const bool is_narrow = bits < 32 && (pages << bits) <= std::uint64_t{1} << 32;
      for (const std::uint64_t tokens : sides_[side].pages.tokens) {
        OtherPlaces& places = sides_[side].places.emplace_back();
        places.bits = bits;
        is_narrow ? places.narrow.resize(tokens) : places.wide.resize(tokens);
      }
    }
    find_places();
  }

  std::uint64_t tokens_of(const Plan& plan) const override { return pages_of(side_of(plan.kind())).tokens[plan.page]; }
  std::uint32_t pages_of(Work work) const override {
    return static_cast<std::uint32_t>(pages_of(side_of(work)).rows.size());
  }
  std::vector<std::uint32_t> pages_of_slice(const Plan& plan, std::uint32_t slice) const override {
    const RowPages& pages = pages_of(side_of(plan.kind()));
    std::vector<std::uint32_t> own;
    for (std::uint32_t p = 0; p < pages.workers; ++p) own.push_back(slice * pages.workers + p);
    return own;
  }
  VarId variable_of(const Plan& plan) const override {
    const std::size_t side = side_of(plan.kind());
    const VarId row = pages_of(side).rows[plan.page][0];
    return side == 0 ? row : static_cast<VarId>(data_->documents->size()) + row;
  }
  std::size_t floats_of(const Plan& plan) const override {
    return tokens_of(plan) * floats_of_token(options_.proposals);
  }
  Order order_after(Work work) const override { return side_of(work) == 0 ? Order::documents : Order::words; }
  bool is_order(Order order) const override { return order != Order::cells; }
  std::vector<std::size_t> floats_in(Order order) const override {
    std::vector<std::size_t> floats;
    for (const std::uint64_t tokens : pages_of(side_of(order)).tokens) {
      floats.push_back(tokens * floats_of_token(options_.proposals));
    }
    return floats;
  }

  void start(LdaState& state) const override {
    state.order = Order::documents;
    const RowPages& pages = pages_of(0);
    state.pages.resize(pages.rows.size());
    const std::vector<double> totals(options_.topics, 0);
    const Half half(*this, TokenDraw::documents, 0, state.alpha, totals, 0);
    const std::uint64_t key = sweep_key(data_->seed, TokenDraw::start, 0);
    data_->threads->for_each(pages.rows.size(), [&](std::size_t page) {
      std::vector<std::uint16_t> topics;
      for (const std::uint32_t document : pages.rows[page]) {
        const std::uint64_t own = row_key(key, document);
        for (std::uint64_t n = 0; n < lengths_[document]; ++n) {
          topics.push_back(static_cast<std::uint16_t>(below(number_of(own, n), options_.topics)));
        }
      }
      SharedFloats made(topics.size() * floats_of_token(options_.proposals));
      propose_page(half.half, {pages.rows[page], lengths_}, topics, made.writable().data());
      state.pages[page] = std::move(made);
    });
  }

  SharedFloats draw(const LdaState& state, const Plan& plan, const Prior& prior,
                    std::span<double> changes) const override {
    const std::size_t side = side_of(plan.kind());
    const std::vector<double> of_words(options_.topics, prior.beta);
    const Half half(*this, side == 0 ? TokenDraw::documents : TokenDraw::words, plan.sweep,
                    side == 0 ? prior.alpha : std::span<const double>(of_words), state.totals,
                    prior.beta * static_cast<double>(data_->vocabulary()));
    SharedFloats made(floats_of(plan));
    const HalfPage page{pages_of(side).rows[plan.page], lengths(side), &sides_[side].places[plan.page]};
    sweep_page(half.half, page, tables(state), made.writable().data(), changes);
    return made;
  }

  void install(LdaState& state, const Plan& plan) const override {
    state.order = order_after(plan.kind());
    state.pages.assign(pages_of(plan.kind()), SharedFloats());
    for (FreshPage& fresh : state.fresh) state.pages[fresh.page] = std::move(fresh.topics);
  }

  double drift(const LdaState& state) const override {
    std::vector<double> changes(options_.topics, 0);
    for (const FreshPage& fresh : state.fresh) {
      for (std::size_t k = 0; k < changes.size(); ++k) changes[k] += fresh.sums[k];
    }
    double sum = 0;
    for (const double change : changes) sum += std::abs(change);
    return sum / static_cast<double>(data_->tokens());
  }

  RowTopics by_document(const LdaState& state, std::uint32_t page) const override { return topics_of(state, 0, page); }
  RowTopics by_word(const LdaState& state, std::uint32_t page) const override { return topics_of(state, 1, page); }

 private:
  struct SideTokens {
    RowPages pages;
    std::vector<OtherPlaces> places;  ///< by page
  };
  /// A half-sweep's numbers and what they point to.
  struct Half {
    PriorDraw draws;
    std::vector<float> prior, totals;
    HalfSweep half;
    Half(const DelayedSolver& solver, TokenDraw draw, std::uint64_t sweep, std::span<const double> of_row,
         std::span<const double> counts, double whole_beta)
        : draws(of_row) {
      for (const double each : of_row) prior.push_back(static_cast<float>(each));
      for (const double count : counts) totals.push_back(static_cast<float>(count + whole_beta));
      half = {sweep_key(solver.data_->seed, draw, sweep), solver.options_.proposals, prior, totals, &draws};
    }
    Half(const Half&) = delete;
    Half& operator=(const Half&) = delete;
  };

  static std::size_t side_of(Work work) { return work == Work::words || work == Work::measure_words ? 1 : 0; }
  static std::size_t side_of(Order order) { return order == Order::words ? 1 : 0; }
  const RowPages& pages_of(std::size_t side) const { return sides_[side].pages; }
  std::span<const std::uint64_t> lengths(std::size_t side) const {
    return side == 0 ? std::span<const std::uint64_t>(lengths_) : std::span(data_->word_tokens);
  }
  static std::vector<const float*> tables(const LdaState& state) {
    std::vector<const float*> from;
    for (const SharedFloats& page : state.pages) from.push_back(page.data());
    return from;
  }

  /// Tokens of a document in the order of its entries; those of a word by document, then as in the document.
  void find_places() {
    const Documents& documents = *data_->documents;
    const RowPages &by_document = pages_of(0), &by_word = pages_of(1);
    std::vector<std::uint64_t> next = by_word.begin_of;
    const auto put = [](OtherPlaces& places, std::uint64_t at, std::uint64_t page, std::uint64_t place) {
      const std::uint64_t both = (page << places.bits) | place;
      if (places.is_narrow()) {
        places.narrow[at] = static_cast<std::uint32_t>(both);
      } else {
        places.wide[at] = both;
      }
    };
    for (std::uint64_t d = 0; d < documents.size(); ++d) {
      const std::uint32_t page = by_document.page_of[d];
      std::uint64_t at = by_document.begin_of[d];
      for (std::uint64_t entry = documents.begins[d]; entry < documents.begins[d + 1]; ++entry) {
        const std::uint32_t word = documents.words[entry], of_word = by_word.page_of[word];
        for (std::uint32_t n = 0; n < documents.counts[entry]; ++n, ++at) {
          const std::uint64_t place = next[word]++;
          put(sides_[0].places[page], at, of_word, place);
          put(sides_[1].places[of_word], place, page, at);
        }
      }
    }
  }

  RowTopics topics_of(const LdaState& state, std::size_t side, std::uint32_t page) const {
    const RowPages& pages = pages_of(side);
    RowTopics found{pages.rows[page], {}};
    if (side_of(state.order) == side) {
      found.topics = topics_of_own(state.pages[page].data(), pages.tokens[page], options_.proposals);
    } else {
      found.topics = topics_of_other(sides_[side].places[page], tables(state), options_.proposals);
    }
    return found;
  }

  std::vector<std::uint64_t> lengths_;  ///< of documents
  SideTokens sides_[2];                 ///< documents, words
};

}  // namespace

std::unique_ptr<LdaSolver> make_delayed_solver(std::shared_ptr<const LdaData> data, const LdaOptions& options) {
  return std::make_unique<DelayedSolver>(std::move(data), options);
}

}  // namespace strads::lda
