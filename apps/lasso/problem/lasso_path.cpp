#include "lasso/problem/lasso_path.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "strads/base/hash.hpp"

namespace strads::lasso {

namespace {
// glmnet.control(): mnlam, devmax, fdev.
constexpr std::size_t kLambdasMin = 5;
constexpr double kDevianceMax = 0.999;
constexpr double kDevianceChange = 1e-5;
}  // namespace

std::vector<double> lambda_grid(double lambda_max, double min_ratio, std::uint32_t count) {
  std::vector<double> lambdas(count);
  const double steps = count > 1 ? count - 1.0 : 1.0;
  for (std::uint32_t k = 0; k < count; ++k) lambdas[k] = lambda_max * std::pow(min_ratio, k / steps);
  return lambdas;
}

double default_min_ratio(double samples, double variables) {
  return samples < variables ? 1e-2 : 1e-4;
}

bool LassoPath::ends_at(double deviance_ratio) const {
  if (at_last()) return true;
  if (followed_ != nullptr) return followed_->count.has_value() && index_ + 1 >= *followed_->count;
  if (!early_end_ || index_ + 1 < std::min(kLambdasMin, lambdas_.size())) return false;
  const double whole = *early_end_ == Growth::of_null ? 1.0 : deviance_ratio;
  return deviance_ratio > kDevianceMax || deviance_ratio - deviance_before_ < kDevianceChange * whole;
}

void LassoPath::advance(double deviance_ratio) {
  deviance_before_ = deviance_ratio;
  ++index_;
}

std::string path_hash(const std::vector<std::string>& beta_hashes) {
  Hash64 hash;
  for (const std::string& one : beta_hashes) {
    for (const char digit : one) hash.update_u64(static_cast<unsigned char>(digit));
  }
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash.digest()));
  return text.data();
}

std::string path_hash(const std::vector<Solution>& path) {
  std::vector<std::string> hashes;
  for (const Solution& solution : path) hashes.push_back(solution.beta_hash);
  return path_hash(hashes);
}

}  // namespace strads::lasso
