// Genotypes with a table of samples and one of variants: PLINK's files.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/datasets/load_each.hpp"
#include "data/files/mapped_file.hpp"
#include "data/files/memory_limit.hpp"
#include "data/filters/genotype_filter.hpp"
#include "data/formats/sparse_columns.hpp"
#include "data/genotypes/bed.hpp"
#include "data/genotypes/genotype_files.hpp"
#include "data/genotypes/pgen.hpp"
#include "data/genotypes/psam.hpp"
#include "data/genotypes/unpacked.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

Result<SampleTable> parse_samples(const Source& source, const InputFile& file, const std::string& name, Column6 what) {
  return source.has_psam() ? parse_psam(file.bytes(), file.path(), name, what)
                           : parse_fam(file.bytes(), file.path(), what);
}

// The samples, with their own phenotype for each response that no table gives.
struct ReadSamples {
  SampleTable table;
  std::vector<RowValues> phenotypes;  // one for each response, or none
};

Result<ReadSamples> read_samples(const Source& source, const Response& wanted, ResponseNames names,
                                 const InputFile& file) {
  const auto parse = [&](const std::string& name, Column6 what) { return parse_samples(source, file, name, what); };
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

/// The columns of X with their names.
struct OpenedGenotypes {
  ColumnsView view;
  std::shared_ptr<const MappedFile> file;  ///< in which they lie; null: they were copied
  std::shared_ptr<const void> owner;       ///< of copied ones
  std::unique_ptr<const VariableNames> names;
  std::optional<HardCalls> hard_calls;  ///< beside dosages, where they are counted
  std::vector<std::string> files, warnings;
};

Result<OpenedGenotypes> open_genotypes(const Source& source, std::uint64_t rows) {
  const GenotypeFiles files = genotype_files(source);
  STRADS_ASSIGN_OR_RETURN(const auto variants_file, InputFile::open(files.variants));
  STRADS_ASSIGN_OR_RETURN(auto variants, read_variants(variants_file, source.has_psam()));
  STRADS_ASSIGN_OR_RETURN(const auto calls_file, MappedFile::open(files.calls));
  const std::string_view calls = calls_file->bytes();
  const std::uint64_t columns = variants.size();
  UnpackedGenotypes genotypes{calls_file, Storage::genotype_2bit, kBedHeader, bed_stride(rows), true};
  OpenedGenotypes out;
  std::string note;
  if (!source.has_pgen()) {
    if (Status status = check_bed(calls, rows, columns, files.calls); !status.ok()) return status;
  } else {
    STRADS_ASSIGN_OR_RETURN(auto reader, PgenReader::open(calls, files.calls, rows, columns));
    note = note_of(reader, files.calls);
    if (reader.with_dosages() > 0) out.hard_calls = HardCalls{reader, calls_file};
    STRADS_ASSIGN_OR_RETURN(genotypes, unpacked_genotypes(std::move(reader), calls_file, source.scratch));
  }
  for (const std::string& one : {note, haploid_note(variants, files.variants)}) {
    if (!one.empty()) out.warnings.push_back(one);
  }
  out.files = {files.samples, files.variants, files.calls};
  out.view.storage = genotypes.storage;
  out.view.rows = rows;
  out.view.columns = static_cast<VarId>(columns);
  out.view.values = reinterpret_cast<const std::byte*>(genotypes.file->bytes().data() + genotypes.offset);
  out.view.column_stride = genotypes.stride;
  out.file = genotypes.file;
  out.names = names_from_bim(std::move(variants), variants_file.owner());
  return out;
}

std::string name_of_sample(const SampleIds& ids, std::uint64_t row) {
  return in_quotes((ids.family.empty() ? "" : std::string(ids.family[row]) + " ") + std::string(ids.individual[row]));
}

/// Error iff the samples of further files are not those of the first ones, in their order.
Status expect_same_samples(const Source& source, const std::string& first_path, const SampleIds& first) {
  STRADS_ASSIGN_OR_RETURN(const auto file, InputFile::open(genotype_files(source).samples));
  STRADS_ASSIGN_OR_RETURN(const auto table, parse_samples(source, file, {}, Column6::ignored));
  const SampleIds& own = table.ids;
  const std::string advice =
      "; files of one set of people have the same samples in the same order: plink2 --keep and --indiv-sort";
  if (own.individual.size() != first.individual.size()) {
    return Status::input(file.path() + ": " + std::to_string(own.individual.size()) + " samples, expected the " +
                         std::to_string(first.individual.size()) + " of " + first_path + advice);
  }
  for (std::uint64_t i = 0; i < own.individual.size(); ++i) {
    const bool has_family = !own.family.empty() && !first.family.empty();
    if (own.individual[i] == first.individual[i] && (!has_family || own.family[i] == first.family[i])) continue;
    return Status::input(file.path() + ": sample " + std::to_string(i + 1) + " is " + name_of_sample(own, i) +
                         ", expected " + name_of_sample(first, i) + " as in " + first_path + advice);
  }
  return {};
}

/// Columns of several sets of files, one for each chromosome: copied one after another, as if one file held them all.
Result<OpenedGenotypes> join_genotypes(const std::vector<Source>& sources, const std::string& first_path,
                                       const SampleIds& ids) {
  OpenedGenotypes out;
  std::vector<OpenedGenotypes> parts;
  std::uint64_t columns = 0;
  for (const Source& source : sources) {
    if (!parts.empty()) {
      if (Status same = expect_same_samples(source, first_path, ids); !same.ok()) return same;
    }
    STRADS_ASSIGN_OR_RETURN(auto part, open_genotypes(source, ids.individual.size()));
    if (part.view.storage != Storage::genotype_2bit) {
      return Status::input(part.files.back() +
                           ": has dosages, expected calls in files that are joined by an @; take one file of all "
                           "chromosomes, or plink2 --pfile P --make-pgen erase-dosage --out Q");
    }
    columns += part.view.columns;
    parts.push_back(std::move(part));
  }
  const std::string& name = parts.front().files.back();
  if (columns > kRowsMax) return Status::input(name + " and others: more variants than 32 bits can count");
  const std::uint64_t stride = parts.front().view.column_stride;
  Status fits =
      expect_memory(name + " and others", "copied together their columns take", columns * stride,
                    "join them into one file, which is mapped (plink2 --pmerge-list), or take a larger machine",
                    sources.front().memory);
  if (!fits.ok()) return fits;
  const auto joined = std::make_shared<std::vector<std::byte>>();
  joined->reserve(columns * stride);
  std::vector<std::unique_ptr<const VariableNames>> names;
  for (OpenedGenotypes& part : parts) {
    joined->insert(joined->end(), part.view.values, part.view.values + part.view.columns * stride);
    part.file->release(0, part.file->bytes().size());
    names.push_back(std::move(part.names));
    out.files.insert(out.files.end(), part.files.begin(), part.files.end());
    out.warnings.insert(out.warnings.end(), part.warnings.begin(), part.warnings.end());
  }
  out.view = parts.front().view;
  out.view.columns = static_cast<VarId>(columns);
  out.view.values = joined->data();
  out.names = joined_names(std::move(names));
  out.owner = joined;
  return out;
}

}  // namespace

AllLoaded load_genotypes(const InputOptions& options, ResponseNames names) {
  STRADS_ASSIGN_OR_RETURN(const auto sources, sources_of(options.source));
  const Source& first = sources.front();
  if (Status prefix = explain_prefix(first); !prefix.ok()) return prefix;
  STRADS_ASSIGN_OR_RETURN(const auto samples_file, InputFile::open(genotype_files(first).samples));
  STRADS_ASSIGN_OR_RETURN(const auto samples, read_samples(first, options.response, names, samples_file));
  const SampleIds& ids = samples.table.ids;
  const std::uint64_t rows = ids.individual.size();
  STRADS_ASSIGN_OR_RETURN(auto genotypes, sources.size() == 1 ? open_genotypes(first, rows)
                                                              : join_genotypes(sources, samples_file.path(), ids));

  const auto own = [&](std::size_t k) {
    const auto& phenotypes = samples.phenotypes;
    return k < phenotypes.size() ? std::optional<RowValues>(phenotypes[k]) : std::nullopt;
  };
  STRADS_ASSIGN_OR_RETURN(const auto filter,
                          GenotypeFilter::make(options.variables, options.samples.mind, genotypes.view, genotypes.file,
                                               std::move(genotypes.hard_calls), *genotypes.names, ids.pedigree));
  const auto build = [&](const SampleSelection&) -> Result<Built> {
    DatasetParts parts;
    parts.files = genotypes.files;
    parts.warnings = genotypes.warnings;
    parts.columns = genotypes.view;
    parts.mapped = genotypes.file;
    if (genotypes.owner != nullptr) parts.owners.push_back(genotypes.owner);
    parts.names = std::move(genotypes.names);
    return Built{std::move(parts), true};  // in place: this is asked once
  };
  return load_each(options, names, rows, ids, own, build, &filter);
}

Result<SampleSelection> select_genotyped(const InputOptions& options) {
  STRADS_ASSIGN_OR_RETURN(const auto sources, sources_of(options.source));
  if (Status prefix = explain_prefix(sources.front()); !prefix.ok()) return prefix;
  STRADS_ASSIGN_OR_RETURN(const auto file, InputFile::open(genotype_files(sources.front()).samples));
  const std::string name = options.response.pheno_name;
  STRADS_ASSIGN_OR_RETURN(auto samples, read_samples(options.source, options.response, ResponseNames(&name, 1), file));
  auto& own = samples.phenotypes;
  const SampleIds& ids = samples.table.ids;
  return select_samples(options, ids.individual.size(), ids,
                        own.empty() ? std::nullopt : std::optional<RowValues>(std::move(own.front())));
}

}  // namespace strads::data
