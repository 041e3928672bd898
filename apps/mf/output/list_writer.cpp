#include "mf/output/list_writer.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "strads/data/arrays.hpp"
#include "strads/program/program.hpp"
#include "strads/program/summary.hpp"

namespace strads::mf {
namespace {

/// Lists whose text is one piece of work.
constexpr std::size_t kListsAtOnce = 64;
/// A float is the same again when it is read with so many digits.
constexpr int kFloatDigits = 9;

/// A field as RFC 4180 has it.
std::string csv_field(std::string_view text) {
  const bool blank_ends = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!blank_ends && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

std::string score_text(const Candidate& candidate) {
  return short_text(double{candidate.score}, kFloatDigits);
}

}  // namespace

ListWriter::ListWriter(ListShape shape, ResultWriter writer) : shape_(std::move(shape)), writer_(std::move(writer)) {}

Result<ListWriter> ListWriter::open(const std::string& path, ListShape shape) {
  if (shape.format == ListFormat::npz && path.empty()) {
    return Status::usage("--format npz is a file of arrays and not for a terminal: give --out FILE");
  }
  STRADS_ASSIGN_OR_RETURN(auto opened, ResultWriter::open(path));
  ListWriter writer(std::move(shape), std::move(opened));
  if (writer.shape_.format == ListFormat::tsv || writer.shape_.format == ListFormat::csv) {
    const std::string comma = writer.shape_.format == ListFormat::csv ? "," : "\t";
    const std::string other = writer.shape_.whose == "item" ? "similar" : "item";
    const std::string header =
        writer.shape_.whose + comma + "rank" + comma + other + comma + writer.shape_.score + "\n";
    if (Status done = writer.writer_.write(header); !done.ok()) return done;
  }
  return writer;
}

std::string ListWriter::text_of(std::uint32_t owner, const std::vector<Candidate>& list) const {
  std::string out;
  if (shape_.format == ListFormat::jsonl) {
    std::string scores;
    out = "{\"" + shape_.whose + "\": " + json_text(shape_.owners->name(owner)) + ", \"items\": [";
    for (std::size_t place = 0; place < list.size(); ++place) {
      out.append(place == 0 ? "" : ", ").append(json_text(shape_.items->name(list[place].item)));
      scores.append(place == 0 ? "" : ", ").append(score_text(list[place]));
    }
    return out.append("], \"scores\": [").append(scores).append("]}\n");
  }
  const bool csv = shape_.format == ListFormat::csv;
  const auto field = [csv](std::string_view text) { return csv ? csv_field(text) : std::string(text); };
  const char* const comma = csv ? "," : "\t";
  const std::string start = field(shape_.owners->name(owner)) + comma;
  for (std::size_t place = 0; place < list.size(); ++place) {
    out.append(start).append(std::to_string(place + 1)).append(comma);
    out.append(field(shape_.items->name(list[place].item))).append(comma).append(score_text(list[place])).append("\n");
  }
  return out;
}

void ListWriter::keep(std::uint32_t owner, const std::vector<Candidate>& list) {
  ids_.emplace_back(shape_.owners->name(owner));
  for (const Candidate& candidate : list) {
    places_.push_back(static_cast<std::int32_t>(candidate.item));
    scores_.push_back(candidate.score);
  }
  places_.resize(ids_.size() * shape_.top, -1);
  scores_.resize(ids_.size() * shape_.top, std::numeric_limits<float>::quiet_NaN());
}

Status ListWriter::write(std::span<const std::uint32_t> owners, std::span<const std::vector<Candidate>> lists,
                         Chunks& chunks) {
  if (shape_.format == ListFormat::npz) {
    for (std::size_t k = 0; k < owners.size(); ++k) keep(owners[k], lists[k]);
    return {};
  }
  std::vector<std::string> texts((owners.size() + kListsAtOnce - 1) / kListsAtOnce);
  chunks.for_each(texts.size(), [&](std::size_t piece) {
    const std::size_t begin = piece * kListsAtOnce, end = std::min(owners.size(), begin + kListsAtOnce);
    for (std::size_t k = begin; k < end; ++k) texts[piece] += text_of(owners[k], lists[k]);
  });
  for (const std::string& text : texts) {
    if (Status done = writer_.write(text); !done.ok()) return done;
  }
  return {};
}

Status ListWriter::commit() {
  if (shape_.format == ListFormat::npz) {
    const std::uint64_t rows = ids_.size();
    std::vector<std::string> items;
    for (std::uint32_t item = 0; item < shape_.items->size(); ++item) items.emplace_back(shape_.items->name(item));
    const std::uint64_t known = items.size();
    const NamedEntries arrays[] = {{"ids", {rows}, std::move(ids_)},
                                   {"items", {rows, shape_.top}, std::move(places_)},
                                   {"scores", {rows, shape_.top}, std::move(scores_)},
                                   {"item_ids", {known}, std::move(items)}};
    STRADS_ASSIGN_OR_RETURN(const auto bytes, npz_of_entries(arrays));
    if (Status done = writer_.write(bytes); !done.ok()) return done;
  }
  return writer_.commit();
}

}  // namespace strads::mf
