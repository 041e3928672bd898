#include "mf/factors/serving_files.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "strads/program/array_files.hpp"

namespace strads::mf {
namespace {

bool has_base(const FactorModel& model) {
  const auto is_bias = [](float value) { return value != 0; };
  return model.mean != 0 || std::ranges::any_of(model.biases[0], is_bias) ||
         std::ranges::any_of(model.biases[1], is_bias);
}

Status write_id_lines(RunDirectory& directory, const ModelIds& model, Side side) {
  const IdTable& ids = *model.ids[mf::index_of(side)];
  std::string text;
  for (std::uint32_t k = 0; k < ids.size(); ++k) text.append(ids.name(k)).append("\n");
  return directory.write(kVectorIdsFile[mf::index_of(side)], text);
}

}  // namespace

std::uint32_t vector_size(const FactorModel& model) {
  return model.rank + (has_base(model) ? 2 : 0);
}

std::vector<float> serving_vectors(const FactorModel& model, Side side) {
  const bool base = has_base(model);
  std::vector<float> out;
  out.reserve(std::size_t{model.size(side)} * vector_size(model));
  for (std::uint32_t k = 0; k < model.size(side); ++k) {
    const float* const row = model.row(side, k);
    out.insert(out.end(), row, row + model.rank);
    if (!base) continue;
    const float bias = model.biases[mf::index_of(side)][k];
    out.push_back(side == Side::users ? 1 : bias);
    out.push_back(side == Side::users ? model.mean + bias : 1);
  }
  return out;
}

Status write_serving(RunDirectory& directory, const FactorModel& model) {
  for (const Side side : {Side::users, Side::items}) {
    const std::uint64_t shape[] = {model.size(side), vector_size(model)};
    const std::vector<float> vectors = serving_vectors(model, side);
    const char* const name = kVectorsFile[mf::index_of(side)];
    if (Status done = write_array(directory, name, shape, vectors); !done.ok()) return done;
    if (Status same = check_array(directory.path_of(name), shape, vectors); !same.ok()) return same;
    if (Status done = write_id_lines(directory, model, side); !done.ok()) return done;
  }
  return {};
}

Status write_serving(RunDirectory& directory, const SlimWeights& model) {
  if (Status done = write_weights(directory, model.weights); !done.ok()) return done;
  return write_id_lines(directory, model.ids, Side::items);
}

}  // namespace strads::mf
