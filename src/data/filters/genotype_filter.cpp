#include "data/filters/genotype_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "data/filters/hardy_weinberg.hpp"

namespace strads::data {

namespace {

// plink2 compares with thresholds that are this share wider, against rounding.
constexpr double kSmall = 0x1p-44;
// Pages are given back after so many bytes.
constexpr std::uint64_t kReleaseBytes = std::uint64_t{8} << 20;

// The largest count that is no more than a share of `all`.
std::uint64_t most(double share, std::uint64_t all) {
  return static_cast<std::uint64_t>(share * (1 + kSmall) * static_cast<double>(all));
}

std::string with_value(const char* option, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%s %.15g", option, value);
  return text;
}

// Why a variant goes: the first that applies.
enum Reason : std::uint8_t { kStays, kGeno, kHwe, kMaf, kMaxMaf };

std::vector<std::uint8_t> those(std::span<const std::uint8_t> chosen, const auto& also) {
  std::vector<std::uint8_t> out(chosen.begin(), chosen.end());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] != 0 && also(i) ? 1 : 0;
  return out;
}

std::uint64_t copies(const CallCounts& counts) {
  return 2 * counts.hom_counted + counts.het;
}

}  // namespace

// Samples by what is counted on them.
struct GenotypeFilter::Masks {
  Masks(std::span<const std::uint8_t> counted, const Pedigree& pedigree)
      : all(counted),
        males(those(counted, [&](std::size_t i) { return pedigree.sex[i] == Sex::male; })),
        founders(those(counted, [&](std::size_t i) { return pedigree.founder[i] != 0; })),
        founder_males(
            those(counted, [&](std::size_t i) { return pedigree.founder[i] != 0 && pedigree.sex[i] == Sex::male; })),
        founder_females(those(
            counted, [&](std::size_t i) { return pedigree.founder[i] != 0 && pedigree.sex[i] == Sex::female; })) {}

  SampleMask all, males, founders, founder_males, founder_females;
};

bool filters_genotypes(const InputOptions& options) {
  return options.maf || options.max_maf || options.geno || options.mind || options.hwe;
}

std::vector<std::uint8_t> counted_samples(const RowChoice& rows, std::span<const SamplePart> split) {
  std::vector<std::uint8_t> counted(rows.kept().begin(), rows.kept().end());
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (split[i] != SamplePart::train) counted[i] = 0;
  }
  return counted;
}

Result<GenotypeFilter> GenotypeFilter::make(const InputOptions& options, const ColumnsView& columns,
                                            std::shared_ptr<const MappedFile> file, const VariableNames& names,
                                            const Pedigree& pedigree) {
  if (columns.storage != Storage::genotype_2bit && filters_genotypes(options)) {
    return Status::usage(
        options.source() +
        ": has dosages, and --mind, --geno, --hwe, --maf and --max-maf count calls; filter with plink2 "
        "--make-pgen, or give its variants with --extract");
  }
  GenotypeFilter filter(options, columns, std::move(file), pedigree);
  auto by_name = choose_variants(options, names);
  if (!by_name.ok()) return by_name.status();
  filter.by_name_ = std::move(by_name).value();
  if (!filters_genotypes(options)) return filter;
  filter.by_name_.excluded.resize(names.size(), 0);
  filter.ploidy_.resize(names.size());
  names.for_each([&](std::uint64_t j, const VariableName& name) { filter.ploidy_[j] = ploidy_of(name.chromosome); });
  return filter;
}

std::span<const std::byte> GenotypeFilter::column(std::uint64_t j) const {
  return {columns_.values + j * columns_.column_stride, columns_.column_stride};
}

template <class Visit>
void GenotypeFilter::for_each_column(Visit&& visit) const {
  const std::uint64_t first =
      file_ == nullptr
          ? 0
          : static_cast<std::uint64_t>(columns_.values - reinterpret_cast<const std::byte*>(file_->bytes().data()));
  std::uint64_t released = 0;
  for (std::uint64_t j = 0; j < columns_.columns; ++j) {
    if (by_name_.excluded[j] == 0) visit(j, column(j));
    const std::uint64_t done = (j + 1) * columns_.column_stride;
    const bool last = j + 1 == columns_.columns;
    if (file_ == nullptr || (done - released < kReleaseBytes && !last)) continue;
    file_->release(first + released, first + done);
    released = done;
  }
}

void GenotypeFilter::drop_samples(RowChoice& rows) const {
  if (!options_.mind) return;
  const std::vector<std::uint8_t> every(columns_.rows, 1);
  const SampleMask all(every);
  const SampleMask males(those(every, [&](std::size_t i) { return pedigree_.sex[i] == Sex::male; }));
  std::vector<std::uint32_t> missing(columns_.rows, 0);
  std::uint64_t variants = 0, on_y = 0;
  for_each_column([&](std::uint64_t j, std::span<const std::byte> column) {
    const bool y = ploidy_[j] == Ploidy::y;
    add_missing(column, y ? males : all, missing);
    ++variants;
    on_y += y ? 1 : 0;
  });
  const std::uint64_t most_of_males = most(*options_.mind, variants);
  const std::uint64_t most_of_others = most(*options_.mind, variants - on_y);
  rows.drop_where(
      with_value("--mind", *options_.mind),
      [&](std::uint64_t i) { return missing[i] > (pedigree_.sex[i] == Sex::male ? most_of_males : most_of_others); },
      true);
}

bool GenotypeFilter::wants_founders() const {
  return options_.maf || options_.max_maf || options_.hwe;
}

// Of A1 among founders: on X males count once, on Y they alone. One half without calls, as in plink2.
double GenotypeFilter::frequency(Ploidy ploidy, std::span<const std::byte> column, const CallCounts& all,
                                 const Masks& masks) const {
  std::uint64_t counted = 2 * copies(all), of = 4 * all.observed();
  if (ploidy == Ploidy::x || ploidy == Ploidy::y) {
    const CallCounts males = count_calls(column, masks.founder_males);
    counted = ploidy == Ploidy::x ? counted - copies(males) : copies(males);
    of = ploidy == Ploidy::x ? of - 2 * males.observed() : 2 * males.observed();
  }
  return of == 0 ? 0.5 : static_cast<double>(counted) / static_cast<double>(of);
}

bool GenotypeFilter::is_out_of_equilibrium(Ploidy ploidy, std::span<const std::byte> column, const CallCounts& all,
                                           const Masks& masks) const {
  const double least = *options_.hwe * (1 - kSmall);
  if (ploidy == Ploidy::diploid) {
    return hardy_p({.hets = all.het, .hom_a = all.hom_counted, .hom_b = all.hom_other}) < least;
  }
  if (ploidy != Ploidy::x) return false;
  const CallCounts females = count_calls(column, masks.founder_females);
  const CallCounts males = count_calls(column, masks.founder_males);
  return hardy_p_x({.hets = females.het,
                    .hom_a = females.hom_counted,
                    .hom_b = females.hom_other,
                    .male_a = males.hom_counted,
                    .male_b = males.hom_other},
                   *options_.hwe) < least;
}

std::uint8_t GenotypeFilter::reason_to_drop(std::uint64_t j, std::span<const std::byte> column,
                                            const Masks& masks) const {
  const Ploidy ploidy = ploidy_[j];
  if (options_.geno) {
    const SampleMask& samples = ploidy == Ploidy::y ? masks.males : masks.all;
    if (count_calls(column, samples).missing > most(*options_.geno, samples.count())) return kGeno;
  }
  if (!wants_founders()) return kStays;
  const CallCounts founders = count_calls(column, masks.founders);
  if (options_.hwe && is_out_of_equilibrium(ploidy, column, founders, masks)) return kHwe;
  if (!options_.maf && !options_.max_maf) return kStays;
  const double frequency = this->frequency(ploidy, column, founders, masks);
  const double minor = std::min(frequency, 1 - frequency);
  if (options_.maf && minor < *options_.maf * (1 - kSmall)) return kMaf;
  if (options_.max_maf && minor > *options_.max_maf * (1 + kSmall)) return kMaxMaf;
  return kStays;
}

Result<VariantChoice> GenotypeFilter::choose(const RowChoice& rows, std::span<const SamplePart> split) const {
  VariantChoice choice = by_name_;
  if (!options_.geno && !wants_founders()) return choice;
  const std::vector<std::uint8_t> counted = counted_samples(rows, split);
  const Masks masks(counted, pedigree_);
  if (wants_founders() && masks.founders.count() == 0) {
    return Status::input("--maf, --max-maf and --hwe count founders only, and each of the " +
                         std::to_string(masks.all.count()) +
                         " samples has a parent in the .fam (columns 3 and 4), expected some with 0 and 0");
  }
  std::vector<std::uint8_t> reasons(columns_.columns, kStays);
  for_each_column(
      [&](std::uint64_t j, std::span<const std::byte> column) { reasons[j] = reason_to_drop(j, column, masks); });
  const auto drop = [&](const char* option, const std::optional<double>& value, Reason reason) {
    if (value) choice.drop_where(with_value(option, *value), [&](std::uint64_t j) { return reasons[j] == reason; });
  };
  drop("--geno", options_.geno, kGeno);
  drop("--hwe", options_.hwe, kHwe);
  drop("--maf", options_.maf, kMaf);
  drop("--max-maf", options_.max_maf, kMaxMaf);
  if (choice.left() == 0) return no_variant_left(choice);
  return choice;
}

}  // namespace strads::data
