// Key pairs of CURVE, ZeroMQ's encryption. Layer: transport.
#pragma once

#include <string>
#include <string_view>

#include "strads/base/status.hpp"

namespace strads::transport {

/// Texts of 40 characters (Z85).
struct KeyPair {
  std::string public_key;
  std::string secret_key;
};

/// Errors: cluster: this libzmq cannot encrypt.
[[nodiscard]] Result<KeyPair> make_key_pair();
/// Has the form of a key.
[[nodiscard]] bool is_key(std::string_view text);
/// The pair of a secret key. Errors: as make_key_pair(). REQUIRES: is_key(secret_key).
[[nodiscard]] Result<KeyPair> pair_of(const std::string& secret_key);
/// The 32 bytes of a key as text. REQUIRES: so many are there.
[[nodiscard]] std::string key_text(const unsigned char* bytes);

}  // namespace strads::transport
