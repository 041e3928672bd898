#include "data/genotypes/psam.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "data/formats/sparse_columns.hpp"
#include "data/samples/two_classes.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

using SampleFields = std::vector<std::string_view>;
constexpr std::size_t kNoField = static_cast<std::size_t>(-1);

// Which field of a line is what.
struct SampleLayout {
  std::size_t family = kNoField, individual = kNoField, father = kNoField, mother = kNoField, sex = kNoField;
  std::size_t phenotype = kNoField;
  std::size_t fields_min = 0, fields_max = kNoField;
  const char* expected = "";
};

constexpr const char* kFamFields = "family, id, father, mother, sex, phenotype";

Sex sex_of(std::string_view field) {
  if (field == "1" || field == "M" || field == "m") return Sex::male;
  return field == "2" || field == "F" || field == "f" ? Sex::female : Sex::unknown;
}

void split_fields(std::string_view line, SampleFields& fields) {
  fields.clear();
  WordReader words(line);
  for (std::string_view word; words.next(word);) fields.push_back(word);
}

// An id with a zero byte looks like another one wherever it is printed, and equals none.
Status expect_text(const std::string& path, std::uint64_t line_number, std::string_view line) {
  const std::size_t zero = line.find('\0');
  if (zero == std::string_view::npos) return {};
  return Status::input(at(path, line_number, zero + 1) + "a zero byte, expected text: the file is damaged or binary");
}

Status wrong_count(const std::string& path, std::uint64_t line, std::uint64_t count, const SampleLayout& layout) {
  return Status::input(at(path, line, 1) + std::to_string(count) + " fields, expected " +
                       (layout.fields_max == kNoField ? "at least " : "") + std::to_string(layout.fields_min) + " (" +
                       layout.expected + ")");
}

// A header without # would be taken for a sample, and the sizes of a .bed need not tell.
Status expect_no_header(const std::string& path, std::string_view line) {
  const std::string_view plain = line.substr(line.starts_with('#') ? 1 : 0);
  WordReader words(plain);
  std::string_view first, second;
  const bool any = words.next(first);
  words.next(second);
  if (!any || (first != "IID" && (first != "FID" || second != "IID"))) return {};
  return Status::input(at(path, 1, 1) + "a header, expected " +
                       (path.ends_with(".psam") ? "#FID IID or #IID at its start; put # before it"
                                                : "samples: a .fam has none; remove the line"));
}

// Collects the lines of either file.
class SampleReader {
 public:
  SampleReader(SampleLayout layout, Column6 wanted, const std::string& path)
      : layout_(layout), wanted_(layout.phenotype == kNoField ? Column6::ignored : wanted) {
    out_.ids.path = path;
  }

  Status read(LineReader& lines, std::string_view line) {
    const std::string& path = out_.ids.path;
    if (Status status = expect_text(path, lines.number(), line); !status.ok()) return status;
    split_fields(line, fields_);
    const std::size_t count = fields_.size();
    ended_ = ended_ || count == 0;
    if (ended_ && count == 0) return {};
    if (ended_) return wrong_count(path, lines.number() - 1, 0, layout_);
    if (count < layout_.fields_min || count > layout_.fields_max) {
      return wrong_count(path, lines.number(), count, layout_);
    }
    if (layout_.family != kNoField) out_.ids.family.push_back(fields_[layout_.family]);
    out_.ids.individual.push_back(fields_[layout_.individual]);
    Pedigree& pedigree = out_.ids.pedigree;
    pedigree.sex.push_back(layout_.sex == kNoField ? Sex::unknown : sex_of(fields_[layout_.sex]));
    const bool known = names_parent(layout_.father) || names_parent(layout_.mother);
    pedigree.founder.push_back(known ? 0 : 1);
    return wanted_ == Column6::ignored ? Status{} : read_phenotype(lines, line);
  }

  Result<SampleTable> finish(std::string name) {
    const std::string& path = out_.ids.path;
    if (out_.ids.individual.empty()) return Status::input(path + ": lists no samples, expected one a line");
    if (out_.ids.individual.size() > kRowsMax) return Status::input(path + ": more samples than 32 bits can count");
    if (has_words_) out_.phenotype = as_words(words_, MinusNine::missing);
    out_.phenotype.name = std::move(name);
    out_.phenotype.always_there = true;
    out_.phenotype.plink = true;
    return std::move(out_);
  }

  [[nodiscard]] SampleTable& table() noexcept { return out_; }

 private:
  [[nodiscard]] bool names_parent(std::size_t field) const { return field != kNoField && fields_[field] != "0"; }

  Status read_phenotype(const LineReader& lines, std::string_view line) {
    std::string_view field = fields_[layout_.phenotype];
    if (field == "NONE") field = "NA";  // plink2's word for a missing category
    double value = 0;
    const Number kind = parse_number(field, value);
    if (kind == Number::not_finite || (kind == Number::text && wanted_ == Column6::number)) {
      const auto column = static_cast<std::uint64_t>(field.data() - line.data()) + 1;
      return Status::input(at(out_.ids.path, lines.number(), column) + "phenotype is " + not_a_number(kind, field));
    }
    out_.phenotype.values.push_back(value == -9 ? std::nan("") : value);
    has_words_ = has_words_ || kind == Number::text;
    if (wanted_ == Column6::number_or_word) words_.push_back(field);
    return {};
  }

  SampleLayout layout_;
  Column6 wanted_;
  SampleTable out_;
  SampleFields fields_;
  std::vector<std::string_view> words_;  // where it may be words
  bool has_words_ = false;
  bool ended_ = false;  // an empty line was seen: only empty ones may follow
};

// A header of a .psam: the layout, with the phenotype that is asked for.
Result<SampleLayout> read_header(const SampleFields& header, const std::string& path, std::uint64_t line,
                                 const std::string& wanted, std::vector<std::string>& phenotypes) {
  SampleLayout layout;
  layout.fields_min = header.size();
  layout.expected = "as many as the header names";
  for (std::size_t k = 0; k < header.size(); ++k) {
    const std::string_view name = k == 0 ? header[k].substr(1) : header[k];
    if (std::find(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(k), name) !=
        header.begin() + static_cast<std::ptrdiff_t>(k)) {
      return Status::input(at(path, line, 1) + "column " + in_quotes(name) + " twice, expected every name once");
    }
    if (name == "FID" && k == 0) {
      layout.family = k;
    } else if (name == "IID") {
      layout.individual = k;
    } else if (name == "PAT") {
      layout.father = k;
    } else if (name == "MAT") {
      layout.mother = k;
    } else if (name == "SEX") {
      layout.sex = k;
    } else if (name != "SID") {
      phenotypes.emplace_back(name);
      if (layout.phenotype == kNoField && (wanted.empty() || wanted == name)) layout.phenotype = k;
    }
  }
  if (layout.individual == kNoField) {
    return Status::input(at(path, line, 1) + "no column IID, expected #FID IID or #IID at the start of the header");
  }
  return layout;
}

SampleLayout fam_layout(std::size_t fields, bool exactly) {
  SampleLayout layout{.family = 0, .individual = 1, .father = 2, .mother = 3, .sex = 4};
  layout.expected = kFamFields;
  layout.fields_min = exactly || fields >= 6 ? 6 : 5;
  if (exactly) layout.fields_max = 6;
  if (layout.fields_min == 6) layout.phenotype = 5;
  return layout;
}

Status no_phenotype(const std::string& path, const std::string& wanted, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return Status::usage("--pheno-name " + wanted + ": no such column in " + path + ", which has " +
                       (list.empty() ? "no phenotypes" : list) + "; --pheno FILE names another table");
}

}  // namespace

Result<SampleTable> parse_fam(std::string_view text, const std::string& path, Column6 wanted) {
  SampleReader reader(fam_layout(6, true), wanted, path);
  LineReader lines = LineReader::of_file(text);
  for (std::string_view line; lines.next(line);) {
    if (lines.number() == 1) {
      if (Status samples = expect_no_header(path, line); !samples.ok()) return samples;
    }
    if (Status status = reader.read(lines, line); !status.ok()) return status;
  }
  reader.table().phenotypes = {"phenotype"};
  return reader.finish("phenotype");
}

Result<SampleTable> parse_psam(std::string_view text, const std::string& path, const std::string& phenotype,
                               Column6 wanted) {
  LineReader lines = LineReader::of_file(text);
  SampleFields header, first;
  std::uint64_t header_line = 0;
  std::string_view line;
  bool any = false;
  while ((any = lines.next(line)) && line.starts_with('#')) {
    if (!line.starts_with("#FID") && !line.starts_with("#IID")) continue;
    if (Status status = expect_text(path, lines.number(), line); !status.ok()) return status;
    split_fields(line, header);
    header_line = lines.number();
  }
  if (header_line == 0 && lines.number() > (any ? 1U : 0U)) {
    return Status::input(at(path, 1, 1) + "no header line starts with #FID or #IID, expected the last one to");
  }
  std::vector<std::string> names;
  auto layout = Result<SampleLayout>(SampleLayout{});
  if (header_line != 0) {
    layout = read_header(header, path, header_line, phenotype, names);
    if (!layout.ok()) return layout.status();
  } else {
    if (Status samples = expect_no_header(path, any ? line : std::string_view()); !samples.ok()) return samples;
    split_fields(any ? line : std::string_view(), first);
    layout = fam_layout(first.size(), false);
    if (layout.value().phenotype != kNoField) names = {"PHENO1"};
    if (!phenotype.empty() && phenotype != "PHENO1") layout.value().phenotype = kNoField;
  }
  const std::size_t found = layout.value().phenotype;
  if (found == kNoField && !phenotype.empty() && wanted != Column6::ignored) {
    return no_phenotype(path, phenotype, names);
  }
  SampleReader reader(layout.value(), wanted, path);
  for (; any; any = lines.next(line)) {
    if (Status status = reader.read(lines, line); !status.ok()) return status;
  }
  std::string name = phenotype;
  if (name.empty() && !names.empty()) name = names.front();
  reader.table().phenotypes = std::move(names);
  return reader.finish(std::move(name));
}

}  // namespace strads::data
