// What to read, and which rows and columns of it take part (docs/FORMATS.md). Layer: data.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/data/data_in_memory.hpp"

namespace strads {

/// Where X lies, in which format, and what becomes of its missing entries.
struct Source {
  std::string bfile;           ///< PLINK prefix; or
  std::string pfile;           ///< PLINK 2 prefix; or
  std::string bpfile;          ///< prefix of PLINK 2 calls (.pgen) with PLINK 1 tables (.bim, .fam); or
  std::string x;               ///< design matrix: .npy, .npz, CSV/TSV, libsvm, Matrix Market; gzip by content
  std::string scratch;         ///< folder for unpacked genotypes; empty: beside their file
  bool missing_mean = false;   ///< NA in X: false = an error with its place, true = the column's mean
  bool missing_stays = false;  ///< with missing_mean: NaN stays (predict puts training means there)
  std::uint64_t memory = 0;    ///< bytes that this process may use; 0: what the system says when it loads
  std::shared_ptr<const DataInMemory> in_memory = nullptr;  ///< what takes the place of files; null: nothing does

  /// Genotypes with a table of samples and one of variants, as PLINK has them.
  [[nodiscard]] bool is_plink() const noexcept { return !bfile.empty() || has_pgen(); }
  /// Their calls are in a .pgen, else in a .bed.
  [[nodiscard]] bool has_pgen() const noexcept { return !pfile.empty() || !bpfile.empty(); }
  /// Their tables are a .pvar and a .psam, else a .bim and a .fam.
  [[nodiscard]] bool has_psam() const noexcept { return !pfile.empty(); }

  /// What the names of genotype files begin with; empty: --x.
  [[nodiscard]] const std::string& prefix() const noexcept {
    return !bfile.empty() ? bfile : !pfile.empty() ? pfile : bpfile;
  }
  /// How many of --bfile, --pfile, --bpfile and --x are given: one is expected.
  [[nodiscard]] int given() const noexcept {
    return (bfile.empty() ? 0 : 1) + (pfile.empty() ? 0 : 1) + (bpfile.empty() ? 0 : 1) + (x.empty() ? 0 : 1);
  }
  /// What names the data: that, or the file of --x.
  [[nodiscard]] const std::string& name() const noexcept { return is_plink() ? prefix() : x; }
  /// Whether X lies in memory.
  [[nodiscard]] bool has_x_in_memory() const noexcept { return in_memory != nullptr && in_memory->has_x(); }
  /// Whether the response does.
  [[nodiscard]] bool has_response_in_memory() const noexcept {
    return in_memory != nullptr && in_memory->response.has_value();
  }

  friend bool operator==(const Source&, const Source&) = default;
};

/// What is to be explained, and what beside X explains it: covariates, weights, offsets.
struct Response {
  std::string y;                         ///< response table; empty: from X (libsvm, y_name) or the .fam
  std::string y_name;                    ///< column of the y table or, without `y`, of X (which it then leaves)
  std::string pheno;                     ///< FID IID table for bfile; empty: .fam column 6
  std::string pheno_name;                ///< its column; empty: the first after the ids
  bool required = true;                  ///< false: one that is there is read, and samples without it stay (predict)
  bool zero_is_control = false;          ///< --1: 0 of a case/control phenotype is a value, not missing
  bool two_classes = false;              ///< it is one of two classes: 0/1, -1/1, 1/2 or two words
  std::array<std::string, 2> classes{};  ///< with two_classes: what 0 and 1 are called; empty: found out
  bool any_classes = false;              ///< it is one of two classes or more: whole numbers or words
  std::vector<std::string> class_names;  ///< with any_classes: what 0, 1, 2 ... are called; empty: found out
  bool only_numbers = false;             ///< 0, 1 and 2 of PLINK's columns are numbers, no codes of cases and controls
  std::string covar;                     ///< FID IID table of covariates
  std::vector<std::string> covar_names;  ///< its columns; empty: all numeric ones
  std::string weights;                   ///< table (or .npy vector) of sample weights; rows match as those of y do
  std::string weights_name;              ///< its column; empty: the first after the ids
  std::string offset;                    ///< table (or .npy vector) of offsets; rows match as those of y do
  std::string offset_name;               ///< its column; empty: the first after the ids

  /// Whether it is a class, a word or a code.
  [[nodiscard]] bool has_classes() const noexcept { return two_classes || any_classes; }
  /// Its table, and the column of it: of genotypes --pheno and --pheno-name, else --y and --y-name.
  [[nodiscard]] const std::string& table(bool plink) const noexcept { return plink ? pheno : y; }
  [[nodiscard]] const std::string& column(bool plink) const noexcept { return plink ? pheno_name : y_name; }
  [[nodiscard]] std::string& column(bool plink) noexcept { return plink ? pheno_name : y_name; }

  friend bool operator==(const Response&, const Response&) = default;
};

/// Who takes part.
struct Samples {
  std::string id_column;       ///< text column of X (and y) with sample ids
  std::string keep;            ///< file of FID IID (or one id) per line: samples to keep
  std::string remove;          ///< file of FID IID (or one id) per line: samples to leave out
  std::optional<double> mind;  ///< largest share of variants whose call is missing, of a sample
  std::string split;           ///< table: train, val, test, or NA a sample; rows match as those of y do
  std::string split_name;      ///< its column; empty: the first after the ids

  friend bool operator==(const Samples&, const Samples&) = default;
};

/// Which columns of X take part, and how much of the penalty each gets.
struct Variables {
  std::string extract;                   ///< file of variable ids, one per line: columns to keep
  std::string exclude;                   ///< file of variable ids, one per line: columns to leave out
  std::vector<std::string> chromosomes;  ///< --chr: chromosomes to keep (PLINK only)
  std::optional<std::uint64_t> from_bp;  ///< first position to keep (PLINK only)
  std::optional<std::uint64_t> to_bp;    ///< last position to keep
  std::optional<double> maf;             ///< smallest frequency of the rarer allele
  std::optional<double> max_maf;         ///< largest one
  std::optional<double> geno;            ///< largest share of samples whose call is missing, of a variant
  std::optional<double> hwe;             ///< smallest p of the exact test of Hardy-Weinberg equilibrium
  std::string penalty_factors;           ///< file of penalty factors: id and factor a line, or one factor a column

  friend bool operator==(const Variables&, const Variables&) = default;
};

/// What the option tables fill.
struct InputOptions {
  Source source;
  Response response;
  Samples samples;
  Variables variables;

  /// Whether samples train, validate or test.
  [[nodiscard]] bool has_split() const noexcept {
    return !samples.split.empty() || (source.in_memory != nullptr && !source.in_memory->split.empty());
  }

  friend bool operator==(const InputOptions&, const InputOptions&) = default;
};

/// Errors: usage: options that do not go together.
[[nodiscard]] Status check_input(const InputOptions& input);

}  // namespace strads
