#include "program/status/status_routes.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "program/status/metrics_text.hpp"
#include "program/status/page_files.hpp"

namespace strads {
namespace {

constexpr std::string_view kTextType = "text/plain; charset=utf-8";

bool is_loopback(const std::string& host) {
  in_addr four{};
  in6_addr six{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  return ::inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six) != 0;
}

bool is_address(const std::string& host) {
  in6_addr room{};
  return ::inet_pton(AF_INET, host.c_str(), &room) == 1 || ::inet_pton(AF_INET6, host.c_str(), &room) == 1;
}

/// "[::1]:80" is {"::1", "80"}; without a port its half is empty.
std::pair<std::string, std::string_view> split_host(std::string_view text) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return {std::string(text), {}};
    const auto rest = text.substr(end + 1);
    return {std::string(text.substr(1, end - 1)), rest.starts_with(':') ? rest.substr(1) : std::string_view{}};
  }
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, colon)), text.substr(colon + 1)};
}

/// A page of another site may make its own name stand for 127.0.0.1 (DNS rebinding): then that name is in Host.
bool names_this_machine(std::string_view host) {
  std::string name = split_host(host).first;
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name == "localhost" || is_loopback(name);
}

/// Takes as long whatever the first difference is.
bool same_token(std::string_view given, std::string_view token) {
  unsigned difference = given.size() == token.size() ? 0 : 1;
  for (std::size_t k = 0; k < given.size(); ++k) {
    difference |= static_cast<unsigned char>(given[k] ^ token[k % token.size()]);
  }
  return difference == 0;
}

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  return kTextType;
}

StatusAnswer plain(unsigned code, std::string text) {
  return {code, std::string(kTextType), std::move(text) + "\n"};
}

/// For probes: they say nothing but this, and need no token.
std::optional<StatusAnswer> probe(std::string_view path, const StatusBoard& board) {
  if (path == "/healthz") return plain(200, "ok");
  if (path != "/readyz") return std::nullopt;
  const bool ready = board.is_ready();
  return plain(ready ? 200 : 503, ready ? "ready" : "not ready");
}

StatusAnswer content(std::string_view path, const StatusBoard& board) {
  if (path == "/metrics") {
    StatusView view = board.view(0, 0);
    view.memory = memory_of_process();
    return {200, kMetricsType, metrics_text(view)};
  }
  if (path == "/events") return {200, "text/event-stream", {}, {}, true};
  const std::string_view name = path == "/" ? "index.html" : path.substr(1);
  for (const PageFile& file : page_files()) {
    if (file.name == name) return {200, std::string(type_of(name)), std::string(file.content)};
  }
  return plain(404, "there is no such page; expected /, /metrics, /events, /healthz or /readyz");
}

}  // namespace

Result<StatusAddress> parse_status_address(std::string_view text) {
  const auto wrong = [text](const std::string& why) {
    return Status::usage(
        "--status: found '" + std::string(text) + "', " + why +
        "; expected PORT or ADDRESS:PORT, for example 8080, 127.0.0.1:8080, [::1]:0 (any free port) or, "
        "for other hosts, 0.0.0.0:8080");
  };
  const bool port_alone = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  auto [host, port] = port_alone ? std::pair{std::string("127.0.0.1"), text} : split_host(text);
  if (host == "localhost") host = "127.0.0.1";
  if (host == "*") host = "0.0.0.0";
  StatusAddress address;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size()) {
    return wrong("whose port is none from 0 to 65535");
  }
  if (!is_address(host)) return wrong("'" + host + "' is no address of this host");
  address.host = host;
  address.loopback = is_loopback(host);
  return address;
}

std::string host_in_url(std::string_view host) {
  return host.find(':') == std::string_view::npos ? std::string(host) : "[" + std::string(host) + "]";
}

StatusAnswer answer(const StatusQuestion& question, const StatusAccess& access, const StatusBoard& board) {
  if (question.method != "GET" && question.method != "HEAD") return plain(405, "expected GET or HEAD");
  if (access.loopback && !names_this_machine(question.host)) {
    return plain(421, "Host names another machine than this one; use the address that the program has printed");
  }
  std::string_view path = question.target.substr(0, question.target.find('?'));
  if (!path.starts_with('/')) return plain(400, "expected a path that begins with /");
  if (const auto said = probe(path, board)) return *said;
  if (!access.token.empty()) {
    const std::string_view given = path.substr(1, path.find('/', 1) - 1);
    if (!same_token(given, access.token))
      return plain(404, "there is no such page; use the URL that the program has printed");
    path.remove_prefix(given.size() + 1);
    if (path.empty()) return {308, std::string(kTextType), {}, "/" + access.token + "/"};
    if (const auto said = probe(path, board)) return *said;
  }
  return content(path, board);
}

}  // namespace strads
