#include "data/genotypes/bed.hpp"

#include <algorithm>
#include <array>

#include "data/formats/sparse_columns.hpp"
#include "data/text/text.hpp"
#include "strads/data/chromosomes.hpp"

namespace strads::data {

namespace {

constexpr std::size_t kFieldsMax = 16;  // that a layout may name
constexpr std::uint64_t kLinesPerMark = 16;

using Fields = std::array<std::string_view, kFieldsMax>;

// An id with a zero byte looks like another one wherever it is printed, and equals none.
Status expect_no_zero(const std::string& path, std::uint64_t line_number, std::string_view line) {
  const std::size_t zero = line.find('\0');
  if (zero == std::string_view::npos) return {};
  return Status::input(at(path, line_number, zero + 1) + "a zero byte, expected text: the file is damaged or binary");
}

// Number of blank-separated fields; the first sixteen are kept.
std::uint64_t split(std::string_view line, Fields& fields) {
  WordReader words(line);
  std::uint64_t count = 0;
  for (std::string_view word; words.next(word); ++count) {
    if (count < kFieldsMax) fields[count] = word;
  }
  return count;
}

Status wrong_fields(const std::string& path, std::uint64_t line, std::uint64_t count, const VariantLayout& layout) {
  const bool is_bim = layout.fields == 6 && !layout.more_fields;
  return Status::input(at(path, line, 1) + std::to_string(count) + " fields, expected " +
                       (is_bim ? "6 (chromosome, id, cM, position, A1, A2)"
                               : std::to_string(layout.fields) + ", as the header has them"));
}

VariableName variable_of(const Fields& fields, const VariantLayout& layout) {
  return {.id = fields[layout.id],
          .chromosome = fields[layout.chromosome],
          .position = fields[layout.position],
          .counted = fields[layout.counted],
          .other = fields[layout.other]};
}

bool is_haploid(std::string_view chromosome) {
  const Ploidy ploidy = ploidy_of(chromosome);
  return ploidy == Ploidy::y || ploidy == Ploidy::haploid;
}

// Of a position: digits, and no more of them than plink2 takes; a minus sign before them leaves the variant out.
enum class Position : std::uint8_t { fine, negative, wrong };

Position look_at_position(std::string_view field) {
  constexpr std::uint64_t kMost = 2'147'483'646;
  const bool negative = field.starts_with('-');
  if (negative) field.remove_prefix(1);
  std::uint64_t value = 0;
  for (const char c : field) {
    if (c < '0' || c > '9' || value > kMost) return Position::wrong;
    value = 10 * value + static_cast<std::uint64_t>(c - '0');
  }
  if (field.empty() || value > kMost) return Position::wrong;
  return negative ? Position::negative : Position::fine;
}

Status wrong_position(const std::string& path, std::uint64_t line_number, std::string_view line, std::string_view field,
                      bool may_be_header) {
  const auto has = [&](const char* letters) { return field.find_first_of(letters) != std::string_view::npos; };
  const bool is_digit = field[0] >= '0' && field[0] <= '9';
  const char* advice = may_be_header && !is_digit ? "; a .bim has no header, remove the line"
                       : !is_digit                ? "; write 0 where it is unknown"
                       : has("eE") ? "; R writes 100000 so: options(scipen = 999) or format(x, scientific = FALSE)"
                       : has(",")  ? "; write it without commas"
                       : has(".")  ? "; write it without a point (pandas: astype(int))"
                                   : "";
  const auto column = static_cast<std::uint64_t>(field.data() - line.data()) + 1;
  return Status::input(at(path, line_number, column) + "position " + in_quotes(field) +
                       ", expected base pairs, a whole number up to 2147483646" + advice);
}

// Lines of one chromosome follow each other: its name is looked at once.
class HaploidCount {
 public:
  void look(std::string_view chromosome) {
    if (chromosome != last_) is_haploid_ = is_haploid(last_ = chromosome);
    count_ += is_haploid_ ? 1 : 0;
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  std::string_view last_{};
  bool is_haploid_ = false;
  std::uint64_t count_ = 0;
};

// Variants with several ALT alleles: how many, and the first.
struct Multiallelic {
  std::uint64_t count = 0, line = 0;
  std::string id;

  void look(const Fields& fields, const VariantLayout& layout, std::uint64_t line_number) {
    if (fields[layout.counted].find(',') == std::string_view::npos) return;
    if (count++ > 0) return;
    line = line_number;
    id = std::string(fields[layout.id]);
  }
  [[nodiscard]] Status refuse(const std::string& path) const {
    if (count == 0) return {};
    return Status::input(at(path, line, 1) + std::to_string(count) +
                         " variants have several ALT alleles, the first is " + in_quotes(id) +
                         "; expected one each: plink2 --pfile P --max-alleles 2 --make-pgen --out Q leaves them out, "
                         "bcftools norm -m splits them");
  }
};

// The columns that a #CHROM line names.
Result<VariantLayout> read_pvar_header(std::string_view line, const std::string& path, std::uint64_t number) {
  Fields names;
  VariantLayout layout;
  layout.fields = split(line, names);
  layout.more_fields = true;
  layout.lines_before = number;
  const auto find = [&](std::string_view name, std::size_t& field) -> Status {
    for (std::size_t k = 0; k < std::min(layout.fields, kFieldsMax); ++k) {
      if (names[k] == "FORMAT") break;  // of a VCF: samples follow
      if (names[k] != name) continue;
      field = k;
      return {};
    }
    return Status::input(at(path, number, 1) + "no column " + std::string(name) +
                         " in the header, expected #CHROM, POS, ID, REF and ALT");
  };
  if (Status found = find("#CHROM", layout.chromosome); !found.ok()) return found;
  if (Status found = find("POS", layout.position); !found.ok()) return found;
  if (Status found = find("ID", layout.id); !found.ok()) return found;
  if (Status found = find("REF", layout.other); !found.ok()) return found;
  if (Status found = find("ALT", layout.counted); !found.ok()) return found;
  return layout;
}

}  // namespace

Status check_bed(std::string_view bytes, std::uint64_t samples, std::uint64_t variants, const std::string& path) {
  if (bytes.size() < kBedHeader) {
    return Status::input(path + ": " + std::to_string(bytes.size()) + " bytes, expected a .bed (starts with 6c 1b 01)");
  }
  if (bytes[0] != '\x6c' || bytes[1] != '\x1b') {
    return Status::input(path +
                         ": does not start with 6c 1b, expected a PLINK 1 .bed (not compressed, not a text file)");
  }
  if (bytes[2] != '\x01') {
    return Status::input(path +
                         ": third byte is not 01: genotypes are stored sample by sample, expected variant by "
                         "variant; rewrite with plink --make-bed");
  }
  const std::uint64_t stride = bed_stride(samples);
  const std::uint64_t found = bytes.size() - kBedHeader;
  if (variants != found / stride || found % stride != 0) {
    return Status::input(path + ": " + std::to_string(bytes.size()) + " bytes, expected 3 + " +
                         std::to_string(variants) + " x " + std::to_string(stride) + " for " +
                         std::to_string(variants) + " variants (.bim) of " + std::to_string(samples) +
                         " samples (.fam): cut off, or not the files that belong together");
  }
  return {};
}

Result<Bim> Bim::parse_lines(std::string_view text, const std::string& path, const VariantLayout& layout,
                             const std::function<void(std::uint64_t)>& done) {
  Bim out;
  out.text_ = text;
  out.layout_ = layout;
  LineReader lines = LineReader::of_file(text);
  std::string_view line;
  while (lines.number() < layout.lines_before) lines.next(line);
  std::uint64_t reported = 0;
  std::uint64_t start = lines.position();
  bool ended = false;
  Multiallelic multiallelic;
  HaploidCount haploid;
  for (; lines.next(line); start = lines.position()) {
    Fields fields;
    const std::uint64_t count = split(line, fields);
    if (Status status = expect_no_zero(path, lines.number(), line); !status.ok()) return status;
    ended = ended || count == 0;
    if (ended && count == 0) continue;
    const bool fits = layout.more_fields ? count >= layout.fields : count == layout.fields;
    if (!fits || ended) {
      return wrong_fields(path, ended ? lines.number() - 1 : lines.number(), ended ? 0 : count, layout);
    }
    if (layout.more_fields) multiallelic.look(fields, layout, lines.number());
    const std::string_view position = fields[layout.position];
    if (const Position found = look_at_position(position); found != Position::fine) {
      if (found == Position::wrong) {
        return wrong_position(path, lines.number(), line, position, layout.lines_before == 0 && out.size_ == 0);
      }
      out.negative_.push_back(out.size_);
    }
    if (out.size_ % kLinesPerMark == 0) out.offsets_.push_back(start);
    ++out.size_;
    haploid.look(fields[layout.chromosome]);
    if (done && lines.position() - reported >= kReportBytes) done(reported = lines.position());
  }
  out.haploid_ = haploid.count();
  if (out.size_ == 0) return Status::input(path + ": lists no variants, expected one a line");
  if (out.size_ > kRowsMax) return Status::input(path + ": more variants than 32 bits can count");
  if (Status single = multiallelic.refuse(path); !single.ok()) return single;
  if (done) done(text.size());
  return out;
}

Result<Bim> Bim::parse(std::string_view text, const std::string& path, const std::function<void(std::uint64_t)>& done) {
  return parse_lines(text, path, VariantLayout{}, done);
}

Result<Bim> Bim::parse_pvar(std::string_view text, const std::string& path,
                            const std::function<void(std::uint64_t)>& done) {
  LineReader lines = LineReader::of_file(text);
  std::string_view line;
  std::string_view header;
  std::uint64_t number = 0;
  bool any = false;
  while ((any = lines.next(line)) && line.starts_with('#')) {
    header = line;
    number = lines.number();
  }
  if (number != 0) {
    if (!header.starts_with("#CHROM")) {
      return Status::input(at(path, number, 1) + "the last line of the header starts with " +
                           in_quotes(header.substr(0, header.find_first_of(" \t"))) + ", expected #CHROM");
    }
    const auto found = read_pvar_header(header, path, number);
    return found.ok() ? parse_lines(text, path, found.value(), done) : Result<Bim>(found.status());
  }
  VariantLayout layout;
  layout.more_fields = true;
  Fields fields;
  if (any && split(line, fields) == 5) {  // without centimorgans
    layout.position = 2;
    layout.counted = 3;
    layout.other = 4;
    layout.fields = 5;
  }
  return parse_lines(text, path, layout, done);
}

VariableName Bim::operator[](std::uint64_t j) const {
  STRADS_CHECK(j < size_, "callers ask for variants of this file");
  LineReader lines(text_.substr(offsets_[j / kLinesPerMark]));
  std::string_view line;
  for (std::uint64_t k = 0; k <= j % kLinesPerMark; ++k) lines.next(line);
  Fields fields;
  split(line, fields);
  return variable_of(fields, layout_);
}

void Bim::for_each(const std::function<void(std::uint64_t, const VariableName&)>& visit) const {
  LineReader lines = LineReader::of_file(text_);
  std::string_view line;
  while (lines.number() < layout_.lines_before) lines.next(line);
  for (std::uint64_t j = 0; j < size_; ++j) {
    lines.next(line);
    Fields fields;
    split(line, fields);
    visit(j, variable_of(fields, layout_));
  }
}

}  // namespace strads::data
