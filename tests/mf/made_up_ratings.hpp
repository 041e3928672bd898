// Small rating matrices made from numbers. Used by the tests of the factorization.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mf/problem/mf.hpp"
#include "strads/base/random.hpp"
#include "strads/transport/embedded.hpp"

namespace strads::mf::test {

class NumberedIds final : public IdTable {
 public:
  NumberedIds(const char* prefix, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) names_.push_back(prefix + std::to_string(k));
  }
  [[nodiscard]] std::uint32_t size() const override { return static_cast<std::uint32_t>(names_.size()); }
  [[nodiscard]] std::string_view name(std::uint32_t index) const override { return names_[index]; }
  [[nodiscard]] std::uint32_t find(std::string_view name) const override {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return static_cast<std::uint32_t>(found - names_.begin());
  }

 private:
  std::vector<std::string> names_;
};

struct Shape {
  std::uint32_t users = 60, items = 40;
  std::uint64_t ratings = 900;
  double skew = 1;  ///< item j is drawn with a weight of (j + 1)^-skew
  std::uint32_t validation = 0, test = 0;
  std::uint64_t seed = 1;
  bool coded = true;           ///< whole and half stars; else any float
  double times = 1, plus = 0;  ///< all of it times and plus these
};

/// mean + user + item + a product of rank 2 + noise; each pair once.
inline std::shared_ptr<Ratings> made_up_ratings(const Shape& shape) {
  auto ratings = std::make_shared<Ratings>();
  ratings->users = std::make_shared<NumberedIds>("u", shape.users);
  ratings->items = std::make_shared<NumberedIds>("i", shape.items);
  const auto moved = [&shape](double value) { return static_cast<float>(value * shape.times + shape.plus); };
  if (shape.coded) {
    for (int k = 1; k <= 10; ++k) ratings->levels.push_back(moved(k / 2.0));
  }
  ratings->lowest = moved(0.5);
  ratings->highest = moved(5.0);
  ratings->fingerprint = shape.seed;
  CounterRng random(shape.seed, Purpose::tests);
  std::vector<double> sums;
  double total = 0;
  for (std::uint32_t j = 0; j < shape.items; ++j) sums.push_back(total += std::pow(j + 1.0, -shape.skew));
  const auto taste = [](std::uint32_t k, int f) { return std::sin(1.7 * k + 0.9 * f * k + f); };
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  while (seen.size() < shape.ratings) {
    const auto user = static_cast<std::uint32_t>(random.below(shape.users));
    const auto at = std::lower_bound(sums.begin(), sums.end(), random.unit() * total);
    const auto item = static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(at - sums.begin(), shape.items - 1));
    if (!seen.emplace(user, item).second) continue;
    double value = 3.2 + 0.4 * taste(user, 0) + 0.5 * taste(item, 3) + random.unit() - 0.5;
    for (int f = 1; f <= 2; ++f) value += 0.5 * taste(user, f) * taste(item, f);
    const std::uint64_t n = seen.size();
    Triplets& part = n <= shape.test                      ? ratings->test
                     : n <= shape.test + shape.validation ? ratings->validation
                                                          : ratings->train;
    part.users.push_back(user);
    part.items.push_back(item);
    const double star = std::clamp(std::round(2 * value), 1.0, 10.0);
    if (shape.coded) {
      part.codes.push_back(static_cast<std::uint8_t>(star - 1));
    } else {
      part.values.push_back(moved(value));
    }
  }
  return ratings;
}

inline std::shared_ptr<MfData> made_up_data(const Shape& shape) {
  auto data = prepare_mf(made_up_ratings(shape), 1, std::make_shared<SerialChunks>()).value();
  data->reload = [shape, unit = data->unit]() -> Result<std::shared_ptr<const Triplets>> {
    auto train = std::make_shared<Triplets>(made_up_ratings(shape)->train);
    divide_values(*train, unit);
    return std::shared_ptr<const Triplets>(train);
  };
  return data;
}

struct Fit {
  MfSolution solution;
  std::string hash;
  std::string stop_reason;
  std::vector<double> objectives;  ///< of every commit
  std::vector<Certificate> sweeps;
};

struct Machine {
  EngineOptions engine{.schedulers = 3, .workers = 4, .depth = 3};
  unsigned threads = 1;
  bool encode = false;
};

inline Fit fit(const std::shared_ptr<MfData>& data, const MfOptions& options, const Machine& machine = {}) {
  Fit fit;
  const auto observe = [&](const ProgressEvent& event) {
    if (event.kind == ProgressEvent::Kind::commit) fit.objectives.push_back(event.objective);
    if (event.kind == ProgressEvent::Kind::barrier && event.certificate.figures[kFigureEndsSweep] != 0) {
      fit.sweeps.push_back(event.certificate);
    }
    return false;
  };
  const auto run = run_embedded(make_mf_model(data, options, machine.engine, true), machine.engine,
                                {.threads = machine.threads, .encode_messages = machine.encode}, observe, {});
  STRADS_CHECK(run.end.status.ok(), run.end.status.message());
  fit.solution = solution_of(*data, options, run.end);
  fit.hash = model_hash(fit.solution);
  fit.stop_reason = run.end.stop_reason;
  return fit;
}

constexpr Solver kSolvers[] = {Solver::cd, Solver::ccd, Solver::als, Solver::sgd};

/// As names of tests have it.
inline std::string solver_name(Solver solver) {
  constexpr const char* kNames[] = {"Cd", "Ccd", "Als", "Sgd"};
  return kNames[static_cast<int>(solver)];
}
inline std::string solver_of(const testing::TestParamInfo<Solver>& info) {
  return solver_name(info.param);
}

}  // namespace strads::mf::test
