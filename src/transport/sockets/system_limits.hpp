// What the sockets of a process take of the system, asked for before libzmq does. Layer: transport.
#pragma once

#include <cstddef>
#include <string>

#include "strads/base/status.hpp"

namespace strads::transport {

/// libzmq ends the process (SIGABRT) where it gets no descriptor for what it must have, or no thread. So as many as are
/// going to be needed are taken for a moment, which finds every limit: of the process, of the user, of control groups.
struct SystemNeeds {
  std::size_t descriptors = 0;  ///< besides those that are open
  std::size_t threads = 0;      ///< besides those that run
};

/// Raises the soft limit of descriptors to the hard one first. `who`: "a driver of 140 nodes". Errors: input: how many
/// there are, how many it takes, what to do.
[[nodiscard]] Status expect_of_system(const std::string& who, SystemNeeds needs);

/// A driver with so many nodes. `local`: it starts them itself, and keeps what they print.
[[nodiscard]] SystemNeeds needs_of_driver(std::size_t nodes, bool local);
/// A node that waits for its driver, and what comes on top for the other processes of its run.
[[nodiscard]] SystemNeeds needs_of_node();
[[nodiscard]] SystemNeeds needs_for_others(std::size_t others);

/// Until it is destroyed an abort() on this thread is one of libzmq's, for lack of what others took meanwhile: it ends
/// the process with StatusCode::input and says so, instead of a signal. Others do what they did.
class AbortsOfLibzmq {
 public:
  AbortsOfLibzmq();
  ~AbortsOfLibzmq();
  AbortsOfLibzmq(const AbortsOfLibzmq&) = delete;
  AbortsOfLibzmq& operator=(const AbortsOfLibzmq&) = delete;
};

}  // namespace strads::transport
