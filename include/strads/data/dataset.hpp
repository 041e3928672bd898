// What the readers hand to the models: columns, responses, names. Layer: data.
// ColumnsView is trivially copyable and owns nothing, so that pure code may read mapped files through it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strads/base/status.hpp"
#include "strads/base/types.hpp"
#include "strads/data/input_options.hpp"

namespace strads {

/// How the entries of a column lie in memory.
enum class Storage : std::uint8_t {
  dense_f32,      ///< `rows` floats, column after column
  dense_f64,      ///< `rows` doubles, column after column
  genotype_2bit,  ///< a PLINK .bed: four calls a byte, codes 00 = 2 A1, 01 = missing, 10 = 1 A1, 11 = 0 A1
  sparse_f32,     ///< compressed columns: u32 row numbers (strictly increasing) and floats
  sparse_f64,     ///< compressed columns: u32 row numbers (strictly increasing) and doubles
  dense_i8,       ///< `rows` signed bytes, column after column: dosages as whole numbers, small counts
  dense_u8,       ///< `rows` unsigned bytes, column after column; 0 and 1 of a bool
  dosage_u16      ///< `rows` 16-bit numbers, column after column: 0 ... 32768 = 0 ... 2 copies, 65535 = missing
};

/// True iff every entry of a column is a byte.
[[nodiscard]] constexpr bool is_bytes(Storage storage) noexcept {
  return storage == Storage::dense_i8 || storage == Storage::dense_u8;
}

/// Dosages as Storage::dosage_u16 has them: so many units are one copy of the counted allele.
inline constexpr double kDosageUnits = 16384;
inline constexpr std::uint16_t kMissingDosage = 65535;

/// Of columns in a file that memory cannot hold: whoever is going to read some of them says so, and they are fetched
/// meanwhile. It changes no number. Thread-safe.
class ReadAhead {
 public:
  virtual ~ReadAhead() = default;
  /// The bytes [begin, end), counted from ColumnsView::values, will be read soon. Does not wait for them.
  virtual void expect(std::uint64_t begin, std::uint64_t end) const = 0;
};

/// The design matrix as it lies in memory or in a mapped file: N rows x J columns. Owns nothing; the Dataset that made
/// it outlives it.
///
/// A mapped file may hold rows that are not samples of this fit (no phenotype, not in --keep). They are listed in
/// `dropped_rows`; every vector of length `rows` that meets these columns holds exactly 0 there. Parsed formats are
/// stored without them, and the list is empty.
struct ColumnsView {
  Storage storage = Storage::dense_f64;
  std::uint64_t rows = 0;                 ///< length of a column, dropped rows included
  VarId columns = 0;                      ///< J, as in the file
  const std::byte* values = nullptr;      ///< dense: entry (0, 0); genotype: first byte of column 0; sparse: values
  std::uint64_t column_stride = 0;        ///< dense and genotype: bytes from one column to the next
  std::span<const std::uint64_t> starts;  ///< sparse: J + 1 offsets into row_numbers and values
  std::span<const std::uint32_t> row_numbers;   ///< sparse: row of each entry
  std::span<const std::uint32_t> dropped_rows;  ///< sorted; see above
  std::span<const double> weights;  ///< empty: all 1; or `rows` sample weights, > 0 at samples and 0 at dropped rows
  std::span<const std::uint8_t> excluded;  ///< empty, or J flags: 1 = the user left this column out (--chr, --extract)
  const ReadAhead* read_ahead = nullptr;   ///< null: reading needs no announcement

  /// Number of samples N: the rows that take part.
  [[nodiscard]] std::uint64_t samples() const noexcept { return rows - dropped_rows.size(); }
};

/// What is known about one variable besides its numbers. Empty views where the format does not say.
struct VariableName {
  std::string_view id;
  std::string_view chromosome;
  std::string_view position;  ///< base pairs, as written in the file
  std::string_view counted;   ///< A1: the allele whose copies are counted
  std::string_view other;     ///< A2
};

/// Name of one sample.
struct SampleName {
  std::string_view family;      ///< FID; empty where the format has none
  std::string_view individual;  ///< IID, or the id column; empty where rows have no names
};

/// A number of things left out, and why: "12 samples: no phenotype".
struct Dropped {
  std::string reason;
  std::uint64_t count = 0;
};

/// A column of --covar that nobody asked for by name and that cannot serve, and why: "text".
struct SkippedCovariate {
  std::string name;
  std::string reason;
};

/// What a sample is for (Samples::split).
enum class SamplePart : std::uint8_t { none, train, validate, test };

/// A loaded (mapped or parsed) data set. Immutable and thread-safe after load_dataset.
class Dataset {
 public:
  virtual ~Dataset() = default;

  /// The design matrix. Valid as long as this object lives.
  [[nodiscard]] virtual const ColumnsView& columns() const = 0;

  /// The response in its own units, length columns().rows, exactly 0 at dropped rows. Empty when there is none; NaN
  /// where it is missing, which only a response that is not required can be.
  [[nodiscard]] virtual std::span<const double> response() const = 0;
  [[nodiscard]] virtual std::string_view response_name() const = 0;
  /// Of a response that was read as one of two classes (Response::two_classes), which response() has as 0 and 1:
  /// what the file calls these, in that order. Empty texts of any other response.
  [[nodiscard]] virtual const std::array<std::string, 2>& classes() const {
    static const std::array<std::string, 2> none;
    return none;
  }
  /// Of a response that was read as one of any classes (Response::any_classes), which response() has as 0, 1, 2 ...:
  /// what the file calls these, in that order. Empty of any other response.
  [[nodiscard]] virtual const std::vector<std::string>& class_names() const {
    static const std::vector<std::string> none;
    return none;
  }
  /// What is added to X beta at every sample, `rows` numbers, 0 at dropped rows. Empty when none was asked for.
  [[nodiscard]] virtual std::span<const double> offset() const { return {}; }

  /// Which part every row has in a split, `none` at dropped rows. Empty when none was asked for.
  [[nodiscard]] virtual std::span<const SamplePart> split() const { return {}; }

  /// Covariates to be projected out, `rows` doubles each, 0 at dropped rows. Empty when none were asked for.
  [[nodiscard]] virtual const std::vector<std::vector<double>>& covariates() const = 0;
  [[nodiscard]] virtual const std::vector<std::string>& covariate_names() const = 0;
  /// Columns of the covariates' table that were left out without being asked about.
  [[nodiscard]] virtual const std::vector<SkippedCovariate>& skipped_covariates() const {
    static const std::vector<SkippedCovariate> none;
    return none;
  }

  /// Penalty factors of the columns: J numbers >= 0, 0 where the penalty leaves a column alone; infinite ones are 1
  /// here and their columns excluded. Empty when none were asked for: all are 1.
  [[nodiscard]] virtual std::span<const double> penalty_factors() const { return {}; }

  /// REQUIRES: j < columns().columns. Views stay valid as long as this object lives.
  [[nodiscard]] virtual VariableName variable(VarId j) const = 0;
  /// REQUIRES: row < columns().rows.
  [[nodiscard]] virtual SampleName sample(std::uint64_t row) const = 0;
  /// By row 1 for men and 2 for women, as a .fam has it, else 0. Empty where samples do not come with genotypes.
  [[nodiscard]] virtual std::span<const std::uint8_t> sexes() const { return {}; }
  /// True iff variables have chromosome, position and alleles (PLINK).
  [[nodiscard]] virtual bool has_alleles() const = 0;

  /// Samples left out, by reason, in the order in which the rules were applied.
  [[nodiscard]] virtual const std::vector<Dropped>& dropped_samples() const = 0;
  /// Variables left out by options that say which take part (--chr, --extract, --maf and so on), by reason, in the
  /// order in which these were applied; also where an option leaves out none. Those of --penalty-factors are not here.
  [[nodiscard]] virtual const std::vector<Dropped>& dropped_variables() const {
    static const std::vector<Dropped> none;
    return none;
  }
  /// Entries of X that are missing among the rows kept, where the reader knows it (genotypes: counted by the scan; 0).
  [[nodiscard]] virtual std::uint64_t missing_imputed() const = 0;

  /// XXH3-64 of shape, storage and the bytes that decide the fit: what nodes compare before a run.
  /// Cost: reads all columns when first asked. Of a mapped file it leaves no pages behind, and prepares it for
  /// release_columns(): from then on it is mapped in small pages.
  [[nodiscard]] virtual std::uint64_t fingerprint() const = 0;
  /// Bytes of the file in which the columns are mapped, and how many of them are in this process's memory now (pages
  /// that it touched, whatever else the page cache holds). {0, 0} when they were parsed. Cost: a few ms, not for loops.
  [[nodiscard]] virtual std::pair<std::uint64_t, std::uint64_t> mapped_memory() const { return {0, 0}; }
  /// Gives the pages that hold nothing but columns begin ... end - 1 back to the page cache: this process does not
  /// expect to read them often. They stay readable. Parsed columns stay where they are. Cost: some microseconds.
  virtual void release_columns(VarId begin, VarId end) const {
    static_cast<void>(begin);
    static_cast<void>(end);
  }
  /// Files that were read, in order, for the log.
  [[nodiscard]] virtual const std::vector<std::string>& files() const = 0;
  /// What was understood that a user may not expect, one sentence each, to be shown: names in --keep or --extract that
  /// are not in the data, columns that are no variables, 0 taken for missing.
  [[nodiscard]] virtual const std::vector<std::string>& warnings() const {
    static const std::vector<std::string> none;
    return none;
  }
};

/// Every file that load_dataset() reads with these options, under the name that it opens.
[[nodiscard]] std::vector<std::string> files_of(const InputOptions& options);

/// Reads or maps a data set. Rows without a required response are dropped first; then --keep; what is left defines
/// every mean, norm and count. Errors: StatusCode::input with path:line:column, what was found, what was expected;
/// StatusCode::usage when the options do not fit the format. Cost: one pass over text formats; genotypes are mapped and
/// not read; column-major .npy is mapped and read once, since a NaN in it must not pass, nor a missing call in int8
/// (its pages are given back at once).
[[nodiscard]] Result<std::shared_ptr<const Dataset>> load_dataset(const InputOptions& options);

/// Data sets of several responses: column names of one table, in place of Response::y_name or pheno_name. Each one is
/// what load_dataset() gives for that name alone, with its own samples; only that responses which are columns of X all
/// leave it. Those with the same columns share them in memory: all of them where X is mapped (.bed, column-major .npy),
/// else those with the same samples, since parsed formats are stored without the others. Errors: as load_dataset(),
/// naming the response; usage: an empty name, or one twice. REQUIRES: responses not empty. Cost: X is read once, and
/// once more for every other set of samples of a parsed format; the table of responses, and those of --keep, --covar,
/// --weights and --offset, once for each response.
[[nodiscard]] Result<std::vector<std::shared_ptr<const Dataset>>> load_datasets(const InputOptions& options,
                                                                                std::span<const std::string> responses);

/// Sample weights of those who take part (above 0), scaled to a sum of as many as these are: only their ratios matter,
/// and equal ones are no weights (empty). Cost: O(rows).
void scale_weights(std::vector<double>& weights);

}  // namespace strads
