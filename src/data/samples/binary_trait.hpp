// Case/control phenotypes as PLINK codes them. Layer: data.
#pragma once

#include <string>

#include "data/samples/samples.hpp"

namespace strads::data {

/// Understands a phenotype as plink2 does. Where all values are 0, 1 or 2 and there is a 2, it is a case/control trait
/// (1 control, 2 case) and 0 becomes missing. With `zero_is_control` (--1), and where there is no 2, 0 is a value.
///   phenotype: NaN where missing; -9 is NaN already
/// Returns what to tell about a trait of two values; "" for any other.
std::string understand_case_control(RowValues& phenotype, bool zero_is_control);

}  // namespace strads::data
