// `rotation` and `stale`: the collapsed Gibbs sampler (Griffiths and Steyvers 2004) on cells of documents x words. The
// documents of a worker are exact and current, and so is a block of words that nobody else has in this turn; c_k has
// only this worker's changes since the turn began, and in `stale` c_w as well.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "lda/problem/packed_topics.hpp"
#include "lda/solvers/lda_solver.hpp"
#include "lda/solvers/token_random.hpp"

namespace strads::lda {
namespace {

/// Tokens of some documents and some words: by word, then by document.
struct Cell {
  std::vector<std::uint64_t> begins;     ///< of each word of the block, and the end
  std::vector<std::uint32_t> documents;  ///< of each token: place in its part
  std::vector<std::uint64_t> places;     ///< of each token: among those of the part in the documents' order

  [[nodiscard]] std::uint64_t size() const { return documents.size(); }
};

/// Documents of a worker, or a block of words.
struct Part {
  std::vector<std::uint32_t> rows;  ///< ascending
  std::uint64_t tokens = 0;
};

class CellSolver final : public LdaSolver {
 public:
  using LdaSolver::LdaSolver;

  void place(const RowPages& documents, const RowPages& words) override {
    workers_ = documents.workers;
    schedulers_ = documents.schedulers;
    blocks_ = options_.sampler == Sampler::stale ? 1 : workers_;
    gather_parts(documents, parts_, part_of_, workers_);
    gather_parts(words, words_, block_of_, blocks_);
    fill_cells();
  }

  std::uint64_t tokens_of(const Plan& plan) const override {
    if (plan.kind() == Work::cells) return cells_[plan.page].size();
    return (plan.kind() == Work::measure_words ? words_ : parts_)[plan.page].tokens;
  }
  std::uint32_t pages_of(Work work) const override {
    if (work == Work::cells) return workers_ * blocks_;
    return work == Work::measure_words ? blocks_ : workers_;
  }
  std::vector<std::uint32_t> pages_of_slice(const Plan& plan, std::uint32_t slice) const override {
    std::vector<std::uint32_t> own;
    const std::uint32_t pages = plan.kind() == Work::measure_words ? blocks_ : workers_;
    for (std::uint32_t p = slice; p < pages; p += schedulers_) {
      own.push_back(plan.kind() == Work::cells ? p * blocks_ + static_cast<std::uint32_t>((p + plan.turn) % blocks_)
                                               : p);
    }
    return own;
  }
  VarId variable_of(const Plan& plan) const override {
    const auto documents = static_cast<VarId>(data_->documents->size());
    if (plan.kind() == Work::measure_words) return documents + words_[plan.page].rows[0];
    return parts_[plan.kind() == Work::cells ? plan.page / blocks_ : plan.page].rows[0];
  }
  std::size_t floats_of(const Plan& plan) const override { return packed_size(cells_[plan.page].size()); }
  Order order_after(Work) const override { return Order::cells; }
  bool is_order(Order order) const override { return order == Order::cells; }
  std::vector<std::size_t> floats_in(Order) const override {
    std::vector<std::size_t> floats;
    for (const Cell& cell : cells_) floats.push_back(packed_size(cell.size()));
    return floats;
  }

  void start(LdaState& state) const override {
    state.order = Order::cells;
    state.pages.resize(cells_.size());
    const std::uint64_t key = sweep_key(data_->seed, TokenDraw::start, 0);
    data_->threads->for_each(cells_.size(), [&](std::size_t at) {
      const Cell& cell = cells_[at];
      const Part& part = parts_[at / blocks_];
      std::vector<std::uint16_t> topics(cell.size());
      for (std::size_t i = 0; i < topics.size(); ++i) {
        const std::uint32_t document = part.rows[cell.documents[i]];
        const std::uint64_t n = cell.places[i] - begin_in_part_[document];
        topics[i] = static_cast<std::uint16_t>(below(number_of(row_key(key, document), n), options_.topics));
      }
      state.pages[at] = pack_topics(topics);
    });
  }

  SharedFloats draw(const LdaState& state, const Plan& plan, const Prior& prior,
                    std::span<double> changes) const override;

  void install(LdaState& state, const Plan&) const override {
    for (FreshPage& fresh : state.fresh) state.pages[fresh.page] = std::move(fresh.topics);
  }

  double drift(const LdaState& state) const override {
    std::vector<double> all(options_.topics, 0);
    for (const FreshPage& fresh : state.fresh) {
      for (std::size_t k = 0; k < all.size(); ++k) all[k] += fresh.sums[k];
    }
    double sum = 0;
    for (const FreshPage& fresh : state.fresh) {
      for (std::size_t k = 0; k < all.size(); ++k) sum += std::abs(all[k] - fresh.sums[k]);
    }
    return sum / static_cast<double>(state.fresh.size()) / static_cast<double>(data_->tokens());
  }

  RowTopics by_document(const LdaState& state, std::uint32_t page) const override {
    RowTopics found{parts_[page].rows, std::vector<std::uint16_t>(parts_[page].tokens)};
    for (std::uint32_t b = 0; b < blocks_; ++b) {
      const Cell& cell = cells_[page * blocks_ + b];
      const auto topics = unpack_topics(state.pages[page * blocks_ + b], cell.size());
      for (std::size_t i = 0; i < topics.size(); ++i) found.topics[cell.places[i]] = topics[i];
    }
    return found;
  }
  RowTopics by_word(const LdaState& state, std::uint32_t page) const override {
    RowTopics found{words_[page].rows, {}};
    const auto topics = column(state, page);
    for (std::size_t w = 0; w < found.rows.size(); ++w) {
      for (std::uint32_t p = 0; p < workers_; ++p) {
        const Cell& cell = cells_[p * blocks_ + page];
        found.topics.insert(found.topics.end(), topics[p].begin() + static_cast<std::ptrdiff_t>(cell.begins[w]),
                            topics[p].begin() + static_cast<std::ptrdiff_t>(cell.begins[w + 1]));
      }
    }
    return found;
  }

 private:
  /// Pages of all slices at the same place are one part; of words all pages are one if there is one block.
  void gather_parts(const RowPages& pages, std::vector<Part>& parts, std::vector<std::uint32_t>& part_of,
                    std::uint32_t count) const {
    parts.resize(count);
    part_of.resize(pages.page_of.size());
    for (std::uint32_t row = 0; row < part_of.size(); ++row) {
      part_of[row] = pages.page_of[row] % pages.workers % count;
      parts[part_of[row]].rows.push_back(row);
    }
    for (std::size_t page = 0; page < pages.rows.size(); ++page) {
      parts[page % pages.workers % count].tokens += pages.tokens[page];
    }
  }

  void fill_cells() {
    const Documents& documents = *data_->documents;
    cells_.resize(std::size_t{workers_} * blocks_);
    std::vector<std::uint32_t> place_of_word(data_->vocabulary());
    for (const Part& block : words_) {
      for (std::uint32_t w = 0; w < block.rows.size(); ++w) place_of_word[block.rows[w]] = w;
    }
    begin_in_part_.resize(documents.size());
    for (std::uint32_t p = 0; p < workers_; ++p) {
      std::vector<std::uint64_t> next(data_->vocabulary(),
                                      0);  // tokens of the word in this part, then where it goes on
      each_entry(p, [&](std::uint32_t, std::uint32_t word, std::uint32_t count) { next[word] += count; });
      for (std::uint32_t b = 0; b < blocks_; ++b) {
        Cell& cell = cells_[p * blocks_ + b];
        std::uint64_t at = 0;
        for (const std::uint32_t word : words_[b].rows) {
          cell.begins.push_back(at);
          at += std::exchange(next[word], at);
        }
        cell.begins.push_back(at);
        cell.documents.resize(at);
        cell.places.resize(at);
      }
      std::uint64_t place = 0;
      std::uint32_t before = UINT32_MAX;
      each_entry(p, [&](std::uint32_t d, std::uint32_t word, std::uint32_t count) {
        if (d != before) begin_in_part_[parts_[p].rows[d]] = place;
        before = d;
        Cell& cell = cells_[p * blocks_ + block_of_[word]];
        for (std::uint32_t n = 0; n < count; ++n, ++place) {
          cell.documents[next[word]] = d;
          cell.places[next[word]++] = place;
        }
      });
    }
  }

  /// each(place of the document in part p, word, count) in the documents' order.
  template <class Each>
  void each_entry(std::uint32_t p, Each&& each) const {
    const Documents& documents = *data_->documents;
    for (std::uint32_t d = 0; d < parts_[p].rows.size(); ++d) {
      const std::uint32_t row = parts_[p].rows[d];
      for (std::uint64_t entry = documents.begins[row]; entry < documents.begins[row + 1]; ++entry) {
        each(d, documents.words[entry], documents.counts[entry]);
      }
    }
  }

  /// Topics of the cells of all workers with one block of words.
  std::vector<std::vector<std::uint16_t>> column(const LdaState& state, std::uint32_t block) const {
    std::vector<std::vector<std::uint16_t>> topics;
    for (std::uint32_t p = 0; p < workers_; ++p) {
      const std::size_t at = std::size_t{p} * blocks_ + block;
      topics.push_back(unpack_topics(state.pages[at], cells_[at].size()));
    }
    return topics;
  }

  std::uint32_t workers_ = 1, schedulers_ = 1, blocks_ = 1;
  std::vector<Part> parts_, words_;
  std::vector<std::uint32_t> part_of_, block_of_;
  std::vector<std::uint64_t> begin_in_part_;  ///< of each document
  std::vector<Cell> cells_;                   ///< worker x blocks + block
};

/// The conditional of one word's tokens: weight(k) (c_dk + alpha_k), weight(k) = (c_wk + beta) / (c_k + V beta).
class WordConditional {
 public:
  WordConditional(std::span<const double> totals, const Prior& prior, double words)
      : beta_(prior.beta),
        whole_beta_(prior.beta * words),
        totals_(totals.begin(), totals.end()),
        counts_(totals.size()),
        weights_(totals.size()),
        sums_(totals.size()) {
    for (const double alpha : prior.alpha) alpha_.push_back(static_cast<float>(alpha));
  }
  void clear() { std::fill(counts_.begin(), counts_.end(), 0); }
  void count(std::uint16_t topic) { ++counts_[topic]; }
  void weigh() {
    for (std::size_t k = 0; k < weights_.size(); ++k) weigh(k);
  }
  /// A token of the word leaves a topic or comes to it.
  void move(std::size_t topic, double by) {
    counts_[topic] += by;
    totals_[topic] += by;
    weigh(topic);
  }
  /// `unit`: in [0, 1).
  std::uint16_t draw(const float* document, double unit) {
    float sum = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      sum += weights_[k] * (document[k] + alpha_[k]);
      sums_[k] = sum;
    }
    const auto at = std::upper_bound(sums_.begin(), sums_.end(), static_cast<float>(unit * static_cast<double>(sum)));
    return static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(at - sums_.begin(), std::ssize(sums_) - 1));
  }

 private:
  void weigh(std::size_t k) { weights_[k] = static_cast<float>((counts_[k] + beta_) / (totals_[k] + whole_beta_)); }

  double beta_, whole_beta_;
  std::vector<double> totals_, counts_;
  std::vector<float> alpha_, weights_, sums_;
};

SharedFloats CellSolver::draw(const LdaState& state, const Plan& plan, const Prior& prior,
                              std::span<double> changes) const {
  const std::size_t topics = options_.topics;
  const auto p = static_cast<std::uint32_t>(plan.page / blocks_), b = static_cast<std::uint32_t>(plan.page % blocks_);
  std::vector<float> documents(parts_[p].rows.size() * topics, 0);
  for (std::uint32_t block = 0; block < blocks_; ++block) {
    const Cell& cell = cells_[p * blocks_ + block];
    const auto of_cell = unpack_topics(state.pages[p * blocks_ + block], cell.size());
    for (std::size_t i = 0; i < of_cell.size(); ++i) ++documents[cell.documents[i] * topics + of_cell[i]];
  }
  auto all = column(state, b);
  const Cell& own = cells_[plan.page];
  std::vector<std::uint16_t> drawn = all[p];
  WordConditional conditional(state.totals, prior, data_->vocabulary());
  const std::uint64_t key = row_key(sweep_key(data_->seed, TokenDraw::cells, plan.sweep), plan.page);
  for (std::size_t w = 0; w + 1 < own.begins.size(); ++w) {
    if (own.begins[w] == own.begins[w + 1]) continue;
    conditional.clear();
    for (std::uint32_t q = 0; q < workers_; ++q) {
      const Cell& cell = cells_[q * blocks_ + b];
      for (std::uint64_t i = cell.begins[w]; i < cell.begins[w + 1]; ++i) conditional.count(all[q][i]);
    }
    conditional.weigh();
    for (std::uint64_t i = own.begins[w]; i < own.begins[w + 1]; ++i) {
      float* const document = documents.data() + own.documents[i] * topics;
      conditional.move(drawn[i], -1);
      --document[drawn[i]];
      --changes[drawn[i]];
      drawn[i] = conditional.draw(document, unit_of_high(number_of(key, i)));
      ++changes[drawn[i]];
      ++document[drawn[i]];
      conditional.move(drawn[i], 1);
    }
  }
  return pack_topics(drawn);
}

}  // namespace

std::unique_ptr<LdaSolver> make_cell_solver(std::shared_ptr<const LdaData> data, const LdaOptions& options) {
  return std::make_unique<CellSolver>(std::move(data), options);
}

}  // namespace strads::lda
