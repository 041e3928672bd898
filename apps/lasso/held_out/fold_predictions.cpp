#include "lasso/held_out/fold_predictions.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "lasso/held_out/held_out.hpp"
#include "lasso/output/run_summary.hpp"
#include "strads/program/program.hpp"

namespace strads::lasso {
namespace {

/// By row: what the path without the row's fold predicts at step `k`.
std::vector<double> out_of_fold(const PathResult& result, std::size_t k) {
  const Dataset& dataset = *result.group.dataset;
  std::vector<double> predicted(static_cast<std::size_t>(dataset.columns().rows));
  for (std::uint32_t fold = 0; fold < result.group.folds.count; ++fold) {
    const auto rows = rows_of_fold(result.group.folds, fold);
    const HeldOut samples = held_out_of(dataset, rows, result.followers[fold][k]);
    for (std::size_t i = 0; i < rows.size(); ++i) predicted[rows[i]] = samples.predicted[i];
  }
  return predicted;
}

/// "FID<tab>IID" and the like, of the header or of a row.
std::string names_of(const SampleName& like, const SampleName* of, std::size_t row) {
  if (like.individual.empty()) return of == nullptr ? "row" : std::to_string(row + 1);
  std::string individual = of == nullptr ? "IID" : std::string(of->individual);
  if (like.family.empty()) return individual;
  return (of == nullptr ? "FID" : std::string(of->family)) + "\t" + individual;
}

}  // namespace

std::string fold_predictions_table(const PathResult& result) {
  const Dataset& dataset = *result.group.dataset;
  const Family family = result.group.family;
  const std::string mean = family->mean_column == nullptr ? "" : family->mean_column;
  const std::array<std::vector<double>, 2> predicted{out_of_fold(result, result.curve.least),
                                                     out_of_fold(result, result.curve.simplest)};
  const SampleName first = dataset.sample(0);
  std::string out = names_of(first, nullptr, 0) + "\tfold\tresponse";
  out += mean.empty() ? "\tprediction_min\tprediction_1se\n"
                      : "\t" + mean + "_min\tlink_min\t" + mean + "_1se\tlink_1se\n";
  for (std::size_t row = 0; row < result.group.folds.of_row.size(); ++row) {
    const std::uint32_t fold = result.group.folds.of_row[row];
    if (fold >= result.group.folds.count) continue;
    const SampleName name = dataset.sample(row);
    out += names_of(first, &name, row) + "\t" + field(result.group.folds.names[fold]) + "\t" +
           exact_text(dataset.response()[row]);
    for (const auto& of_choice : predicted) {
      if (!mean.empty()) out += "\t" + exact_text(family->mean_of(of_choice[row]));
      out += "\t" + exact_text(of_choice[row]);
    }
    out += "\n";
  }
  return out;
}

}  // namespace strads::lasso
