// Which columns of another data set are the variables of a fitted model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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
  bool other_strand = false;   ///< the letters are those of the other strand: A for T, C for G
  bool by_place = false;       ///< found by chromosome and position, not by id
  bool is_several = false;     ///< absent since several columns match equally well
  bool unseen_allele = false;  ///< the data have 0, . or - for one allele: taken for the model's other one
  bool dropped = false;        ///< absent since whoever matched left it out; the column is that which matches
};

/// What may count as the same variable besides one of the same name and alleles.
struct MatchRules {
  bool by_place = false;      ///< an id that is not there: chromosome, position and alleles
  bool other_strand = false;  ///< single letters that are the complements of the model's
};

/// What is said of Matching::unseen_alleles.
inline constexpr const char* kUnseenAllele = "the other one, 0, . or - there, is taken for the model's";

struct Matching {
  std::vector<Match> matches;        ///< one per variable of the model
  std::uint64_t swapped = 0;         ///< on the other strand too
  std::uint64_t other_strand = 0;    ///< letters of the other strand, swapped or not
  std::uint64_t by_place = 0;        ///< found by chromosome and position
  std::uint64_t unseen_alleles = 0;  ///< one allele is unknown there, since nobody carries it
  std::uint64_t absent = 0;          ///< no column of that name
  std::uint64_t other_alleles = 0;   ///< the name is there with other alleles: counts as absent
  std::uint64_t ambiguous = 0;       ///< several columns match equally well: counts as absent
  bool by_position = false;          ///< no names on one side: matched by column number
  bool names_differ = false;         ///< by_position, though one side has names
};

/// True iff the columns have names that say more than their numbers (.npy, libsvm and the like: "1", "2", ...).
[[nodiscard]] bool has_names(const Dataset& data);

/// PLINK: by id, place and alleles; other formats: by name; without names on one side: by column number. Where names
/// repeat, the column's number decides if the files have equally many columns.
/// An allele that is 0, . or - in the data is one that nobody there carries: the other one decides, and a column that
/// has both goes first. Variants with a negative position are none, as for plink2. With `rules.by_place` a variant
/// whose id is not there, or has other alleles there, is looked for at its chromosome
/// ("chr1" and "01" are "1", "23" is "X", XY and PAR1 lie on X) and position, unless that is 0.
/// Errors: input: numbers of columns differ where only they could match, or nothing at all matches.
[[nodiscard]] Result<Matching> match_variables(const FittedModel& model, const Dataset& data, MatchRules rules = {});

/// What whoever predicts has to know of a matching, a line each: alleles that were swapped or not there, variables that
/// are absent (every sample has their training mean), names that one side alone has. Nothing where all match by name,
/// or neither side has names.
[[nodiscard]] std::vector<std::string> matching_notes(const FittedModel& model, const Matching& matching);

/// How many copies each of the two is that a call counts: one half on Y and MT, of which a person has one, as plink2
/// --score counts; else 1. Models hold coefficients and means of calls that count 0 to 2; what is handed out is for
/// copies, `coefficient / copies_of_a_count(chromosome)`, which is exact.
[[nodiscard]] double copies_of_a_count(std::string_view chromosome);
/// By its name, as chromosome_code() knows it.
[[nodiscard]] bool is_on_y(std::string_view chromosome);
/// The coefficient of a copy, in that sense.
[[nodiscard]] double per_copy(const FittedVariable& variable);

/// Whom variants on Y add to.
enum class OnY : std::uint8_t {
  everybody,  ///< as in a fit, where all calls are calls
  men         ///< as in plink2 --score: who is no man, or of unknown sex, has none
};

/// Predictions for every row of `data` (length rows; rows that were left out get a meaningless number).
/// Cost: one pass over the matched columns.
[[nodiscard]] std::vector<double> predict(const FittedModel& model, const Matching& matching, const Dataset& data,
                                          OnY on_y = OnY::everybody);
/// Whether a row is that of a man, by Dataset::sexes().
[[nodiscard]] bool is_man(const Dataset& data, std::uint64_t row);

}  // namespace strads::lasso
