#include "regression/people.hpp"

#include <algorithm>

#include "strads/base/hash.hpp"

namespace strads::lasso {

std::string id_of(const Dataset& dataset, std::uint64_t row) {
  const SampleName name = dataset.sample(row);
  if (name.individual.empty()) return "";
  return name.family.empty() ? std::string(name.individual)
                             : std::string(name.family) + "\t" + std::string(name.individual);
}

std::string id_columns(const Dataset& dataset) {
  if (dataset.columns().rows == 0 || dataset.sample(0).individual.empty()) return "row";
  return dataset.sample(0).family.empty() ? "IID" : "FID\tIID";
}

std::string id_or_row(const Dataset& dataset, std::uint64_t row) {
  const SampleName first = dataset.sample(0), name = dataset.sample(row);
  if (first.individual.empty()) return std::to_string(row + 1);
  return (first.family.empty() ? "" : std::string(name.family) + "\t") + std::string(name.individual);
}

std::vector<std::uint32_t> samples_of(const ColumnsView& view) {
  std::vector<std::uint32_t> rows;
  auto dropped = view.dropped_rows.begin();
  for (std::uint32_t row = 0; row < view.rows; ++row) {
    if (dropped != view.dropped_rows.end() && *dropped == row) {
      ++dropped;
    } else {
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<std::uint64_t> people_of(const Dataset& dataset) {
  std::vector<std::uint64_t> people;
  for (const std::uint32_t row : samples_of(dataset.columns())) {
    const SampleName name = dataset.sample(row);
    if (name.individual.empty()) return {};
    const std::string id = name.family == "0" ? std::string(name.individual) : id_of(dataset, row);
    Hash64 hash;
    hash.update(std::as_bytes(std::span(id)));
    people.push_back(hash.digest());
  }
  std::sort(people.begin(), people.end());
  return people;
}

std::uint64_t count_common(std::span<const std::uint64_t> people, std::span<const std::uint64_t> those) {
  return static_cast<std::uint64_t>(std::count_if(people.begin(), people.end(), [those](std::uint64_t one) {
    return std::binary_search(those.begin(), those.end(), one);
  }));
}

}  // namespace strads::lasso
