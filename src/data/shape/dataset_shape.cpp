// look_at_dataset: sizes from the heads of files. What the readers take on their way is written beside each format.
#include <algorithm>
#include <charconv>
#include <utility>

#include "data/files/mapped_file.hpp"
#include "data/formats/dense_columns.hpp"
#include "data/formats/libsvm.hpp"
#include "data/formats/matrix_market.hpp"
#include "data/formats/npy.hpp"
#include "data/formats/npz.hpp"
#include "data/formats/table.hpp"
#include "data/genotypes/bed.hpp"
#include "data/genotypes/genotype_files.hpp"
#include "data/genotypes/pgen.hpp"
#include "data/genotypes/psam.hpp"
#include "data/shape/archive_shape.hpp"
#include "data/shape/open_to_look.hpp"
#include "data/shape/text_pieces.hpp"
#include "strads/data/data_shape.hpp"

namespace strads {
namespace data {
namespace {

constexpr std::uint64_t kNameBytes = 6;      ///< names_by_number(): digits of a column's number
constexpr std::uint64_t kWrittenBytes = 32;  ///< a name in a StringList, or two ids of a sample

std::uint64_t scaled(std::uint64_t count, double factor) {
  return static_cast<std::uint64_t>(static_cast<double>(count) * factor);
}

std::uint64_t lines_of(std::string_view text) {
  const auto ends = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  return ends + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

/// A sparse matrix that is parsed, and then sorted into columns of row numbers and values.
void set_sparse(DataShape& shape, std::uint64_t reading_an_entry, bool single) {
  shape.storage = single ? Storage::sparse_f32 : Storage::sparse_f64;
  shape.reading_bytes = shape.entries * reading_an_entry;
  shape.held_bytes = shape.entries * (4 + (single ? 4 : 8)) + 8 * (shape.columns + 1);
  shape.names_bytes = kNameBytes * shape.columns;
}

/// Dense columns that are copied.
void set_dense(DataShape& shape, Storage storage, std::uint64_t item_bytes) {
  shape.storage = storage;
  shape.held_bytes = shape.reading_bytes = shape.rows * shape.columns * item_bytes;
}

/// What lies in memory of variants in a packed file: all of its text, whose size is known when it was unpacked; until
/// then at least so much.
std::uint64_t bytes_of_packed(const std::string& path, Look look) {
  if (!path.ends_with(".gz") && !path.ends_with(".zst")) return 0;
  if (look == Look::quick) {
    const auto file = MappedFile::open(path);
    return file.ok() ? file.value()->bytes().size() : 0;
  }
  const auto file = InputFile::open(path);
  return file.ok() ? file.value().bytes().size() : 0;
}

/// Of what a .pgen is unpacked to; the file itself is read once, and its pages given back.
Result<DataShape> shape_of_pgen(const Source& source, Look look) {
  const GenotypeFiles files = genotype_files(source);
  STRADS_ASSIGN_OR_RETURN(const auto pgen, MappedFile::open(files.calls));
  STRADS_ASSIGN_OR_RETURN(const auto size, pgen_size(pgen->bytes(), files.calls));
  DataShape shape;
  shape.rows = size.samples;
  shape.columns = size.variants;
  if (shape.rows == 0) {  // a .bed
    STRADS_ASSIGN_OR_RETURN(const auto samples, MappedFile::open(files.samples));
    STRADS_ASSIGN_OR_RETURN(const auto parsed, source.has_psam()
                                                   ? parse_psam(samples->bytes(), files.samples, {}, Column6::ignored)
                                                   : parse_fam(samples->bytes(), files.samples, Column6::ignored));
    shape.rows = parsed.ids.individual.size();
    shape.columns = (pgen->bytes().size() - kBedHeader) / bed_stride(shape.rows);
  }
  shape.storage = size.dosages ? Storage::dosage_u16 : Storage::genotype_2bit;
  shape.mapped_bytes = shape.columns * (size.dosages ? 2 * shape.rows : bed_stride(shape.rows));
  shape.names_bytes = shape.columns / 2 + kWrittenBytes * shape.rows + bytes_of_packed(files.variants, look);
  return shape;
}

Result<DataShape> shape_of_one_plink(const Source& source, Look look) {
  if (source.has_pgen()) return shape_of_pgen(source, look);
  STRADS_ASSIGN_OR_RETURN(const auto fam, MappedFile::open(source.bfile + ".fam"));
  STRADS_ASSIGN_OR_RETURN(const auto bed, MappedFile::open(source.bfile + ".bed"));
  DataShape shape;
  shape.storage = Storage::genotype_2bit;
  shape.rows = lines_of(fam->bytes());
  if (shape.rows == 0) return Status::input(fam->path() + ": holds no samples");
  shape.mapped_bytes = bed->bytes().size();
  shape.columns = (shape.mapped_bytes - std::min(shape.mapped_bytes, kBedHeader)) /
                  bed_stride(shape.rows);  // check_bed() compares it with the .bim
  shape.names_bytes =
      shape.columns / 2 + kWrittenBytes * shape.rows + bytes_of_packed(genotype_files(source).variants, look);
  return shape;
}

/// Columns of several sets of files are copied one after another.
Result<DataShape> shape_of_plink(const Source& source, Look look) {
  STRADS_ASSIGN_OR_RETURN(const auto sources, sources_of(source));
  if (sources.size() == 1) return shape_of_one_plink(sources.front(), look);
  DataShape all;
  for (const Source& one : sources) {
    STRADS_ASSIGN_OR_RETURN(const DataShape shape, shape_of_one_plink(one, look));
    all.storage = shape.storage;
    all.rows = shape.rows;
    all.columns += shape.columns;
    all.held_bytes += shape.mapped_bytes;
    all.names_bytes += shape.names_bytes;
  }
  return all;
}

Result<DataShape> shape_of_npy(const InputFile& file) {
  STRADS_ASSIGN_OR_RETURN(const NpyArray found, parse_npy(file.bytes(), file.path()));
  if (found.shape.size() != 2) return Status::input(file.path() + ": expected rows x columns");
  DataShape shape;
  shape.rows = found.shape[0];
  shape.columns = found.shape[1];
  shape.storage = storage_of(found);
  shape.names_bytes = kNameBytes * shape.columns;
  if (file.mapped() && is_column_major(found)) {
    shape.mapped_bytes = found.count * found.item_size;
  } else {
    set_dense(shape, shape.storage, shape.storage == Storage::dense_f64 ? sizeof(double) : found.item_size);
  }
  return shape;
}

Result<DataShape> shape_of_npz(const InputFile& file) {
  STRADS_ASSIGN_OR_RETURN(const ArchiveShape found, look_at_archive(file.bytes(), file.path()));
  DataShape shape;
  shape.rows = found.rows;
  shape.columns = found.columns;
  shape.entries = found.entries;
  // Both arrays unpacked; indices as 64 bits; then values, row and column of each. parse_npz() drops the first three
  // before the columns are made.
  set_sparse(shape, found.value_bytes + found.index_bytes + 8 + 8 + 4 + 4,
             found.value_kind == 'f' && found.value_bytes == 4);
  return shape;
}

/// Whether numbers of a text are kept in single precision, as far as the first of them tell.
class Precision {
 public:
  [[nodiscard]] bool is_open() const { return single_ && looked_at_ < kLookedAt; }
  void look_at(std::string_view word) {
    ++looked_at_;
    double value = 0;
    if (parse_number(word, value) == Number::value) single_ = static_cast<double>(static_cast<float>(value)) == value;
  }
  [[nodiscard]] bool is_single() const { return single_; }

 private:
  static constexpr int kLookedAt = 1000;
  int looked_at_ = 0;
  bool single_ = true;
};

Result<DataShape> shape_of_matrix_market(const InputFile& file) {
  constexpr std::size_t kHead = std::size_t{32} << 10;  // of the entries
  std::string_view rest = file.bytes();
  const bool coordinate = rest.substr(0, rest.find('\n')).find("coordinate") != std::string_view::npos;
  while (!rest.empty() && (rest[0] == '%' || rest[0] == '\n' || rest[0] == '\r')) {
    const auto end = rest.find('\n');
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  std::uint64_t sizes[3] = {0, 0, 0};
  WordReader words(rest.substr(0, rest.find_first_of("\r\n")));
  std::string_view word;
  for (int k = 0; k < (coordinate ? 3 : 2); ++k) {
    if (!words.next(word) || !parse_count(word, sizes[k])) {
      return Status::input(file.path() + ": expected counts of rows and columns below the comments");
    }
  }
  DataShape shape;
  shape.rows = sizes[0];
  shape.columns = sizes[1];
  shape.entries = sizes[2];
  if (coordinate) {
    const std::size_t begin = std::min(rest.find('\n'), rest.size());
    LineReader entries(rest.substr(begin, kHead));
    Precision values;
    for (std::string_view line; values.is_open() && entries.next(line);) {
      line = trimmed(line);
      values.look_at(line.substr(line.find_last_of(" \t") + 1));  // a line that is cut off: some number
    }
    set_sparse(shape, 4 + 4 + 8 + 4 + (values.is_single() ? 4 : 8), values.is_single());
  } else {
    set_dense(shape, Storage::dense_f64, 8);
    shape.reading_bytes *= 2;
  }
  shape.names_bytes = kNameBytes * shape.columns;
  return shape;
}

Result<DataShape> shape_of_libsvm(const InputFile& file, Look look) {
  DataShape shape;
  std::uint64_t largest = 0;
  std::size_t place = 0;  // of the largest index
  Precision values;
  const double factor = for_pieces(file.bytes(), look == Look::thorough, [&](std::string_view piece) {
    shape.rows += lines_of(piece);
    for (auto colon = piece.find(':'); colon != std::string_view::npos; colon = piece.find(':', colon + 1)) {
      ++shape.entries;
      if (values.is_open()) {
        values.look_at(piece.substr(colon + 1, piece.find_first_of(" \t\r\n", colon) - colon - 1));
      }
      const auto begin = piece.find_last_not_of("0123456789", colon - (colon > 0)) + 1;  // nothing found: 0
      std::uint64_t index = 0;
      std::from_chars(piece.data() + begin, piece.data() + colon, index);
      if (index > largest) place = static_cast<std::size_t>(piece.data() - file.bytes().data()) + begin;
      largest = std::max(largest, index);
    }
  });
  if (Status fits = check_libsvm_index(file.bytes(), file.path(), largest, place); !fits.ok()) return fits;
  shape.rows = scaled(shape.rows, factor);
  shape.entries = scaled(shape.entries, factor);
  shape.columns = largest;
  set_sparse(shape, 4 + 8 + 4 + (values.is_single() ? 4 : 8), values.is_single());
  return shape;
}

Result<DataShape> shape_of_table(const InputFile& file, const std::string& id_column, bool has_response, Look look) {
  const std::string_view text = file.bytes();
  // The header and some rows: enough for Table to find the delimiter.
  constexpr int kLines = 24;
  std::size_t end = 0;
  for (int line = 0; line < kLines && end != std::string_view::npos; ++line) end = text.find('\n', end + 1);
  STRADS_ASSIGN_OR_RETURN(const auto table, Table::parse(text.substr(0, end), file.path()));
  DataShape shape;
  const double factor =
      for_pieces(text, look == Look::thorough, [&](std::string_view piece) { shape.rows += lines_of(piece); });
  shape.rows = std::max<std::uint64_t>(2, scaled(shape.rows, factor)) - 1;
  const auto ids = find_id_columns(table, id_column, false);
  std::uint64_t others = has_response ? 1 : 0;
  if (ids.ok()) others += (ids.value().family.has_value() ? 1 : 0) + (ids.value().individual.has_value() ? 1 : 0);
  const std::uint64_t fields = table.header().size();
  shape.columns = fields - std::min(others, fields - 1);
  set_dense(shape, Storage::dense_f64, sizeof(double));
  shape.names_bytes = 2 * kWrittenBytes * shape.columns + (8 + kWrittenBytes) * shape.rows;
  return shape;
}

Result<DataShape> shape_of_x(const InputOptions& options, Look look) {
  STRADS_ASSIGN_OR_RETURN(const auto file, open_to_look(options.source.x, look));
  const std::string_view bytes = file.bytes();
  if (bytes.empty()) return Status::input(options.source.x + ": is empty, expected data");
  auto shape = is_npy(bytes)             ? shape_of_npy(file)
               : is_zip(bytes)           ? shape_of_npz(file)
               : is_matrix_market(bytes) ? shape_of_matrix_market(file)
               : looks_like_libsvm(bytes)
                   ? shape_of_libsvm(file, look)
                   : shape_of_table(file, options.samples.id_column, options.response.y.empty(), look);
  // What was unpacked stays until the columns are made.
  if (shape.ok() && !file.mapped()) shape.value().reading_bytes += bytes.size();
  return shape;
}

}  // namespace
}  // namespace data

Result<DataShape> look_at_dataset(const InputOptions& options, Look look) {
  auto shape =
      !options.source.is_plink() ? data::shape_of_x(options, look) : data::shape_of_plink(options.source, look);
  if (shape.ok()) shape.value().reading_bytes = std::max(shape.value().reading_bytes, shape.value().held_bytes);
  return shape;
}

}  // namespace strads
