// Genotypes with a table of samples and one of variants: PLINK's files.
#include <optional>
#include <utility>
#include <vector>

#include "data/datasets/load_each.hpp"
#include "data/files/mapped_file.hpp"
#include "data/filters/genotype_filter.hpp"
#include "data/genotypes/bed.hpp"
#include "data/genotypes/genotype_files.hpp"
#include "data/genotypes/pgen.hpp"
#include "data/genotypes/psam.hpp"
#include "data/genotypes/unpacked.hpp"

namespace strads::data {

namespace {

// The samples, with their own phenotype for each response that no table gives.
struct ReadSamples {
  SampleTable table;
  std::vector<RowValues> phenotypes;  // one for each response, or none
};

Result<ReadSamples> read_samples(const Source& source, const Response& wanted, ResponseNames names,
                                 const InputFile& file) {
  const auto parse = [&](const std::string& name, Column6 what) {
    return source.has_psam() ? parse_psam(file.bytes(), file.path(), name, what)
                             : parse_fam(file.bytes(), file.path(), what);
  };
  ReadSamples out;
  const Column6 column = wanted.two_classes ? Column6::number_or_word : Column6::number;
  const bool is_elsewhere = !wanted.pheno.empty() || source.has_response_in_memory();
  for (std::size_t k = 0; !is_elsewhere && k < names.size(); ++k) {
    auto table = parse(names[k], column);
    if (!table.ok() && wanted.required) return table.status();
    if (!table.ok()) {  // perhaps only for its phenotype
      out.phenotypes.clear();
      break;
    }
    if (table.value().phenotypes.empty()) {
      if (!wanted.required) break;
      return Status::input(file.path() + ": has no phenotypes; --pheno FILE names a table of them");
    }
    out.phenotypes.push_back(std::move(table.value().phenotype));
    out.table = std::move(table).value();
  }
  if (!out.phenotypes.empty()) return out;
  auto table = parse({}, Column6::ignored);
  if (!table.ok()) return table.status();
  out.table = std::move(table).value();
  return out;
}

Result<Bim> read_variants(const InputFile& file, bool pvar) {
  std::uint64_t released = 0;
  const auto release = [&](std::uint64_t done) {
    if (file.mapped()) file.mapping()->release(std::exchange(released, done), done);
  };
  return pvar ? Bim::parse_pvar(file.bytes(), file.path(), release) : Bim::parse(file.bytes(), file.path(), release);
}

std::string haploid_note(const Bim& variants, const std::string& path) {
  if (variants.haploid() == 0) return {};
  return path + ": " + std::to_string(variants.haploid()) +
         " variants on Y or MT, of which a person has one copy: coefficients are for that copy, as plink2 --score "
         "counts; lasso score counts nothing on Y but of men, a fit takes all calls as they are; --chr leaves them out";
}

std::string note_of(const PgenReader& reader, const std::string& path) {
  if (reader.with_phase() == 0) return {};
  return path + ": " + std::to_string(reader.with_phase()) + " of " + std::to_string(reader.variants()) +
         " variants have phases, which are not used: copies of ALT count, whichever chromosome they lie on";
}

}  // namespace

AllLoaded load_genotypes(const InputOptions& options, ResponseNames names) {
  if (Status prefix = explain_prefix(options.source); !prefix.ok()) return prefix;
  const GenotypeFiles files = genotype_files(options.source);
  const auto samples_file = InputFile::open(files.samples);
  if (!samples_file.ok()) return samples_file.status();
  const auto samples = read_samples(options.source, options.response, names, samples_file.value());
  if (!samples.ok()) return samples.status();
  const auto variants_file = InputFile::open(files.variants);
  if (!variants_file.ok()) return variants_file.status();
  auto variants = read_variants(variants_file.value(), options.source.has_psam());
  if (!variants.ok()) return variants.status();
  const auto calls_file = MappedFile::open(files.calls);
  if (!calls_file.ok()) return calls_file.status();
  const SampleIds& ids = samples.value().table.ids;
  const std::string_view calls = calls_file.value()->bytes();
  const std::uint64_t rows = ids.individual.size(), columns = variants.value().size();
  UnpackedGenotypes genotypes{calls_file.value(), Storage::genotype_2bit, kBedHeader, bed_stride(rows), true};
  std::string note;
  std::optional<HardCalls> hard_calls;  // beside dosages, where they are counted
  const std::string haploid = haploid_note(variants.value(), files.variants);
  if (!options.source.has_pgen()) {
    if (Status status = check_bed(calls, rows, columns, files.calls); !status.ok()) return status;
  } else {
    auto reader = PgenReader::open(calls, files.calls, rows, columns);
    if (!reader.ok()) return reader.status();
    note = note_of(reader.value(), files.calls);
    if (reader.value().with_dosages() > 0) hard_calls = HardCalls{reader.value(), calls_file.value()};
    auto unpacked = unpacked_genotypes(std::move(reader).value(), calls_file.value(), options.source.scratch);
    if (!unpacked.ok()) return unpacked.status();
    genotypes = std::move(unpacked).value();
  }

  const auto own = [&](std::size_t k) {
    const auto& phenotypes = samples.value().phenotypes;
    return k < phenotypes.size() ? std::optional<RowValues>(phenotypes[k]) : std::nullopt;
  };
  ColumnsView view;
  view.storage = genotypes.storage;
  view.rows = rows;
  view.columns = static_cast<VarId>(columns);
  view.values = reinterpret_cast<const std::byte*>(genotypes.file->bytes().data() + genotypes.offset);
  view.column_stride = genotypes.stride;
  auto variant_names = names_from_bim(std::move(variants).value(), variants_file.value().owner());
  const auto filter = GenotypeFilter::make(options.variables, options.samples.mind, view, genotypes.file,
                                           std::move(hard_calls), *variant_names, ids.pedigree);
  if (!filter.ok()) return filter.status();
  const auto build = [&](const SampleSelection&) -> Result<Built> {
    DatasetParts parts;
    parts.files = {files.samples, files.variants, files.calls};
    for (const std::string& one : {note, haploid}) {
      if (!one.empty()) parts.warnings.push_back(one);
    }
    parts.columns = view;
    parts.mapped = genotypes.file;
    parts.names = std::move(variant_names);
    return Built{std::move(parts), true};  // in place: this is asked once
  };
  return load_each(options, names, rows, ids, own, build, &filter.value());
}

Result<SampleSelection> select_genotyped(const InputOptions& options) {
  if (Status prefix = explain_prefix(options.source); !prefix.ok()) return prefix;
  const auto file = InputFile::open(genotype_files(options.source).samples);
  if (!file.ok()) return file.status();
  const std::string name = options.response.pheno_name;
  auto samples = read_samples(options.source, options.response, ResponseNames(&name, 1), file.value());
  if (!samples.ok()) return samples.status();
  auto& own = samples.value().phenotypes;
  const SampleIds& ids = samples.value().table.ids;
  return select_samples(options, ids.individual.size(), ids,
                        own.empty() ? std::nullopt : std::optional<RowValues>(std::move(own.front())));
}

}  // namespace strads::data
