#include "data/samples/classes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "data/text/text.hpp"

namespace strads::data {
namespace {

/// Of each class its first row, by the value that stands for it.
using FirstRows = std::map<double, std::uint64_t>;

/// Codes one response; the members are what its messages need.
class ClassCoder {
 public:
  ClassCoder(const Response& wanted, const ResponseOrigin& origin, std::span<const std::uint8_t> kept,
             RowValues& response)
      : wanted_(wanted), origin_(origin), kept_(kept), response_(response) {}

  Result<std::vector<std::string>> run() {
    read_words_as_numbers(kept_, response_);
    if (Status found = find_values(); !found.ok()) return found;
    const bool given = !wanted_.class_names.empty();
    if (!given && first_.size() < 2) return too_few();
    if (!given && first_.size() > kClassesMax) return too_many();
    std::vector<std::string> names = given ? wanted_.class_names : names_in_order();
    std::map<double, double> places;
    for (const auto& [value, row] : first_) {
      const auto found = std::find(names.begin(), names.end(), text_of(value));
      if (found == names.end()) return refuse(row, "one of the classes of the model: " + list_of(names));
      places[value] = static_cast<double>(found - names.begin());
    }
    for (std::uint64_t i = 0; i < kept_.size(); ++i) {
      if (takes_part(i)) response_.values[i] = places[response_.values[i]];
    }
    return names;
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
                         ", expected " + expected + " (a missing class is written NA)");
  }
  [[nodiscard]] static std::string list_of(const std::vector<std::string>& names) {
    constexpr std::size_t kListed = 10;
    std::string out;
    for (std::size_t k = 0; k < std::min(names.size(), kListed); ++k) out += (k == 0 ? "" : ", ") + in_quotes(names[k]);
    return names.size() > kListed ? out + " ..." : out;
  }

  Status find_values() {
    for (std::uint64_t i = 0; i < kept_.size(); ++i) {
      if (!takes_part(i)) continue;
      const double value = response_.values[i];
      if (!first_.try_emplace(value, i).second) continue;
      if (has_words() && is_number(text_of(value))) return refuse(i, "a word as others have it, or numbers alone");
      if (!has_words() && value != std::round(value)) {
        return refuse(i, "a class: a whole number or a word; numbers are fitted by lasso fit");
      }
    }
    return {};
  }

  [[nodiscard]] std::vector<std::string> names_in_order() const {
    std::vector<std::string> names;
    for (const auto& [value, row] : first_) names.push_back(text_of(value));
    if (has_words()) std::sort(names.begin(), names.end(), sorts_before);
    return names;
  }

  [[nodiscard]] Status too_few() const {
    if (first_.empty()) return Status::input(named() + ": no sample has a class, expected samples of two or more");
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < kept_.size(); ++i) count += takes_part(i) ? 1 : 0;
    return Status::input(named() + ": " +
                         (count == 1 ? "the one sample is " : "all " + std::to_string(count) + " samples are ") +
                         "of class " + shown(first_.begin()->first) +
                         ", expected samples of two classes or more: whole numbers or words");
  }

  [[nodiscard]] Status too_many() const {
    return Status::input(named() + ": " + std::to_string(first_.size()) + " different values, expected at most " +
                         std::to_string(kClassesMax) + " classes; is this the right column?");
  }

  const Response& wanted_;
  const ResponseOrigin& origin_;
  std::span<const std::uint8_t> kept_;
  RowValues& response_;
  FirstRows first_;
};

}  // namespace

void read_words_as_numbers(std::span<const std::uint8_t> kept, RowValues& response) {
  if (response.words.empty()) return;
  const auto takes_part = [&](std::uint64_t i) { return kept[i] != 0 && !std::isnan(response.values[i]); };
  const auto word_of = [&](std::uint64_t i) { return response.words[static_cast<std::size_t>(response.values[i])]; };
  for (std::uint64_t i = 0; i < kept.size(); ++i) {
    double value = 0;
    if (takes_part(i) && parse_number(word_of(i), value) != Number::value) return;
  }
  for (std::uint64_t i = 0; i < kept.size(); ++i) {
    if (takes_part(i)) parse_number(word_of(i), response.values[i]);
  }
  response.words.clear();
}

Result<std::vector<std::string>> code_classes(const Response& wanted, const ResponseOrigin& origin,
                                              std::span<const std::uint8_t> kept, RowValues& response) {
  return ClassCoder(wanted, origin, kept, response).run();
}

std::string classes_text(const RowValues& response, const std::vector<std::string>& names,
                         std::span<const std::uint8_t> kept, std::uint64_t zeros) {
  constexpr std::size_t kListed = 5;
  std::vector<std::uint64_t> counts(names.size(), 0);
  for (std::uint64_t i = 0; i < kept.size(); ++i) {
    if (kept[i] != 0 && !std::isnan(response.values[i])) ++counts[static_cast<std::size_t>(response.values[i])];
  }
  std::string out = (response.plink ? "phenotype " : "response ") + in_quotes(response.name) + ": ";
  if (names.size() > kListed) {
    const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
    out += std::to_string(names.size()) + " classes of " + std::to_string(*least) + " to " + std::to_string(*most) +
           " samples";
  }
  for (std::size_t k = 0; k < names.size() && names.size() <= kListed; ++k) {
    out += (k == 0 ? "" : ", ") + std::to_string(counts[k]) + " of class " + names[k];
  }
  if (zeros == 0) return out;
  return out + "; 0 is missing: " + std::to_string(zeros) + (zeros == 1 ? " sample" : " samples");
}

}  // namespace strads::data
