// Watches a simulated cluster as a serial reference of the protocol: every rule is checked at every commit.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/node.hpp"
#include "strads/model.hpp"
#include "strads/options.hpp"
#include "wire/messages.hpp"

namespace strads::sim {

/// Applies the first copy of every commit, in order, to a replica of its own, and compares.
class Auditor {
 public:
  /// `model`: for the auditor alone.
  Auditor(std::shared_ptr<Model> model, const EngineOptions& options);

  /// A message as its sender gave it, before any fault touches it. `sender`: nullptr for a coordinator that is apart.
  void on_sent(const wire::Envelope& envelope, const engine::Node* sender);
  /// A node has handled an event.
  void on_handled(std::uint32_t rank, const engine::Node& node);
  /// The run is over; `finished`: by the coordinator's verdict, not by a loss.
  void at_end(bool finished);

  /// The first rule that was broken: which, at which commit, what was found.
  [[nodiscard]] const std::optional<std::string>& violation() const noexcept { return violation_; }

 private:
  std::optional<std::string> violation_;
};

}  // namespace strads::sim
