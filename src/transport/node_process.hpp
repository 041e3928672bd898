// A node of a cluster: joins the driver, loads the data, drives engine::Node, leaves. Layer: transport.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "engine/rounds/node.hpp"
#include "engine/session/last_words.hpp"
#include "engine/session/members.hpp"
#include "engine/session/offences.hpp"
#include "engine/session/quiet.hpp"
#include "strads/transport/cluster.hpp"
#include "transport/mesh.hpp"
#include "transport/reading.hpp"
#include "transport/sockets/addresses.hpp"
#include "transport/sockets/control.hpp"
#include "transport/sockets/sockets.hpp"
#include "transport/task_runner.hpp"

namespace strads::transport {

class NodeProcess {
 public:
  NodeProcess(const NodeOptions& options, const NodeHooks& hooks);
  [[nodiscard]] Status run();

  using Loading = Reading<LoadedModel>;
  /// After run(): what is still being read, if anything. A node that has left need not wait for it.
  [[nodiscard]] std::unique_ptr<Loading> take_loading() { return std::move(loading_); }

 private:
  using Clock = std::chrono::steady_clock;

  Status open();
  Status connect_with(const std::string& secret_key);
  void come_in();
  void step();
  void receive_control();
  void on_control(const ControlMessage& control);
  void on_welcome(const wire::Welcome& welcome, const wire::HeaderInfo& from);
  Status take_welcome(const wire::Welcome& welcome);
  void leave_in_order();
  void start_loading(const wire::Welcome& welcome);
  void look_at_loading();
  void begin_run(LoadedModel loaded);
  void receive_messages();
  void take(std::uint32_t from, const wire::Message& message);
  /// `from`: the process that is known to have sent it. The third such message of a node is told to the driver, that of
  /// the driver ends this node.
  void refuse(Refusal kind, std::optional<std::uint32_t> from);
  /// Words of the driver's.
  void refuse_control(Refusal kind) { refuse(kind, roster_.coordinator); }
  void dispatch();
  void deliver(wire::Envelope& envelope);
  void note_waiting();
  void send_control(const wire::Message& message);
  void beat_when_due();
  [[nodiscard]] wire::Hello hello() const;
  [[nodiscard]] wire::Beat beat();
  void check_liveness();
  void end(Status outcome);
  void say(const std::string& line) const;
  /// Seconds since the start.
  [[nodiscard]] double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  NodeOptions options_;
  NodeHooks hooks_;
  std::string name_;
  Clock::time_point start_ = Clock::now();
  engine::NodeStage stage_ = engine::NodeStage::joining;
  std::optional<Status> outcome_;

  std::shared_ptr<Wake> wake_ = std::make_shared<Wake>();  ///< shared with threads that may outlive this object
  Sockets sockets_;
  std::unique_ptr<Mesh> mesh_;
  std::shared_ptr<Sockets::Connection> control_;
  wire::HeaderInfo own_;
  std::optional<KeyPair> own_key_;  ///< made for this run; empty: nothing is encrypted
  std::uint64_t established_ = 0;
  bool heard_ = false;  ///< the driver has answered
  bool turned_away_noted_ = false;
  engine::DriverWatch driver_;
  Clock::time_point next_beat_;
  std::uint64_t beats_ = 0;
  Clock::time_point next_look_;
  std::vector<std::uint32_t> unreachable_;

  std::optional<wire::Leave> leaving_;  ///< the driver has ended the run
  Clock::time_point leaving_since_;
  engine::LastWords last_words_;

  std::unique_ptr<Loading> loading_;
  wire::Loaded loaded_;
  Refusals refused_;
  engine::Offences offences_;
  engine::Roster roster_;
  std::uint64_t roster_number_ = 0;
  std::function<std::pair<std::uint64_t, std::uint64_t>()> data_memory_;
  std::shared_ptr<Model> model_;
  std::unique_ptr<engine::Node> node_;
  engine::Effects effects_;
  engine::Quiet quiet_;
  bool waiting_ = false;
  Clock::time_point waiting_since_;
  Clock::time_point running_since_;
  double seconds_waiting_ = 0;
  double seconds_running_ = 0;
  bool more_to_do_ = false;
  std::unique_ptr<TaskRunner> runner_;  // last: its threads end before what they use
};

}  // namespace strads::transport
