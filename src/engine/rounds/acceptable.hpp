// Is the payload of a message that came from another process one that the model can take? Layer: engine. Pure.
#pragma once

#include <variant>

#include "strads/engine/model.hpp"
#include "wire/messages.hpp"

namespace strads::engine {

/// What `acceptable` asks the model, by type of message.
struct AskModel {
  const Model& model;
  bool operator()(const wire::Ready& m) const { return model.acceptable(PayloadKind::ready, m.summary); }
  bool operator()(const wire::Start& m) const { return model.acceptable(PayloadKind::start, m.problem); }
  bool operator()(const wire::Assign& m) const { return model.acceptable(PayloadKind::block, m.block); }
  bool operator()(const wire::Deltas& m) const { return model.acceptable(PayloadKind::deltas, m.deltas); }
  bool operator()(const wire::Commit& m) const { return model.acceptable(PayloadKind::changes, m.changes); }
  bool operator()(const wire::SliceStatus& m) const { return model.acceptable(PayloadKind::status, m.status); }
  bool operator()(const wire::Phase& m) const { return model.acceptable(PayloadKind::phase, m.plan); }
  template <class WithoutPayload>
  bool operator()(const WithoutPayload&) const {
    return true;
  }
};

/// True for messages without a payload.
[[nodiscard]] inline bool acceptable(const Model& model, const wire::Message& message) {
  return std::visit(AskModel{model}, message);
}

}  // namespace strads::engine
