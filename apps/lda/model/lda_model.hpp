// The topic model as a model of the engine. Private to apps/lda.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lda/model/held_out_pages.hpp"
#include "lda/problem/lda.hpp"
#include "lda/problem/lda_state.hpp"
#include "lda/problem/payloads.hpp"
#include "lda/problem/row_pages.hpp"
#include "lda/solvers/lda_solver.hpp"

namespace strads::lda {

class LdaModel final : public Model {
 public:
  LdaModel(std::shared_ptr<const LdaData> data, const LdaOptions& options, const EngineOptions& engine);

  [[nodiscard]] ModelShape shape() const override;
  [[nodiscard]] std::uint64_t fingerprint() const override { return data_->fingerprint; }
  [[nodiscard]] bool acceptable(PayloadKind kind, const Payload& payload) const override;
  void place(const Placement& placement) override;
  [[nodiscard]] std::unique_ptr<Slice> make_slice(std::vector<VarId> variables) override;
  [[nodiscard]] std::unique_ptr<Judge> make_judge() const override;
  void begin(const Payload& problem) override { static_cast<void>(problem); }
  [[nodiscard]] std::unique_ptr<State> make_state() const override;
  [[nodiscard]] std::unique_ptr<State> restore_state(const Payload& content) const override;

  [[nodiscard]] std::uint64_t push_flops(const Block& block) const override;
  [[nodiscard]] Push push(const State& base, const Block& block, Chunks& chunks) const override;
  [[nodiscard]] std::shared_ptr<const Direction> combine(std::span<const Payload> deltas, Chunks& chunks,
                                                         Cost& cost) const override;
  [[nodiscard]] Pull pull(const State& now, std::span<const Payload> deltas, const Direction* direction) const override;
  void apply(State& state, const Payload& changes, double step, const Direction* direction, Chunks& chunks,
             Cost& cost) const override;
  /// Counts the totals and measures the log joint anew from the topics of the tokens.
  void recompute(State& of_run, Chunks& chunks, Cost& cost) const override;
  [[nodiscard]] double objective(const State& of_run) const override;

  // For the parts of the model.
  [[nodiscard]] const LdaData& data() const { return *data_; }
  [[nodiscard]] const LdaOptions& options() const { return options_; }
  // Pages of a phase, of tokens as the solver has them or of held-out documents.
  [[nodiscard]] std::uint64_t tokens_of(const Plan& plan) const;
  [[nodiscard]] std::uint32_t pages_of(Work work) const;
  [[nodiscard]] std::vector<std::uint32_t> pages_of_slice(const Plan& plan, std::uint32_t slice) const;
  [[nodiscard]] VarId variable_of(const Plan& plan) const;
  [[nodiscard]] const RowPages& documents() const { return documents_; }
  [[nodiscard]] const EngineOptions& engine() const { return engine_; }
  [[nodiscard]] std::uint32_t slice_of(VarId variable) const { return slice_of_[variable]; }
  /// Topics of the documents' tokens, for each page of documents of a slice.
  [[nodiscard]] std::vector<RowTopics> topics_of_slice(const LdaState& state, std::uint32_t slice) const;

 private:
  [[nodiscard]] std::uint64_t flops_of(const Plan& plan) const;
  [[nodiscard]] std::uint32_t pages_with_tokens(const Plan& plan) const;
  void fold(LdaState& state, const Payload& changes) const;
  void finish_phase(LdaState& state, const Plan& plan) const;
  [[nodiscard]] bool is_plan(std::span<const double> values) const;
  [[nodiscard]] bool is_content(PayloadKind kind, const Payload& payload) const;

  std::shared_ptr<const LdaData> data_;
  LdaOptions options_;
  EngineOptions engine_;
  std::unique_ptr<LdaSolver> solver_;
  RowPages documents_, words_;
  HeldOutPages held_out_;
  std::vector<std::uint32_t> slice_of_;  ///< by variable; empty before place()
};

/// ln p(words, topics) of what a replica was told when it was last measured, in its totals.
[[nodiscard]] double log_joint_of(std::span<const double> totals, std::span<const double> documents,
                                  std::span<const double> words, double beta, double vocabulary);

}  // namespace strads::lda
