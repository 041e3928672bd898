#include "lasso/report/family_facts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "lasso/report/run_summary.hpp"
#include "strads/program/program.hpp"
#include "strads/program/summary.hpp"

namespace strads::lasso {

ClassCounts class_counts(const Dataset& dataset) {
  const auto response = dataset.response();
  ClassCounts counts;
  counts.cases = static_cast<std::uint64_t>(std::count(response.begin(), response.end(), 1.0));
  counts.controls = dataset.columns().samples() - counts.cases;
  return counts;
}

void add_family(Summary& summary, const LassoData& data) {
  summary.add("family", data.family->name);
  if (!data.family->has_classes) return;
  const ClassCounts counts = class_counts(*data.dataset);
  const auto& classes = data.dataset->classes();
  summary.add("classes", std::vector<std::string>(classes.begin(), classes.end()));
  summary.add("cases", counts.cases);
  summary.add("controls", counts.controls);
}

std::string family_text(const LassoData& data) {
  if (data.family->is_squares()) return "";
  if (!data.family->has_classes) return data.family->name + std::string(", ");
  const ClassCounts counts = class_counts(*data.dataset);
  const auto& classes = data.dataset->classes();
  return data.family->name + (" (" + std::to_string(counts.cases)) + " " + field(classes[1]) + ", " +
         std::to_string(counts.controls) + " " + field(classes[0]) + "), ";
}

void set_family(FittedModel& model, const LassoData& data) {
  model.family = data.family->name;
  model.classes = data.dataset->classes();
  model.has_offset = !data.dataset->offset().empty();
}

Family family_of(const FittedModel& model) {
  return Family::named(model.family).value_or(Family::gaussian);
}

std::string ratio_header(const FittedModel& model) {
  const char* column = family_of(model)->ratio_column;
  return column == nullptr ? "" : "\t" + std::string(column);
}

std::string ratio_field(const FittedModel& model, double coefficient) {
  return family_of(model)->ratio_column == nullptr ? "" : "\t" + exact_text(std::exp(coefficient));
}

}  // namespace strads::lasso
