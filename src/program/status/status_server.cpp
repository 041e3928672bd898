// The only user of Boost.Asio and Boost.Beast, which take the compiler long: it stays alone.
#include "program/status/status_server.hpp"

#include <fcntl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "program/status/status_json.hpp"

namespace strads {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;
using Clock = std::chrono::steady_clock;

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

/// Processes that this one starts do not hold its sockets.
void close_on_exec(int descriptor) {
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

const char* reason_of(unsigned code) {
  switch (code) {
    case 200:
      return "OK";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 421:
      return "Misdirected Request";
    default:
      return "Service Unavailable";
  }
}

/// Nothing of the page comes from elsewhere, nobody frames it, nothing keeps it.
constexpr const char* kHeadOfAll =
    "Cache-Control: no-store\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n";

std::string head_of(const StatusAnswer& answer, bool keep_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(answer.code) + " " + reason_of(answer.code) + "\r\n" + kHeadOfAll;
  head += "Content-Type: " + answer.type + "\r\n";
  if (answer.code == 405) head += "Allow: GET, HEAD\r\n";
  if (!answer.location.empty()) head += "Location: " + answer.location + "\r\n";
  if (!answer.streams) head += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  head += keep_alive && !answer.streams ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

class Connection;

/// What connections share; of the server's thread.
struct Serving {
  const StatusBoard* board = nullptr;
  StatusAccess access;
  std::set<std::shared_ptr<Connection>> connections;
  bool is_ending = false;
  std::function<void()> all_closed;  ///< at the end
};

/// One request after the other, or one stream.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Serving& serving)
      : socket_(std::move(socket)), timer_(socket_.get_executor()), serving_(serving) {}

  void begin() { read(); }
  /// A stream says its last words, all else is closed.
  void end() {
    if (!streams_) return close();
    ends_ = true;
    if (!writes_) tell();
  }
  void close() {
    Error ignored;
    timer_.cancel(ignored);
    socket_.close(ignored);
    const bool was_there = serving_.connections.erase(shared_from_this()) > 0;
    if (was_there && serving_.is_ending && serving_.connections.empty()) serving_.all_closed();
  }

 private:
  void close_after(double limit) {
    timer_.expires_after(seconds(limit));
    timer_.async_wait([self = shared_from_this()](Error error) {
      if (!error) self->close();
    });
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(StatusServer::kHeaderMax);
    close_after(StatusServer::kRequestSeconds);
    http::async_read(socket_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
      if (error) return self->on_bad_request(error);
      self->on_request();
    });
  }

  void on_bad_request(const Error& error) {
    const bool is_gone =
        error == http::error::end_of_stream || error.category() != http::make_error_code({}).category();
    if (is_gone) return close();
    send({400, "text/plain; charset=utf-8", "expected a request without body whose head has at most 8192 bytes\n"},
         false, false);
  }

  void on_request() {
    const auto& request = parser_->get();
    const auto text = [](boost::beast::string_view view) { return std::string_view(view.data(), view.size()); };
    const bool is_head = request.method() == http::verb::head;
    const StatusQuestion question{text(request.method_string()), text(request.target()),
                                  text(request[http::field::host])};
    const StatusAnswer found = answer(question, serving_.access, *serving_.board);
    streams_ = found.streams && !is_head;
    told_ = number_of_event(text(request["Last-Event-ID"]), serving_.board->facts().instance);
    send(found, request.keep_alive() && !found.streams, is_head);
  }

  void send(const StatusAnswer& found, bool keep_alive, bool is_head) {
    out_ = head_of(found, keep_alive);
    if (!is_head && !found.streams) out_ += found.body;
    if (streams_) out_ += "retry: 1000\n\n";
    close_after(StatusServer::kRequestSeconds);
    asio::async_write(socket_, asio::buffer(out_), [self = shared_from_this(), keep_alive](Error error, std::size_t) {
      if (error) return self->close();
      if (self->streams_) return self->begin_stream();
      if (!keep_alive || self->serving_.is_ending) return self->close();
      self->read();
    });
  }

  // --- a stream ---

  void begin_stream() {
    watch_end();
    tell();
  }
  /// Nothing more is expected of the other side; what comes ends the stream, as its end does.
  void watch_end() {
    socket_.async_read_some(asio::buffer(&dropped_, 1),
                            [self = shared_from_this()](Error, std::size_t) { self->close(); });
  }
  void tell() {
    const std::uint64_t now = serving_.board->number();
    if (now == told_ && !ends_) {
      if (Clock::now() < next_word_) return wait();
      out_ = ": still here\n\n";
    } else {
      StatusView view = serving_.board->view(told_, StatusServer::kPointsAtOnce);
      view.memory = memory_of_process();
      told_ = view.number;
      out_ = status_event(view);
    }
    next_word_ = Clock::now() + seconds(StatusServer::kQuietSeconds);
    writes_ = true;
    close_after(StatusServer::kRequestSeconds);
    asio::async_write(socket_, asio::buffer(out_), [self = shared_from_this()](Error error, std::size_t) {
      self->writes_ = false;
      if (error) return self->close();
      const bool all_told = self->told_ == self->serving_.board->number();
      if (self->ends_ && all_told) return self->close();
      if (self->ends_) return self->tell();
      self->wait();
    });
  }
  void wait() {
    timer_.expires_after(seconds(StatusServer::kTickSeconds));
    timer_.async_wait([self = shared_from_this()](Error error) {
      if (!error) self->tell();
    });
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  Serving& serving_;
  boost::beast::flat_buffer buffer_{StatusServer::kHeaderMax + 1024};
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::string out_;
  char dropped_ = 0;
  bool streams_ = false, writes_ = false, ends_ = false;
  std::uint64_t told_ = 0;  ///< number of the last change that the stream has
  Clock::time_point next_word_;
};

}  // namespace

struct StatusServer::State {
  asio::io_context loop{1};
  tcp::acceptor acceptor{loop};
  asio::steady_timer pause{loop};
  Serving serving;
  std::thread thread;

  void accept();
  void end();
};

void StatusServer::State::accept() {
  acceptor.async_accept([this](Error error, tcp::socket socket) {
    if (serving.is_ending) return;
    if (!error && serving.connections.size() < kConnectionsMax) {
      close_on_exec(socket.native_handle());
      const auto connection = std::make_shared<Connection>(std::move(socket), serving);
      serving.connections.insert(connection);
      connection->begin();
    }
    if (!error) return accept();
    // No descriptor is free, for example.
    pause.expires_after(seconds(kTickSeconds));
    pause.async_wait([this](Error) {
      if (!serving.is_ending) accept();
    });
  });
}

void StatusServer::State::end() {
  serving.is_ending = true;
  Error ignored;
  acceptor.close(ignored);
  serving.all_closed = [this] { loop.stop(); };
  if (serving.connections.empty()) return loop.stop();
  pause.expires_after(seconds(kFarewellSeconds));
  pause.async_wait([this](Error) { loop.stop(); });
  for (const auto& connection : std::set(serving.connections)) connection->end();
}

StatusServer::StatusServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

StatusServer::~StatusServer() {
  finish();
}

Result<std::unique_ptr<StatusServer>> StatusServer::listen(const StatusAddress& address) {
  auto state = std::make_unique<State>();
  Error error;
  const tcp::endpoint endpoint(asio::ip::make_address(address.host, error), address.port);
  if (!error) state->acceptor.open(endpoint.protocol(), error);
  if (!error) close_on_exec(state->acceptor.native_handle());
  if (!error) state->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) state->acceptor.bind(endpoint, error);
  if (!error) state->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return Status::usage("--status: cannot listen at " + host_in_url(address.host) + ":" +
                         std::to_string(address.port) + ": " + error.message() +
                         "; choose an address of this host and a port that is free (0: any free port)");
  }
  return std::unique_ptr<StatusServer>(new StatusServer(std::move(state)));
}

std::uint16_t StatusServer::port() const {
  Error error;
  const auto endpoint = state_->acceptor.local_endpoint(error);
  return error ? std::uint16_t{0} : endpoint.port();
}

void StatusServer::serve(const StatusBoard& board, StatusAccess access) {
  state_->serving.board = &board;
  state_->serving.access = std::move(access);
  // Signals are for the threads that wait for something: the new thread inherits that it takes none.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  state_->thread = std::thread([state = state_.get()] {
    state->accept();
    state->loop.run();
  });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void StatusServer::finish() {
  if (!state_->thread.joinable()) return;
  asio::post(state_->loop, [state = state_.get()] { state->end(); });
  state_->thread.join();
  state_->serving.connections.clear();
}

}  // namespace strads
