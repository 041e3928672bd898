#pragma once

#include <cerrno>
#include <utility>
#include <zmq.hpp>

namespace strads::transport {

/// What a call of ZeroMQ returns that no signal has cut off. Each of them begins by looking for commands of ZeroMQ's
/// own threads; a signal that comes meanwhile ends it with EINTR before anything was sent or taken, so it is made
/// again. Throws what the call throws otherwise.
template <class Call>
auto uninterrupted(Call&& call) {
  for (;;) {
    try {
      return call();
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }
}

/// Takes the next part of a message, if one is there.
inline zmq::recv_result_t receive_part(zmq::socket_t& socket, zmq::message_t& part) {
  return uninterrupted([&] { return socket.recv(part, zmq::recv_flags::dontwait); });
}

/// Sends a part of a message, if there is room for it.
inline zmq::send_result_t send_part(zmq::socket_t& socket, zmq::const_buffer bytes, zmq::send_flags more) {
  return uninterrupted([&] { return socket.send(bytes, more | zmq::send_flags::dontwait); });
}

/// Whether a message can be taken, or one be sent: ZMQ_POLLIN, ZMQ_POLLOUT.
inline int events_of(zmq::socket_t& socket) {
  return uninterrupted([&] { return socket.get(zmq::sockopt::events); });
}

}  // namespace strads::transport
