// run_embedded() for a caller that wants to see the rounds. Layer: transport.
#pragma once

#include <functional>
#include <memory>

#include "strads/engine/rounds.hpp"
#include "strads/transport/embedded.hpp"

namespace strads {

/// As run_embedded() (embedded.hpp), and tells each committed round to `rounds`, on this thread and before `observe`
/// hears of it. The rounds cost a copy of their blocks; the bits stay the same.
[[nodiscard]] EmbeddedRun run_embedded(std::shared_ptr<Model> model, const EngineOptions& engine,
                                       const EmbeddedOptions& options, const RoundListener& rounds,
                                       const std::function<bool(const ProgressEvent&)>& observe,
                                       const std::function<bool()>& finish_requested);

}  // namespace strads
