// Documents of a made-up model, and whole fits of them inside of this process.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lda/problem/lda.hpp"
#include "strads/base/chunks.hpp"
#include "strads/base/random.hpp"
#include "strads/base/status.hpp"
#include "strads/engine/model.hpp"
#include "strads/engine/options.hpp"
#include "strads/engine/progress.hpp"
#include "strads/transport/embedded.hpp"
#include "topics_fixture.hpp"

namespace strads::lda::test {

inline std::shared_ptr<LdaData> data_of(Documents documents, std::uint64_t seed = 1) {
  auto data =
      prepare_lda(std::make_shared<const Documents>(std::move(documents)), seed, std::make_shared<SerialChunks>());
  STRADS_CHECK(data.ok(), data.status().message());
  return data.value();
}

/// Each document has words of two of the topics, which share no word: topic t has words t, t + topics, ...
inline Documents made_up_documents(std::uint32_t documents, std::uint32_t vocabulary, std::uint32_t topics) {
  CounterRng random(7, Purpose::tests);
  std::vector<std::vector<std::uint32_t>> rows(documents, std::vector<std::uint32_t>(vocabulary, 0));
  for (auto& row : rows) {
    const std::uint64_t two[] = {random.below(topics), random.below(topics)};
    const std::uint64_t tokens = random.below(40);  // some have none
    for (std::uint64_t n = 0; n < tokens; ++n) {
      const std::uint64_t topic = two[random.below(2)];
      ++row[topic + topics * random.below(vocabulary / topics)];
    }
  }
  return counted(rows);
}

/// The same, with every fourth document held out.
inline std::shared_ptr<LdaData> data_with_held_out(const Documents& documents, std::uint64_t seed = 1) {
  const DocumentParts parts = hold_out(documents, 0.25, seed);
  auto data = data_of(parts.kept, seed);
  measure_held_out(*data, halves_of(parts.held_out, seed));
  return data;
}

struct Machine {
  EngineOptions engine{.seed = 1, .schedulers = 1, .workers = 1, .depth = 1};
  unsigned threads = 1;
  bool encode = false;
};

struct Fit {
  LdaSolution solution;
  std::string hash, stop_reason;
  std::vector<Certificate> sweeps;
};

inline Fit fit(const std::shared_ptr<LdaData>& data, const LdaOptions& options, const Machine& machine = {}) {
  Fit fit;
  const auto observe = [&](const ProgressEvent& event) {
    if (event.kind == ProgressEvent::Kind::barrier && event.certificate.figures[kFigureEndsSweep] != 0) {
      fit.sweeps.push_back(event.certificate);
    }
    return false;
  };
  const auto run = run_embedded(make_lda_model(data, options, machine.engine), machine.engine,
                                {.threads = machine.threads, .encode_messages = machine.encode}, observe, {});
  STRADS_CHECK(run.end.status.ok(), run.end.status.message());
  fit.solution = solution_of(*data, options, run.end);
  fit.hash = model_hash(fit.solution);
  fit.stop_reason = run.end.stop_reason;
  return fit;
}

inline std::string sampler_name(Sampler sampler) {
  constexpr const char* kNames[] = {"Delayed", "Rotation", "Stale"};
  return kNames[static_cast<int>(sampler)];
}

}  // namespace strads::lda::test
