// What is left on a disk of the checkpoints of a driver that was lost: the files that production writes and reads, in a
// temporary folder, one of them spoilt in between.
#pragma once

#include <memory>
#include <span>

#include "strads/sim/simulate.hpp"

namespace strads::simulator {

/// A sim::SwarmDisk. Ends the process where no temporary folder can be made.
[[nodiscard]] std::shared_ptr<const RunCheckpoint> kept_on_disk(
    std::span<const std::shared_ptr<const RunCheckpoint>> written, sim::DiskState state, CounterRng& random);

}  // namespace strads::simulator
