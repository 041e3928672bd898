#include "data/datasets/load_each.hpp"

namespace strads::data {
namespace {

// The entries of `values` at the kept rows.
template <class T>
std::vector<T> compacted(const std::vector<T>& values, std::span<const std::uint8_t> kept) {
  std::vector<T> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kept[i] != 0) out.push_back(values[i]);
  }
  return out;
}

StringList compacted(const StringList& names, std::span<const std::uint8_t> kept) {
  StringList out;
  for (std::uint64_t i = 0; i < names.size(); ++i) {
    if (kept[i] != 0) out.push_back(names[i]);
  }
  return out;
}

}  // namespace

std::vector<double> kept_weights(const SampleSelection& selection) {
  return compacted(selection.weights, selection.rows.kept());
}

std::vector<double> mean_weights(const SampleSelection& selection) {
  if (selection.split.empty()) return kept_weights(selection);
  std::vector<double> weights;
  double total = 0;
  for (std::uint64_t i = 0; i < selection.split.size(); ++i) {
    if (selection.rows.kept()[i] == 0) continue;
    const double weight = selection.weights.empty() ? 1.0 : selection.weights[i];
    weights.push_back(selection.split[i] == SamplePart::train ? weight : 0.0);
    total += weights.back();
  }
  const double scale = static_cast<double>(weights.size()) / total;
  for (double& weight : weights) weight *= scale;
  return weights;
}

void take_samples(SampleSelection selection, SampleIds ids, bool in_place, DatasetParts& parts) {
  const auto kept = selection.rows.kept();
  parts.dropped_samples = selection.rows.reasons();
  parts.files.insert(parts.files.end(), selection.files.begin(), selection.files.end());
  parts.warnings.insert(parts.warnings.end(), selection.warnings.begin(), selection.warnings.end());
  SampleValues& values = parts;
  values = std::move(static_cast<SampleValues&>(selection));
  if (in_place) {
    parts.dropped_rows = selection.rows.dropped_rows();
    for (const Sex sex : ids.pedigree.sex) parts.sexes.push_back(static_cast<std::uint8_t>(sex));
    parts.family = std::move(ids.family);
    parts.individual = std::move(ids.individual);
    return;
  }
  values.response = compacted(values.response, kept);
  for (std::vector<double>& covariate : values.covariates) covariate = compacted(covariate, kept);
  values.weights = compacted(values.weights, kept);
  values.offset = compacted(values.offset, kept);
  values.split = compacted(values.split, kept);
  parts.family = compacted(ids.family, kept);
  parts.individual = compacted(ids.individual, kept);
}

Loaded finish(const Source& source, const std::string& penalty_file, VariantChoice choice, DatasetParts parts) {
  parts.excluded = std::move(choice.excluded);
  parts.dropped_variables = std::move(choice.dropped);
  parts.files.insert(parts.files.end(), choice.files.begin(), choice.files.end());
  parts.warnings.insert(parts.warnings.end(), choice.warnings.begin(), choice.warnings.end());
  STRADS_ASSIGN_OR_RETURN(parts.penalty_factors,
                          penalty_factors(penalty_file, source.in_memory.get(), *parts.names, parts.excluded));
  if (!penalty_file.empty()) parts.files.push_back(penalty_file);
  parts.memory = source.memory;
  return make_dataset(std::move(parts));
}

InputOptions with_response(InputOptions options, const std::string& name) {
  options.response.column(options.source.is_plink()) = name;
  return options;
}

}  // namespace strads::data
