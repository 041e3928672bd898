// The rules of a topic model, checked token by token: who draws which topics, that counts are those of the topics, what
// a barrier says of them, and when the run ends.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lda/problem/payloads.hpp"
#include "strads/data/documents.hpp"
#include "strads/sim/model_audit.hpp"
#include "strads_sim/audit/audited_lda.hpp"
#include "strads_sim/audit/plain_topics.hpp"

namespace strads::simulator {

/// Keeps the topic of each token, as commits say it. Of the topics that a run starts with nothing is known: the first
/// sweep replaces them all. Cost: a pass over the tokens at each block and each measure.
class LdaAudit final : public sim::ModelAudit {
 public:
  LdaAudit(const std::shared_ptr<const Documents>& documents, const AuditedLda& asked);

  // The log joint may fall; a recomputation forgets what a phase that was cut off has brought.
  [[nodiscard]] bool strict() const override { return false; }
  void begin(const Payload& problem, const std::vector<std::vector<VarId>>& slices) override;
  void judged(const PhasePlan& plan, Version version) override;
  void certified(const Certificate& certificate) override;
  void committed(const sim::AuditedCommit& commit) override;
  void ended(const RunEnd& end) override;

 private:
  /// One phase of a sweep.
  struct Step {
    lda::Work work = lda::Work::words;
    std::uint64_t turn = 0;
  };
  /// What a block of the phase under way has brought.
  struct Drawn {
    std::vector<std::size_t> tokens;
    std::vector<std::uint16_t> topics;                  ///< of each
    std::vector<std::vector<std::uint16_t>> proposals;  ///< of each; delayed alone
    std::vector<double> sums;                           ///< by topic: new minus old
  };
  /// The phase under way.
  struct Phase {
    lda::Plan plan;
    bool active = false;
    std::uint32_t rounds = 0;
    std::vector<Drawn> drawn;
    std::vector<std::uint64_t> pages;  ///< that came
    std::uint64_t tokens_brought = 0, tokens_wanted = 0;
  };
  /// The last sweep that was measured.
  struct Measured {
    PlainMeasure values;  ///< among them where alpha and beta are to go
    std::uint32_t sweep = 0;
    bool is_there = false, knows_joint = false;
  };
  /// The barrier that was judged last.
  struct Judged {
    bool ends_sweep = false;
    bool verified = false;  ///< it follows a verdict to verify
    bool verify = false;    ///< its verdict was to verify
  };
  void expect(bool right, const std::string& found, const std::string& expected);
  void expect_near(const char* what, double found, double expected, double slack);
  [[nodiscard]] bool optimises(std::uint32_t sweep) const;
  [[nodiscard]] bool all_told() const;
  void begin_sweep();
  void end_phase();
  void install();
  void note_measure();
  void check_plan(const PhasePlan& plan, Version version);
  [[nodiscard]] std::vector<std::size_t> tokens_of(lda::Work work, std::uint64_t page) const;
  [[nodiscard]] bool belongs(std::uint64_t page, std::uint32_t slice) const;
  void take_block(std::uint64_t page, std::span<const double> sums, const SharedFloats* bulk);
  void take_draws(Drawn& drawn, const SharedFloats& bulk);

  AuditedLda asked_;
  PlainTokens plain_;
  std::vector<std::uint16_t> topics_;                  ///< of each token
  std::vector<std::vector<std::uint16_t>> proposals_;  ///< of each token: what it may become; empty: nobody knows
  std::vector<double> alpha_;                          ///< of the replica
  double beta_;
  std::vector<double> told_alpha_;  ///< of the last PHASE: the replica's from its first block on
  double told_beta_;
  Measured measured_;
  bool steps_prior_ = false;  ///< the next phase has another alpha and beta
  std::uint32_t sweeps_ = 0;  ///< finished
  std::vector<Step> steps_;   ///< of this sweep
  std::size_t step_ = 0;
  Phase phase_;
  Judged barrier_;
  bool limit_ = false;
  double drift_ = 0;
};

}  // namespace strads::simulator
