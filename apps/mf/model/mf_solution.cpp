#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "mf/model/mf_judge.hpp"
#include "mf/model/written_rows.hpp"
#include "mf/problem/mf_state.hpp"
#include "mf/problem/rating_mark.hpp"
#include "strads/base/hash.hpp"
#include "strads/engine/progress.hpp"

namespace strads::mf {
namespace {

Quality quality_of(double squared, double absolute, std::uint64_t ratings, double unit) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<double>(ratings);
  return {count > 0 ? std::sqrt(squared / count) * unit : none, count > 0 ? absolute / count * unit : none, ratings};
}

/// Mean, squares and marks of the training ratings as they are now. Returns the standard deviation.
double count_values(MfData& data) {
  const Triplets& train = *data.train;
  const std::vector<float>& levels = data.ratings->levels;
  const auto value_at = [&](std::size_t t) { return levels.empty() ? train.values[t] : levels[train.codes[t]]; };
  double sum = 0, deviations = 0;
  for (std::size_t t = 0; t < train.size(); ++t) sum += static_cast<double>(value_at(t));
  data.mean = sum / static_cast<double>(train.size());
  data.squares = 0;
  data.marks = 0;
  for (std::size_t t = 0; t < train.size(); ++t) {
    const auto value = static_cast<double>(value_at(t));
    data.squares += value * value;
    deviations += (value - data.mean) * (value - data.mean);
    data.marks += rating_mark(train.users[t], train.items[t], static_cast<float>(value));
  }
  return std::sqrt(deviations / static_cast<double>(train.size()));
}

/// So that what is said of a number is what it is.
double to_three_digits(double number) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.begin(), text.end(), number, std::chars_format::scientific, 2);
  double rounded = 1;
  std::from_chars(text.data(), written.ptr, rounded);
  return rounded;
}

}  // namespace

double unit_of_ratings(double deviation) {
  constexpr double kUsual = 2, kFar = 4;  // and the inverses
  if (!std::isfinite(deviation) || deviation <= 0) return 1;
  const double size = std::max(deviation, 1 / deviation);
  if (size <= kUsual) return 1;
  // Without a jump, which might lie between the folds of one file.
  const double far = size >= kFar ? size : (size / kUsual) * (size / kUsual);
  return to_three_digits(deviation > 1 ? far : 1 / far);
}

void divide_values(Triplets& ratings, double unit) {
  if (unit == 1) return;
  for (float& value : ratings.values) value = divided(value, unit);
}

double squares_of(const MfData& data, const MfOptions& options) {
  const double ones = options.hu ? options.alpha0 * static_cast<double>(data.train_size) : 0;
  return options.alpha * data.squares + ones;
}

Result<std::shared_ptr<MfData>> prepare_mf(const std::shared_ptr<Ratings>& ratings, std::uint64_t seed,
                                           std::shared_ptr<Chunks> threads, bool implicit) {
  if (ratings->train.size() == 0) {
    return Status::input("every rating is held out: nothing is left to learn from; use a smaller --holdout");
  }
  auto data = std::make_shared<MfData>();
  data->seed = seed;
  data->threads = std::move(threads);
  data->train = std::make_shared<Triplets>(std::exchange(ratings->train, Triplets{}));
  data->ratings = ratings;
  const Triplets& train = *data->train;
  data->train_size = train.size();
  data->counts[0].resize(ratings->users->size());
  data->counts[1].resize(ratings->items->size());
  for (std::size_t t = 0; t < train.size(); ++t) {
    ++data->counts[0][train.users[t]];
    ++data->counts[1][train.items[t]];
  }
  const double deviation = count_values(*data);
  if (implicit) {
    data->squares = data->mean * static_cast<double>(data->train_size);
    return data;
  }
  data->unit = unit_of_ratings(deviation);
  if (data->unit == 1) return data;
  for (float& level : ratings->levels) level = divided(level, data->unit);
  for (Triplets* part : {data->train.get(), &ratings->validation, &ratings->test, &ratings->strangers}) {
    divide_values(*part, data->unit);
  }
  count_values(*data);
  return data;
}

MfSolution solution_of(const MfData& data, const MfOptions& options, const RunEnd& end) {
  MfSolution solution;
  solution.rank = options.rank;
  solution.mean = options.mean ? data.user_mean() : 0;
  const std::uint32_t users = data.size(Side::users);
  for (const Side side : {Side::users, Side::items}) {
    solution.factors[mf::index_of(side)].resize(std::size_t{data.size(side)} * options.rank);
    solution.biases[mf::index_of(side)].resize(data.size(side));
  }
  const std::size_t stride = record_stride(options.rank);
  for (const Payload& status : end.statuses) {
    // Without factors it has no weights either: acceptable(), but of a node that did not do as it was told.
    if (status.ids.empty()) continue;
    const auto weights = std::span(status.values).subspan(status_size(options.rank), options.rank);
    const WrittenRows written[] = {{weights, Side::users, data.unit}, {weights, Side::items, data.unit}};
    std::size_t array = 0, row = 0;
    for (const VarId id : status.ids) {
      while (row * stride >= status.bulk[array].size()) ++array, row = 0;
      const float* record = status.bulk[array].data() + row++ * stride;
      const Side side = id < users ? Side::users : Side::items;
      const std::size_t to = side == Side::users ? id : id - users;
      for (std::size_t k = 0; k < options.rank; ++k) {
        solution.factors[mf::index_of(side)][to * options.rank + k] = written[mf::index_of(side)].factor(record, k);
      }
      solution.biases[mf::index_of(side)][to] = written[mf::index_of(side)].bias(record[options.rank]);
    }
  }
  const std::span<const double> status = end.statuses.at(0).values;
  const Evaluation evaluation = last_evaluation_of(status);
  const auto& figures = end.certificate.figures;
  solution.objective = end.certificate.objective;
  solution.sweeps = static_cast<std::uint32_t>(figures[kFigureSweep]);
  solution.best_sweep = static_cast<std::uint32_t>(figures[kFigureBest]);
  solution.partial_sweep = figures[kFigurePartial] != 0;
  solution.train = {figures[kFigureTrainRmse], std::numeric_limits<double>::quiet_NaN(), data.train_size};
  solution.validation =
      quality_of(evaluation.validation_squared, evaluation.validation_absolute, evaluation.validation_count, data.unit);
  solution.stop = options.stop;
  solution.lists = std::numeric_limits<double>::quiet_NaN();
  if (options.stop.wanted()) {
    const auto validated = static_cast<double>(evaluation.validation_count);
    if (validated > 0) solution.lists = 1 - evaluation.validation_squared / validated;
    solution.validation.rmse = solution.validation.mae = std::numeric_limits<double>::quiet_NaN();
  }
  solution.test = quality_of(evaluation.test_squared, evaluation.test_absolute, evaluation.test_count, data.unit);
  solution.imbalance = figures[kFigureImbalance];
  return solution;
}

std::string model_hash(const MfSolution& solution) {
  Hash64 hash;
  for (const auto* floats : {&solution.factors[0], &solution.factors[1], &solution.biases[0], &solution.biases[1]}) {
    hash.update(std::as_bytes(std::span(*floats)));
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash.digest()));
  return text;
}

}  // namespace strads::mf
