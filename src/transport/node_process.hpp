// A node of a cluster: the loop around engine::NodeSession, with sockets, threads and clocks. Layer: transport.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/node_session.hpp"
#include "strads/transport/cluster.hpp"
#include "transport/mesh.hpp"
#include "transport/node_models.hpp"
#include "transport/sockets/addresses.hpp"
#include "transport/sockets/control.hpp"
#include "transport/sockets/sockets.hpp"
#include "transport/task_runner.hpp"
#include "transport/time_log.hpp"

namespace strads::transport {

class NodeProcess {
 public:
  NodeProcess(const NodeOptions& options, const NodeHooks& hooks);
  [[nodiscard]] Status run();

  /// After run(), as NodeModels has it.
  [[nodiscard]] NodeModels::Loadings release_loadings() { return models_.release_loadings(); }

 private:
  using Clock = std::chrono::steady_clock;

  Status open();
  Status connect_with(const std::string& secret_key);
  void come_in();
  void step();
  void wait_for_tasks();
  void receive_control();
  void on_control(const ControlMessage& control);
  void begin_loading(const wire::Welcome& welcome);
  void begin_making();
  Status introduce(const wire::Welcome& welcome);
  void meet(const wire::Peer& peer);
  void on_made(NodeModels::Made made);
  void receive_messages();
  void dispatch();
  void dispatch(const std::shared_ptr<engine::NodeRun>& run);
  void deliver(engine::NodeRun& run, wire::Envelope& envelope);
  bool send_gathered();
  void look_at_timers();
  void leave(const LeaveRequest& request);
  /// What the session asks for.
  void carry_out();
  void send_control(const wire::Message& message);
  void note_time(Way way, const wire::Message& message, std::uint32_t run, std::uint32_t other);
  void tell_times();
  [[nodiscard]] wire::Hello hello() const;
  /// What a beat says that the session does not know.
  [[nodiscard]] wire::Beat facts() const;
  void say(const std::string& line) const;
  /// Seconds since the start.
  [[nodiscard]] double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  NodeOptions options_;
  NodeHooks hooks_;
  std::string name_;
  std::string roles_said_;
  Clock::time_point start_ = Clock::now();
  std::optional<Status> outcome_;

  std::shared_ptr<Wake> wake_ = std::make_shared<Wake>();  ///< shared with threads that may outlive this object
  Sockets sockets_;
  std::unique_ptr<Mesh> mesh_;
  std::shared_ptr<Sockets::Connection> control_;
  wire::HeaderInfo own_;
  std::optional<KeyPair> own_key_;  ///< made for this run; empty: nothing is encrypted
  std::uint64_t established_ = 0;
  bool turned_away_noted_ = false;
  bool spared_noted_ = false;  ///< a request to leave that waits for the run's end
  Clock::time_point next_look_;
  Clock::time_point next_flush_;  ///< of what was said with patience
  std::vector<std::uint32_t> unreachable_;

  NodeModels models_{wake_};
  std::vector<wire::Open> waiting_;  ///< for the data of the first run
  std::unique_ptr<engine::NodeSession> session_;
  std::unique_ptr<TimeLog> times_;  ///< null: the driver has not asked
  std::unique_ptr<TaskRunner> runner_;
  bool more_to_do_ = false;
};

}  // namespace strads::transport
