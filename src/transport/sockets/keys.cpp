#include "transport/sockets/keys.hpp"

#include <zmq.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "strads/transport/run_key.hpp"

namespace strads::transport {
namespace {

constexpr std::size_t kKeyCharacters = 40;
constexpr std::size_t kKeyBytes = 32;
using KeyText = std::array<char, kKeyCharacters + 1>;

Status cannot_encrypt() {
  return Status::cluster(
      "the libzmq of this machine was built without CURVE and cannot encrypt; install one that was built with "
      "libsodium, as Debian's libzmq5 is, or give --insecure on a network whose users are all trusted");
}

}  // namespace

Result<KeyPair> make_key_pair() {
  KeyText public_key{};
  KeyText secret_key{};
  if (zmq_has("curve") == 0 || zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) return cannot_encrypt();
  return KeyPair{public_key.data(), secret_key.data()};
}

bool is_key(std::string_view text) {
  std::array<std::uint8_t, kKeyBytes> bytes{};
  const std::string ended(text);
  return text.size() == kKeyCharacters && ended.find('\0') == std::string::npos &&
         zmq_z85_decode(bytes.data(), ended.c_str()) != nullptr;
}

Result<KeyPair> pair_of(const std::string& secret_key) {
  KeyText public_key{};
  if (zmq_has("curve") == 0 || zmq_curve_public(public_key.data(), secret_key.c_str()) != 0) return cannot_encrypt();
  return KeyPair{public_key.data(), secret_key};
}

std::string key_text(const unsigned char* bytes) {
  KeyText text{};
  zmq_z85_encode(text.data(), bytes, kKeyBytes);
  return text.data();
}

}  // namespace strads::transport

namespace strads {
namespace {

constexpr std::string_view kFirstLine = "strads-key 1";

/// The lines of a key's text; what begins with # is for people.
std::vector<std::string> lines_of_key(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (end > 0 && text.front() != '#') lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Result<RunKey> make_run_key() {
  auto driver = transport::make_key_pair();
  if (!driver.ok()) return driver.status();
  auto join = transport::make_key_pair();
  if (!join.ok()) return join.status();
  return RunKey{std::move(driver.value().public_key), std::move(driver.value().secret_key),
                std::move(join.value().secret_key)};
}

std::string text_of(const RunKey& key) {
  std::string text =
      "# The key of a run of STRADS: whoever reads it can take part, and with driver-secret lead.\n"
      "# Nodes need no driver-secret.\n";
  text += std::string(kFirstLine) + "\ndriver-public " + key.driver_public + "\n";
  if (!key.driver_secret.empty()) text += "driver-secret " + key.driver_secret + "\n";
  return text + "join-secret " + key.join_secret + "\n" + std::string(kRunKeyEnd) + "\n";
}

Result<RunKey> parse_run_key(std::string_view text, const std::string& origin) {
  const auto no_key = [&origin](const std::string& what) {
    return Status::input(origin + ": " + what + "; make a new key with stradsd --new-key FILE");
  };
  const auto lines = lines_of_key(text);
  if (lines.empty() || lines.front() != kFirstLine)
    return no_key("no key of a run: it does not begin with '" + std::string(kFirstLine) + "'");
  if (lines.back() != kRunKeyEnd)
    return no_key("the key is cut short: its last line is not '" + std::string(kRunKeyEnd) + "'");
  RunKey key;
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    const auto blank = lines[i].find(' ');
    const std::string name = lines[i].substr(0, blank);
    std::string* target = name == "driver-public"   ? &key.driver_public
                          : name == "driver-secret" ? &key.driver_secret
                          : name == "join-secret"   ? &key.join_secret
                                                    : nullptr;
    if (target == nullptr || blank == std::string::npos || !target->empty()) {
      return no_key("the key has a line that is none of its own, or one twice");
    }
    *target = lines[i].substr(blank + 1);
    if (!transport::is_key(*target)) return no_key("the " + name + " of the key is damaged");
  }
  if (key.driver_public.empty() || key.join_secret.empty()) return no_key("the key lacks driver-public or join-secret");
  if (key.driver_secret.empty()) return key;
  const auto driver = transport::pair_of(key.driver_secret);
  if (!driver.ok()) return driver.status();
  if (driver.value().public_key != key.driver_public)
    return no_key("driver-public and driver-secret of the key do not belong together");
  return key;
}

}  // namespace strads
