// Which rounds belong to a phase and when a run must end, worked out a second time from the messages. Layer: sim. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "strads/base/types.hpp"
#include "strads/engine/options.hpp"
#include "wire/messages.hpp"

namespace strads::sim {

class AuditPhase {
 public:
  explicit AuditPhase(const EngineOptions& options) : options_(options) {}

  /// Something that is wrong: what was found, what was expected.
  struct Wrong {
    std::string found, expected;
  };

  /// A verdict, at a version that follows the last one known. `guarded`: only verified solutions may end the run.
  [[nodiscard]] std::optional<Wrong> on(const wire::Phase& phase, bool guarded);
  /// A block of a round that nobody has heard of before.
  [[nodiscard]] std::optional<Wrong> on_assign(const wire::Assign& assign) const;
  /// The first copy of a commit, in order. `strict`: ModelAudit::strict().
  [[nodiscard]] std::optional<Wrong> on(const wire::Commit& commit, bool strict = true);
  /// Somebody asked for the end: commits may say so from now on.
  void on_finish() { asked_to_finish_ = true; }
  [[nodiscard]] bool asked_to_finish() const { return asked_to_finish_; }
  /// The last commit was heard of.
  [[nodiscard]] bool ends_run() const noexcept { return ends_run_; }

 private:
  [[nodiscard]] std::optional<Wrong> check_limit(const wire::Commit& commit) const;

  EngineOptions options_;
  bool judged_ = false;     ///< a verdict was heard
  bool active_ = false;     ///< rounds are going on
  bool verifying_ = false;  ///< the last verdict was to verify
  Version last_ = -1;       ///< the phase has its last round with this version
  bool ends_run_ = false;   ///< a commit said so
  bool asked_to_finish_ = false;
  std::uint32_t blocks_max_ = 1;
  std::uint64_t updates_ = 0, updates_max_ = 0;
};

}  // namespace strads::sim
