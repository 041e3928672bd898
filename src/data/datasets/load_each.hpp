// Columns and selected samples, put together to data sets: one for each response. Layer: data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/datasets/loaded_dataset.hpp"
#include "data/filters/genotype_filter.hpp"
#include "data/filters/variant_choice.hpp"
#include "data/samples/samples.hpp"
#include "data/text/text.hpp"

namespace strads::data {

using Loaded = Result<std::shared_ptr<const Dataset>>;
using AllLoaded = Result<std::vector<std::shared_ptr<const Dataset>>>;
using ResponseNames = std::span<const std::string>;  // of responses, at least one; "": the default

/// Moves what selection found into the parts. `in_place`: the columns still have the dropped rows.
void take_samples(SampleSelection selection, SampleIds ids, bool in_place, DatasetParts& parts);
/// Leaves columns out, reads penalty factors.
Loaded finish(const Source& source, const std::string& penalty_file, VariantChoice choice, DatasetParts parts);
/// The options that name this response.
[[nodiscard]] InputOptions with_response(InputOptions options, const std::string& name);
/// Weights of the kept rows; empty: all 1.
[[nodiscard]] std::vector<double> kept_weights(const SampleSelection& selection);
/// The same for the means that take the place of missing values: of a split only samples that train count. Their sum is
/// the number of kept rows; empty: all 1.
[[nodiscard]] std::vector<double> mean_weights(const SampleSelection& selection);

/// Of formats that bring no response.
inline std::optional<RowValues> none_of_its_own(std::size_t) {
  return std::nullopt;
}

/// Columns for a choice of samples.
struct Built {
  DatasetParts parts;
  bool in_place = false;  ///< the columns have all rows of X, whoever takes part
};

/// A data set for each response, each as it would be alone. Two of them share the columns where these are the same.
///   own:   the response that X itself brings, by its number among the names
///   build: from a selection of samples to Result<Built>
///   filter: of genotypes, else null; what it leaves out depends on the samples
template <class Own, class Build>
AllLoaded load_each(const InputOptions& options, ResponseNames names, std::uint64_t x_rows, const SampleIds& ids,
                    const Own& own, const Build& build, const GenotypeFilter* filter = nullptr) {
  struct Made {
    std::vector<std::uint8_t> kept;
    bool in_place = false;
    std::vector<std::uint8_t> excluded;  // before penalty factors
    std::shared_ptr<const Dataset> dataset;
  };
  std::vector<Made> made;  // with columns of their own
  std::vector<std::shared_ptr<const Dataset>> out;
  const auto failed = [&](const Status& status) {
    return names.size() == 1
               ? status
               : Status(status.code(), "response " + in_quotes(names[out.size()]) + ": " + status.message());
  };
  while (out.size() < names.size()) {
    auto selection =
        select_samples(with_response(options, names[out.size()]), x_rows, ids, own(out.size()),
                       [&](RowChoice& rows) { return filter != nullptr ? filter->drop_samples(rows) : Status(); });
    if (!selection.ok()) return failed(selection.status());
    auto choice = filter != nullptr ? filter->choose(selection.value().rows, selection.value().split)
                                    : Result<VariantChoice>(VariantChoice{});
    if (!choice.ok()) return failed(choice.status());
    const auto kept = selection.value().rows.kept();
    const auto like = std::find_if(made.begin(), made.end(), [&](const Made& one) {
      return one.in_place || std::equal(kept.begin(), kept.end(), one.kept.begin(), one.kept.end());
    });
    if (like != made.end()) {
      DatasetParts samples;
      take_samples(std::move(selection).value(), SampleIds{}, like->in_place, samples);
      samples.excluded = std::move(choice.value().excluded);
      samples.dropped_variables = std::move(choice.value().dropped);
      const auto first = like->dataset->columns().excluded;
      for (std::size_t j = 0; j < samples.excluded.size(); ++j) {  // an infinite penalty factor leaves out everywhere
        if (first[j] != 0 && like->excluded[j] == 0) samples.excluded[j] = 1;
      }
      out.push_back(with_other_response(like->dataset, std::move(samples)));
      continue;
    }
    Result<Built> built = build(selection.value());
    if (!built.ok()) return failed(built.status());
    Made& fresh = made.emplace_back(Made{{kept.begin(), kept.end()}, built.value().in_place, {}, nullptr});
    DatasetParts parts = std::move(built.value().parts);
    take_samples(std::move(selection).value(), ids, fresh.in_place, parts);
    if (filter == nullptr) choice = choose_variants(options.variables, *parts.names);
    if (!choice.ok()) return failed(choice.status());
    fresh.excluded = choice.value().excluded;
    auto finished =
        finish(options.source, options.variables.penalty_factors, std::move(choice).value(), std::move(parts));
    if (!finished.ok()) return failed(finished.status());
    fresh.dataset = finished.value();
    out.push_back(fresh.dataset);
  }
  return out;
}

/// Data sets of X in memory, as load_datasets() makes them of files. Column-major floats and bytes, and sparse columns,
/// stay where they are unless an entry is missing; what else there is, is copied.
/// Errors: as of a .npy or .npz, with "X" in place of a path. REQUIRES: options.source.has_x_in_memory().
AllLoaded load_in_memory(const InputOptions& options, ResponseNames names);

/// The data sets of options.source, one for each response. Errors: as load_dataset().
AllLoaded load_genotypes(const InputOptions& options, ResponseNames names);

/// Who of the samples' table takes part, before any genotype is looked at: --mind drops nobody.
/// Errors: as load_dataset(). REQUIRES: options.source.is_plink(). Cost: reads the samples' table and those beside it.
Result<SampleSelection> select_genotyped(const InputOptions& options);

}  // namespace strads::data
