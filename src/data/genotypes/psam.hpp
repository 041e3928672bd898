// The samples of genotype files: .fam (PLINK 1) and .psam (PLINK 2). Layer: data.
// Format: plink-ng, pgen_spec ("PSAM Format Specification").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/samples/samples.hpp"
#include "strads/base/status.hpp"

namespace strads::data {

/// What the phenotype of a .fam or a .psam may be.
enum class Column6 : std::uint8_t {
  ignored,         ///< anything; the values stay empty
  number,          ///< text is an error
  number_or_word,  ///< where any of it is text, all of it is words
};

/// The samples of a .fam or a .psam, in the order of the file. Vectors are parallel to `ids`.
struct SampleTable {
  SampleIds ids;                          ///< `family` is empty where the .psam has no FID; with their pedigree
  std::vector<std::string> phenotypes{};  ///< names of the columns that are no ids, parents or sex, in order
  RowValues phenotype{};                  ///< the one asked for: -9 and NA are NaN
};

/// Parses all of a .fam: six fields a line. Errors: StatusCode::input with the place.
Result<SampleTable> parse_fam(std::string_view text, const std::string& path, Column6 wanted);

/// Parses all of a .psam: a header that starts with #FID or #IID names its columns; without one it is read as a .fam
/// of five fields or more.
///   phenotype: the column to be read; "": the first that is one
/// A file without phenotypes gives `phenotype` without values where none is named.
/// Errors: StatusCode::input with the place; StatusCode::usage when no column has the name.
Result<SampleTable> parse_psam(std::string_view text, const std::string& path, const std::string& phenotype,
                               Column6 wanted);

}  // namespace strads::data
