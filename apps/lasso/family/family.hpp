// What the response is. All that a family decides stands in one object, whose file is named after it; whoever needs to
// know asks that. A new one is such a file and its line in family.cpp, sums of its loss (strads/numerics/losses.hpp)
// and their plain counterpart in the check. Layer: apps/lasso. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/numerics/losses.hpp"

namespace strads::lasso {

/// What an error of a prediction is. `mu`: what is predicted in place of the response, of two classes the probability
/// of class 1; y is 0 or 1 then.
enum class Measure : std::uint8_t {
  mse,                ///< (y - mu)^2; binomial: over both classes, 2 (y - mu)^2
  mae,                ///< |y - mu|; binomial: 2 |y - mu|
  deviance,           ///< twice the loss; binomial: -2 log p of the class, p cut to [1e-5, 1 - 1e-5]
  misclassification,  ///< 1 where mu > 0.5 says the other class
  auc                 ///< of a whole fold: area under the ROC curve, the more the better
};

/// A measure that a family has.
struct FamilyMeasure {
  Measure measure;
  const char* text;                        ///< for axes and lines: "binomial deviance"
  double (*error)(double y, double link);  ///< of one sample; null: of all of them together
};

/// What glmnet measures the growth of the deviance ratio by, where it looks for the end of a path.
enum class Growth : std::uint8_t {
  of_explained,  ///< of the deviance that is explained
  of_null        ///< of the null deviance
};

/// Who takes part in a loss of the predictor, and names of them for messages.
struct FamilySamples {
  std::span<const double> response;              ///< as the data set has it
  std::span<const double> weights;               ///< 0 at rows that take no part
  bool weighted = false;                         ///< weights were given
  std::function<std::string(std::size_t)> name;  ///< "sample 'a'" of a row
};

struct FamilyFacts {
  const char* name;        ///< as --family takes it, and as files say it
  const char* response;    ///< "a class"
  const char* regression;  ///< "logistic regression"
  /// No value: least squares, on a response that is centred and scaled, where what has no penalty is projected out of
  /// everything. Else a loss of the linear predictor, beside which it is fitted.
  std::optional<LossKind> loss;
  /// At most this is the second derivative of a sample's term; no value: there is no bound.
  std::optional<double> curvature_bound;
  const char* loss_name;  ///< "logistic": in counts of what blocks cost
  bool has_classes;       ///< the response is one of two classes, 0 and 1 in the data set
  Growth growth;

  // Of losses of the predictor.
  /// Whether they can be fitted. Errors: input.
  Status (*usable)(const FamilySamples& samples);
  double (*coded)(double y);  ///< y_i as the loss has it
  /// Whether no sample's loss rises along a way of the predictor however far it goes, and that of one falls.
  /// `response`: coded. `allowed`: what of the way is rounding.
  bool (*falls_along)(const LossSamples& samples, std::span<const double> way, double allowed);
  const char* falls_text;  ///< what that is called: "the classes are separated"
  /// Sizes of what every slope is the difference of; null: slopes are computed without a difference.
  std::vector<double> (*slope_terms)(const LossSamples& samples, std::span<const double> curvature);

  // Of predictions and coefficients.
  double (*mean_of)(double link);  ///< what takes the response's place
  const char* mean_column;         ///< in tables, beside "link"; null: the link itself, "prediction"
  const char* ratio_column;        ///< of exp(coefficient) in tables of coefficients; null: none
  Measure loss_measure;            ///< what the family is fitted by
  std::span<const FamilyMeasure> measures;

  [[nodiscard]] bool is_squares() const { return !loss.has_value(); }
  /// A 0 among PLINK's phenotypes is never a missing one, whatever else is there (Response::only_numbers).
  [[nodiscard]] bool has_only_numbers() const { return !is_squares() && !has_classes; }
  /// Null: the family has no such measure.
  [[nodiscard]] const FamilyMeasure* find(Measure measure) const;
};

/// One of the families, by its facts.
class Family {
 public:
  static const Family gaussian, binomial;

  /// Those of --family, in order.
  [[nodiscard]] static std::span<const Family> all();
  /// No value: there is none of that name.
  [[nodiscard]] static std::optional<Family> named(std::string_view name);

  constexpr explicit Family(const FamilyFacts& facts) : facts_(&facts) {}
  constexpr const FamilyFacts* operator->() const { return facts_; }
  friend constexpr bool operator==(Family, Family) = default;

 private:
  const FamilyFacts* facts_;
};

/// "binomial", those that are no least squares: for texts of options that go with them.
[[nodiscard]] std::string families_with_link(const char* last);
/// "of the binomial family".
[[nodiscard]] std::string of_families_with_link();

}  // namespace strads::lasso
