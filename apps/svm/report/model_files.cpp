#include "svm/report/model_files.hpp"

#include <algorithm>

#include "regression/match_variables.hpp"
#include "regression/people.hpp"
#include "regression/texts.hpp"
#include "strads/program/program.hpp"

namespace strads::svm {
namespace {

/// Whether both say the same, to the bit.
bool are_same(const lasso::FittedClassifier& a, const lasso::FittedClassifier& b) {
  const auto same_variable = [](const lasso::FittedVariable& x, const lasso::FittedVariable& y) {
    return x.column == y.column && x.id == y.id && x.mean == y.mean;
  };
  const auto same_plane = [](const lasso::FittedPlane& x, const lasso::FittedPlane& y) {
    return x.offset == y.offset && x.coefficients == y.coefficients;
  };
  return a.classes == b.classes && std::ranges::equal(a.shape.variables, b.shape.variables, same_variable) &&
         std::ranges::equal(a.planes, b.planes, same_plane);
}

}  // namespace

lasso::FittedClassifier classifier_of(const LoadedSamples& loaded, const SvmSolution& solution) {
  const Dataset& dataset = *loaded.dataset;
  lasso::FittedClassifier classifier;
  classifier.classes = dataset.class_names();
  lasso::FittedModel& shape = classifier.shape;
  shape.response = dataset.response_name();
  shape.columns = dataset.columns().columns;
  shape.has_alleles = dataset.has_alleles();
  shape.has_names = lasso::has_names(dataset);
  shape.samples = dataset.columns().samples();
  shape.people = lasso::people_of(dataset);
  const std::size_t planes = solution.bias.size();
  for (std::size_t k = 0; k < planes; ++k) classifier.planes.push_back({solution.bias[k], {}});
  for (VarId j = 0; j < shape.columns; ++j) {
    bool is_used = false;
    for (std::size_t k = 0; k < planes; ++k) is_used = is_used || solution.weights[k * solution.features + j] != 0;
    if (!is_used) continue;
    const VariableName name = dataset.variable(j);
    shape.variables.push_back({j, std::string(name.id), std::string(name.chromosome), std::string(name.position),
                               std::string(name.counted), std::string(name.other), 0.0, loaded.means[j]});
    for (std::size_t k = 0; k < planes; ++k) {
      classifier.planes[k].coefficients.push_back(solution.weights[k * solution.features + j]);
    }
  }
  return classifier;
}

std::string coefficients_table(const lasso::FittedClassifier& classifier) {
  const lasso::FittedModel& shape = classifier.shape;
  std::string out = lasso::variable_columns(shape);
  if (classifier.has_one_plane()) {
    out += "\tcoefficient";
  } else {
    for (const std::string& name : classifier.classes) out += "\tcoefficient_" + lasso::field(name);
  }
  out += "\tcolumn\n";
  for (std::size_t j = 0; j < shape.variables.size(); ++j) {
    const lasso::FittedVariable& variable = shape.variables[j];
    out += lasso::variable_fields(shape, variable);
    for (const lasso::FittedPlane& plane : classifier.planes) {
      out += "\t" + exact_text(plane.coefficients[j] / lasso::copies_of_a_count(variable.chromosome));
    }
    out += "\t" + std::to_string(std::uint64_t{variable.column} + 1) + "\n";
  }
  return out;
}

Status write_model_files(RunDirectory& directory, const lasso::FittedClassifier& classifier) {
  if (Status done = directory.write(kCoefficientsFile, coefficients_table(classifier)); !done.ok()) return done;
  const std::string path = directory.path_of(kModelFile);
  if (Status done = lasso::write_classifier(path, classifier); !done.ok()) return done;
  directory.note_file(kModelFile);
  STRADS_ASSIGN_OR_RETURN(const auto again, lasso::read_classifier(path));
  if (are_same(again, classifier)) return {};
  return Status::internal(path + ": what was written is not what is read from it again. " + kReportThis);
}

}  // namespace strads::svm
