#include "data/ratings/ratings_columns.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "data/formats/matrix_market.hpp"
#include "data/ratings/ratings_names.hpp"
#include "data/ratings/ratings_records.hpp"
#include "data/text/text.hpp"
#include "strads/base/listed.hpp"

namespace strads::data {
namespace {

constexpr std::size_t kUser = 0, kItem = 1, kRating = 2;
constexpr const char* kRoles[] = {"user", "item", "rating"};
constexpr ColumnKind kColumnKinds[] = {ColumnKind::user, ColumnKind::item, ColumnKind::rating};
/// So many records are looked at.
constexpr std::size_t kSample = 100;

Status said(const std::string& path, const TextPlace& place, const std::string& what) {
  return Status::input(at(path, place.line, place.column) + what);
}

// --- the start of a text ---

/// Of --columns: something besides numbers.
bool is_by_names(std::string_view spec) {
  while (!spec.empty()) {
    const auto end = std::min(spec.find(','), spec.size());
    if (!is_number(trimmed(spec.substr(0, end)))) return true;
    spec.remove_prefix(std::min(end + 1, spec.size()));
  }
  return false;
}

bool is_product_code(std::string_view id) {
  return std::all_of(id.begin(), id.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); });
}

bool reads_as_rating(std::string_view field) {
  float value = 0;
  return read_rating(field, value).empty();
}

/// Looks at the first lines of one text.
class StartReader {
 public:
  StartReader(const InputFile& source, const WantedFields& wanted, bool has_quotes)
      : source_(source), text_(source.bytes()), path_(source.path()), wanted_(wanted), has_quotes_(has_quotes) {}

  Result<TextReading> run() {
    if (Status found = find_first_line(); !found.ok()) return found;
    read_sample();
    bool may_have_quotes = is_quotable(separator());
    if (reading_.quotes && sample_.front().size() < wanted_.fields && error_.empty()) {
      may_have_quotes = reading_.quotes = false;  // they enclose so much that a field is missing
      read_sample();
    }
    if ((sample_.front().size() < wanted_.fields && error_.empty()) || has_marks_for_fields()) return too_few();
    const bool has_more = std::any_of(sample_.begin(), sample_.end(),
                                      [this](const auto& record) { return record.size() > wanted_.fields; });
    if (may_have_quotes && !reading_.quotes && separator() != Separator::blanks && has_more && finds_quote(source_)) {
      reading_.quotes = true;
      read_sample();
    }
    find_header();
    if (Status chosen = choose(); !chosen.ok()) return chosen;
    finish();
    return std::move(reading_);
  }

  static bool finds_quote(const InputFile& source) {
    constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
    const std::string_view text = source.bytes();
    for (std::uint64_t begin = 0; begin < text.size(); begin += kPiece) {
      const std::uint64_t size = std::min<std::uint64_t>(kPiece, text.size() - begin);
      const bool found = std::memchr(text.data() + begin, '"', size) != nullptr;
      if (source.mapped()) source.mapping()->release(begin, begin + size);
      if (found) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] Separator separator() const { return reading_.layout.separator; }
  [[nodiscard]] bool is_triplets() const { return wanted_.fields == 3; }

  /// Behind empty lines, comments and Excel's line sep=; comes what the separator is found in.
  Status find_first_line() {
    const std::size_t mark = byte_order_mark(text_);
    LineReader lines(text_.substr(mark));
    std::string_view line;
    std::optional<char> said_separator;
    for (std::uint64_t before = 0; lines.next(line); before = lines.position()) {
      if (trimmed(line).empty()) continue;
      if (line.size() == 5 && line.starts_with("sep=")) {
        said_separator = line[4];
        continue;
      }
      // `#user,item` is a header that something has marked as no data; `#metoo,x` is data.
      if (is_comment(line) || (line[0] == '#' && names_pairs(line.substr(1)))) {
        comment_ = line;
        comment_line_ = lines.number();
        continue;
      }
      begin_ = mark + before;
      first_line_ = lines.number();
      reading_.layout.separator = find_separator(line, static_cast<int>(wanted_.fields));
      if (said_separator == ';') reading_.layout.separator = Separator::semicolon;
      if (said_separator == ',') reading_.layout.separator = Separator::comma;
      const bool opens = separator() == Separator::blanks
                             ? trimmed(line).front() == '"' || line.find(" \"") != std::string_view::npos
                             : line.find('"') != std::string_view::npos;
      reading_.quotes = is_quotable(separator()) && (has_quotes_ || opens);
      first_line_text_ = line;
      return {};
    }
    return Status::input(path_ + ": is empty, expected a line with " +
                         (is_triplets() ? "user, item and rating for each rating" : "user, item for each pair"));
  }

  static bool names_pairs(std::string_view line) {
    const LineFields fields = split_line(line, find_separator(line, 2));
    return fields.count >= 2 && meaning_of(fields.field[0]).kind == ColumnKind::user &&
           meaning_of(fields.field[1]).kind == ColumnKind::item;
  }

  void read_sample() {
    records_.emplace(text_.substr(begin_), separator(), reading_.quotes, first_line_);
    sample_.clear();
    places_.clear();
    ends_.clear();
    while (sample_.size() < kSample && records_->next()) {
      if (records_->fields().empty()) continue;
      // Unescaped fields go with the record; where they are is what matters here.
      sample_.push_back(records_->fields());
      places_.push_back({records_->number(), 1});
      ends_.push_back(begin_ + records_->end_offset());
      if (sample_.size() == 1) first_names_.assign(sample_[0].begin(), sample_[0].end());
      for (std::string_view& field : sample_.back()) {
        if (!records_->lies_in_text(field)) field = "?";
      }
    }
    error_ = records_->error();
    if (sample_.empty()) sample_.emplace_back();
    if (!first_names_.empty()) sample_[0].assign(first_names_.begin(), first_names_.end());
  }

  [[nodiscard]] Status too_few() const {
    const std::string other = other_separator(first_line_text_, wanted_.fields);
    // Two fields are what a file of clicks has.
    const bool pairs =
        wanted_.fields == 3 && split_line(first_line_text_, find_separator(first_line_text_, 2)).count == 2;
    return said(path_, {first_line_, 1},
                "too few fields, expected " + wanted_text(wanted_.fields) +
                    " separated by commas, tabs, semicolons, blanks or ::" + (other.empty() ? "" : "; " + other) +
                    (pairs ? "; pairs that users chose, without ratings, are fitted with --feedback implicit" : ""));
  }

  /// u1 | i1 | 3: the marks would be fields.
  [[nodiscard]] bool has_marks_for_fields() const {
    if (separator() != Separator::blanks) return false;
    const auto is_mark = [](std::string_view field) { return field == "|" || field == "||"; };
    const RecordFields& first = sample_.front();
    return static_cast<std::size_t>(std::count_if(first.begin(), first.end(), is_mark)) + 1 >= wanted_.fields;
  }

  /// The first record, or the last comment, when it names columns.
  void find_header() {
    const RecordFields& first = sample_.front();
    if (names_columns(first)) {
      header_ = RatingsHeader{first, places_.empty() ? TextPlace{first_line_, 1} : places_.front()};
      has_header_record_ = true;
      return;
    }
    if (comment_.empty()) return;
    std::string_view line = comment_;
    line.remove_prefix(std::min(line.find_first_not_of("#% \t"), line.size()));
    RecordReader names(line, separator(), false);
    if (!names.next() || names.fields().size() != first.size() || count_roles(names.fields()) < 2) return;
    header_ = RatingsHeader{names.fields(), {comment_line_, 1}};
  }

  static std::size_t count_roles(const RecordFields& record) {
    bool found[3] = {};
    for (const std::string_view field : record) {
      for (std::size_t role = 0; role < 3; ++role) found[role] |= meaning_of(field).kind == kColumnKinds[role];
    }
    return static_cast<std::size_t>(std::count(std::begin(found), std::end(found), true));
  }

  /// Ratings: a third field that is no number, or words that name two of the three. Pairs: names of both sides or of
  /// an id; or a third field that is text, and a number below it; or words, and numbers below one of them.
  [[nodiscard]] bool names_columns(const RecordFields& record) const {
    const bool words = std::none_of(record.begin(), record.end(),
                                    [](std::string_view field) { return !field.empty() && is_number(field); });
    const bool third_is_text = record.size() > kRating && !is_number(record[kRating]);
    if (is_triplets())
      return (third_is_text && record.size() > kRating && !reads_as_rating(record[kRating])) ||
             (words && count_roles(record) >= 2);
    if (!words) return false;
    const auto side_of = [](std::string_view field, ColumnKind side, bool id) {
      const ColumnMeaning meaning = meaning_of(field);
      return meaning.kind == side && (meaning.is_id || !id);
    };
    const auto names = [&](ColumnKind side, bool id) {
      return std::any_of(record.begin(), record.end(), [&](auto field) { return side_of(field, side, id); });
    };
    if (names(ColumnKind::user, false) && names(ColumnKind::item, false)) return true;
    if (names(ColumnKind::user, true) || names(ColumnKind::item, true)) return true;
    if (third_is_text && sample_.size() > 1 && sample_[1].size() > kRating && !sample_[1][kRating].empty() &&
        is_number(sample_[1][kRating])) {
      return true;
    }
    const bool by_numbers = !wanted_.columns.empty() && !is_by_names(wanted_.columns);
    return !by_numbers && (are_numbers_below(kUser) || are_numbers_below(kItem));
  }

  /// On two lines at least, under a first one that has words.
  [[nodiscard]] bool are_numbers_below(std::size_t column) const {
    constexpr std::size_t kLeast = 3;
    return sample_.size() >= kLeast && std::all_of(sample_.begin() + 1, sample_.end(), [&](const RecordFields& record) {
             return record.size() > column && !record[column].empty() && is_number(record[column]);
           });
  }

  Status choose() {
    const std::size_t count = std::max(sample_.front().size(), sample_.size() > 1 ? sample_[1].size() : 0);
    if (!wanted_.columns.empty()) return choose(wanted_.columns, wanted_.fields, count);
    if (has_header_record_) {
      if (Status shifted = add_row_names(*header_); !shifted.ok()) return shifted;
    }
    const std::string& of_fit = wanted_.columns_of_fit;
    if (!of_fit.empty() && !is_number(of_fit.substr(0, of_fit.find(',')))) {
      if (choose(of_fit, 2, count).ok()) return {};
    }
    std::optional<Result<HeaderMeaning>> known;
    if (header_) known = columns_of(*header_, wanted_.fields, path_);
    const bool plainly = known && known->ok() && known->value().assumed.empty();
    if (plainly || (known && of_fit.empty())) return known->ok() ? follow(known->value()) : known->status();
    if (of_fit.empty()) return check_first_columns();
    return follow_fit(count);
  }

  /// Pairs without names for a fit with --columns: those, where the file looks like that of the fit.
  Status follow_fit(std::size_t count) {
    const std::string& of_fit = wanted_.columns_of_fit;
    if (!choose(of_fit, 3, count).ok() && !of_fit.starts_with("1,2,")) {
      return said(path_, {first_line_, 1},
                  "the model was fitted with --columns " + of_fit + ", and this file has no such columns; " +
                      columns_advice(wanted_.fields));
    }
    if (reading_.columns[0] != 0 || reading_.columns[1] != 1) {
      note_columns("as --columns " + of_fit + " of the fit says");
    }
    return {};
  }

  Status choose(const std::string& spec, std::size_t fields, std::size_t count) {
    auto header = header_;
    if (!header && !is_number(spec.substr(0, spec.find(',')))) {  // names: the first line must have them
      header = RatingsHeader{sample_.front(), {first_line_, 1}};
    }
    if (header && (!header_ || has_header_record_) && is_by_names(spec)) {
      if (Status shifted = add_row_names(*header); !shifted.ok()) return shifted;
    }
    STRADS_ASSIGN_OR_RETURN(reading_.columns, chosen_columns(spec, fields, header, count, path_));
    if (!header_ && header) has_header_record_ = true;
    // Where numbers say which column is the rating, a text there makes a header, not one in the third column.
    const bool by_names = !is_number(spec.substr(spec.rfind(',') + 1));
    const RecordFields& first = sample_.front();
    if (by_names || !is_triplets() || reading_.columns[kRating] >= first.size()) return {};
    has_header_record_ =
        !is_number(first[reading_.columns[kRating]]) && !reads_as_rating(first[reading_.columns[kRating]]);
    return {};
  }

  /// A header that has one name less than the lines have fields: R's row names, where the first column rises.
  Status add_row_names(RatingsHeader& header) const {
    if (sample_.size() < 2) return {};
    const RecordFields& second = sample_[1];
    if (second.size() != header.names.size() + 1 || second.back().empty()) return {};
    const std::size_t names = header.names.size();
    header.names.insert(header.names.begin(), "");
    std::uint64_t before = 0;
    bool rises = true;
    for (std::size_t k = 1; k < sample_.size(); ++k) {
      std::uint64_t number = 0;
      rises = rises && parse_count(sample_[k].empty() ? "" : sample_[k][0], number) && (k == 1 || number > before);
      before = number;
    }
    if (rises) return {};
    return said(path_, places_[1],
                "the line has " + std::to_string(second.size()) + " fields, the first line names " +
                    std::to_string(names) + "; if the first field is a row's name, give --columns " +
                    numbers_in(header));
  }

  /// Where user, item and rating are by the names of a header, as --columns has it.
  [[nodiscard]] std::string numbers_in(const RatingsHeader& header) const {
    RatingsColumns columns{1, 2, 3};
    if (const std::string& spec = wanted_.columns; !spec.empty()) {
      const auto chosen = chosen_columns(spec, wanted_.fields, header, header.names.size(), path_);
      if (chosen.ok()) columns = chosen.value();
    } else if (const auto known = columns_of(header, wanted_.fields, path_); known.ok()) {
      columns = known.value().columns;
    }
    std::string text;
    for (std::size_t role = 0; role < wanted_.fields; ++role) {
      text += (role == 0 ? "" : ",") + std::to_string(columns[role] + 1);
    }
    return text;
  }

  Status follow(const HeaderMeaning& known) {
    reading_.columns = known.columns;
    if (!is_triplets()) reading_.columns[kRating] = kRating;
    const bool moved =
        reading_.columns[0] != 0 || reading_.columns[1] != 1 || (is_triplets() && reading_.columns[kRating] != kRating);
    if (moved) note_columns("as the first line names them");
    std::vector<std::string> assumed = known.assumed;
    if (!is_triplets() && !assumed.empty() && known.columns[kRating] != HeaderMeaning::kNowhere) {
      std::erase_if(assumed, [](const std::string& text) { return text.ends_with("the rating"); });
    }
    if (assumed.empty()) return {};
    reading_.note += (reading_.note.empty() ? "" : "; ") +
                     std::string("the first line has names that are not known: ") + listed(assumed, " and ") +
                     " taken; --columns says otherwise";
    const bool rating_assumed = known.assumed.back().ends_with("the rating");
    return rating_assumed && is_triplets() ? check_no_times(1) : Status();
  }

  void note_columns(const std::string& why) {
    reading_.note = wanted_text(wanted_.fields) + " are columns ";
    std::vector<std::string> numbers;
    for (std::size_t role = 0; role < wanted_.fields; ++role) {
      numbers.push_back(std::to_string(reading_.columns[role] + 1));
    }
    reading_.note += listed(numbers, " and ") + ", " + why;
  }

  /// Without names: row numbers and times in the first columns are refused.
  Status check_first_columns() {
    if (Status times = check_no_times(0); !times.ok()) return times;
    const std::size_t fields = sample_.front().size();
    const bool third_is_text = fields > kRating && !reads_as_rating(sample_.front()[kRating]);
    if (fields < 4 && !(fields == 3 && !is_triplets() && third_is_text)) return {};
    if (first_column_counts()) {
      return said(path_, places_.front(),
                  "column 1 counts the lines; is it a row's number or the user? Say so: --columns " +
                      std::string(is_triplets() ? "2,3,4 or 1,2,3" : "2,3 or 1,2"));
    }
    if (all_of(0, looks_like_time) && !(fields > 3 && all_of(3, looks_like_time))) {
      return said(path_, places_.front(),
                  "column 1 looks like a time, not like a user; " + columns_advice(wanted_.fields));
    }
    const auto product = [](std::string_view id) { return id.size() == 10 && is_product_code(id) && id[0] != 'A'; };
    const auto reviewer = [](std::string_view id) { return id.size() > 10 && is_product_code(id) && id[0] == 'A'; };
    if (all_of(0, product) && all_of(1, reviewer)) {
      return said(path_, places_.front(),
                  "column 1 looks like products of Amazon and column 2 like their reviewers: give --columns " +
                      std::string(is_triplets() ? "2,1,3" : "2,1"));
    }
    return {};
  }

  template <class Test>
  [[nodiscard]] bool all_of(std::size_t column, Test test) const {
    constexpr std::size_t kLeast = 2;  // one line proves nothing
    return sample_.size() >= kLeast && std::all_of(sample_.begin(), sample_.end(), [&](const RecordFields& record) {
             return record.size() > column && test(record[column]);
           });
  }

  Status check_no_times(std::size_t from) const {
    std::size_t times = 0;
    for (std::size_t k = from; k < sample_.size(); ++k) {
      times += sample_[k].size() > reading_.columns[kRating] && looks_like_time(sample_[k][reading_.columns[kRating]]);
    }
    if (!is_triplets() || times < 2 || times + from != sample_.size()) return {};
    return said(path_, places_[from],
                "column " + std::to_string(reading_.columns[kRating] + 1) + " looks like a time, not like a rating; " +
                    columns_advice(wanted_.fields));
  }

  /// 0, 1, 2 or 1, 2, 3 on all of up to 10,000 lines, and on three at least.
  [[nodiscard]] bool first_column_counts() const {
    constexpr std::size_t kLeast = 3, kMost = 10000;
    RecordReader records(text_.substr(begin_), separator(), reading_.quotes);
    std::uint64_t first = 0, count = 0;
    while (count < kMost && records.next()) {
      if (records.fields().empty()) continue;
      std::uint64_t number = 0;
      if (!parse_count(records.fields()[0], number)) return false;
      if (count == 0) first = number;
      if (first > 1 || number != first + count) return false;
      ++count;
    }
    return count >= kLeast;
  }

  /// Where the data begin, and whether they can be read as they stand there.
  void finish() {
    reading_.has_header = has_header_record_ || header_;
    reading_.layout.begin = has_header_record_ ? ends_.front() : begin_;
    const RatingsColumns first{0, 1, 2};
    const bool first_fields = std::equal(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(wanted_.fields),
                                         reading_.columns.begin());
    reading_.as_it_is = !reading_.quotes && first_fields;
  }

  const InputFile& source_;
  std::string_view text_;
  const std::string& path_;
  const WantedFields& wanted_;
  bool has_quotes_;
  TextReading reading_;
  std::uint64_t begin_ = 0, first_line_ = 1;
  std::string_view first_line_text_;
  std::string_view comment_;  ///< the last one before the data
  std::uint64_t comment_line_ = 0;
  std::optional<RecordReader> records_;
  std::vector<RecordFields> sample_;
  std::vector<TextPlace> places_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::string> first_names_;
  std::string error_;
  std::optional<RatingsHeader> header_;
  bool has_header_record_ = false;  ///< it is the first record, not a comment
};

}  // namespace

bool may_be_quoted(const InputFile& source, const TextLayout& layout) {
  return !layout.market && is_quotable(layout.separator) && StartReader::finds_quote(source);
}

std::size_t fields_wanted(const InputFile& source, const std::string& columns, ThirdColumn third) {
  constexpr std::size_t kTriplet = 3, kPair = 2;
  if (third == ThirdColumn::needed || is_matrix_market(source.bytes())) return kTriplet;
  if (third == ThirdColumn::unread) {
    // Three columns may be named; then the third is read, and what it says is not used.
    return std::ranges::count(columns, ',') == 2 ? kTriplet : kPair;
  }
  if (!columns.empty()) return std::ranges::count(columns, ',') == 1 ? kPair : kTriplet;
  const auto reads = [&](std::size_t fields) { return find_reading(source, {.fields = fields}, false).ok(); };
  return !reads(kTriplet) && reads(kPair) ? kPair : kTriplet;
}

Result<TextReading> find_reading(const InputFile& source, const WantedFields& wanted, bool has_quotes) {
  if (!is_matrix_market(source.bytes())) return StartReader(source, wanted, has_quotes).run();
  STRADS_ASSIGN_OR_RETURN(auto layout, market_layout(source.bytes(), source.path()));
  TextReading reading;
  reading.layout = layout;
  return reading;
}

}  // namespace strads::data

namespace strads {

std::string_view role_of_column(std::string_view name) {
  switch (data::meaning_of(name).kind) {
    case data::ColumnKind::user:
      return data::kRoles[data::kUser];
    case data::ColumnKind::item:
      return data::kRoles[data::kItem];
    case data::ColumnKind::rating:
      return data::kRoles[data::kRating];
    case data::ColumnKind::time:
      return "time";
    case data::ColumnKind::index:
    case data::ColumnKind::unknown:
      break;
  }
  return "";
}

}  // namespace strads
