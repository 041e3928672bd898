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
  const Column6 column = wanted.has_classes() ? Column6::number_or_word : Column6::number;
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
  STRADS_ASSIGN_OR_RETURN(out.table, parse({}, Column6::ignored));
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
  STRADS_ASSIGN_OR_RETURN(const auto samples_file, InputFile::open(files.samples));
  STRADS_ASSIGN_OR_RETURN(const auto samples, read_samples(options.source, options.response, names, samples_file));
  STRADS_ASSIGN_OR_RETURN(const auto variants_file, InputFile::open(files.variants));
  STRADS_ASSIGN_OR_RETURN(auto variants, read_variants(variants_file, options.source.has_psam()));
  STRADS_ASSIGN_OR_RETURN(const auto calls_file, MappedFile::open(files.calls));
  const SampleIds& ids = samples.table.ids;
  const std::string_view calls = calls_file->bytes();
  const std::uint64_t rows = ids.individual.size(), columns = variants.size();
  UnpackedGenotypes genotypes{calls_file, Storage::genotype_2bit, kBedHeader, bed_stride(rows), true};
  std::string note;
  std::optional<HardCalls> hard_calls;  // beside dosages, where they are counted
  const std::string haploid = haploid_note(variants, files.variants);
  if (!options.source.has_pgen()) {
    if (Status status = check_bed(calls, rows, columns, files.calls); !status.ok()) return status;
  } else {
    STRADS_ASSIGN_OR_RETURN(auto reader, PgenReader::open(calls, files.calls, rows, columns));
    note = note_of(reader, files.calls);
    if (reader.with_dosages() > 0) hard_calls = HardCalls{reader, calls_file};
    STRADS_ASSIGN_OR_RETURN(genotypes, unpacked_genotypes(std::move(reader), calls_file, options.source.scratch));
  }

  const auto own = [&](std::size_t k) {
    const auto& phenotypes = samples.phenotypes;
    return k < phenotypes.size() ? std::optional<RowValues>(phenotypes[k]) : std::nullopt;
  };
  ColumnsView view;
  view.storage = genotypes.storage;
  view.rows = rows;
  view.columns = static_cast<VarId>(columns);
  view.values = reinterpret_cast<const std::byte*>(genotypes.file->bytes().data() + genotypes.offset);
  view.column_stride = genotypes.stride;
  auto variant_names = names_from_bim(std::move(variants), variants_file.owner());
  STRADS_ASSIGN_OR_RETURN(const auto filter,
                          GenotypeFilter::make(options.variables, options.samples.mind, view, genotypes.file,
                                               std::move(hard_calls), *variant_names, ids.pedigree));
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
  return load_each(options, names, rows, ids, own, build, &filter);
}

Result<SampleSelection> select_genotyped(const InputOptions& options) {
  if (Status prefix = explain_prefix(options.source); !prefix.ok()) return prefix;
  STRADS_ASSIGN_OR_RETURN(const auto file, InputFile::open(genotype_files(options.source).samples));
  const std::string name = options.response.pheno_name;
  STRADS_ASSIGN_OR_RETURN(auto samples, read_samples(options.source, options.response, ResponseNames(&name, 1), file));
  auto& own = samples.phenotypes;
  const SampleIds& ids = samples.table.ids;
  return select_samples(options, ids.individual.size(), ids,
                        own.empty() ? std::nullopt : std::optional<RowValues>(std::move(own.front())));
}

}  // namespace strads::data
