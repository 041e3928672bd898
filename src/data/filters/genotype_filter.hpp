// Which samples and variants take part, by their genotypes: --mind, --geno, --hwe, --maf, --max-maf. Layer: data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/files/mapped_file.hpp"
#include "data/filters/genotype_counts.hpp"
#include "data/filters/variant_choice.hpp"
#include "data/genotypes/pgen.hpp"
#include "data/samples/pedigree.hpp"
#include "data/samples/samples.hpp"
#include "strads/base/status.hpp"
#include "strads/data/chromosomes.hpp"
#include "strads/data/dataset.hpp"

namespace strads::data {

/// The samples on which missing calls (--geno), frequencies and --hwe are counted: those that take part; of a split
/// those that train.
///   split: of every row, or empty
[[nodiscard]] std::vector<std::uint8_t> counted_samples(const RowChoice& rows, std::span<const SamplePart> split);

/// The calls that a .pgen has beside its dosages, from its first record on.
struct HardCalls {
  PgenReader reader;
  std::shared_ptr<const MappedFile> file;
};

/// The filters of one file of genotypes. What plink2 does with the same options, from the same counts: its order is
/// --mind (among the variants that the names leave), --geno, --hwe, frequencies. --hwe and frequencies look at
/// founders only. On chromosome X males count once, on Y females do not count. Where there are dosages, frequencies are
/// of these, and all else of the calls that the .pgen has beside them.
class GenotypeFilter {
 public:
  /// Checks that the options fit the genotypes.
  ///   columns:  genotypes of two bits, or dosages, in `file` (null: in memory)
  ///   calls:    where `columns` are dosages
  ///   names:    of the columns
  ///   pedigree: of the rows; it outlives the filter
  /// Errors: those of choose_variants(). Cost: passes over the names.
  static Result<GenotypeFilter> make(const Variables& variables, std::optional<double> mind, const ColumnsView& columns,
                                     std::shared_ptr<const MappedFile> file, std::optional<HardCalls> calls,
                                     const VariableNames& names, const Pedigree& pedigree);

  /// --mind: drops samples without calls at too many variants. Errors: input: a damaged record beside dosages. Cost: a
  /// pass over the columns, where it is asked for.
  Status drop_samples(RowChoice& rows) const;

  /// The variants that are left for these samples; warnings and files are those of choose_variants().
  /// Errors: input: no founder, nothing left, a damaged record beside dosages. Cost: a pass over the columns, and over
  /// the calls beside dosages, where it is asked for. Pages of the file are given back.
  [[nodiscard]] Result<VariantChoice> choose(const RowChoice& rows, std::span<const SamplePart> split = {}) const;

 private:
  struct Masks;
  GenotypeFilter(const Variables& variables, std::optional<double> mind, const ColumnsView& columns,
                 std::shared_ptr<const MappedFile> file, std::optional<HardCalls> calls, const Pedigree& pedigree)
      : wanted_(variables),
        mind_(mind),
        columns_(columns),
        file_(std::move(file)),
        calls_(std::move(calls)),
        pedigree_(pedigree) {}

  struct Variant {
    std::uint64_t index = 0;
    std::span<const std::byte> calls;        ///< two bits a sample, as in a .bed; empty where nobody wants them
    std::span<const std::uint16_t> dosages;  ///< empty: there are none
  };
  /// Calls visit(variant) for those that the names leave, in order, and gives pages back.
  ///   wants_calls: beside dosages too
  template <class Visit>
  Status for_each_column(bool wants_calls, Visit&& visit) const;
  [[nodiscard]] bool wants_founders() const;
  [[nodiscard]] std::uint8_t reason_to_drop(const Variant& variant, const Masks& masks) const;
  [[nodiscard]] double frequency(const Variant& variant, const Masks& masks) const;
  [[nodiscard]] bool is_out_of_equilibrium(const Variant& variant, const Masks& masks) const;

  Variables wanted_;
  std::optional<double> mind_;
  ColumnsView columns_;
  std::shared_ptr<const MappedFile> file_;
  std::optional<HardCalls> calls_;
  const Pedigree& pedigree_;
  VariantChoice by_name_;
  std::vector<Ploidy> ploidy_;
};

}  // namespace strads::data
