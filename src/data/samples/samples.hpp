// Which samples take part: names, matching by name, the response, --keep, covariates. Layer: data.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/string_list.hpp"
#include "data/formats/table.hpp"
#include "data/samples/pedigree.hpp"
#include "strads/base/status.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// The names of the rows of one file. `individual` is empty when rows have no names, `family` when there is no FID.
struct SampleIds {
  std::string path;  ///< for messages
  StringList family;
  StringList individual;
  Pedigree pedigree;  ///< of the samples of X, where these are those of a .fam

  [[nodiscard]] bool any() const noexcept { return !individual.empty(); }
};

/// Names from the id columns of a table; no names if it has none.
Result<SampleIds> read_ids(const Table& table, const IdColumns& columns);

/// For messages: "sample 's1'" or, without names, "row 17".
std::string name_or_row(const SampleIds& ids, std::uint64_t row);

/// Error iff two samples have the same name (FID and IID where there are FIDs).
Status check_unique(const SampleIds& ids);

/// Row of `table` for each row of `x`, or nullopt: by FID and IID where both have FIDs, else by IID.
/// Errors: a name twice in either file; no name in common (shows one of each).
/// REQUIRES: x.any() and table.any(). Cost: one hash table of x.
Result<std::vector<std::optional<std::uint64_t>>> match_rows(const SampleIds& x, const SampleIds& table);

/// One number per row of X, before anything is dropped.
struct RowValues {
  std::string name;
  std::vector<double> values;        ///< NaN: missing
  std::vector<std::uint8_t> absent;  ///< empty, or flags: 1 = the table has no such sample
  bool plink = false;                ///< a phenotype as PLINK codes it
  std::vector<std::string> words{};  ///< of a column with text: its different words, which `values` count from 0
  bool always_there = false;         ///< the format has one whether it is known or not (.fam, libsvm)
  std::string note{};                ///< how its table was understood, where that is to be said
};

/// Which rows are kept, and why the others are not. The first reason that applies counts.
class RowChoice {
 public:
  explicit RowChoice(std::uint64_t rows) : kept_(rows, 1), kept_count_(rows) {}

  /// Drops the rows i, not yet dropped, for which drop(i); lists the reason if there are any, or `always`.
  template <class Drop>
  void drop_where(std::string reason, Drop&& drop, bool always = false) {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i] == 0 || !drop(i)) continue;
      kept_[i] = 0;
      ++count;
    }
    kept_count_ -= count;
    if (count > 0 || always) reasons_.push_back({std::move(reason), count});
  }

  [[nodiscard]] std::span<const std::uint8_t> kept() const noexcept { return kept_; }
  [[nodiscard]] std::uint64_t kept_count() const noexcept { return kept_count_; }
  [[nodiscard]] const std::vector<Dropped>& reasons() const noexcept { return reasons_; }
  /// Sorted numbers of the rows that are not kept.
  [[nodiscard]] std::vector<std::uint32_t> dropped_rows() const;

 private:
  std::vector<std::uint8_t> kept_;
  std::uint64_t kept_count_;
  std::vector<Dropped> reasons_;
};

/// What is known of each sample besides X: an entry for each row, 0 at dropped ones.
struct SampleValues {
  std::string response_name;
  std::vector<double> response;          ///< empty: none asked for
  std::array<std::string, 2> classes;    ///< as Dataset::classes()
  std::vector<std::string> class_names;  ///< as Dataset::class_names()
  std::vector<std::string> covariate_names;
  std::vector<SkippedCovariate> skipped_covariates;
  std::vector<std::vector<double>> covariates;
  std::vector<double> weights;    ///< sum = samples kept; empty: all are equal
  std::vector<double> offset;     ///< empty: none asked for
  std::vector<SamplePart> split;  ///< empty: none asked for
};

/// What selecting the samples of X gives, for each row of X.
struct SampleSelection : SampleValues {
  explicit SampleSelection(std::uint64_t x_rows) : rows(x_rows) {}

  RowChoice rows;
  std::vector<std::string> warnings;
  std::vector<std::string> files;  ///< read for it, in order
};

/// Finds the response (from --pheno, --y, or `own`), then applies in this order: no response (where one is required),
/// --keep, --remove, genotypes (--mind), --split, covariates, weights, offsets. A response of two classes is coded by
/// the samples that are left.
///   x_rows: rows of X; x: their names, if any
///   by_genotypes: drops samples for what their columns hold; may be empty
///   own:    the response that X itself brings (.fam column 6, libsvm labels, a column of X); used without --pheno, --y
/// Errors: a table that does not fit, nothing left, not two classes where these are expected.
Result<SampleSelection> select_samples(const InputOptions& options, std::uint64_t x_rows, const SampleIds& x,
                                       std::optional<RowValues> own,
                                       const std::function<Status(RowChoice&)>& by_genotypes = {});

/// What a column of --split says: its words become parts, and samples without one are left out.
/// Errors: input: a word that is none of train, val, test.
Status take_split(const std::string& path, const RowValues& column, const SampleIds& x, SampleSelection& out);
/// The same of numbers that the caller has in memory. Errors: input: not one a row, or none of 0 to 3.
Status take_split_in_memory(std::span<const std::uint8_t> parts, std::uint64_t x_rows, SampleSelection& out);
/// Error where a split was asked for and nobody who is left trains, or nobody validates.
Status expect_split_parts(const std::string& path, const SampleSelection& selection);

/// Drops the samples that --keep does not list, then those that --remove lists. Names that X does not have become
/// warnings. Errors: input: a list without names, lines that differ, a --keep with no sample of X.
/// REQUIRES: x.any() where an option asks for a list. Cost: a hash table of each list.
Status apply_sample_lists(const Samples& samples, const SampleIds& x, SampleSelection& out);

/// Understands a phenotype as plink2 does. Where all values are 0, 1 or 2 and there is a 2, it is a case/control trait
/// (1 control, 2 case) and 0 becomes missing. With `zero_is_control` (--1), and where there is no 2, 0 is a value.
///   phenotype: NaN where missing; -9 is NaN already
/// Returns what to tell about a trait of two values; "" for any other.
std::string understand_case_control(RowValues& phenotype, bool zero_is_control);

}  // namespace strads::data
