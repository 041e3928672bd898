#include "lda/topics/exports.hpp"

#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "strads/data/packed_text.hpp"
#include "strads/program/program.hpp"
#include "strads/program/result_files.hpp"

namespace strads::lda {
namespace {

/// Text that goes to a file in pieces, packed or as it is.
class Pieces {
 public:
  Pieces(ResultWriter writer, bool packed) : writer_(std::move(writer)), packed_(packed) {}

  std::string& text() { return text_; }
  /// Call now and then.
  Status pass() { return text_.size() < kPieceBytes ? Status() : flush(); }
  Status end() {
    if (Status done = flush(); !done.ok()) return done;
    return writer_.commit();
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 22;

  Status flush() {
    if (!packed_) {
      Status done = writer_.write(text_);
      text_.clear();
      return done;
    }
    STRADS_ASSIGN_OR_RETURN(const auto member, gzip(text_));
    text_.clear();
    return writer_.write(member);
  }

  ResultWriter writer_;
  bool packed_;
  std::string text_;
};

void append_number(std::string& out, std::uint64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end.ptr);
}

/// The shortest text that reads back as the same float.
void append_share(std::string& out, float share) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, share);
  out.append(digits, end.ptr);
}

void append_json_text(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out.append("\\u00").append(1, kHex[byte >> 4U]).append(1, kHex[byte & 15U]);
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_row(std::string& out, std::span<const float> row) {
  out += '[';
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k > 0) out += ',';
    append_share(out, row[k]);
  }
  out += ']';
}

/// Each of `count` entries with append(k), a comma between two.
template <class Append>
Status append_list(Pieces& out, std::size_t count, Append&& append) {
  out.text() += '[';
  bool is_first = true;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t before = out.text().size();
    if (!is_first) out.text() += ',';
    if (append(k)) {
      is_first = false;
    } else {
      out.text().resize(before);
    }
    if (Status done = out.pass(); !done.ok()) return done;
  }
  out.text() += ']';
  return {};
}

std::span<const float> theta_of(std::span<const float> theta, std::size_t document, std::uint32_t topics) {
  return theta.subspan(document * topics, topics);
}

std::uint64_t tokens_of(const Documents& documents, std::size_t d) {
  std::uint64_t tokens = 0;
  for (std::uint64_t k = documents.begins[d]; k < documents.begins[d + 1]; ++k) tokens += documents.counts[k];
  return tokens;
}

}  // namespace

Status write_mallet_state(RunDirectory& directory, const TopicModel& model, const Documents& documents,
                          std::span<const std::uint16_t> assignments) {
  STRADS_ASSIGN_OR_RETURN(auto writer, ResultWriter::open(directory.path_of(kStateFile)));
  Pieces out(std::move(writer), true);
  out.text() = "#doc source pos typeindex type topic\n#alpha :";
  for (const double alpha : model.alpha) out.text().append(" ").append(exact_text(alpha));
  out.text().append("\n#beta : ").append(exact_text(model.beta)).append("\n");
  std::size_t token = 0;
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    const std::string source = documents.document_names.empty() ? "NA" : documents.document_names[d];
    std::uint64_t position = 0;
    for (std::uint64_t k = documents.begins[d]; k < documents.begins[d + 1]; ++k) {
      for (std::uint32_t n = 0; n < documents.counts[k]; ++n) {
        std::string& text = out.text();
        append_number(text, d);
        text.append(" ").append(source).append(" ");
        append_number(text, position++);
        text += ' ';
        append_number(text, documents.words[k]);
        text.append(" ").append(model.words[documents.words[k]]).append(" ");
        append_number(text, assignments[token++]);
        text += '\n';
      }
      if (Status done = out.pass(); !done.ok()) return done;
    }
  }
  if (Status done = out.end(); !done.ok()) return done;
  directory.note_file(kStateFile);
  return {};
}

Status write_doc_topics(RunDirectory& directory, const TopicModel& model, const Documents& documents,
                        std::span<const float> theta) {
  STRADS_ASSIGN_OR_RETURN(auto writer, ResultWriter::open(directory.path_of(kDocTopicsFile)));
  Pieces out(std::move(writer), false);
  for (std::uint64_t d = 0; d < documents.size(); ++d) {
    append_number(out.text(), d);
    out.text().append("\t").append(documents.document(d));
    for (const float share : theta_of(theta, d, model.topics)) {
      out.text() += '\t';
      append_share(out.text(), share);
    }
    out.text() += '\n';
    if (Status done = out.pass(); !done.ok()) return done;
  }
  if (Status done = out.end(); !done.ok()) return done;
  directory.note_file(kDocTopicsFile);
  return {};
}

Status write_pyldavis(RunDirectory& directory, const TopicModel& model, const Documents& documents,
                      std::span<const float> theta) {
  STRADS_ASSIGN_OR_RETURN(auto writer, ResultWriter::open(directory.path_of(kPyldavisFile)));
  Pieces out(std::move(writer), false);
  const auto list = [&](const char* before, std::size_t count, auto&& append) {
    out.text() += before;
    return append_list(out, count, append);
  };
  const auto has_words = [&](std::size_t d) { return documents.begins[d] < documents.begins[d + 1]; };
  Status done = list("{\"topic_term_dists\":", model.topics, [&](std::size_t k) {
    append_row(out.text(), model.row(static_cast<std::uint32_t>(k)));
    return true;
  });
  if (!done.ok()) return done;
  done = list(",\n\"doc_topic_dists\":", documents.size(), [&](std::size_t d) {
    if (has_words(d)) append_row(out.text(), theta_of(theta, d, model.topics));
    return has_words(d);
  });
  if (!done.ok()) return done;
  done = list(",\n\"doc_lengths\":", documents.size(), [&](std::size_t d) {
    if (has_words(d)) append_number(out.text(), tokens_of(documents, d));
    return has_words(d);
  });
  if (!done.ok()) return done;
  done = list(",\n\"vocab\":", model.words.size(), [&](std::size_t w) {
    append_json_text(out.text(), model.words[w]);
    return true;
  });
  if (!done.ok()) return done;
  done = list(",\n\"term_frequency\":", model.words.size(), [&](std::size_t w) {
    append_number(out.text(), model.word_tokens[w]);
    return true;
  });
  if (!done.ok()) return done;
  out.text() += "}\n";
  if (done = out.end(); !done.ok()) return done;
  directory.note_file(kPyldavisFile);
  return {};
}

}  // namespace strads::lda
