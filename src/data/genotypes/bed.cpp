#include "data/genotypes/bed.hpp"

#include <array>

#include "data/formats/sparse_columns.hpp"
#include "data/formats/text.hpp"

namespace strads::data {

namespace {

constexpr std::uint64_t kFields = 6;  // of a line
constexpr std::uint64_t kLinesPerMark = 16;

using Fields = std::array<std::string_view, kFields>;

// An id with a zero byte looks like another one wherever it is printed, and equals none.
Status expect_no_zero(const std::string& path, std::uint64_t line_number, std::string_view line) {
  const std::size_t zero = line.find('\0');
  if (zero == std::string_view::npos) return {};
  return Status::input(at(path, line_number, zero + 1) + "a zero byte, expected text: the file is damaged or binary");
}

// Number of blank-separated fields; the first six are kept.
std::uint64_t split(std::string_view line, Fields& fields) {
  WordReader words(line);
  std::uint64_t count = 0;
  for (std::string_view word; words.next(word); ++count) {
    if (count < kFields) fields[count] = word;
  }
  return count;
}

Status wrong_fields(const std::string& path, std::uint64_t line, std::uint64_t count, const char* expected) {
  return Status::input(at(path, line, 1) + std::to_string(count) + " fields, expected 6 (" + expected + ")");
}

VariableName variable_of(const Fields& fields) {
  return {.id = fields[1], .chromosome = fields[0], .position = fields[3], .counted = fields[4], .other = fields[5]};
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

Result<Bim> Bim::parse(std::string_view text, const std::string& path, const std::function<void(std::uint64_t)>& done) {
  Bim out;
  out.text_ = text;
  LineReader lines = LineReader::of_file(text);
  std::uint64_t reported = 0;
  std::uint64_t start = lines.position();
  bool ended = false;
  for (std::string_view line; lines.next(line); start = lines.position()) {
    Fields fields;
    const std::uint64_t count = split(line, fields);
    if (Status status = expect_no_zero(path, lines.number(), line); !status.ok()) return status;
    ended = ended || count == 0;
    if (ended && count == 0) continue;
    if (count != kFields || ended) {
      return wrong_fields(path, ended ? lines.number() - 1 : lines.number(), ended ? 0 : count,
                          "chromosome, id, cM, position, A1, A2");
    }
    if (out.size_ % kLinesPerMark == 0) out.offsets_.push_back(start);
    ++out.size_;
    if (done && lines.position() - reported >= kReportBytes) done(reported = lines.position());
  }
  if (out.size_ == 0) return Status::input(path + ": lists no variants, expected one a line");
  if (out.size_ > kRowsMax) return Status::input(path + ": more variants than 32 bits can count");
  if (done) done(text.size());
  return out;
}

VariableName Bim::operator[](std::uint64_t j) const {
  STRADS_CHECK(j < size_, "callers ask for variants of this file");
  LineReader lines(text_.substr(offsets_[j / kLinesPerMark]));
  std::string_view line;
  for (std::uint64_t k = 0; k <= j % kLinesPerMark; ++k) lines.next(line);
  Fields fields;
  split(line, fields);
  return variable_of(fields);
}

void Bim::for_each(const std::function<void(std::uint64_t, const VariableName&)>& visit) const {
  LineReader lines = LineReader::of_file(text_);
  std::string_view line;
  for (std::uint64_t j = 0; j < size_; ++j) {
    lines.next(line);
    Fields fields;
    split(line, fields);
    visit(j, variable_of(fields));
  }
}

}  // namespace strads::data
