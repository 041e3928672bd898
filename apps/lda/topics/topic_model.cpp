#include "lda/topics/topic_model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "strads/data/arrays.hpp"
#include "strads/program/array_files.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"
#include "strads/program/run_files.hpp"
#include "strads/program/run_folder.hpp"

namespace strads::lda {
namespace {

const std::string kTopicModelFiles[] = {kPhiFile, kWordsFile, kTopicsFile};
constexpr std::string_view kWordsHead = "word\ttokens\n";
constexpr std::string_view kTopicsHead = "topic\talpha\ttokens\tshare\twords\n";

std::string words_table(const TopicModel& model) {
  std::string out(kWordsHead);
  for (std::size_t w = 0; w < model.words.size(); ++w) {
    out.append(model.words[w]).append("\t").append(std::to_string(model.word_tokens[w])).append("\n");
  }
  return out;
}

std::string topics_table(const TopicModel& model, std::uint32_t top) {
  const auto all =
      static_cast<double>(std::accumulate(model.topic_tokens.begin(), model.topic_tokens.end(), std::uint64_t{0}));
  std::string out(kTopicsHead);
  for (std::uint32_t k = 0; k < model.topics; ++k) {
    const double share = all > 0 ? static_cast<double>(model.topic_tokens[k]) / all : 0;
    out += std::to_string(k + 1) + "\t" + exact_text(model.alpha[k]) + "\t" + std::to_string(model.topic_tokens[k]) +
           "\t" + short_text(share, 5) + "\t";
    std::string separator;
    for (const std::uint32_t word : top_words(model, k, top)) {
      out.append(std::exchange(separator, " ")).append(model.words[word]);
    }
    out += "\n";
  }
  return out;
}

Status damaged_line(const std::string& path, std::uint64_t line, std::string_view found, const char* expected) {
  return Status::input(path + ":" + std::to_string(line) + ": found '" + std::string(found.substr(0, 60)) +
                       "', expected " + expected + "; the file is damaged");
}

/// visit(line) for each line but the first, which has to be `head`; it says whether the line is right.
template <class Visit>
Status each_line(const std::string& path, std::string_view head, const char* expected, Visit&& visit) {
  STRADS_ASSIGN_OR_RETURN(const auto text, read_file(path));
  if (!text.starts_with(head)) return damaged_line(path, 1, std::string_view(text).substr(0, head.size()), "its head");
  std::string_view rest = std::string_view(text).substr(head.size());
  for (std::uint64_t line = 2; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (!visit(rest.substr(0, end))) return damaged_line(path, line, rest.substr(0, end), expected);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

template <class Number>
bool parse_all(std::string_view text, Number& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

Status read_words(const std::string& path, TopicModel& model) {
  return each_line(path, kWordsHead, "a word, a tab and a number", [&](std::string_view line) {
    const std::size_t tab = line.rfind('\t');
    std::uint64_t tokens = 0;
    if (tab == std::string_view::npos || !parse_all(line.substr(tab + 1), tokens)) return false;
    model.words.emplace_back(line.substr(0, tab));
    model.word_tokens.push_back(tokens);
    return true;
  });
}

Status read_topics(const std::string& path, TopicModel& model) {
  return each_line(path, kTopicsHead, "topic, alpha, tokens, share and words", [&](std::string_view line) {
    std::uint64_t topic = 0, tokens = 0;
    double alpha = 0;
    const auto field = [&line] {
      const std::size_t end = std::min(line.find('\t'), line.size());
      const std::string_view text = line.substr(0, end);
      line.remove_prefix(std::min(end + 1, line.size()));
      return text;
    };
    if (!parse_all(field(), topic) || topic != model.alpha.size() + 1) return false;
    if (!parse_all(field(), alpha) || !(alpha > 0) || !std::isfinite(alpha)) return false;
    if (!parse_all(field(), tokens)) return false;
    model.alpha.push_back(alpha);
    model.topic_tokens.push_back(tokens);
    return true;
  });
}

Status read_tables(const std::string& directory, TopicModel& model) {
  if (Status read = read_words(directory + "/" + kWordsFile, model); !read.ok()) return read;
  if (Status read = read_topics(directory + "/" + kTopicsFile, model); !read.ok()) return read;
  model.topics = static_cast<std::uint32_t>(model.alpha.size());
  return {};
}

}  // namespace

std::vector<std::uint32_t> top_words(const TopicModel& model, std::uint32_t topic, std::uint32_t count) {
  const auto row = model.row(topic);
  std::vector<std::uint32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(count, order.size()));
  std::partial_sort(order.begin(), middle, order.end(),
                    [&](std::uint32_t a, std::uint32_t b) { return row[a] != row[b] ? row[a] > row[b] : a < b; });
  order.erase(middle, order.end());
  return order;
}

Status write_topic_model(RunDirectory& directory, const TopicModel& model, std::uint32_t top) {
  if (!directory.exists()) return {};
  const std::uint64_t shape[] = {model.topics, model.vocabulary()};
  if (Status done = write_array(directory, kPhiFile, shape, model.phi); !done.ok()) return done;
  if (Status done = directory.write(kWordsFile, words_table(model)); !done.ok()) return done;
  return directory.write(kTopicsFile, topics_table(model, top));
}

Status check_written(const RunDirectory& directory, const TopicModel& model) {
  const std::uint64_t shape[] = {model.topics, model.vocabulary()};
  if (Status same = check_array(directory.path_of(kPhiFile), shape, model.phi); !same.ok()) return same;
  TopicModel read;
  if (Status done = read_words(directory.path_of(kWordsFile), read); !done.ok()) return done;
  if (read.words != model.words || read.word_tokens != model.word_tokens) {
    return is_not_as_written(directory.path_of(kWordsFile));
  }
  if (Status done = read_topics(directory.path_of(kTopicsFile), read); !done.ok()) return done;
  const bool same = read.alpha == model.alpha && read.topic_tokens == model.topic_tokens;
  return same ? Status() : is_not_as_written(directory.path_of(kTopicsFile));
}

Result<TopicModel> read_topic_model(const std::string& directory) {
  if (Status run = expect_run_folder(directory, kTopicsFile, "lda fit"); !run.ok()) return run;
  if (Status known = expect_model_format(directory, kTopicFilesFormat); !known.ok()) return known;
  if (Status whole = check_run_files(directory, kTopicModelFiles); !whole.ok()) return whole;
  TopicModel model;
  if (Status read = read_tables(directory, model); !read.ok()) return read;
  STRADS_ASSIGN_OR_RETURN(auto phi, read_npy(directory + "/" + kPhiFile));
  if (phi.shape.size() != 2 || phi.shape[0] != model.topics || phi.shape[1] != model.words.size() ||
      model.topics == 0) {
    return Status::input(directory + "/" + kPhiFile + ": is no matrix of " + std::to_string(model.topics) +
                         " topics and " + std::to_string(model.words.size()) + " words; expected all files of one run");
  }
  model.phi = std::move(phi.values);
  if (!std::ranges::all_of(model.phi, [](float share) { return share >= 0 && share <= 1; })) {
    return Status::input(directory + "/" + kPhiFile + ": holds numbers that are no shares from 0 to 1");
  }
  STRADS_ASSIGN_OR_RETURN(model.beta, positive_of_summary(directory, kBeta, 0));
  if (!(model.beta > 0)) {
    return Status::input(directory + "/" + kSummaryFile + ": says no beta, expected the summary of lda fit");
  }
  return model;
}

std::string documents_table(std::span<const std::string> names, std::span<const std::uint64_t> begins,
                            std::span<const std::uint32_t> counts) {
  std::string out = "document\ttokens\n";
  for (std::size_t d = 0; d + 1 < begins.size(); ++d) {
    std::uint64_t tokens = 0;
    for (std::uint64_t k = begins[d]; k < begins[d + 1]; ++k) tokens += counts[k];
    out.append(names.empty() ? std::to_string(d + 1) : names[d]).append("\t").append(std::to_string(tokens));
    out.append("\n");
  }
  return out;
}

}  // namespace strads::lda
