// The key of a run: who may join it, and who leads it. Layer: transport. What it protects: docs/SECURITY.md.
#pragma once

#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads {

/// Keys are Curve25519's, as texts of 40 characters (ZeroMQ's Z85).
struct RunKey {
  std::string driver_public;  ///< nodes know their driver by it
  std::string driver_secret;  ///< the driver's alone; empty in what a node is given
  std::string join_secret;    ///< whoever has it may ask to join
};

/// A new key for one run. Errors: cluster: the libzmq of this machine cannot encrypt.
[[nodiscard]] Result<RunKey> make_run_key();

/// What a key file holds and a launcher hands over: lines, the last one being kRunKeyEnd.
[[nodiscard]] std::string text_of(const RunKey& key);
inline constexpr std::string_view kRunKeyEnd = "end";

/// The other way round. `origin`: where the text is from, for messages, which quote nothing of it. Errors: input: it is
/// no key, or a damaged one; cluster: the libzmq of this machine cannot encrypt.
[[nodiscard]] Result<RunKey> parse_run_key(std::string_view text, const std::string& origin);

}  // namespace strads
