// What encryption costs a message: a round trip of a small one and the way of 64 MB, over tcp on this machine, between
// two threads that talk as two processes of a run do.
//
// usage: bench_messages [RUNS]
//
// With and without a key take turns; prints the medians: of the clock, and of the processor time of all threads, which
// other work on the machine disturbs less.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "strads/base/status.hpp"
#include "transport/mesh.hpp"
#include "transport/sockets/sockets.hpp"

namespace strads::transport {
namespace {

constexpr std::size_t kEntries = (std::size_t{64} << 20) / (sizeof(VarId) + sizeof(double));
constexpr int kTrips = 2000;

/// One of two ranks.
struct End {
  Sockets sockets;
  Wake wake;
  std::optional<KeyPair> key;
  std::unique_ptr<Mesh> mesh;

  explicit End(bool encrypted) {
    if (encrypted) key = make_key_pair().value();
    mesh = Mesh::open(sockets, "tcp://127.0.0.1:0", key).value();
  }
  [[nodiscard]] MeshPeer self(std::uint32_t rank) const {
    return {mesh->endpoint(), rank, key.value_or(KeyPair{}).public_key};
  }
  /// Until the next message has come.
  wire::Message next() {
    std::optional<wire::Message> taken;
    for (;;) {
      mesh->flush();
      (void)mesh->receive(
          1, [&](const wire::HeaderInfo&, wire::Message message) { taken = std::move(message); },
          [](auto, auto) { STRADS_CHECK(false, "nobody else is there"); });
      if (taken.has_value()) return std::move(*taken);
      sockets.wait(wake, std::chrono::milliseconds(50));
    }
  }
};

struct Seconds {
  double clock = 0;
  double processor = 0;  ///< of all threads
};

struct Costs {
  Seconds trip;  ///< there and back
  Seconds way;   ///< of 64 MB, and a small answer
};

template <class Body>
Seconds seconds_of(const Body& body) {
  const auto begin = std::chrono::steady_clock::now();
  const auto processor = std::clock();
  body();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

Costs measure(bool encrypted) {
  End here(encrypted);
  End there(encrypted);
  const std::map<std::uint32_t, MeshPeer> peers = {{0, here.self(0)}, {1, there.self(1)}};
  STRADS_CHECK(here.mesh->introduce({1, 0, 0, 0}, peers).ok(), "it is there");
  STRADS_CHECK(there.mesh->introduce({1, 0, 1, 1}, peers).ok(), "it is there");
  std::thread echo([&there] {
    for (int i = 0; i < kTrips + 2; ++i) {
      (void)there.next();
      there.mesh->send(0, wire::Finish{}, 0);
      there.mesh->flush();
    }
  });
  const auto trip = [&here](const wire::Message& message) {
    here.mesh->send(1, message, 0);
    (void)here.next();
  };
  wire::Commit large;
  large.changes.ids.assign(kEntries, 3);
  large.changes.values.assign(kEntries, 0.25);
  const wire::Message snapshot = large;
  trip(wire::Finish{});  // connected
  Costs costs;
  costs.trip = seconds_of([&] {
    for (int i = 0; i < kTrips; ++i) trip(wire::Finish{});
  });
  costs.trip.clock /= kTrips;
  costs.trip.processor /= kTrips;
  costs.way = seconds_of([&] { trip(snapshot); });
  echo.join();
  return costs;
}

double median(const std::vector<Costs>& all, Seconds Costs::*what, double Seconds::*how) {
  std::vector<double> values;
  for (const Costs& each : all) values.push_back((each.*what).*how);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(const char* name, const std::vector<Costs>& all) {
  const auto of = [&all](Seconds Costs::*what, double Seconds::*how) { return median(all, what, how); };
  const double way = of(&Costs::way, &Seconds::clock);
  std::printf("| %s | %.1f | %.1f | %.3f | %.0f | %.3f |\n", name, of(&Costs::trip, &Seconds::clock) * 1e6,
              of(&Costs::trip, &Seconds::processor) * 1e6, way, 64 * 1.048576 / way,
              of(&Costs::way, &Seconds::processor));
}

}  // namespace
}  // namespace strads::transport

int main(int argc, char** argv) {
  using namespace strads::transport;
  const int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  std::vector<Costs> open;
  std::vector<Costs> encrypted;
  for (int run = 0; run < runs; ++run) {
    open.push_back(measure(false));
    encrypted.push_back(measure(true));
  }
  std::printf("| tcp | small round trip, us | processor, us | 64 MB, s | MB/s | processor, s |\n");
  std::printf("| --- | --- | --- | --- | --- | --- |\n");
  print("--insecure", open);
  print("with a key", encrypted);
  return 0;
}
