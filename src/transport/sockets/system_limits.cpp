#include "transport/sockets/system_limits.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "strads/base/last_words.hpp"

namespace strads::transport {
namespace {

// Measured with 1, 2 and 6 nodes: a driver has 19 descriptors and 6 for each node, a node 20 and 5 for each other
// process. A node that joins holds two connections for a moment; the rest is for files that are read meanwhile.
constexpr std::size_t kOfDriver = 24, kOfDriverEachNode = 7, kOfLocalNode = 1;
constexpr std::size_t kOfNode = 26, kOfNodeEachOther = 5;
/// Two of libzmq, one that knows the keys, one that reads the data.
constexpr std::size_t kThreads = 4;

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);  // the lower limit serves as well, for fewer strangers
}

/// Of `wanted`, how many descriptors the system gives.
std::size_t descriptors_to_be_had(std::size_t wanted, int& error) {
  std::vector<int> taken;
  while (taken.size() < wanted) {
    const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
      error = errno;
      break;
    }
    taken.push_back(descriptor);
  }
  for (const int descriptor : taken) ::close(descriptor);
  return taken.size();
}

/// The same of threads.
std::size_t threads_to_be_had(std::size_t wanted) {
  std::mutex mutex;
  std::condition_variable over;
  bool ends = false;
  std::vector<std::thread> threads;
  try {
    while (threads.size() < wanted) {
      threads.emplace_back([&] {
        std::unique_lock lock(mutex);
        over.wait(lock, [&] { return ends; });
      });
    }
  } catch (const std::system_error&) {
    // as many as there are
  }
  {
    const std::lock_guard lock(mutex);
    ends = true;
  }
  over.notify_all();
  const std::size_t count = threads.size();
  for (std::thread& each : threads) each.join();
  return count;
}

thread_local bool libzmq_may_abort = false;
struct sigaction before_libzmq {};

void write_words(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nowhere to say it
}

extern "C" void on_libzmq_abort(int number) {
  if (!libzmq_may_abort) {
    sigaction(number, &before_libzmq, nullptr);  // abort() raises it once more, and so may whoever sent it
    ::raise(number);
    return;
  }
  constexpr const char* kWhy =
      "the system gave the sockets of this process no more descriptors or threads, though there were enough a "
      "moment before: others take them too; raise ulimit -n, ulimit -u or the container's limit of processes";
  if (const SayFailure say = last_words(); say != nullptr) {
    say(kWhy, static_cast<int>(StatusCode::input));
  } else {
    write_words(program_invocation_short_name);
    write_words(": error: ");
    write_words(kWhy);
    write_words("\n");
  }
  ::_exit(static_cast<int>(StatusCode::input));
}

}  // namespace

Status expect_of_system(const std::string& who, SystemNeeds needs) {
  raise_descriptor_limit();
  int error = EMFILE;
  const std::size_t descriptors = descriptors_to_be_had(needs.descriptors, error);
  if (descriptors < needs.descriptors) {
    return Status::input(who + " takes " + std::to_string(needs.descriptors) +
                         " descriptors of files and sockets, but only " + std::to_string(descriptors) +
                         " more can be had (" + std::strerror(error) +
                         "); raise the limit: ulimit -n (its hard limit, ulimit -Hn), LimitNOFILE= of systemd or "
                         "--ulimit nofile= of docker, or use fewer nodes");
  }
  const std::size_t threads = threads_to_be_had(needs.threads);
  if (threads < needs.threads) {
    return Status::input(who + " takes " + std::to_string(needs.threads) +
                         " threads besides those that compute, but only " + std::to_string(threads) +
                         " more can be had; raise the limit of threads (ulimit -u, or the container's limit of "
                         "processes, pids.max)");
  }
  return {};
}

SystemNeeds needs_of_driver(std::size_t nodes, bool local) {
  return {kOfDriver + nodes * (kOfDriverEachNode + (local ? kOfLocalNode : 0)), kThreads};
}

SystemNeeds needs_of_node() {
  return {kOfNode, kThreads};
}

SystemNeeds needs_for_others(std::size_t others) {
  return {others * kOfNodeEachOther, 0};
}

AbortsOfLibzmq::AbortsOfLibzmq() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_handler = on_libzmq_abort;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGABRT, &action, &before_libzmq) == 0;
  }();
  libzmq_may_abort = installed;
}

AbortsOfLibzmq::~AbortsOfLibzmq() {
  libzmq_may_abort = false;
}

}  // namespace strads::transport
