// --split: who trains, validates and tests.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "data/samples/samples.hpp"
#include "data/text/text.hpp"

namespace strads::data {
namespace {

// The words of snpnet's split.col.
constexpr std::array<std::pair<const char*, SamplePart>, 3> kWords{
    {{"train", SamplePart::train}, {"val", SamplePart::validate}, {"test", SamplePart::test}}};

std::optional<SamplePart> part_called(const std::string& word) {
  for (const auto& [name, part] : kWords) {
    if (word == name) return part;
  }
  return std::nullopt;
}

}  // namespace

Status take_split(const std::string& path, const RowValues& column, const SampleIds& x, SampleSelection& out) {
  const auto refuse = [&](std::uint64_t row, const std::string& found) {
    return Status::input(path + ": column " + in_quotes(column.name) + " of " + name_or_row(x, row) + " is " + found +
                         ", expected train, val, test or NA (takes no part); --split-name names another column");
  };
  out.split.assign(column.values.size(), SamplePart::none);
  for (std::uint64_t i = 0; i < column.values.size(); ++i) {
    const double value = column.values[i];
    if (std::isnan(value)) continue;
    if (column.words.empty()) return refuse(i, short_number(value));
    const std::string& word = column.words[static_cast<std::size_t>(value)];
    const auto part = part_called(word);
    if (!part) return refuse(i, in_quotes(word));
    out.split[i] = *part;
  }
  if (!column.absent.empty()) {
    out.rows.drop_where("not in the split table", [&](std::uint64_t i) { return column.absent[i] != 0; });
  }
  out.rows.drop_where("no part in the split (NA)", [&](std::uint64_t i) { return out.split[i] == SamplePart::none; });
  return {};
}

Status take_split_in_memory(std::span<const std::uint8_t> parts, std::uint64_t x_rows, SampleSelection& out) {
  if (parts.size() != x_rows) {
    return Status::input("split: " + std::to_string(parts.size()) + " rows, expected " + std::to_string(x_rows) +
                         " as in X");
  }
  out.split.clear();
  for (const std::uint8_t part : parts) {
    if (part > static_cast<std::uint8_t>(SamplePart::test)) {
      return Status::input("split: row " + std::to_string(out.split.size() + 1) + " is " + std::to_string(part) +
                           ", expected 0 (takes no part), 1 (train), 2 (val) or 3 (test)");
    }
    out.split.push_back(static_cast<SamplePart>(part));
  }
  out.rows.drop_where("no part in the split (NA)", [&](std::uint64_t i) { return out.split[i] == SamplePart::none; });
  return {};
}

Status expect_split_parts(const std::string& path, const SampleSelection& selection) {
  if (selection.split.empty()) return {};
  const auto count = [&](SamplePart part) {
    std::uint64_t samples = 0;
    for (std::uint64_t i = 0; i < selection.split.size(); ++i) {
      samples += selection.rows.kept()[i] != 0 && selection.split[i] == part ? 1U : 0U;
    }
    return samples;
  };
  const std::uint64_t train = count(SamplePart::train), validate = count(SamplePart::validate);
  if (train >= 2 && validate >= 1) return {};
  return Status::input(path + ": of the samples that take part " + std::to_string(train) + " are train, " +
                       std::to_string(validate) + " val and " + std::to_string(count(SamplePart::test)) +
                       " test, expected at least two to train and one to validate");
}

}  // namespace strads::data
