#include "regression/foreign_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace strads::lasso {
namespace {

constexpr std::string_view kFilter = "filters of variants and samples are plink2's: plink2 --bfile P --";
constexpr std::string_view kOtherFormat =
    "PLINK files are read: make them with plink2 --make-bed, then --bfile P, or with --make-pgen, then --pfile P";

constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kForeign{{
    {"alpha", "glmnet's alpha is --l1-ratio, scikit-learn's is --lambda with --lambda-scale y"},
    {"l1_ratio", "it is --l1-ratio"},
    {"nlambda", "it is --lambdas, of lasso path and lasso cv"},
    {"nfolds", "it is --folds, of lasso cv"},
    {"standardize", "it is --scale on|off"},
    {"thresh", "it is --tolerance, on the duality gap"},
    {"tol", "it is --tolerance, on the duality gap"},
    {"type.measure", "it is --measure, of lasso cv"},
    {"logistic", "it is --family binomial"},
    {"mac", kFilter},
    {"vcf", kOtherFormat},
    {"bgen", kOtherFormat},
    {"bed", "it is --bfile P, what P.bed, P.bim and P.fam share"},
    {"covar-names", "it is --covar-name"},
}};

}  // namespace

Status expect_own_options(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with("--")) continue;
    const std::string name = argument.substr(2, argument.find('=') - 2);
    const auto* const found =
        std::find_if(kForeign.begin(), kForeign.end(), [&](const auto& entry) { return entry.first == name; });
    if (found == kForeign.end()) continue;
    const bool filter = found->second == kFilter;
    return Status::usage("unknown option --" + name + "; " + std::string(found->second) +
                         (filter ? name + " ... --make-bed --out Q, then --bfile Q" : "") + " (--help-all lists all)");
  }
  return {};
}

std::span<const std::string> foreign_option_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    list.reserve(kForeign.size());
    for (const auto& entry : kForeign) list.emplace_back(entry.first);
    return list;
  }();
  return names;
}

}  // namespace strads::lasso
