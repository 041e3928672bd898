#include "lasso/output/family_facts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lasso/output/run_summary.hpp"
#include "strads/program/program.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

bool is_binomial(const Dataset& dataset) {
  return dataset.classes()[0] != dataset.classes()[1];
}

ClassCounts class_counts(const Dataset& dataset) {
  const auto response = dataset.response();
  ClassCounts counts;
  counts.cases = static_cast<std::uint64_t>(std::count(response.begin(), response.end(), 1.0));
  counts.controls = dataset.columns().samples() - counts.cases;
  return counts;
}

void add_family(Summary& summary, const Dataset& dataset) {
  if (!is_binomial(dataset)) {
    summary.add("family", kGaussian);
    return;
  }
  const ClassCounts counts = class_counts(dataset);
  const auto& classes = dataset.classes();
  summary.add("family", kBinomial);
  summary.add("classes", std::vector<std::string>(classes.begin(), classes.end()));
  summary.add("cases", counts.cases);
  summary.add("controls", counts.controls);
}

std::string family_text(const Dataset& dataset) {
  if (!is_binomial(dataset)) return "";
  const ClassCounts counts = class_counts(dataset);
  const auto& classes = dataset.classes();
  return std::string(kBinomial) + " (" + std::to_string(counts.cases) + " " + field(classes[1]) + ", " +
         std::to_string(counts.controls) + " " + field(classes[0]) + "), ";
}

void set_family(FittedModel& model, const Dataset& dataset) {
  model.family = is_binomial(dataset) ? kBinomial : kGaussian;
  model.classes = dataset.classes();
  model.has_offset = !dataset.offset().empty();
}

std::string odds_ratio_header(const FittedModel& model) {
  return model.is_binomial() ? "\todds_ratio" : "";
}

std::string odds_ratio_field(const FittedModel& model, double coefficient) {
  return model.is_binomial() ? "\t" + exact_text(std::exp(coefficient)) : "";
}

}  // namespace strads::lasso
