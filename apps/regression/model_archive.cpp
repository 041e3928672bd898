// Boost.Serialization's non-intrusive form of what model.bin and path.bin hold, of classifiers too. Later releases read
// these files: who changes what is archived raises the version of the class, asks for `version` in its serialize(), and
// adds a file to tests/lasso/regression/model_files. Members are named by structured bindings, so that one that is
// added to a struct and forgotten here does not compile.
#include "regression/model_archive.hpp"

#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>

#include "program/output/archive_file.hpp"
#include "regression/path_in_pieces.hpp"

namespace strads::lasso {

/// Written as a std::vector<T> is.
template <class T>
struct ListInPieces {
  std::size_t count;
  const std::function<T(std::size_t)>& at;
};

/// The shape of a path in pieces.
struct ShapeInPieces {
  const FittedModel& model;
  ListInPieces<FittedVariable> variables;
};

}  // namespace strads::lasso

BOOST_CLASS_VERSION(strads::lasso::FittedVariable, 1)
BOOST_CLASS_VERSION(strads::lasso::FittedModel, 3)  // 1: without family, classes and has_offset; 2: without people
BOOST_CLASS_VERSION(strads::lasso::FittedStep, 1)
BOOST_CLASS_VERSION(strads::lasso::FittedPath, 1)
// Of the classes that they are written as.
BOOST_CLASS_VERSION(strads::lasso::ShapeInPieces, 3)
BOOST_CLASS_VERSION(strads::lasso::PathInPieces, 1)
BOOST_CLASS_VERSION(strads::lasso::FittedPlane, 1)
BOOST_CLASS_VERSION(strads::lasso::FittedClassifier, 1)

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, strads::lasso::FittedVariable& variable, unsigned version) {
  strads::expect_class_version<strads::lasso::FittedVariable>("FittedVariable", version);
  auto& [column, id, chromosome, position, counted, other, coefficient, mean] = variable;
  archive& column& id& chromosome& position& counted& other& coefficient& mean;
}

template <class Archive>
void serialize(Archive& archive, strads::lasso::FittedModel& model, unsigned version) {
  strads::expect_class_version<strads::lasso::FittedModel>("FittedModel", version);
  auto& [response, columns, has_alleles, has_names, intercept, covariate_names, covariates, variables, family, classes,
         has_offset, samples, people] = model;
  archive& response& columns& has_alleles& has_names& intercept& covariate_names& covariates& variables;
  if (version < 2) return;  // least squares without offset, as the members say by themselves
  archive& family& classes[0] & classes[1] & has_offset;
  if (version < 3) return;
  archive& samples& people;
}

template <class Archive>
void serialize(Archive& archive, strads::lasso::FittedStep& step, unsigned version) {
  strads::expect_class_version<strads::lasso::FittedStep>("FittedStep", version);
  auto& [lambda, lambda_y, intercept, covariates, places, coefficients] = step;
  archive& lambda& lambda_y& intercept& covariates& places& coefficients;
}

template <class Archive>
void serialize(Archive& archive, strads::lasso::FittedPath& path, unsigned version) {
  strads::expect_class_version<strads::lasso::FittedPath>("FittedPath", version);
  auto& [shape, steps, least, simplest] = path;
  archive& shape& steps& least& simplest;
}

template <class Archive, class T>
void serialize(Archive& archive, strads::lasso::ListInPieces<T>& list, unsigned /*version*/) {
  const collection_size_type count(list.count);
  const item_version_type item_version(version<T>::value);
  archive << count << item_version;
  for (std::size_t k = 0; k < list.count; ++k) {
    const T item = list.at(k);
    archive << item;
  }
}

template <class Archive>
void serialize(Archive& archive, strads::lasso::ShapeInPieces& shape, unsigned /*version*/) {
  static_assert(version<strads::lasso::ShapeInPieces>::value == version<strads::lasso::FittedModel>::value);
  const auto& [response, columns, has_alleles, has_names, intercept, covariate_names, covariates, variables, family,
               classes, has_offset, samples, people] = shape.model;
  archive& response& columns& has_alleles& has_names& intercept& covariate_names& covariates& shape.variables;
  archive& family& classes[0] & classes[1] & has_offset& samples& people;
}

template <class Archive>
void serialize(Archive& archive, strads::lasso::PathInPieces& path, unsigned /*version*/) {
  static_assert(version<strads::lasso::PathInPieces>::value == version<strads::lasso::FittedPath>::value);
  strads::lasso::ShapeInPieces shape{path.shape, {path.variables, path.variable}};
  strads::lasso::ListInPieces<strads::lasso::FittedStep> steps{path.steps, path.step};
  const std::uint64_t none = 0;
  archive& shape& steps& none& none;
}

template <class Archive>
void serialize(Archive& archive, strads::lasso::FittedPlane& plane, unsigned version) {
  strads::expect_class_version<strads::lasso::FittedPlane>("FittedPlane", version);
  auto& [offset, coefficients] = plane;
  archive& offset& coefficients;
}

template <class Archive>
void serialize(Archive& archive, strads::lasso::FittedClassifier& classifier, unsigned version) {
  strads::expect_class_version<strads::lasso::FittedClassifier>("FittedClassifier", version);
  auto& [shape, classes, planes] = classifier;
  archive& shape& classes& planes;
}

}  // namespace boost::serialization

namespace strads::lasso {

template <class T>
Result<std::string> to_model_content(const T& fitted) {
  return to_archive_content(fitted);
}

template <class T>
Status model_content_in_pieces(const T& fitted, const PieceTaker& take) {
  return archive_in_pieces(release_front(), fitted, take);
}

template <class T>
Result<T> from_model_content(const std::string& path, std::string_view content) {
  return from_archive_content<T>(path, content, kModelAdvice);
}

template Result<std::string> to_model_content(const FittedModel&);
template Result<std::string> to_model_content(const FittedPath&);
template Result<std::string> to_model_content(const FittedClassifier&);
template Status model_content_in_pieces(const FittedModel&, const PieceTaker&);
template Status model_content_in_pieces(const FittedPath&, const PieceTaker&);
template Result<FittedModel> from_model_content(const std::string&, std::string_view);
template Result<FittedPath> from_model_content(const std::string&, std::string_view);
template Result<FittedClassifier> from_model_content(const std::string&, std::string_view);

}  // namespace strads::lasso
