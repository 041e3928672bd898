// Dosages of 16 bits: mean and norm of a column, from whole numbers where samples have no weights.
#include "numerics/columns/columns_state.hpp"

namespace strads {

namespace {

/// Of the samples with a dosage, in the units in which they are stored.
struct DosageSums {
  std::uint64_t observed = 0, sum = 0, squares = 0;
};

DosageSums sums_of(const std::uint16_t* x, const std::vector<std::uint8_t>& kept, std::size_t rows) {
  DosageSums sums;
  for (std::size_t i = 0; i < rows; ++i) {
    if (x[i] == kMissingDosage || (!kept.empty() && kept[i] == 0)) continue;
    const std::uint64_t value = x[i];
    ++sums.observed;
    sums.sum += value;
    sums.squares += value * value;  // at most 2^30 each: exact for 2^34 samples
  }
  return sums;
}

}  // namespace

ColumnStatistics StandardizedColumns::State::scan_dosages(VarId j) const {
  __extension__ using Wide = unsigned __int128;
  const std::uint16_t* const x = dense<std::uint16_t>(j);
  const DosageSums sums = sums_of(x, kept, rows());
  const std::uint64_t missing = view.samples() - sums.observed;
  const double observed = static_cast<double>(sums.observed);
  constexpr double kSquaredUnits = kDosageUnits * kDosageUnits;
  ColumnStatistics found;
  found.missing = static_cast<std::uint32_t>(missing);
  const Wide spread = Wide{sums.observed} * sums.squares - Wide{sums.sum} * sums.sum;
  const bool constant = how.center ? spread == 0 : sums.sum == 0;
  if (roots.empty()) {
    found.mean = sums.observed == 0 ? 0.0 : static_cast<double>(sums.sum) / observed / kDosageUnits;
    const double squares = static_cast<double>(sums.squares) / kSquaredUnits;
    const double imputed = static_cast<double>(missing) * found.mean * found.mean;
    const double l = constant     ? 0.0
                     : how.center ? static_cast<double>(spread) / observed / kSquaredUnits
                                  : squares + imputed;
    return finish(j, found, constant, l, squares);
  }
  double total = 0, weight_seen = 0, squares = 0;
  const auto for_observed = [&](const auto& visit) {
    for (std::size_t i = 0; i < rows(); ++i) {
      if (x[i] != kMissingDosage && weights[i] != 0) visit(weights[i], static_cast<double>(x[i]) / kDosageUnits);
    }
  };
  for_observed([&](double w, double value) {
    weight_seen += w;
    total += w * value;
    squares += w * value * value;
  });
  found.mean = weight_seen > 0 ? total / weight_seen : 0.0;
  if (!how.center) {
    return finish(j, found, constant, squares + (weight() - weight_seen) * found.mean * found.mean, squares);
  }
  double l = 0;
  for_observed([&](double w, double value) { l += w * (value - found.mean) * (value - found.mean); });
  return finish(j, found, constant, l, squares);
}

}  // namespace strads
