// How the topics of tokens are drawn: one object a sampler, all of it that differs between them. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lda/problem/lda.hpp"
#include "lda/problem/lda_state.hpp"
#include "lda/problem/row_pages.hpp"
#include "strads/engine/model.hpp"

namespace strads::lda {

/// One phase of a sweep.
struct Step {
  Work work = Work::words;
  std::uint64_t turn = 0;
};
/// The phases that draw topics in one sweep, with P workers.
[[nodiscard]] std::vector<Step> steps_of(Sampler sampler, std::uint32_t workers);

/// What a block computes against, as its plan says.
struct Prior {
  std::span<const double> alpha;
  double beta = 0;
};

/// Rows of a page with the topics of their tokens, one row after the other.
struct RowTopics {
  std::span<const std::uint32_t> rows;
  std::vector<std::uint16_t> topics;
};

class LdaSolver {
 public:
  LdaSolver(std::shared_ptr<const LdaData> data, const LdaOptions& options);
  virtual ~LdaSolver() = default;
  LdaSolver(const LdaSolver&) = delete;
  LdaSolver& operator=(const LdaSolver&) = delete;

  /// Called once before all that follows.
  virtual void place(const RowPages& documents, const RowPages& words) = 0;

  /// Whose tokens a page of a phase has: pages without tokens are never blocks.
  [[nodiscard]] virtual std::uint64_t tokens_of(const Plan& plan) const = 0;
  [[nodiscard]] virtual std::uint32_t pages_of(Work work) const = 0;
  /// The pages of one slice in a phase, in the order of the workers.
  [[nodiscard]] virtual std::vector<std::uint32_t> pages_of_slice(const Plan& plan, std::uint32_t slice) const = 0;
  /// Some document or word of a page, as a variable.
  [[nodiscard]] virtual VarId variable_of(const Plan& plan) const = 0;
  /// Floats of a page that this phase makes.
  [[nodiscard]] virtual std::size_t floats_of(const Plan& plan) const = 0;
  /// The order that a phase leaves pages in.
  [[nodiscard]] virtual Order order_after(Work work) const = 0;
  /// The order and lengths of all pages that a replica may have.
  [[nodiscard]] virtual bool is_order(Order order) const = 0;
  [[nodiscard]] virtual std::vector<std::size_t> floats_in(Order order) const = 0;

  /// Uniform topics, the same for all samplers.
  virtual void start(LdaState& state) const = 0;
  /// Draws the topics of a page: its new floats, and the changes of the counts added to `changes` (K).
  [[nodiscard]] virtual SharedFloats draw(const LdaState& state, const Plan& plan, const Prior& prior,
                                          std::span<double> changes) const = 0;
  /// All pages of a finished phase are in state.fresh: the replica becomes what they say.
  virtual void install(LdaState& state, const Plan& plan) const = 0;

  /// Pages of Work::measure_documents: the tokens of each document in their order.
  [[nodiscard]] virtual RowTopics by_document(const LdaState& state, std::uint32_t page) const = 0;
  /// Pages of Work::measure_words: the tokens of each word, documents ascending.
  [[nodiscard]] virtual RowTopics by_word(const LdaState& state, std::uint32_t page) const = 0;

  [[nodiscard]] const LdaData& data() const { return *data_; }
  [[nodiscard]] const LdaOptions& options() const { return options_; }
  /// sum_k |c_k that blocks saw - c_k| / T of the phase whose pages are in state.fresh.
  [[nodiscard]] virtual double drift(const LdaState& state) const = 0;

 protected:
  std::shared_ptr<const LdaData> data_;
  LdaOptions options_;
};

[[nodiscard]] std::unique_ptr<LdaSolver> make_delayed_solver(std::shared_ptr<const LdaData> data,
                                                             const LdaOptions& options);
/// Rotation and stale.
[[nodiscard]] std::unique_ptr<LdaSolver> make_cell_solver(std::shared_ptr<const LdaData> data,
                                                          const LdaOptions& options);

/// The sums of a block that measures.
[[nodiscard]] std::vector<double> measured(const LdaSolver& solver, const LdaState& state, const Plan& plan,
                                           const Prior& prior);

}  // namespace strads::lda
