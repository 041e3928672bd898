#include "data/filters/genotype_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "data/filters/hardy_weinberg.hpp"
#include "data/genotypes/bed.hpp"

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

std::vector<std::uint8_t> counted_samples(const RowChoice& rows, std::span<const SamplePart> split) {
  std::vector<std::uint8_t> counted(rows.kept().begin(), rows.kept().end());
  for (std::size_t i = 0; i < split.size(); ++i) {
    if (split[i] != SamplePart::train) counted[i] = 0;
  }
  return counted;
}

Result<GenotypeFilter> GenotypeFilter::make(const Variables& variables, std::optional<double> mind,
                                            const ColumnsView& columns, std::shared_ptr<const MappedFile> file,
                                            std::optional<HardCalls> calls, const VariableNames& names,
                                            const Pedigree& pedigree) {
  STRADS_CHECK(columns.storage == Storage::genotype_2bit || calls.has_value(),
               "dosages come with the calls beside them");
  GenotypeFilter filter(variables, mind, columns, std::move(file), std::move(calls), pedigree);
  STRADS_ASSIGN_OR_RETURN(filter.by_name_, choose_variants(variables, names));
  if (!mind && !variables.geno && !filter.wants_founders()) return filter;
  filter.by_name_.excluded.resize(names.size(), 0);
  filter.ploidy_.resize(names.size());
  names.for_each([&](std::uint64_t j, const VariableName& name) { filter.ploidy_[j] = ploidy_of(name.chromosome); });
  return filter;
}

// Calls lie in the columns; beside dosages they are those of the .pgen, whose records follow from one another.
template <class Visit>
Status GenotypeFilter::for_each_column(bool wants_calls, Visit&& visit) const {
  const bool dosages = columns_.storage == Storage::dosage_u16;
  auto beside = dosages && wants_calls ? calls_ : std::nullopt;
  PgenCalls record;
  const std::uint64_t first =
      file_ == nullptr
          ? 0
          : static_cast<std::uint64_t>(columns_.values - reinterpret_cast<const std::byte*>(file_->bytes().data()));
  std::uint64_t released = 0, calls_released = 0;
  for (std::uint64_t j = 0; j < columns_.columns; ++j) {
    Variant variant{j, {columns_.values + j * columns_.column_stride, columns_.column_stride}, {}};
    if (dosages) {
      variant.dosages = {reinterpret_cast<const std::uint16_t*>(variant.calls.data()), columns_.rows};
      variant.calls = {};
    }
    if (beside) {
      if (Status read = beside->reader.next(record); !read.ok()) return read;
      to_bed_codes(record.codes, columns_.rows);
      variant.calls = std::as_bytes(std::span(record.codes));
    }
    if (by_name_.excluded[j] == 0) visit(variant);
    const std::uint64_t done = (j + 1) * columns_.column_stride;
    const bool last = j + 1 == columns_.columns;
    if (file_ == nullptr || (done - released < kReleaseBytes && !last)) continue;
    file_->release(first + released, first + done);
    if (beside)
      beside->file->release(std::exchange(calls_released, beside->reader.position()), beside->reader.position());
    released = done;
  }
  return {};
}

Status GenotypeFilter::drop_samples(RowChoice& rows) const {
  if (!mind_) return {};
  const std::vector<std::uint8_t> every(columns_.rows, 1);
  const SampleMask all(every);
  const SampleMask males(those(every, [&](std::size_t i) { return pedigree_.sex[i] == Sex::male; }));
  std::vector<std::uint32_t> missing(columns_.rows, 0);
  std::uint64_t variants = 0, on_y = 0;
  Status read = for_each_column(true, [&](const Variant& variant) {
    const bool y = ploidy_[variant.index] == Ploidy::y;
    add_missing(variant.calls, y ? males : all, missing);
    ++variants;
    on_y += y ? 1 : 0;
  });
  if (!read.ok()) return read;
  const std::uint64_t most_of_males = most(*mind_, variants);
  const std::uint64_t most_of_others = most(*mind_, variants - on_y);
  rows.drop_where(
      with_value("--mind", *mind_),
      [&](std::uint64_t i) { return missing[i] > (pedigree_.sex[i] == Sex::male ? most_of_males : most_of_others); },
      true);
  return {};
}

bool GenotypeFilter::wants_founders() const {
  return wanted_.maf || wanted_.max_maf || wanted_.hwe;
}

// Of A1 among founders: on X males count once, on Y they alone. One half without calls, as in plink2.
double GenotypeFilter::frequency(const Variant& variant, const Masks& masks) const {
  const auto count = [&](const SampleMask& samples) {
    return variant.dosages.empty() ? alleles_of(count_calls(variant.calls, samples))
                                   : alleles_of(variant.dosages, samples);
  };
  const Ploidy ploidy = ploidy_[variant.index];
  const AlleleCounts all = count(masks.founders);
  std::uint64_t counted = 2 * all.dosage, of = 4 * all.observed;
  if (ploidy == Ploidy::x || ploidy == Ploidy::y) {
    const AlleleCounts males = count(masks.founder_males);
    counted = ploidy == Ploidy::x ? counted - males.dosage : males.dosage;
    of = ploidy == Ploidy::x ? of - 2 * males.observed : 2 * males.observed;
  }
  return of == 0 ? 0.5 : static_cast<double>(counted) / static_cast<double>(kDosageOfACopy * of);
}

bool GenotypeFilter::is_out_of_equilibrium(const Variant& variant, const Masks& masks) const {
  const Ploidy ploidy = ploidy_[variant.index];
  const double least = *wanted_.hwe * (1 - kSmall);
  if (ploidy == Ploidy::diploid) {
    const CallCounts all = count_calls(variant.calls, masks.founders);
    return hardy_p({.hets = all.het, .hom_a = all.hom_counted, .hom_b = all.hom_other}) < least;
  }
  if (ploidy != Ploidy::x) return false;
  const CallCounts females = count_calls(variant.calls, masks.founder_females);
  const CallCounts males = count_calls(variant.calls, masks.founder_males);
  return hardy_p_x({.hets = females.het,
                    .hom_a = females.hom_counted,
                    .hom_b = females.hom_other,
                    .male_a = males.hom_counted,
                    .male_b = males.hom_other},
                   *wanted_.hwe) < least;
}

std::uint8_t GenotypeFilter::reason_to_drop(const Variant& variant, const Masks& masks) const {
  if (wanted_.geno) {
    const SampleMask& samples = ploidy_[variant.index] == Ploidy::y ? masks.males : masks.all;
    if (count_calls(variant.calls, samples).missing > most(*wanted_.geno, samples.count())) return kGeno;
  }
  if (!wants_founders()) return kStays;
  if (wanted_.hwe && is_out_of_equilibrium(variant, masks)) return kHwe;
  if (!wanted_.maf && !wanted_.max_maf) return kStays;
  const double frequency = this->frequency(variant, masks);
  const double minor = std::min(frequency, 1 - frequency);
  if (wanted_.maf && minor < *wanted_.maf * (1 - kSmall)) return kMaf;
  if (wanted_.max_maf && minor > *wanted_.max_maf * (1 + kSmall)) return kMaxMaf;
  return kStays;
}

Result<VariantChoice> GenotypeFilter::choose(const RowChoice& rows, std::span<const SamplePart> split) const {
  VariantChoice choice = by_name_;
  if (!wanted_.geno && !wants_founders()) return choice;
  const std::vector<std::uint8_t> counted = counted_samples(rows, split);
  const Masks masks(counted, pedigree_);
  if (wants_founders() && masks.founders.count() == 0) {
    return Status::input("--maf, --max-maf and --hwe count founders only, and each of the " +
                         std::to_string(masks.all.count()) +
                         " samples has a parent in the .fam (columns 3 and 4), expected some with 0 and 0");
  }
  std::vector<std::uint8_t> reasons(columns_.columns, kStays);
  Status read = for_each_column(wanted_.geno || wanted_.hwe, [&](const Variant& variant) {
    reasons[variant.index] = reason_to_drop(variant, masks);
  });
  if (!read.ok()) return read;
  const auto drop = [&](const char* option, const std::optional<double>& value, Reason reason) {
    if (value) choice.drop_where(with_value(option, *value), [&](std::uint64_t j) { return reasons[j] == reason; });
  };
  drop("--geno", wanted_.geno, kGeno);
  drop("--hwe", wanted_.hwe, kHwe);
  drop("--maf", wanted_.maf, kMaf);
  drop("--max-maf", wanted_.max_maf, kMaxMaf);
  if (choice.left() == 0) return no_variant_left(choice);
  return choice;
}

}  // namespace strads::data
