// Who took part: samples by their ids.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strads/data/dataset.hpp"

namespace strads::lasso {

/// FID, tab, IID; IID alone; "" without names.
[[nodiscard]] std::string id_of(const Dataset& dataset, std::uint64_t row);
/// The columns of a table that has a line for each sample: "FID<tab>IID", "IID"; "row" without names.
[[nodiscard]] std::string id_columns(const Dataset& dataset);
/// Their fields; of samples without names the row's number, from 1.
[[nodiscard]] std::string id_or_row(const Dataset& dataset, std::uint64_t row);

/// Rows of those that take part, ascending.
[[nodiscard]] std::vector<std::uint32_t> samples_of(const ColumnsView& view);

/// XXH3-64 of the ids of those that take part, ascending; empty where samples have no names. An FID "0" is none, as
/// PLINK has it. Cost: O(samples log samples).
[[nodiscard]] std::vector<std::uint64_t> people_of(const Dataset& dataset);

/// How many of these people are among those: both ascending.
[[nodiscard]] std::uint64_t count_common(std::span<const std::uint64_t> people, std::span<const std::uint64_t> those);

}  // namespace strads::lasso
