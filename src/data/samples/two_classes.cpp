#include "data/samples/two_classes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "data/samples/classes.hpp"
#include "data/text/text.hpp"

namespace strads::data {

namespace {

const double kNoClass = std::numeric_limits<double>::quiet_NaN();

char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// One of the values that a response has, with its first row.
struct Seen {
  double value = 0;
  std::uint64_t row = 0;
  std::uint64_t count = 0;
};

// Codes one response; the members are what its messages need.
class Coder {
 public:
  Coder(const Response& wanted, const ResponseOrigin& origin, std::span<const std::uint8_t> kept, RowValues& response)
      : wanted_(wanted), origin_(origin), kept_(kept), response_(response) {}

  Result<TwoClasses> run() {
    read_words_as_numbers(kept_, response_);
    const bool given = !wanted_.classes[0].empty();
    if (Status status = given ? find_given_values() : find_values(); !status.ok()) return status;
    TwoClasses out;
    if (seen_.empty()) return out;
    for (std::size_t k = 0; k < 2; ++k) {
      out.names[k] = given ? wanted_.classes[k] : text_of(seen_[k].value);
      out.samples[k] = seen_[k].count;
    }
    for (std::uint64_t i = 0; i < kept_.size(); ++i) {
      if (takes_part(i)) response_.values[i] = response_.values[i] == seen_[1].value ? 1 : 0;
    }
    return out;
  }

 private:
  [[nodiscard]] bool takes_part(std::uint64_t i) const { return kept_[i] != 0 && !std::isnan(response_.values[i]); }
  [[nodiscard]] bool has_words() const { return !response_.words.empty(); }
  [[nodiscard]] std::string text_of(double value) const {
    return has_words() ? response_.words[static_cast<std::size_t>(value)] : short_number(value + 0.0);  // no -0
  }
  [[nodiscard]] std::string shown(double value) const {
    return has_words() ? in_quotes(text_of(value)) : text_of(value);
  }
  [[nodiscard]] std::string named() const { return origin_.path + ": response " + in_quotes(response_.name); }
  [[nodiscard]] Status refuse(std::uint64_t row, const std::string& expected) const {
    return Status::input(named() + " of " + name_or_row(origin_.x, row) + " is " + shown(response_.values[row]) +
                         ", expected " + expected);
  }

  [[nodiscard]] bool only_zero_and_one() const { return response_.plink && wanted_.zero_is_control; }
  [[nodiscard]] std::string codes() const {
    return only_zero_and_one() ? "0 (control) or 1 (case), since --1 is given"
                               : "0 and 1, -1 and 1, 1 and 2 (1 control, 2 case) or two words";
  }
  [[nodiscard]] bool is_code(double value) const {
    if (only_zero_and_one()) return value == 0 || value == 1;
    return value == -1 || value == 0 || value == 1 || value == 2;
  }

  // Those of the rows, the lower one first.
  Status find_values() {
    for (std::uint64_t i = 0; i < kept_.size(); ++i) {
      if (!takes_part(i)) continue;
      const double value = response_.values[i];
      const auto found = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& one) { return one.value == value; });
      if (found != seen_.end()) {
        ++found->count;
        continue;
      }
      if (Status fits = expect_class(i); !fits.ok()) return fits;
      seen_.push_back({value, i, 1});
    }
    if (seen_.empty()) return {};
    if (seen_.size() == 1) return one_alone();
    const bool ordered =
        has_words() ? sorts_before(text_of(seen_[0].value), text_of(seen_[1].value)) : seen_[0].value < seen_[1].value;
    if (!ordered) std::swap(seen_[0], seen_[1]);
    return expect_pair();
  }

  // What the row has is not among `seen_`: may it be another class?
  [[nodiscard]] Status expect_class(std::uint64_t row) const {
    const double value = response_.values[row];
    if (has_words() && is_number(text_of(value))) {
      return refuse(row, "a word as others have it, or numbers alone (a missing class is written NA)");
    }
    if (!has_words() && !is_code(value)) {
      return refuse(row,
                    codes() + " (a missing class is written NA); recode it, or fit a number with --family gaussian");
    }
    if (seen_.size() < 2) return {};
    return Status::input(named() + " has a third class: " + name_or_row(origin_.x, row) + " is " + shown(value) +
                         ", others are " + shown(seen_[0].value) + " and " + shown(seen_[1].value) +
                         "; expected two (a missing class is written NA): recode it, or leave the samples of one out");
  }

  [[nodiscard]] Status expect_pair() const {
    const double low = seen_[0].value, high = seen_[1].value;
    if (has_words() || high - low == (low == -1 ? 2 : 1)) return {};
    const Seen& later = seen_[0].row > seen_[1].row ? seen_[0] : seen_[1];
    const Seen& first = seen_[0].row > seen_[1].row ? seen_[1] : seen_[0];
    return refuse(later.row, codes() + ", and " + shown(first.value) +
                                 " is there too: which of them is a case is not known; recode it as 0 and 1");
  }

  [[nodiscard]] Status one_alone() const {
    const std::uint64_t count = seen_[0].count;
    return Status::input(named() + ": " +
                         (count == 1 ? "the one sample is " : "all " + std::to_string(count) + " samples are ") +
                         "of class " + shown(seen_[0].value) + ", expected samples of two classes: " + codes());
  }

  // Those that wanted.classes names, each with its rows.
  Status find_given_values() {
    for (const std::string& name : wanted_.classes) seen_.push_back({value_called(name), 0, 0});
    for (std::uint64_t i = 0; i < kept_.size(); ++i) {
      if (!takes_part(i)) continue;
      const double value = response_.values[i];
      if (value != seen_[0].value && value != seen_[1].value) {
        return refuse(i, in_quotes(wanted_.classes[0]) + " or " + in_quotes(wanted_.classes[1]) +
                             ", the classes of the model (a missing class is written NA)");
      }
      ++(value == seen_[0].value ? seen_[0] : seen_[1]).count;
    }
    return {};
  }

  // NaN where no row has it.
  [[nodiscard]] double value_called(const std::string& name) const {
    double value = kNoClass;
    if (!has_words()) return parse_number(name, value) == Number::value ? value : kNoClass;
    const auto found = std::find(response_.words.begin(), response_.words.end(), name);
    return found == response_.words.end() ? kNoClass : static_cast<double>(found - response_.words.begin());
  }

  const Response& wanted_;
  const ResponseOrigin& origin_;
  std::span<const std::uint8_t> kept_;
  RowValues& response_;
  std::vector<Seen> seen_;
};

std::string count_of(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

}  // namespace

bool sorts_before(const std::string& left, const std::string& right) {
  const auto compare = [](char a, char b) {
    return static_cast<unsigned char>(lower_case(a)) < static_cast<unsigned char>(lower_case(b));
  };
  if (std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(), compare)) return true;
  if (std::lexicographical_compare(right.begin(), right.end(), left.begin(), left.end(), compare)) return false;
  return left > right;
}

RowValues as_words(std::span<const std::string_view> fields, MinusNine minus_nine) {
  RowValues out;
  std::unordered_map<std::string_view, double> numbers;  // look-up only: its order never reaches a result
  for (const std::string_view field : fields) {
    double value = 0;
    const Number kind = parse_number(field, value);
    if (kind == Number::missing || (minus_nine == MinusNine::missing && kind == Number::value && value == -9)) {
      out.values.push_back(kNoClass);
      continue;
    }
    const auto [found, fresh] = numbers.emplace(field, static_cast<double>(out.words.size()));
    if (fresh) out.words.emplace_back(field);
    out.values.push_back(found->second);
  }
  return out;
}

Result<RowValues> column_values(const Table& table, std::size_t column, MinusNine minus_nine, bool words) {
  RowValues out;
  if (words) {
    STRADS_ASSIGN_OR_RETURN(const auto fields, table.texts(column));
    words = !std::all_of(fields.begin(), fields.end(), is_number);
    if (words) out = as_words(fields, minus_nine);
  }
  if (!words) {
    STRADS_ASSIGN_OR_RETURN(out.values, table.numbers(column, minus_nine));
  }
  out.name = table.header()[column];
  return out;
}

Result<TwoClasses> code_two_classes(const Response& wanted, const ResponseOrigin& origin,
                                    std::span<const std::uint8_t> kept, RowValues& response) {
  return Coder(wanted, origin, kept, response).run();
}

std::string modelled_class(const RowValues& response, const TwoClasses& classes, std::uint64_t zeros) {
  const auto& [low, high] = classes.names;
  std::string out = (response.plink ? "phenotype " : "response ") + in_quotes(response.name) + ": ";
  if (is_number(high)) {
    out += count_of(classes.samples[0], "control") + " (" + low + "), " + count_of(classes.samples[1], "case") + " (" +
           high + "); the probability of " + high + " is modelled";
  } else {
    out += std::to_string(classes.samples[0]) + ' ' + in_quotes(low) + ", " + std::to_string(classes.samples[1]) + ' ' +
           in_quotes(high) + "; the probability of " + in_quotes(high) + " is modelled";
  }
  return zeros == 0 ? out : out + "; 0 is missing: " + count_of(zeros, "sample");
}

}  // namespace strads::data
