// Runs one node with all roles and writes down every message: what an observer of the cluster would see.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "engine/rounds/node.hpp"
#include "lasso/run/plain_lasso.hpp"
#include "wire/messages.hpp"

namespace strads::lasso {

/// One round as its messages tell it.
struct RecordedRound {
  std::vector<wire::Assign> assigns;  ///< in the order in which they were sent
  std::vector<wire::Deltas> deltas;
  wire::Commit commit;

  [[nodiscard]] std::vector<VarId> variables() const {
    std::vector<VarId> all;
    for (const auto& assign : assigns) all.insert(all.end(), assign.block.ids.begin(), assign.block.ids.end());
    return all;
  }
};

struct Record {
  std::vector<wire::Message> messages;  ///< everything, in order
  std::vector<RecordedRound> rounds;
  std::vector<wire::SliceStatus> statuses;
  RunEnd end;
};

/// Messages and tasks first in, first out, on this thread.
class Recorder {
 public:
  Recorder(const std::shared_ptr<Model>& model, const EngineOptions& engine)
      : node_(0, engine::Roster::round_robin(1, engine), engine, model) {}

  Record run() {
    node_.start(effects_);
    while (!effects_.end.has_value()) {
      collect();
      if (effects_.end.has_value()) break;
      if (!messages_.empty()) {
        const wire::Envelope envelope = std::move(messages_.front());
        messages_.pop_front();
        write_down(envelope.message);
        node_.on_message(envelope.message, effects_);
      } else if (!tasks_.empty()) {
        const engine::Task task = std::move(tasks_.front());
        tasks_.pop_front();
        SerialChunks chunks;
        task.run(chunks);
        task.done(effects_);
      } else {
        ADD_FAILURE() << "nothing to do and no end";
        break;
      }
    }
    if (effects_.end.has_value()) record_.end = *effects_.end;
    return std::move(record_);
  }

 private:
  void collect() {
    for (auto& envelope : effects_.messages) messages_.push_back(std::move(envelope));
    for (auto& task : effects_.tasks) tasks_.push_back(std::move(task));
    effects_.messages.clear();
    effects_.tasks.clear();
    effects_.progress.clear();
  }

  RecordedRound& round(Round t) {
    if (record_.rounds.size() <= static_cast<std::size_t>(t)) record_.rounds.resize(static_cast<std::size_t>(t) + 1);
    return record_.rounds[static_cast<std::size_t>(t)];
  }

  void write_down(const wire::Message& message) {
    record_.messages.push_back(message);
    if (const auto* assign = std::get_if<wire::Assign>(&message)) round(assign->round).assigns.push_back(*assign);
    if (const auto* deltas = std::get_if<wire::Deltas>(&message)) round(deltas->round).deltas.push_back(*deltas);
    if (const auto* commit = std::get_if<wire::Commit>(&message)) round(commit->version).commit = *commit;
    if (const auto* status = std::get_if<wire::SliceStatus>(&message)) record_.statuses.push_back(*status);
  }

  engine::Node node_;
  engine::Effects effects_;
  std::deque<wire::Envelope> messages_;
  std::deque<engine::Task> tasks_;
  Record record_;
};

/// The options of the published algorithms: no guard, so that what runs is what was published.
inline LassoOptions published(Policy policy) {
  LassoOptions options;
  options.policy = policy;
  options.guard = false;
  options.tolerance = 0;  // as many rounds as the test asks for
  return options;
}

/// A problem, its run, and the same problem in plain doubles.
struct Observed {
  PlainProblem plain;
  Record record;
  double lambda = 0;
};

inline Observed observe(const Content& content, LassoOptions options, const EngineOptions& engine) {
  options.workers = engine.workers;
  options.schedulers = engine.schedulers;
  auto data = prepare_lasso(dataset_of(content), options);
  EXPECT_TRUE(data.ok()) << data.status().message();
  Observed observed;
  observed.plain = plain_data(content, options).problem;
  observed.record = Recorder(make_lasso_model(data.value(), options), engine).run();
  EXPECT_TRUE(observed.record.end.status.ok()) << observed.record.end.status.message();
  observed.lambda = solution_of(observed.record.end).lambda;
  return observed;
}

}  // namespace strads::lasso
