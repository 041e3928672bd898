#include "data/sumstats/summary_row.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

#include "data/sumstats/student.hpp"
#include "data/text/text.hpp"

namespace strads::data {
namespace {

/// Two z of one row may differ by so much, since tables have few digits: 0.5 and a tenth.
constexpr double kZApart = 0.5;
constexpr double kZApartShare = 0.1;

bool is_no_value(std::string_view text) {
  return text == "#NA" || text == "." || text == "-";
}

/// log of a decimal number; of "3e-400", which no double can hold, as well. NaN: p is 0.
double log_of_decimal(std::string_view text, double value) {
  if (value > 0 && value >= std::numeric_limits<double>::min()) return std::log(value);
  const std::size_t e = text.find_first_of("eE");
  double mantissa = 0, exponent = 0;
  if (e == std::string_view::npos || parse_number(text.substr(0, e), mantissa) != Number::value || mantissa <= 0 ||
      parse_number(text.substr(e + 1), exponent) != Number::value) {
    return value > 0 ? std::log(value) : std::nan("");
  }
  return std::log(mantissa) + exponent * std::numbers::ln10;
}

/// Letters in capitals; the views stay valid until the next call for the same buffer.
std::string_view in_capitals(std::string_view letters, std::string& buffer) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  if (std::none_of(letters.begin(), letters.end(), is_small)) return letters;
  buffer.assign(letters);
  for (char& c : buffer) c = is_small(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return buffer;
}

bool differ(double used, double also) {
  return std::abs(used - also) > kZApart + kZApartShare * std::max(std::abs(used), std::abs(also));
}

double sign_of(double value) {
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/// The column behind what was expected, in front of what to do: "'0', expected a number above 0 in column 'se'; ...".
std::string with_column(std::string message, std::string_view column) {
  const std::size_t expected = message.find(", expected ");
  const std::size_t advice = expected == std::string::npos ? expected : message.find("; ", expected);
  const std::string place = " in column " + in_quotes(column);
  return advice == std::string::npos ? message + place : message.insert(advice, place);
}

}  // namespace

Status SummaryRowReader::read(std::uint64_t row, SummaryRow& out) {
  out = SummaryRow();
  reference_ = alternative_ = {};
  cases_ = controls_ = std::nan("");
  FieldReader fields = table_.row(row);
  std::size_t count = 0;
  const std::size_t expected = table_.header().size();
  for (std::string_view text; fields.next(text); ++count) {
    if (count >= expected || !columns_.fields[count]) continue;
    const Status taken = take(*columns_.fields[count], text, out);
    if (taken.ok()) continue;
    return Status::input(at(table_.path(), table_.line_number(row), fields.column()) +
                         with_column(taken.message(), table_.header()[count]));
  }
  if (count != expected || fields.broken_quotes()) return table_.ragged(row, count, fields);
  if (cases_ > 0 && controls_ > 0) {
    out.n = effective_people(cases_, controls_);
    out.n_is_effective = true;
  }
  if (out.n <= 2) {
    return Status::input(at(table_.path(), table_.line_number(row), 1) + "n is " + short_number(out.n) +
                         ", expected more than 2 people; write NA where it is unknown");
  }
  settle_alleles(out);
  return {};
}

void SummaryRowReader::settle_alleles(SummaryRow& out) {
  out.effect = in_capitals(out.effect, effect_);
  if (out.other.empty() && columns_.has(SummaryField::reference)) {
    out.other = alternative_ == out.effect ? reference_ : alternative_;
    if (alternative_.find(',') != std::string_view::npos && !out.unfit) out.unfit = SummaryReason::several_alleles;
  }
  out.other = in_capitals(out.other, other_);
}

Status SummaryRowReader::take(SummaryField field, std::string_view text, SummaryRow& out) {
  switch (field) {
    case SummaryField::chromosome:
      out.chromosome = text;
      return {};
    case SummaryField::position: {
      std::uint64_t position = 0;
      if (is_no_value(text) || same_word(text, "NA") || text.empty()) return {};
      if (!parse_count(text, position)) {
        return Status::input(in_quotes(text) + ", expected a position in base pairs (a whole number)");
      }
      out.position = text;
      return {};
    }
    case SummaryField::id:
      out.id = text;
      return {};
    case SummaryField::effect:
      out.effect = text;
      return {};
    case SummaryField::other:
      out.other = text;
      return {};
    case SummaryField::reference:
      reference_ = text;
      return {};
    case SummaryField::alternative:
      alternative_ = text;
      return {};
    case SummaryField::test:
      out.is_other_test = !same_word(text, "ADD") && !text.empty();
      return {};
    case SummaryField::error:
      if (!is_no_value(text) && !text.empty()) out.unfit = SummaryReason::no_result;
      return {};
    default:
      return take_number(field, text, out);
  }
}

Status SummaryRowReader::take_number(SummaryField field, std::string_view text, SummaryRow& out) {
  if (is_no_value(text)) return {};
  double value = 0;
  const Number kind = parse_number(text, value);
  if (kind == Number::missing) return {};
  if (kind != Number::value) return Status::input(not_a_number(kind, text));
  const auto wrong = [&](const char* expected) { return Status::input(in_quotes(text) + ", expected " + expected); };
  switch (field) {
    case SummaryField::beta:
      out.beta = value;
      return {};
    case SummaryField::odds:
      if (value <= 0) {
        return wrong("an odds ratio above 0; are these log odds? then they are beta: --sumstats-columns beta=...");
      }
      if (std::isnan(out.beta)) out.beta = std::log(value);
      return {};
    case SummaryField::se:
      if (value <= 0) return wrong("a standard error above 0; write NA where it is unknown");
      out.se = value;
      return {};
    case SummaryField::z:
      out.z = value;
      return {};
    case SummaryField::p:
      return take_p(text, value, out);
    case SummaryField::log_p:
      if (value < 0) return wrong("-log10 of a p value, a number >= 0; is it log10 of p? turn its sign");
      out.log_p = -value * std::numbers::ln10;
      return {};
    case SummaryField::frequency:
    case SummaryField::other_frequency:
      if (value < 0 || value > 1) return wrong("a frequency between 0 and 1; write NA where it is unknown");
      out.frequency = field == SummaryField::frequency ? value : 1 - value;
      return {};
    case SummaryField::n:
      out.n = value;
      return {};
    case SummaryField::cases:
      if (value < 0) return wrong("a number of cases");
      cases_ = value;
      return {};
    case SummaryField::controls:
      if (value < 0) return wrong("a number of controls");
      controls_ = value;
      return {};
    case SummaryField::info:
      out.info = value;
      return {};
    default:
      return {};
  }
}

Status SummaryRowReader::take_p(std::string_view text, double value, SummaryRow& out) {
  if (value < 0 || value > 1) {
    return Status::input(
        in_quotes(text) +
        ", expected a p value between 0 and 1; is it -log10 of p? then it is log10p: --sumstats-columns "
        "log10p=...");
  }
  const double log_p = log_of_decimal(text, value);
  if (!std::isnan(log_p)) {
    out.log_p = std::min(log_p, 0.0);
  } else if (std::isnan(out.log_p)) {
    out.log_p = -std::numeric_limits<double>::infinity();  // p = 0: correlation_of() says so where it is needed
  }
  return {};
}

Result<std::optional<RowCorrelation>> correlation_of(const SummaryRow& row, double n, const std::string& where) {
  const bool has_z = !std::isnan(row.z);
  const bool has_both = !std::isnan(row.beta) && !std::isnan(row.se);
  const bool has_p = !std::isnan(row.beta) && !std::isnan(row.log_p);
  if (!has_z && !has_both && !has_p) return std::optional<RowCorrelation>();
  RowCorrelation out;
  double z = 0;
  if (has_z) {
    z = row.z;
    if (has_both) out.disagrees = differ(z, row.beta / row.se);
  } else if (has_both) {
    out.source = SummarySource::beta_and_se;
    z = row.beta / row.se;
    out.no_effect = row.beta == 0;
  } else {
    out.source = SummarySource::p_and_sign;
    out.no_effect = row.beta == 0;
    if (std::isinf(row.log_p) && row.beta != 0) {
      return Status::input(where +
                           "p is 0, expected one above 0 where Z, or beta and standard error, are unknown: nobody "
                           "knows how small it was; take a table with standard errors or with -log10 p, or leave the "
                           "row out");
    }
    z = out.no_effect ? 0 : sign_of(row.beta) * student_quantile(row.log_p, n - 2);
  }
  if (out.source != SummarySource::p_and_sign && std::isfinite(row.log_p)) {
    out.disagrees = out.disagrees || differ(std::abs(z), normal_quantile(row.log_p));
  }
  if (!std::isfinite(z)) {
    return Status::input(where + "effect and standard error make a z of " + short_number(z) +
                         ", expected a finite number; leave the row out");
  }
  const double root = std::sqrt(n - 2 + z * z);
  out.r = std::isinf(root) ? sign_of(z) : z / root;
  return std::optional<RowCorrelation>(out);
}

}  // namespace strads::data
