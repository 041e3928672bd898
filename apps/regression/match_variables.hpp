// Which columns of another data set are the variables of a fitted model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regression/model_file.hpp"
#include "strads/data/dataset.hpp"

namespace strads::lasso {

/// Where one variable of the model is found.
struct Match {
  enum class How : std::uint8_t {
    same,     ///< column counts what the model counts
    swapped,  ///< alleles exchanged: the column counts copies of the other allele
    zero,     ///< sparse data without names that ends before this column: all its values are 0
    absent    ///< not there, or not to be told apart: every sample gets the training mean
  };
  How how = How::absent;
  VarId column = 0;
};

struct Matching {
  std::vector<Match> matches;  ///< one per variable of the model
  std::uint64_t swapped = 0;
  std::uint64_t absent = 0;         ///< no column of that name
  std::uint64_t other_alleles = 0;  ///< the name is there with other alleles: counts as absent
  std::uint64_t ambiguous = 0;      ///< several columns match equally well: counts as absent
  bool by_position = false;         ///< no names on one side: matched by column number
};

/// True iff the columns have names that say more than their numbers (.npy, libsvm and the like: "1", "2", ...).
[[nodiscard]] bool has_names(const Dataset& data);

/// PLINK: by id, place and alleles; other formats: by name; without names on one side: by column number. Where names
/// repeat, the column's number decides if the files have equally many columns.
/// Errors: input: numbers of columns differ where only they could match, or nothing at all matches.
[[nodiscard]] Result<Matching> match_variables(const FittedModel& model, const Dataset& data);

/// Predictions for every row of `data` (length rows; rows that were left out get a meaningless number).
/// Cost: one pass over the matched columns.
[[nodiscard]] std::vector<double> predict(const FittedModel& model, const Matching& matching, const Dataset& data);

}  // namespace strads::lasso
