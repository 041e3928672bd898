#include "data/genotypes/load_genotypes.hpp"

#include <optional>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/formats/foreign_formats.hpp"
#include "data/genotypes/bed.hpp"
#include "data/genotypes/psam.hpp"

namespace strads::data {

namespace {

Status check_plink_options(const InputOptions& options) {
  if (!options.y.empty() || !options.y_name.empty()) {
    return Status::usage("--y and --y-name belong to --x; with --bfile use --pheno FILE --pheno-name COLUMN");
  }
  if (!options.id_column.empty()) return Status::usage("--id-column belongs to --x; --bfile has its ids in the .fam");
  if (options.pheno.empty() && !options.pheno_name.empty()) return Status::usage("--pheno-name needs --pheno FILE");
  return {};
}

}  // namespace

AllLoaded load_genotypes(const InputOptions& options, ResponseNames names) {
  if (Status status = check_plink_options(options); !status.ok()) return status;
  if (Status prefix = explain_prefix(options.bfile); !prefix.ok()) return prefix;
  bool own_phenotype = options.pheno.empty();
  const auto fam_file = MappedFile::open(options.bfile + ".fam");
  if (!fam_file.ok()) return fam_file.status();
  const auto read_fam = [&](Column6 wanted) {
    return parse_fam(fam_file.value()->bytes(), fam_file.value()->path(), wanted);
  };
  auto fam = read_fam(!own_phenotype        ? Column6::ignored
                      : options.two_classes ? Column6::number_or_word
                                            : Column6::number);
  if (!fam.ok() && own_phenotype && !options.response_required) {  // perhaps only for text in column 6
    own_phenotype = false;
    fam = read_fam(Column6::ignored);
  }
  if (!fam.ok()) return fam.status();
  const auto bim_file = MappedFile::open(options.bfile + ".bim");
  if (!bim_file.ok()) return bim_file.status();
  const MappedFile& bim_bytes = *bim_file.value();
  std::uint64_t released = 0;
  auto bim = Bim::parse(bim_bytes.bytes(), bim_bytes.path(),
                        [&](std::uint64_t done) { bim_bytes.release(std::exchange(released, done), done); });
  if (!bim.ok()) return bim.status();
  const auto bed_file = MappedFile::open(options.bfile + ".bed");
  if (!bed_file.ok()) return bed_file.status();
  const std::uint64_t samples = fam.value().ids.individual.size();
  const std::uint64_t variants = bim.value().size();
  const std::string_view bed = bed_file.value()->bytes();
  if (Status status = check_bed(bed, samples, variants, bed_file.value()->path()); !status.ok()) return status;

  const auto own = [&](std::size_t) {
    return own_phenotype ? std::optional<RowValues>(fam.value().phenotype) : std::nullopt;
  };
  const auto build = [&](const SampleSelection&) -> Result<Built> {
    DatasetParts parts;
    parts.files = {fam_file.value()->path(), bim_bytes.path(), bed_file.value()->path()};
    parts.columns.storage = Storage::genotype_2bit;
    parts.columns.rows = samples;
    parts.columns.columns = static_cast<VarId>(variants);
    parts.columns.values = reinterpret_cast<const std::byte*>(bed.data() + kBedHeader);
    parts.columns.column_stride = bed_stride(samples);
    parts.mapped = bed_file.value();
    parts.names = names_from_bim(std::move(bim).value(), bim_file.value());
    return Built{std::move(parts), true};  // in place: this is asked once
  };
  return load_each(options, names, samples, fam.value().ids, own, build);
}

}  // namespace strads::data
