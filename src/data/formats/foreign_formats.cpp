#include "data/formats/foreign_formats.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "data/text/text.hpp"

namespace strads::data {

namespace {

using Words = std::span<const std::string_view>;

struct Magic {
  std::size_t offset;
  std::string_view bytes;
  std::string_view name;
  std::string_view advice;
};

constexpr std::size_t kFirstOfAZip = 30;  // name of the first file in an archive
constexpr std::string_view kVcf = "plink2 --vcf FILE --make-bed --out P, then --bfile P";
constexpr std::string_view kExport = "write a table with a header, a .npy or a .npz";
// Longer ones first: a .bed and a .pgen differ in the third byte.
constexpr std::array<Magic, 15> kMagics{{
    {0, "\x6c\x1b\x01", "a PLINK .bed", "give its name without .bed to --bfile"},
    {0, {"\x6c\x1b\x00", 3}, "a PLINK .bed", "give its name without .bed to --bfile"},
    {0, "\x6c\x1b", "a PLINK 2 .pgen", "give its name without .pgen to --pfile"},
    {0, "##fileformat=VCF", "a VCF", kVcf},
    {0, "BCF\x02", "a BCF", "plink2 --bcf FILE --make-bed --out P, then --bfile P"},
    {14, {"\0\0bgen", 6}, "a BGEN", "plink2 --bgen FILE ref-first --make-bed --out P, then --bfile P"},
    {0, "##fileformat=", "a table of genetic data with ## lines",
     "only PLINK's .bed and .pgen are read: --bfile, --pfile, --bpfile"},
    {0, "\x89HDF", "an HDF5 file", kExport},
    {0, "PAR1\x15", "a Parquet file", kExport},
    {0, {"ARROW1\0", 7}, "a Feather file", kExport},
    {0, "RDX3\n", "an .RData", kExport},
    {0, {"X\n\0", 3}, "an .rds", kExport},
    {30, "[Content_Types].xml", "an Excel workbook", "save it as CSV UTF-8"},
    {30, "mimetypeapplication/vnd.oasis", "an OpenDocument file", "save it as CSV UTF-8"},
    {0, "MATLAB 5.0 MAT-file", "a .mat", kExport},
}};

bool starts_with(const Table& table, Words words) {
  const auto& header = table.header();
  return header.size() >= words.size() && std::equal(words.begin(), words.end(), header.begin());
}

}  // namespace

Status refuse_foreign_format(std::string_view bytes, const std::string& path) {
  for (const Magic& magic : kMagics) {
    if (bytes.size() < magic.offset || (magic.offset == kFirstOfAZip && !bytes.starts_with("PK\x03\x04")) ||
        !bytes.substr(magic.offset).starts_with(magic.bytes))
      continue;
    return Status::usage(path + ": is " + std::string(magic.name) + ", which --x does not read; " +
                         std::string(magic.advice));
  }
  return {};
}

Status refuse_table_of_variants(const Table& table) {
  constexpr std::array<std::string_view, 6> kTraw{"CHR", "SNP", "(C)M", "POS", "COUNTED", "ALT"};
  constexpr std::array<std::string_view, 3> kPvar{"#CHROM", "POS", "ID"};
  if (starts_with(table, kTraw)) {
    return Status::usage(table.path() +
                         ": is a PLINK .traw, whose rows are variants, expected a row for each sample; plink2 --export "
                         "A writes that, or --make-bed files for --bfile");
  }
  if (starts_with(table, kPvar)) {
    return Status::usage(table.path() +
                         ": is a list of variants (.pvar, VCF), expected a row for each sample; plink2 --make-bed "
                         "writes files for --bfile");
  }
  return {};
}

bool is_raw_export(const Table& table) {
  constexpr std::array<std::string_view, 6> kRaw{"FID", "IID", "PAT", "MAT", "SEX", "PHENOTYPE"};
  return starts_with(table, kRaw);
}

}  // namespace strads::data
