// What one line of progress says, in fields that a narrow terminal drops from the least important one on.
// Layer: program. Programs (apps/*) see these services and nothing of Boost, spdlog or JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strads {

/// How far a run has come of what is known to be left: "lambda 37 of 100".
struct ProgressCount {
  std::string unit;         ///< "lambda", "fit", "sweep"
  std::uint64_t done = 0;   ///< that have ended
  std::uint64_t total = 0;  ///< 0: nobody knows
  bool at_most = false;     ///< it may end before: "sweep 8 of at most 200"
};

/// What a line keeps longest comes first; of the same kind, what stands further left. docs/OUTPUT.md says it to users.
enum class ProgressRank : std::uint8_t { seconds, count, quality, objective, left, figure, round, rate };

/// Seconds that are left where each unit takes about as long as those before: the mean of those that have ended. None
/// before there is something to go by: 3 units, a twentieth of all and 2 seconds.
[[nodiscard]] std::optional<double> seconds_left(double seconds, std::uint64_t done, std::uint64_t total);

class ProgressLine {
 public:
  struct Field {
    ProgressRank rank = ProgressRank::figure;
    std::string text;  ///< "objective 0.25"
    std::string name;  ///< in a log of JSON; "": a text alone
    double value = 0;
  };

  /// Every line begins with the seconds: "2.1 s".
  explicit ProgressLine(double seconds);

  /// "lambda 37 of 100"; without a total "sweep 8".
  ProgressLine& count(ProgressCount count);
  /// "45 %" of 0.45.
  ProgressLine& percent(double share);
  /// "about 3 min left"; nothing where there is no value. Only where units are alike: see seconds_left().
  ProgressLine& left(std::optional<double> seconds);
  /// "LABEL VALUE", with so many significant digits. `name`: of the figure in a log of JSON.
  ProgressLine& figure(ProgressRank rank, std::string name, std::string_view label, double value, int digits);
  /// A whole number: "LABEL VALUE", or "VALUE LABEL" with `value_first`.
  ProgressLine& number(ProgressRank rank, std::string name, std::string_view label, std::uint64_t value,
                       bool value_first = false);
  /// "VALUE UNIT": 1200 updates/s.
  ProgressLine& rate(std::string name, std::string_view unit, double value);
  ProgressLine& text(ProgressRank rank, std::string text);

  /// All fields, two blanks between them.
  [[nodiscard]] std::string text() const;
  /// As many as `columns` hold: the least important ones are left out, none is cut. Bytes count, so that a text that is
  /// not ASCII never takes more places than there are.
  [[nodiscard]] std::string within(std::size_t columns) const;

  [[nodiscard]] double seconds() const { return seconds_; }
  [[nodiscard]] const std::optional<ProgressCount>& counted() const { return count_; }
  [[nodiscard]] std::optional<double> seconds_to_go() const { return left_; }
  [[nodiscard]] const std::vector<Field>& fields() const { return fields_; }

 private:
  double seconds_;
  std::optional<ProgressCount> count_;
  std::optional<double> left_;
  std::vector<Field> fields_;
};

/// Of work that is no run and whose parts take about as long: "12.3 s  reading ratings  45 %".
[[nodiscard]] ProgressLine share_line(std::string what, double share, double seconds);
/// The same with a count: "12.3 s  lists  user 1200 of 6040".
[[nodiscard]] ProgressLine count_line(std::string what, ProgressCount count, double seconds);

/// "about 3 min", "about 20 s": no more digits than such an estimate has.
[[nodiscard]] std::string about_seconds(double seconds);

}  // namespace strads
