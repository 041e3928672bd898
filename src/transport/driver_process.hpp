// The driver of a cluster: admits nodes, deals roles, drives the coordinator, watches who is alive. Layer: transport.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/session/driver_session.hpp"
#include "strads/transport/cluster.hpp"
#include "transport/mesh.hpp"
#include "transport/reading.hpp"
#include "transport/sockets/control.hpp"
#include "transport/sockets/sockets.hpp"
#include "transport/time_log.hpp"

namespace strads::transport {

/// The driver waits for messages so long, then it looks at times and requests.
inline constexpr std::chrono::milliseconds kDriverLooksEvery{50};

/// Of the control channel.
inline constexpr const char* kControlDoor = "control";

/// The members as they are now, by rank, with the workers that each has now.
[[nodiscard]] std::vector<NodeState> states_of(const engine::Membership& membership, double now);

class DriverProcess {
 public:
  using MakeModel = std::function<Result<std::shared_ptr<Model>>()>;

  DriverProcess(MakeModel make_model, const EngineOptions& engine, const DriverOptions& options,
                const DriverHooks& hooks);
  [[nodiscard]] ClusterRun run();

  using Making = Reading<std::shared_ptr<Model>>;
  using Makings = std::map<std::uint32_t, std::unique_ptr<Making>>;  ///< by the run's place
  /// After run(): what is still being read, if anything. A run that ends early is over before that.
  [[nodiscard]] Makings take_makings() { return std::move(makings_); }

 private:
  using Clock = std::chrono::steady_clock;

  /// Where a member's control messages come from.
  struct Channel {
    std::string identity;  ///< name of its connection now
    int connection = -1;   ///< descriptor of that connection
    bool ended = false;    ///< that connection has ended
  };

  Status open();
  Status make_own_key();
  void step();

  void receive_control();
  void on_control(const Incoming& incoming, const ControlMessage& control);
  void on_stranger(const Incoming& incoming, const Status& why);
  void on_hello(const Incoming& incoming, const wire::Hello& hello);
  void on_newcomer(const Incoming& incoming, const wire::Hello& hello);
  void refuse(const Incoming& incoming, const wire::Hello& hello, const std::string& reason);
  /// From a connection of nobody that takes part; the third such message ends it.
  void refuse_stranger(Refusal kind, int connection);
  [[nodiscard]] std::optional<std::string> reason_to_refuse(const wire::Hello& hello) const;
  void heard(std::uint32_t rank, const Incoming& incoming);
  void reject(const std::string& to, const std::string& reason);
  [[nodiscard]] std::optional<std::uint32_t> sender_of(const Incoming& incoming, const ControlMessage& control);
  [[nodiscard]] std::optional<std::uint32_t> holder_of(const std::string& key) const;

  void note_waiting();
  /// For people who wait; empty: there were none.
  [[nodiscard]] std::string turned_away_text() const;
  Status choose_simd_for_all();
  Status connect_to_all();
  Status meet(std::uint32_t rank);
  /// With an incarnation that it gets here.
  [[nodiscard]] MeshPeer peer_of(std::uint32_t rank);
  void begin_run();
  /// The driver's own part of it.
  void complete(wire::Welcome& welcome) const;
  void begin_making(std::uint32_t place, MakeModel make_model);
  void look_at_models();
  void begin_further_runs();
  void receive_messages();
  void dispatch();
  void tell_progress(engine::DriverRun& run);
  void note_time(Way way, const wire::Message& message, std::uint32_t run, std::uint32_t other);
  void take_times(std::uint32_t rank, const wire::Times& times);

  void note_ended_connections();
  void note_ended_processes();
  void note_unreached();
  /// What the session asks for.
  void carry_out();
  void send(std::uint32_t rank, wire::Message message);
  void note_missing_reports() const;
  [[nodiscard]] ClusterRun report();
  void say(const std::string& line, bool important) const;
  [[nodiscard]] const std::vector<engine::Member>& members() const { return session_->membership().members(); }
  /// Seconds since the start.
  [[nodiscard]] double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  MakeModel make_model_;
  EngineOptions engine_options_;
  DriverOptions options_;
  DriverHooks hooks_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_waiting_note_;

  std::shared_ptr<Wake> wake_ = std::make_shared<Wake>();  ///< shared with threads that may outlive this object
  Sockets sockets_;
  std::shared_ptr<Sockets::Listener> control_;
  std::unique_ptr<Mesh> mesh_;
  wire::HeaderInfo own_;
  std::optional<KeyPair> own_key_;  ///< made for this run; empty: nothing is encrypted
  std::string join_key_;            ///< public half of what newcomers prove
  std::set<std::string> admitted_;  ///< to the control channel: the join key, and those that newcomers made
  std::vector<Channel> channels_;   ///< by rank
  Clock::time_point next_look_;
  Clock::time_point next_look_at_processes_;
  std::string simd_;
  Refusals refused_;                              ///< of nobody that takes part
  std::map<int, std::uint32_t> strangers_words_;  ///< by connection: messages that were refused
  std::set<std::string> refusals_said_;

  TimeLog times_;  ///< where hooks_.times listens
  Makings makings_;
  std::unique_ptr<engine::DriverSession> session_;
};

}  // namespace strads::transport
